"""The tools of the official suite that run as tasks, and the store that keeps them.

`CONFORMANCE_STORE` is the address of a store; without it tasks are kept in memory.
"""

import asyncio
import os
from typing import Any, Final

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from elicitkit import Cancelled, Declined, FormElicitation, Tasks, elicit, elicit_all, open_store

STORE: Final = os.environ.get("CONFORMANCE_STORE", "memory:")

tasks = Tasks(open_store(STORE), poll_interval=0.1)

NAME: Final = FormElicitation.create("What is your name?").string("name").required().build()


async def greet(name: str) -> str:
    return f"Hello, {name}!"


@tasks.task()
async def slow_compute(seconds: float, ctx: Context, label: str = "") -> str:
    await ctx.report_progress(0, seconds, "computing")
    await asyncio.sleep(seconds)
    return f"{label or 'computed'} after {seconds:g} s"


@tasks.task(mode="required")
async def failing_job() -> str:
    await asyncio.sleep(1)
    raise ToolError("the job failed, as it always does")


@tasks.task()
async def protocol_error_job() -> str:
    await asyncio.sleep(0)
    raise MCPError(code=INTERNAL_ERROR, message="the protocol failed, as it always does")


@tasks.task()
async def confirm_delete(filename: str, ctx: Context) -> str:
    form = FormElicitation.create(f"Delete {filename}?").boolean("confirm").required()
    outcome = await elicit(ctx, form)
    if not outcome:
        return f"{filename} was kept: {outcome.reason}."
    return f"{filename} was deleted." if outcome.content["confirm"] else f"{filename} was kept: not confirmed."


@tasks.task()
async def multi_input(ctx: Context) -> str:
    def form(message: str) -> FormElicitation[Any]:
        return FormElicitation.create(message).string("name").required().boolean("confirm").required()

    found = await elicit_all(ctx, first=form("The first?"), second=form("The second?"))
    return " and ".join(_told(outcome) for outcome in found.values())


def _told(outcome: Any) -> str:
    return str(outcome.content["name"]) if outcome else f"nobody ({outcome.reason})"


@tasks.task(mode="required", begins="later")
async def test_tool_with_task(ctx: Context) -> str:
    """Asks by round trip, and is a task from then on."""
    outcome = await elicit(ctx, NAME, key="user_name")
    match outcome:
        case Declined() | Cancelled():
            return f"Nothing was done: {outcome.reason}."
    await tasks.begin(ctx)
    await asyncio.sleep(0.1)
    return f"It is done, {outcome.content['name']}."


JOBS: Final = (greet, slow_compute, failing_job, protocol_error_job, confirm_delete, multi_input, test_tool_with_task)
NAMES: Final = frozenset(job.__name__ for job in JOBS)


def add_to(mcp: MCPServer[Any]) -> None:
    """Let a server have them."""
    for job in JOBS:
        mcp.tool()(job)


test_tool_with_task.__test__ = False  # type: ignore[attr-defined]  # The suite chose the name; it is none of pytest's.
