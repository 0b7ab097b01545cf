"""`elicit_sync`: tools that are no coroutines, which the SDK runs in threads (design, 7)."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import AdapterMissing, Elicitation, FormElicitation, elicit_sync
from elicitkit.testing import ScriptedAnswers, accept, decline
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]

Server = MCPServer[Any]


@dataclass
class Guest:
    name: str


@pytest.fixture
def mcp() -> Server:
    return MCPServer("threads", middleware=[Elicitation()])


async def test_a_tool_in_a_thread_asks_one_thing_after_the_other(mcp: Server, revision: str) -> None:
    caught: list[str] = []

    @mcp.tool()
    def ask(ctx: Context) -> str:
        try:
            first = elicit_sync(ctx, FormElicitation.from_type(Guest, "Who?"))
            second = elicit_sync(ctx, FormElicitation.create("Sure?"))
        except Exception as error:
            caught.append(repr(error))
            raise
        return f"{first.content.name}, {second.action}" if first else "nobody"

    with ScriptedAnswers([accept(name="Ada"), decline()]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert await eras.said(client, "ask") == "Ada, decline"
    assert not caught


async def test_an_error_of_ours_in_a_thread_keeps_its_text(mcp: Server, revision: str) -> None:
    @mcp.tool()
    def ask(ctx: Context) -> str:
        return str(elicit_sync(ctx, FormElicitation.create("Sure?")))

    async with eras.connected(mcp, revision) as client:
        assert "does not show forms that a server asks for" in await eras.said(client, "ask")


async def test_on_the_event_loop_it_says_what_to_write(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(elicit_sync(ctx, FormElicitation.create("Sure?")))

    with ScriptedAnswers([]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert "write: await elicit(ctx, form)" in await eras.said(client, "ask")


async def test_in_a_thread_of_nobodys_it_says_so(mcp: Server, revision: str) -> None:
    raised: list[Exception] = []

    def ask() -> None:
        try:
            elicit_sync(None, FormElicitation.create("Sure?"))
        except AdapterMissing as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    await asyncio.to_thread(thread.join)

    assert "elicit_sync is for a tool that is no coroutine" in str(raised[0])
