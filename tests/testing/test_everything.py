"""The server that asks everything: rightly on every revision, and wrongly on request (report R169)."""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from elicitkit import FormError, MemoryTaskStore, TasksClient
from elicitkit.testing import Answers, RandomAnswers, ScriptedAnswers, accept, decline, everything_server
from elicitkit.testing.everything.forms import FORMS
from elicitkit.testing.everything.misbehaving import Misbehaving
from elicitkit.testing.everything.wrongs import HOSTILE, URLS, WRONGS
from tests import eras
from tests.host.hosting import hosting, text
from tests.tasks.desk import eventually

pytestmark = pytest.mark.anyio

ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
FORM_TOOLS = [f"ask_{name}" for name in FORMS] + ["ask_everything", "ask_confirm", "ask_empty", "ask_with_progress"]
WRONG_FORMS = ["wrong_undrawable", "wrong_no_schema", "wrong_no_object", "wrong_text", "wrong_mode", "wrong_size"]


async def said(revision: str, answers: Any, tool: str, /, **arguments: Any) -> Any:
    async with eras.connected(everything_server(), revision, answers) as client:
        found = await eras.said(client, tool, **arguments)
        return found if found.startswith("error: ") else json.loads(found)


async def test_each_tool_is_described_in_a_line() -> None:
    async with eras.connected(everything_server(), "2026-07-28") as client:
        tools = (await client.list_tools()).tools

    assert len(tools) > 30
    assert all(tool.description and "\n" not in tool.description and len(tool.description) < 120 for tool in tools)


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", FORM_TOOLS)
async def test_a_form_of_every_kind_is_asked_on_every_revision(tool: str, revision: str) -> None:
    answers = RandomAnswers(4)

    outcome = await said(revision, answers, tool)

    assert len(answers.asked) == 1
    if tool == "ask_confirm":  # A no is a no.
        assert outcome["action"] in ("accept", "decline")
    else:
        assert outcome["action"] == "accept"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_several_are_asked_at_once_and_steps_one_after_another(revision: str) -> None:
    several, steps = RandomAnswers(1), ScriptedAnswers([accept(name="Ada"), accept(days=["Mon"]), accept(confirm=True)])

    at_once = await said(revision, several, "ask_several")
    in_turn = await said(revision, steps, "ask_steps")

    assert sorted(at_once) == ["choice", "integer", "text"]
    assert in_turn["content"] == {"name": "Ada", "days": ["Mon"], "booked": True}
    assert [asked.message for asked in steps.asked] == [
        "What is your name?",
        "Hello, Ada. Which days?",
        "Book Mon?",
    ]


@pytest.mark.parametrize("revision", eras.ALL[1:])
async def test_links_are_asked_for_and_required(revision: str) -> None:
    with ScriptedAnswers([decline()]) as answers:
        assert (await said(revision, answers, "ask_link"))["action"] == "decline"
    async with eras.connected(everything_server(), revision, RandomAnswers()) as client:
        if revision == "2025-11-25":
            with pytest.raises(MCPError) as required:
                await client.call_tool("ask_required_link")
            assert required.value.error.code == -32042
            assert json.loads(await eras.said(client, "ask_required_link")) == {"visited": "first"}
        else:
            assert json.loads(await eras.said(client, "ask_required_link"))["action"] == "accept"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_it_asks_again_and_by_stock_code_and_not_at_all(revision: str) -> None:
    with ScriptedAnswers([accept(number=1), accept(number=2), accept(name="Ada")]) as answers:
        async with eras.connected(everything_server(), revision, answers) as client:
            again = json.loads(await eras.said(client, "ask_again"))
            stock = json.loads(await eras.said(client, "ask_stock"))
            nothing = await eras.said(client, "ask_nothing", text="x")

    assert again == {"action": "accept", "content": {"number": 2}}
    assert answers.asked[1].faults == ("The number must be even.",)
    assert stock == {"action": "accept", "content": {"name": "Ada"}}
    assert nothing == "x"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_progress_is_told_while_a_question_is_open(revision: str) -> None:
    ticks: asyncio.Queue[str | None] = asyncio.Queue()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        await ticks.put(message)

    async def answer_after_a_tick(*_: Any) -> Any:
        while await ticks.get() != "still waiting":
            pass
        return accept(name="Ada")

    async with eras.connected(everything_server(), revision, answer_after_a_tick) as client:
        result = await client.call_tool("ask_with_progress", progress_callback=told)

    assert '"accept"' in text(result)


@pytest.mark.parametrize("revision", eras.ALL)
async def test_prompts_and_resources_ask_too(revision: str) -> None:
    with ScriptedAnswers([accept(name="Ada"), accept(name="Bo")]) as answers:
        async with eras.connected(everything_server(), revision, answers) as client:
            prompt = await client.get_prompt("ask_prompt")
            resource = await client.read_resource("ask://tides")

    assert "Ada" in str(prompt)
    assert "Bo" in str(resource)
    assert answers.asked[1].message == "Who reads about tides?"


