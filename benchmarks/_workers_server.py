"""Our side of benchmarks/workers.py: a module as `elicitkit worker` loads it; as a script it is the server."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Any

from _fastmcp_tasks import MESSAGE, KnowsTasks, nobody
from _workers_bench import FleetBench, Marks, measure
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import DocketEngine, Elicitation, FormElicitation, Tasks, elicit, open_store

marks = Marks(os.environ["BENCH_MARKS"])
engine = DocketEngine(os.environ["BENCH_REDIS"], runs_here=False)
tasks = Tasks(open_store(os.environ["BENCH_STORE"]), engine=engine, max_live=int(os.environ["BENCH_MAX_LIVE"]))
mcp: MCPServer[Any] = MCPServer("ours", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())
FORM = FormElicitation.create(MESSAGE).string("full_name").required().email("email").build()


@mcp.tool(structured_output=False)
@tasks.task()
async def ask(cart: str, ctx: Context) -> str:
    outcome = await elicit(ctx, FORM)
    marks.add()
    return str(outcome.content["fullName"]) if outcome else outcome.reason


async def main() -> None:
    logging.disable(logging.INFO)
    async with Client(mcp, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
        await measure(FleetBench(client.session, marks))


if __name__ == "__main__":
    asyncio.run(main())
