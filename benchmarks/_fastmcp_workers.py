"""FastMCP's side of benchmarks/workers.py: `.peers/fastmcp/bin/python` runs it, as `serve` or as `work`.

A server of FastMCP's always runs tools, too: there is one process more that does than we have.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import Any

import mcp_types
from _fastmcp_tasks import MESSAGE, SCHEMA, KnowsTasks, nobody
from _workers_bench import FleetBench, Marks, measure
from fastmcp import Context, FastMCP
from fastmcp_tasks import TasksExtension
from mcp import Client

marks = Marks(os.environ["BENCH_MARKS"])
mcp = FastMCP("theirs")
mcp.add_extension(TasksExtension(url=os.environ["BENCH_REDIS"], name="theirs"))
params = mcp_types.ElicitRequestFormParams(message=MESSAGE, requested_schema=SCHEMA)
ASKS = mcp_types.InputRequiredResult(input_requests={"where": mcp_types.ElicitRequest(params=params)})


@mcp.tool(task=True, output_schema=None)
async def ask(cart: str, ctx: Context) -> Any:
    if (answer := (ctx.input_responses or {}).get("where")) is None:
        return ASKS
    marks.add()
    return str(answer.content["fullName"])


async def main() -> None:
    logging.disable(logging.INFO)
    async with mcp._lifespan_manager():
        if sys.argv[1] == "work":
            print("ready", flush=True)
            await asyncio.get_running_loop().create_future()
        declared: Any = {"extensions": [KnowsTasks()], "elicitation_callback": nobody}
        async with Client(mcp._mcp_server, **declared) as client:
            await measure(FleetBench(client.session, marks))


if __name__ == "__main__":
    asyncio.run(main())
