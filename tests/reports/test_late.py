"""Answers and questions that came when it was over."""

import asyncio
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    Answer,
    CallOver,
    Elicitation,
    FormElicitation,
    MemoryTaskStore,
    PendingCall,
    elicit,
    state_security,
)
from elicitkit.testing import Answers, Clock
from elicitkit.testing.store_contract.base import accepting
from elicitkit.testing.store_contract.base import form as store_form
from tests import eras
from tests.host.hosting import hosting, text
from tests.render.terminal.person import seated

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


class Waiting(Answers):
    """A person who is thinking, until the question is withdrawn."""

    def __init__(self) -> None:
        super().__init__()
        self.shown, self.withdrawn = asyncio.Event(), asyncio.Event()

    async def answer(self, asked: Any) -> Any:
        self.shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.withdrawn.set()


def server(**options: Any) -> tuple[MCPServer[Any], dict[str, Any]]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()], **options)
    left: dict[str, Any] = {}

    @mcp.tool()
    async def gives_up(ctx: Context) -> str:
        with anyio.move_on_after(0.05):
            await elicit(ctx, NAME)
        return "went on without"

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME)
        return f"for {outcome.content['name']}" if outcome else outcome.reason

    @mcp.tool()
    async def leaves_behind(ctx: Context) -> str:
        async def later() -> None:
            await left["returned"].wait()
            await elicit(ctx, NAME)

        left["returned"], left["task"] = asyncio.Event(), asyncio.create_task(later())
        return "returned"

    return mcp, left


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_r073_a_person_whose_call_is_over_is_told_at_once(revision: str) -> None:
    """The question is withdrawn, so that nobody answers into nothing."""
    person = Waiting()
    reasons: list[str | None] = []
    mcp, _ = server()
    async with hosting(
        mcp, revision, wait_for=person.wait_for, on_answer=lambda _, answer: reasons.append(answer.reason)
    ) as source:
        assert text(await source.call("a_gives_up")) == "went on without"
        await person.withdrawn.wait()

    assert reasons == ["cancelled"]


async def test_r073_a_terminal_says_that_a_question_was_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(NAME, monkeypatch) as seat:
        await seat.sees("Who?")
        assert seat.asked is not None
        seat.asked.cancel()

        await seat.sees("The question was withdrawn.")


async def test_r073_an_answer_that_comes_too_late_for_its_state_is_said_to() -> None:
    mcp, _ = server(request_state_security=state_security(b"k" * 32, ttl=0.05))
    async with hosting(mcp, "2026-07-28", suspend=True) as source:
        call = await source.call("a_ask")
        assert isinstance(call, PendingCall)
        await anyio.sleep(0.1)
        found = text(await source.resume(call, call.request.accept({"name": "Ada"})))

    assert "took the answer for too late" in found


async def test_r073_an_answer_after_the_time_is_expired_and_not_accepted() -> None:
    mcp, _ = server()
    async with hosting(mcp, "2026-07-28", suspend=True, timeout=0.01) as source:
        call = await source.call("a_ask")
        assert isinstance(call, PendingCall)
        await anyio.sleep(0.02)
        found = text(await source.resume(call, call.request.accept({"name": "Ada"})))

    assert found == "cancelled"


async def test_r073_of_two_answers_to_a_parked_question_the_second_is_not_taken() -> None:
    async with MemoryTaskStore(clock=Clock()) as store:
        record = await store.create({"tool": "t"})
        key = await store.set_input_requests(record.id, store_form())
        first = await store.settle(record.id, [accepting(key, "M")])
        second = await store.settle(record.id, [accepting(key, "L")])

    assert (first, second) == ({key}, set())


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r073_a_question_after_its_call_is_an_error_for_who_asks(revision: str) -> None:
    mcp, left = server()
    async with eras.connected(mcp, revision, Waiting()) as client:
        assert await eras.said(client, "leaves_behind") == "returned"
        left["returned"].set()
        with pytest.raises(CallOver):
            await left["task"]


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_r075_a_tool_that_no_longer_waits_withdraws_its_question(revision: str) -> None:
    person = Waiting()
    mcp, _ = server()
    async with eras.connected(mcp, revision, person) as client:
        assert await eras.said(client, "gives_up") == "went on without"
        await person.withdrawn.wait()


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r075_so_does_a_call_that_its_client_cancels(revision: str) -> None:
    person = Waiting()
    mcp, _ = server()
    async with eras.connected(mcp, revision, person) as client:
        call = asyncio.create_task(client.call_tool("ask"))
        await person.shown.wait()
        call.cancel()
        await person.withdrawn.wait()
        await asyncio.wait([call])

    assert call.cancelled()


async def test_r075_a_host_that_ends_withdraws_what_is_open() -> None:
    person = Waiting()
    mcp, _ = server()
    seen: list[Answer] = []

    async with hosting(mcp, "2025-11-25", wait_for=person.wait_for, on_answer=lambda _, a: seen.append(a)) as source:
        call = asyncio.create_task(source.call("a_ask"))
        await person.shown.wait()
    await person.withdrawn.wait()
    await asyncio.wait([call])

    assert [answer.reason for answer in seen] == ["cancelled"]
