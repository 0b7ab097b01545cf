"""The server of the tests of `elicitkit worker`, a module as an author's: its file of tasks is in the environment."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from fastmcp import FastMCP
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, MemoryTaskStore, SqliteTaskStore, Tasks, elicit
from elicitkit.cli import ending

tasks = Tasks(SqliteTaskStore(os.environ.get("SHOP_TASKS", "tasks.db")), lease=1.0)
mcp: MCPServer[Any] = MCPServer("shop", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())


@mcp.tool()
@tasks.task()
async def order(ctx: Context) -> str:
    size = await elicit(ctx, FormElicitation.create("Which size?").string("size").required())
    return f"{os.getpid()} {size.content['size'] if size else size}"


@mcp.tool()
@tasks.task()
async def stay(ctx: Context) -> None:
    """Refuses to end."""
    await ctx.report_progress(1, 2, "staying")
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


@mcp.tool()
@tasks.task()
async def stay_in_a_thread(ctx: Context) -> None:
    """Refuses to end, in a thread that Python waits for."""
    await ctx.report_progress(1, 2, "staying")
    await asyncio.to_thread(threading.Event().wait)


@mcp.tool()
@tasks.task()
async def block(ctx: Context) -> None:
    """Keeps the event loop from everything else."""
    await ctx.report_progress(1, 2, "blocking")
    threading.Event().wait()


if "SHOP_MARGIN" in os.environ:
    ending.MARGIN = float(os.environ["SHOP_MARGIN"])  # type: ignore[misc]  # No test waits for so long.

plain: MCPServer[Any] = MCPServer("plain")
without_lifespan: MCPServer[Any] = MCPServer("bare", extensions=[Tasks(SqliteTaskStore("tasks.db"))])
_in_memory = Tasks(MemoryTaskStore())
in_memory: MCPServer[Any] = MCPServer("memory", extensions=[_in_memory], lifespan=_in_memory.lifespan())
_picky = Tasks(SqliteTaskStore("tasks.db"), tools={"nothing"})
picky: MCPServer[Any] = MCPServer("picky", extensions=[_picky], lifespan=_picky.lifespan())


@asynccontextmanager
async def _failing(server: Any) -> AsyncIterator[None]:
    async with anyio.create_task_group():
        raise KeyError("SETTING")
        yield


_broken = Tasks(SqliteTaskStore("tasks.db"))
broken: MCPServer[Any] = MCPServer("broken", extensions=[_broken], lifespan=_broken.lifespan(_failing))
fast: FastMCP[Any] = FastMCP("fast")
number = 3
