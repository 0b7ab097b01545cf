"""The tools that ask as a good server does, on every revision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field

from ...asking import confirm, elicit, elicit_all, elicit_url, step, url_required
from ...forms import Content, Form, FormElicitation
from ...outcomes import Accepted, Outcome
from .forms import EVERYTHING, FORMS

PAGE = "https://bank.example.org/pay?for=7"
_TICKS = 40


class Person(BaseModel):
    """What the SDK's own `ctx.elicit` asks for."""

    name: str = Field(title="Your name", min_length=2)


def told(outcome: Outcome[Any]) -> str:
    """What a question came to, as JSON."""
    if isinstance(outcome, Accepted):
        return json.dumps({"action": "accept", "content": outcome.raw})
    return json.dumps({"action": outcome.action, "reason": outcome.reason})


def add_to(server: MCPServer[Any]) -> None:
    """Give a server these tools, a prompt and a resource."""
    for name, form in FORMS.items():
        server.tool(f"ask_{name}", description=f"Ask one form: {form.message}")(_asker(form))
    server.tool("ask_everything", description="Ask one form that has every kind of field.")(_asker(EVERYTHING))
    for tool in (ask_several, ask_steps, ask_confirm, ask_empty, ask_link, ask_again, ask_with_progress, ask_stock):
        server.tool()(tool)
    server.tool()(_link_requirer())
    server.tool()(ask_nothing)
    server.prompt()(ask_prompt)
    server.resource("ask://{topic}")(ask_resource)


def _asker(form: Form[Any]) -> Callable[[Context], Coroutine[Any, Any, str]]:
    async def ask(ctx: Context) -> str:
        return told(await elicit(ctx, form))

    return ask


async def ask_several(ctx: Context) -> str:
    """Ask three forms at the same time."""
    forms = {name: FORMS[name] for name in ("text", "integer", "choice")}
    outcomes = await elicit_all(ctx, forms)
    return json.dumps({name: json.loads(told(outcome)) for name, outcome in outcomes.items()})


async def ask_steps(ctx: Context) -> str:
    """Ask three questions one after another, each about the last answer, with work in between that is done once."""
    name = await elicit(ctx, FORMS["text"])
    if not name:
        return told(name)
    greeting = await step(ctx, "greet", _greeting, name.content["name"])
    days = await elicit(ctx, FORMS["multi_choice"].with_message(f"{greeting} Which days?"))
    if not days:
        return told(days)
    booked = await confirm(ctx, f"Book {' and '.join(days.content['days'])}?")
    return told(Accepted(None, raw={**name.raw, **days.raw, "booked": bool(booked)}))


def _greeting(name: str) -> str:
    return f"Hello, {name}."


async def ask_confirm(ctx: Context) -> str:
    """Ask a yes/no question, as one required boolean."""
    return told(await confirm(ctx, "Delete all drafts?"))


async def ask_empty(ctx: Context) -> str:
    """Ask with a form that has no fields."""
    return told(await confirm(ctx, "Delete all drafts?", empty=True))


async def ask_link(ctx: Context, url: str = PAGE) -> str:
    """Ask to open a link; consent is the answer."""
    return told(await elicit_url(ctx, "Please pay first.", url))


def _link_requirer() -> Callable[..., Coroutine[Any, Any, str]]:
    visited: set[str] = set()

    async def ask_required_link(ctx: Context, visit: str = "first") -> str:
        """Require a link to be opened: on 2025-11-25 the first call of a visit is the error -32042."""
        if visit in visited:
            return json.dumps({"visited": visit})
        try:
            return told(await url_required(ctx, "Please sign in first.", PAGE, elicitation_id=f"visit-{visit}"))
        except MCPError:
            visited.add(visit)
            raise

    return ask_required_link


async def ask_again(ctx: Context) -> str:
    """Ask for an even number, and again with the reason until it is one, three times in all."""
    form = FormElicitation.create("Which even number?").integer("number").required().validate(_refuse_odd)
    return told(await elicit(ctx, form))


def _refuse_odd(answer: Content) -> None:
    if answer["number"] % 2:
        raise ValueError("The number must be even.")


async def ask_with_progress(ctx: Context) -> str:
    """Report progress before a question and, where the connection lasts, while it is open."""
    await ctx.report_progress(0, _TICKS, "before the question")
    ticking = asyncio.create_task(_tick(ctx))
    try:
        return told(await elicit(ctx, FORMS["text"]))
    finally:
        ticking.cancel()
        await asyncio.gather(ticking, return_exceptions=True)


async def _tick(ctx: Context) -> None:
    for tick in range(1, _TICKS + 1):
        await ctx.report_progress(tick, _TICKS, "still waiting")
        await asyncio.sleep(0.05)


async def ask_stock(ctx: Context) -> str:
    """Ask with the SDK's own `ctx.elicit`."""
    result = await ctx.elicit("What is your name?", Person)
    content = {"content": result.data.model_dump()} if result.action == "accept" else {}
    return json.dumps({"action": result.action, **content})


async def ask_nothing(text: str = "nothing was asked") -> str:
    """Ask nothing, and give back a text."""
    return text


async def ask_prompt(ctx: Context) -> str:
    """Ask a form during `prompts/get`."""
    return told(await elicit(ctx, FORMS["text"]))


async def ask_resource(topic: str, ctx: Context) -> str:
    """Ask a form during `resources/read`."""
    return told(await elicit(ctx, FORMS["text"].with_message(f"Who reads about {topic}?")))
