"""Tools that know nothing of us, written for the SDK alone, ask on every era (design, 7)."""

import logging
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel

from elicitkit import Elicitation
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


class Guest(BaseModel):
    name: str
    nights: int = 1


def server() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("hotel", middleware=[Elicitation()])

    @mcp.tool()
    async def book(ctx: Context) -> str:
        first = await ctx.elicit("Who comes?", Guest)
        if first.action != "accept":
            return f"nobody: {first.action}"
        second = await ctx.elicit("Who else?", Guest)
        more = second.data.name if second.action == "accept" else second.action
        return f"{first.data.name} for {first.data.nights}, and {more}"

    @mcp.tool()
    async def pay(ctx: Context) -> str:
        result = await ctx.elicit_url("Pay here", "https://pay.example.org/7", "pay-7")
        return result.action

    @mcp.tool()
    async def raw(ctx: Context) -> str:
        schema = {"type": "object", "properties": {"age": {"type": "integer"}}}
        result = await ctx.session.elicit_form("How old?", schema, ctx.request_id)
        return f"{result.action}: {result.content}"

    @mcp.tool()
    async def unlock(ctx: Context) -> str:
        schema = {"type": "object", "properties": {"password": {"type": "string"}}}
        return (await ctx.session.elicit_form("Unlock?", schema, ctx.request_id)).action

    return mcp


async def shows(context: object, params: Any) -> ElicitResult:
    """Answer what is asked by its words."""
    if params.mode == "url":
        return ElicitResult(action="accept")
    contents: dict[str, Any] = {"Who comes?": {"name": "Ada", "nights": 2}, "Who else?": {"name": "Bo"}}
    return ElicitResult(action="accept", content=contents.get(params.message, {"age": 7}))


async def test_the_sdks_own_elicit_asks_one_thing_after_the_other(revision: str) -> None:
    async with eras.connected(server(), revision, shows) as client:
        assert await eras.said(client, "book") == "Ada for 2, and Bo"


async def test_the_sdks_own_elicit_url_asks_for_consent(revision: str) -> None:
    async with eras.connected(server(), revision, shows) as client:
        text = await eras.said(client, "pay")

    if revision == "2025-06-18":  # It has no links.
        assert text.startswith("error: This needs an answer from you, and the application you use does not show links")
    else:
        assert text == "accept"


async def test_the_sessions_elicit_form_gives_the_answer_as_it_came(revision: str) -> None:
    async with eras.connected(server(), revision, shows) as client:
        assert await eras.said(client, "raw") == "accept: {'age': 7}"


async def test_a_client_that_declared_nothing_is_not_sent_a_question(revision: str) -> None:
    async with eras.connected(server(), revision) as client:
        assert "does not show forms that a server asks for" in await eras.said(client, "book")


async def test_a_field_that_asks_for_a_credential_is_warned_of(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="elicitkit"):
        async with eras.connected(server(), revision, shows) as client:
            assert await eras.said(client, "unlock") == "accept"

    assert "the form field 'password' seems to ask for a credential" in caplog.text


async def test_a_tool_with_resolved_parameters_goes_on_as_before(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("resolving", middleware=[Elicitation()])

    async def ask_guest() -> Elicit[Guest]:
        return Elicit("Who comes?", Guest)

    @mcp.tool()
    async def greet(guest: Annotated[Guest, Resolve(ask_guest)]) -> str:
        return f"Hello, {guest.name}!"

    async with eras.connected(mcp, revision, shows) as client:
        assert await eras.said(client, "greet") == "Hello, Ada!"


async def test_a_tool_that_drives_its_own_rounds_goes_on_as_before(revision: str) -> None:
    if revision in eras.HANDSHAKE:
        return  # A tool that returns InputRequiredResult is one of 2026-07-28 alone.
    mcp: MCPServer[Any] = MCPServer("by hand", middleware=[Elicitation()])

    @mcp.tool()
    async def greet(ctx: Context) -> str | InputRequiredResult:
        answer = (ctx.input_responses or {}).get("who")
        if isinstance(answer, ElicitResult) and answer.content:
            return f"Hello, {answer.content['name']}, from {ctx.request_state}!"
        schema: Any = {"type": "object", "properties": {"name": {"type": "string"}}}
        params = ElicitRequestFormParams(message="Who comes?", requested_schema=schema)
        return InputRequiredResult(input_requests={"who": ElicitRequest(params=params)}, request_state="round 1")

    async with eras.connected(mcp, revision, shows) as client:
        assert await eras.said(client, "greet") == "Hello, Ada, from round 1!"
