"""Clocks that ran while a person was thinking."""

from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from elicitkit import (
    Answer,
    Elicitation,
    FormElicitation,
    McpSource,
    PendingCall,
    Request,
    Slot,
    Tasks,
    elicit,
)
from elicitkit.tasks.store import TaskStore
from elicitkit.testing import Clock, Restarts, ScriptedAnswers, accept, never
from tests import eras
from tests.host.clock import skippable
from tests.host.hosting import hosting, in_memory, speaking, text

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


def asking(**options: Any) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME, **options)
        return f"for {outcome.content['name']}" if outcome else f"nobody: {outcome.reason}"

    return mcp


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r065_the_time_of_a_person_is_not_the_time_of_a_tool(revision: str) -> None:
    mcp = asking()
    with skippable() as clock:

        @mcp.tool()
        async def dawdle() -> None:
            clock.skip(31)
            await anyio.sleep_forever()

        async def slow(request: Request) -> Answer:
            clock.skip(3600)
            await anyio.lowlevel.checkpoint()
            return request.accept({"name": "Ada"})

        with speaking(revision), in_memory({"a": mcp}) as config:
            async with McpSource.load(config, wait_for=slow) as source:
                assert text(await source.call("a_ask")) == "for Ada"
                assert text(await source.call("a_dawdle")) == "error: a did not answer within 30 seconds"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r067_a_question_is_shown_while_the_loop_waits_for_its_tool(revision: str) -> None:
    shown: list[str] = []

    async def wait_for(request: Request) -> Answer:
        shown.append(request.prompt)
        return request.accept({"name": "Ada"})

    async with hosting(asking(), revision, wait_for=wait_for) as source:
        result = await source.call("a_ask")  # nothing else runs in this host

    assert text(result) == "for Ada"
    assert shown == ["Who?"]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r067_one_that_blocks_does_not_block_the_loop(revision: str) -> None:
    def wait_for(request: Request) -> Answer:
        anyio.from_thread.check_cancelled()
        return request.accept({"name": "Ada"})

    async with hosting(asking(), revision, wait_for=wait_for) as source:
        assert text(await source.call("a_ask")) == "for Ada"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_r069_no_deadline_of_the_sdks_is_before_the_one_that_was_given(
    revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK is told no timeout of its own: the one place where a question ends is ours."""
    told: list[Any] = []
    send = JSONRPCDispatcher.send_raw_request

    async def noting(self: Any, method: str, params: Any, opts: Any = None, **more: Any) -> Any:
        if method == "elicitation/create":
            told.append((opts or {}).get("timeout"))
        return await send(self, method, params, opts, **more)

    monkeypatch.setattr(JSONRPCDispatcher, "send_raw_request", noting)
    with ScriptedAnswers([accept(name="Ada")]) as answers:
        async with eras.connected(asking(timeout=timedelta(minutes=10)), revision, answers) as client:
            assert await eras.said(client, "ask") == "for Ada"

    assert told
    assert all(seconds is None or seconds >= 600 for seconds in told)


async def test_r069_a_host_shows_when_it_is_too_late() -> None:
    before = datetime.now(UTC)
    async with hosting(asking(), "2026-07-28", suspend=True, timeout=600) as source:
        call = await source.call("a_ask")

    assert isinstance(call, PendingCall)
    assert call.request.expires_at is not None
    assert timedelta(seconds=599) < call.request.expires_at - before < timedelta(seconds=620)


def long_task(store: TaskStore) -> MCPServer[Any]:
    tasks = Tasks(store, poll_interval=0.02)
    mcp: MCPServer[Any] = MCPServer("t", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME, timeout=60)
        return f"for {outcome.content['name']}" if outcome else f"by itself: {outcome.reason}"

    return mcp


async def test_r071_a_parked_question_expires_and_its_tool_goes_on_without() -> None:
    restarts = Restarts(long_task, clock=Clock())
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "ask")
        await restarts.until_asked(task_id)
    restarts.clock.advance(61)
    async with restarts.running() as client:
        result = await restarts.result(client, task_id)

    assert text(result) == "by itself: expired"


async def test_r071_without_a_time_of_its_own_it_waits_a_week_at_most() -> None:
    restarts = Restarts(long_task)
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "ask")
        await restarts.until_asked(task_id)
        key = await restarts.store.set_input_requests(task_id, NAME)
        asked = (await restarts.store.history(task_id)).record.inputs[key]

    assert asked.until == restarts.clock.now + 7 * 24 * 3600


async def test_r071_at_a_host_a_question_expires_too() -> None:
    answer = await Slot(ScriptedAnswers([never]).wait_for, timeout=0.01).answer(Request("r1", "approval", "?"))

    assert answer.reason == "expired"
