"""Connections that hung, forgot, or answered by themselves."""

import asyncio
import logging
import os
import sys
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    Answer,
    Elicitation,
    FormElicitation,
    McpSource,
    MemoryTaskStore,
    Request,
    Slot,
    StoreError,
    Tasks,
    elicit,
)
from elicitkit.tasks.store import TaskStore
from elicitkit.testing import Answers, Restarts, ScriptedAnswers, accept, everything_server
from tests import eras
from tests.host.hosting import hosting, speaking, text
from tests.host.serving import served
from tests.tasks.desk import eventually

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()
PROCESS = {
    "command": sys.executable,
    "args": ["-m", "elicitkit.testing.everything"],
    "env": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
}


def asking() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()], log_level="ERROR")

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME)
        return f"for {outcome.content['name']}" if outcome else f"nobody: {outcome.reason}"

    return mcp


@pytest.mark.parametrize("way", [{"stateless_http": True}, {"json_response": True}])
async def test_r085_where_there_is_no_way_to_ask_the_call_ends_with_an_error_at_once(way: dict[str, bool]) -> None:
    async with served(asking().streamable_http_app(**way)) as address:
        with speaking("2025-11-25"), anyio.fail_after(10):
            async with Client(f"{address}/mcp", mode="legacy", elicitation_callback=ScriptedAnswers()) as client:
                with anyio.fail_after(3):
                    said = await eras.said(client, "ask")

    assert said.startswith("error: This needs an answer from you, and the connection has no way to ask")


@pytest.mark.parametrize("way", [{"stateless_http": True}, {"json_response": True}])
async def test_r085_on_the_newest_revision_there_is_a_way(way: dict[str, bool]) -> None:
    answers = ScriptedAnswers([accept(name="Ada")])
    async with (
        served(asking().streamable_http_app(**way)) as address,
        Client(f"{address}/mcp", elicitation_callback=answers) as client,
    ):
        assert await eras.said(client, "ask") == "for Ada"


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_r087_a_form_is_answered_alike_over_stdio_and_over_http(revision: str) -> None:
    found = []
    with speaking(revision), anyio.fail_after(30):
        async with served(everything_server().streamable_http_app()) as address:
            for entry in (PROCESS, {"type": "http", "url": f"{address}/mcp"}):
                answers = ScriptedAnswers([accept(name="Ada")])
                async with McpSource.load({"mcpServers": {"a": entry}}, wait_for=answers.wait_for) as source:
                    found.append((text(await source.call("a_ask_text")), answers.asked[0].schema))

    assert found[0] == found[1]
    assert '"Ada"' in found[0][0]


async def test_r089_an_answer_is_sent_while_its_call_is_still_open() -> None:
    """Over HTTP the question came on the stream of the call, whose response has not ended."""
    with ScriptedAnswers([accept(name="Ada")]) as answers, speaking("2025-11-25"), anyio.fail_after(10):
        async with (
            served(asking().streamable_http_app()) as address,
            Client(f"{address}/mcp", mode="legacy", elicitation_callback=answers) as client,
        ):
            assert await eras.said(client, "ask") == "for Ada"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r091_what_a_client_declares_counts_for_its_own_session(revision: str) -> None:
    mcp = asking()
    for _ in range(2):
        async with eras.connected(mcp, revision) as client:
            assert "does not show forms" in await eras.said(client, "ask")
        async with eras.connected(mcp, revision, ScriptedAnswers([accept(name="Ada")])) as client:
            assert await eras.said(client, "ask") == "for Ada"


def tasking(store: TaskStore) -> MCPServer[Any]:
    tasks = Tasks(store, poll_interval=0.02)
    mcp: MCPServer[Any] = MCPServer("t", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME)
        return f"for {outcome.content['name']}" if outcome else f"nobody: {outcome.reason}"

    return mcp


async def test_r091_a_task_that_is_taken_up_again_knows_what_its_client_declared() -> None:
    restarts = Restarts(tasking)
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "ask")
        await restarts.until_asked(task_id)
        restarts.kill()
    async with restarts.running(ScriptedAnswers([accept(name="Ada")])) as client:
        assert text(await restarts.result(client, task_id)) == "for Ada"


async def test_r093_a_question_is_stored_before_anybody_sees_it() -> None:
    """Whoever saw it can come back to it: the process that asked may be gone."""
    restarts = Restarts(tasking)
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "ask")
        await restarts.until_asked(task_id)
        restarts.kill()

    assert [*(await restarts.store.get(task_id, owner=None)).inputs]


async def test_r093_one_that_cannot_be_stored_is_shown_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    class Full(MemoryTaskStore):
        async def park(self, *_: Any, **__: Any) -> Any:
            raise StoreError("the disk is full")

    store, answers = Full(), ScriptedAnswers([accept(name="Ada")])
    async with eras.connected(tasking(store), "2026-07-28", answers, tasks=True) as client:
        call = asyncio.create_task(client.call_tool("ask"))
        await eventually(lambda: "the disk is full" in caplog.text)
        call.cancel()
        await asyncio.wait([call])

    assert answers.asked == []


def broken(_: Request) -> Answer:
    raise OSError("no display")


NOBODY_SAW: list[tuple[Any, dict[str, Any], str]] = [
    (broken, {"properties": {}}, "no display"),
    (None, {"properties": {}}, "nobody is there to ask"),
    (lambda _: None, {"properties": {}}, "wait_for returned NoneType, not an Answer"),
    (lambda _: Answer("other", ok=True), {"properties": {}}, "an answer to another request"),
    (lambda asked: asked.accept(), {"type": "string"}, "its form cannot be read"),
    (
        lambda asked: asked.accept(),
        {"properties": {"a": {"type": "object"}}, "required": ["a"]},
        "requires 'a': its type is",
    ),
    (lambda asked: asked.accept({"a": 1}), {"properties": {"a": {"type": "string"}}}, "answered wrongly 3 times"),
]


@pytest.mark.parametrize(("wait_for", "schema", "why"), NOBODY_SAW)
async def test_r095_an_answer_that_no_person_gave_is_logged_with_the_reason(
    wait_for: Any, schema: dict[str, Any], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    slot = Slot(wait_for)
    with caplog.at_level(logging.WARNING):
        answers = [await slot.answer(Request(f"r{n}", "input", "?", data={"schema": schema})) for n in range(20)]

    assert {answer.reason for answer in answers} <= {"failed", "unsupported", "headless"}
    assert caplog.text.count(why) >= 20


async def test_r097_a_host_that_forgot_its_function_declares_nothing_and_declines_nothing() -> None:
    async with hosting(asking(), "2025-11-25") as source:
        found = text(await source.call("a_ask"))

    assert "does not show forms" in found
    assert "nobody" not in found
    assert (await Slot(None).answer(Request("r1", "approval", "?"))).reason == "headless"


def test_r097_answers_without_an_answer_of_their_own_cannot_be_made() -> None:
    class Forgot(Answers):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Forgot()  # type: ignore[abstract]


@pytest.mark.parametrize("wrong", ["ask", 7, object()])
def test_r097_what_is_no_function_is_refused_when_the_host_is_made(wrong: Any) -> None:
    with pytest.raises(TypeError, match="wait_for is a function"):
        Slot(wrong)