@pytest.mark.parametrize("tool", ["task_required", "task_optional"])
async def test_a_task_asks_three_questions_one_after_another(tool: str) -> None:
    answers = RandomAnswers(3)
    store = MemoryTaskStore()
    with anyio.fail_after(10):
        async with Client(
            everything_server(store=store), extensions=[TasksClient()], elicitation_callback=answers
        ) as at:
            outcomes = json.loads(text(await at.call_tool(tool)))

    assert [outcome["action"] for outcome in outcomes[:2]] == ["accept", "accept"]
    assert len(answers.asked) == 3


@pytest.mark.parametrize("revision", eras.ALL)
async def test_without_tasks_the_required_one_is_an_error_and_the_optional_one_a_call(revision: str) -> None:
    answers = RandomAnswers(3)
    async with eras.connected(everything_server(), revision, answers) as client:
        outcomes = json.loads(await eras.said(client, "task_optional"))
        if revision in eras.MODERN:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("task_required")
            assert refused.value.error.code == -32021

    assert len(outcomes) == 3


# --- wrong on request: what our own host makes of it ------------------------------------------------------------------


async def hosted(revision: str, answers: Answers, tool: str, /, **arguments: Any) -> str:
    server = everything_server()
    async with hosting(server, revision, wait_for=answers.wait_for) as source:
        found = text(await source.call(f"a_{tool}", arguments))
        assert text(await source.call("a_ask_nothing", {"text": "still there"})) == "still there"
    return found


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", WRONG_FORMS)
async def test_a_wrong_question_is_an_answer_or_an_error_and_the_host_goes_on(tool: str, revision: str) -> None:
    answers = RandomAnswers(2)

    found = await hosted(revision, answers, tool)

    assert found
    if tool == "wrong_text":
        assert '"action": "accept"' in found
        assert answers.asked[0].message == HOSTILE
    else:
        assert '"action": "accept"' not in found
    if tool != "wrong_text":
        assert not [asked for asked in answers.asked if is_answerable(asked)]


def is_answerable(asked: Any) -> bool:
    try:
        return all(not hasattr(field, "reason") for field in asked.form.fields)
    except FormError:
        return False


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", ["wrong_forever", "wrong_loop"])
async def test_what_never_ends_does_not_go_on_for_ever(tool: str, revision: str) -> None:
    """Reports R043 and R125: a server that asked again for ever."""
    answers = RandomAnswers(2)

    found = await hosted(revision, answers, tool, times=30)

    if revision in eras.MODERN:
        assert found.startswith("error: ")
        assert len(answers.asked) <= 12
    else:  # The person at the host can cancel a live call; the host cannot know how many questions are right.
        assert len(answers.asked) == 30


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_a_late_question_reaches_nobody(revision: str) -> None:
    answers = RandomAnswers(2)
    server = everything_server()
    (misbehaving,) = [one for one in server.middleware if isinstance(one, Misbehaving)]
    async with hosting(server, revision, wait_for=answers.wait_for) as source:
        assert text(await source.call("a_wrong_moment", {"after": 0.001})) == "done, for now"
        await eventually(lambda: bool(misbehaving.late_answers))

    assert misbehaving.late_answers == [{"action": "cancel"}]
    assert answers.asked == []


async def test_on_a_live_connection_it_sends_what_no_sdk_would() -> None:
    answers = RandomAnswers(2)
    async with eras.connected(everything_server(), "2025-11-25", answers) as client:
        told = {tool: await eras.said(client, tool, times=2, size=100) for tool in WRONGS}

    refused = {tool for tool, said in told.items() if '"code": -32602' in said}
    assert refused == {"wrong_no_schema", "wrong_no_object", "wrong_mode"}
    assert {*URLS, "https://one.example", "https://two.example"} == {asked.url for asked in answers.asked} - {None}
    assert [asked.message[:10] for asked in answers.asked].count("Question 1") == 1


async def test_in_memory_it_does_not_die() -> None:
    async with eras.connected(everything_server(), "2025-11-25", RandomAnswers()) as client:
        assert await eras.said(client, "wrong_death") == "this server dies only in a process of its own"


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_it_runs_over_stdio_and_dies_there(revision: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "elicitkit.testing.everything"], env=ENVIRONMENT
    )
    mode: Any = "auto" if revision in eras.MODERN else "legacy"
    answers = RandomAnswers(1)
    with anyio.fail_after(20):
        async with AsyncExitStack() as stack:
            at = await stack.enter_async_context(
                Client(stdio_client(parameters), mode=mode, elicitation_callback=answers)
            )
            result = await at.call_tool("ask_text")
            assert isinstance(result, CallToolResult)
            assert isinstance(result.content[0], TextContent)
            assert json.loads(result.content[0].text)["action"] == "accept"
            with pytest.raises(MCPError, match="Connection closed"):
                await at.call_tool("wrong_death")


@pytest.mark.slow
async def test_it_runs_at_an_address() -> None:
    command = [sys.executable, "-m", "elicitkit.testing.everything", "--http"]
    with anyio.fail_after(20):
        async with await anyio.open_process(command, stderr=None) as process:
            assert process.stdout is not None
            address = (await process.stdout.receive()).decode().strip()
            async with Client(address, elicitation_callback=RandomAnswers(1)) as client:
                found = json.loads(await eras.said(client, "ask_text"))
            process.terminate()

    assert found["action"] == "accept"
