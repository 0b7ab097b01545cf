"""The tools that run as tasks, for clients that know tasks: a required one, and an optional one."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

from ...asking import confirm, elicit, elicit_all
from ...tasks.extension import Tasks
from .asking import told
from .forms import FORMS


def add_to(server: MCPServer[Any], tasks: Tasks) -> None:
    """Give a server these tools."""
    server.tool()(tasks.task(mode="required")(task_required))
    server.tool()(tasks.task(mode="optional")(task_optional))
    server.tool()(tasks.task(mode="optional")(task_several))


async def task_required(ctx: Context) -> str:
    """Ask three questions one after another in a task; clients that know no tasks get an error."""
    return await _three(ctx)


async def task_optional(ctx: Context) -> str:
    """Ask three questions one after another: in a task, or in a plain call of clients that know none."""
    return await _three(ctx)


async def task_several(ctx: Context) -> str:
    """Ask two questions at the same time, in a task where the client knows them."""
    outcomes = await elicit_all(ctx, text=FORMS["text"], choice=FORMS["choice"])
    return json.dumps({name: json.loads(told(outcome)) for name, outcome in outcomes.items()})


async def _three(ctx: Context) -> str:
    await ctx.report_progress(1, 3, "asking for a name")
    name = await elicit(ctx, FORMS["text"])
    await ctx.report_progress(2, 3, "asking for a size")
    size = await elicit(ctx, FORMS["titled_choice"])
    sure = await confirm(ctx, "Is that all?")
    return json.dumps([json.loads(told(outcome)) for outcome in (name, size, sure)])
