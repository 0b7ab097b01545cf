"""FastMCP's own `ctx.elicit`, in tools that know nothing of us, on every era (design, section 7)."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import pytest
from fastmcp import Context
from fastmcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel

from elicitkit import elicit
from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests import eras
from tests.server.fastmcp_calls import Server, asking_server, call, connected, echo, text_form

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


class Guest(BaseModel):
    name: str
    nights: int = 1


@dataclass
class Room:
    number: int


class Size(Enum):
    SMALL = "S"
    LARGE = "L"


TYPES: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "text": (str, {"value": "Ada"}, "Ada"),
    "whole number": (int, {"value": 7}, 7),
    "number": (float, {"value": 1.5}, 1.5),
    "yes or no": (bool, {"value": True}, True),
    "literal": (Literal["S", "L"], {"value": "S"}, "S"),
    "enum": (Size, {"value": "L"}, Size.LARGE),
    "choices": (["S", "L"], {"value": "L"}, "L"),
    "titled choices": ({"S": {"title": "Small"}}, {"value": "S"}, "S"),
    "many of choices": ([["S", "L"]], {"value": ["S", "L"]}, ["S", "L"]),
    "many of titled choices": ([{"S": {"title": "Small"}}], {"value": ["S"]}, ["S"]),
    "list of a literal": (list[Literal["S", "L"]], {"value": ["L"]}, ["L"]),
    "model": (Guest, {"name": "Ada"}, Guest(name="Ada")),
    "dataclass": (Room, {"number": 7}, Room(7)),
}
"""Every kind of response type that FastMCP renders: the type, what the client sends, and what the tool gets."""


@pytest.mark.parametrize("kind", TYPES)
async def test_every_response_type_of_fastmcps_is_asked_and_given_as_it_gives_it(revision: str, kind: str) -> None:
    response_type, content, expected = TYPES[kind]
    given: list[Any] = []
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        given.append(await ctx.elicit("?", response_type))
        return "done"

    with ScriptedAnswers([ElicitResult(action="accept", content=content)]) as answers:
        assert await call(mcp, revision, answers) == "done"

    assert isinstance(given[-1], AcceptedElicitation)
    assert given[-1].data == expected


@pytest.mark.parametrize(("answer", "kind"), [(decline(), DeclinedElicitation), (cancel(), CancelledElicitation)])
async def test_a_refusal_is_given_as_fastmcp_gives_it(revision: str, answer: Any, kind: type) -> None:
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return type(await ctx.elicit("?", str)).__name__

    with ScriptedAnswers([answer]) as answers:
        assert await call(mcp, revision, answers) == kind.__name__


async def test_what_is_sent_is_the_schema_that_fastmcp_renders(revision: str) -> None:
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        await ctx.elicit("?", ["S", "L"], response_title="Size", response_description="of the shirt")
        return "done"

    with ScriptedAnswers([accept(value="S")]) as answers:
        assert await call(mcp, revision, answers) == "done"

    described = {"enum": ["S", "L"], "type": "string", "title": "Size", "description": "of the shirt"}
    assert answers.asked[0].schema["properties"] == {"value": described}


async def test_it_stands_beside_ours_and_beside_links(revision: str) -> None:
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        before = await elicit(ctx, text_form("before"))
        name = await ctx.elicit("Who?", Guest)
        visit = await ctx.session.elicit_url("Pay", "https://pay.example.org", "7") if modern else None
        return f"{before.content['x']} {name.data.name} {visit.action if visit else 'accept'}"

    modern = revision != "2025-06-18"
    script = [accept(x="1"), accept(name="Ada"), *([accept()] if modern else [])]
    with ScriptedAnswers(script) as answers:
        assert await call(mcp, revision, answers) == "1 Ada accept"


async def test_a_client_that_declared_nothing_is_sent_nothing_and_the_model_told(revision: str) -> None:
    mcp = asking_server(mask_error_details=True)

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.elicit("?", str))

    assert (await call(mcp, revision, None)).startswith("error: This needs an answer from you")


async def test_no_response_type_is_refused_in_fastmcps_words(revision: str) -> None:
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str(await ctx.elicit("?", None))  # type: ignore[call-overload]

    assert "ctx.elicit() requires a response_type" in await call(mcp, revision)


async def test_without_the_middleware_it_does_what_it_did(revision: str) -> None:
    mcp: Server = asking_server()
    mcp.middleware.clear()

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str((await ctx.elicit("?", str)).data)

    async def answer(*_: object) -> Any:
        return accept(value="Ada")

    text = await call(mcp, revision, answer)

    assert text == "Ada" if revision in eras.HANDSHAKE else "unavailable on 2026-07-28" in text


async def test_a_tool_that_drives_its_own_rounds_goes_on_beside_ours(revision: str) -> None:
    if revision in eras.HANDSHAKE:
        return  # A tool that returns InputRequiredResult is one of 2026-07-28 alone.
    mcp = asking_server()

    @mcp.tool
    async def ask(ctx: Context) -> str | InputRequiredResult:
        before = await elicit(ctx, text_form("before"))
        if ctx.input_responses is None:
            schema: Any = {"type": "object", "properties": {"x": {"type": "string"}}}
            asked = ElicitRequest(params=ElicitRequestFormParams(message="theirs", requested_schema=schema))
            return InputRequiredResult(input_requests={"q": asked}, request_state="step-1")
        after = await elicit(ctx, text_form("after"))
        theirs: Any = ctx.input_responses["q"]
        return f"{before.content['x']} {ctx.request_state} {theirs.content['x']} {after.content['x']}"

    async with connected(mcp, revision, echo) as client:
        assert await eras.said(client, "ask") == "before step-1 theirs after"
