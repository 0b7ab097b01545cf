"""The other side of benchmarks/fleet.py: `.peers/fastmcp/bin/python _fastmcp_fleet.py PORT REDIS` serves its tasks.

A server has a worker in its process, as FastMCP's have unless told otherwise; all of them share the Redis.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

import mcp_types
import uvicorn
from _fastmcp_tasks import MESSAGE, SCHEMA
from fastmcp import Context, FastMCP
from fastmcp_tasks import TasksExtension


async def ask(cart: str, ctx: Any) -> Any:
    """Ask, and give the moment of going on with the answer, which all processes of a machine count from the same."""
    if (ctx.input_responses or {}).get("where") is not None:
        return repr(time.monotonic())
    params = mcp_types.ElicitRequestFormParams(message=MESSAGE, requested_schema=SCHEMA)
    return mcp_types.InputRequiredResult(input_requests={"where": mcp_types.ElicitRequest(params=params)})


ask.__annotations__["ctx"] = Context


def main(port: int, redis: str) -> None:
    logging.disable(logging.WARNING)
    mcp = FastMCP("theirs")
    mcp.add_extension(TasksExtension(url=redis, concurrency=100))
    mcp.tool(ask, task=True, output_schema=None)
    uvicorn.run(mcp.http_app(stateless_http=True), host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
