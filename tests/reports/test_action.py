"""Refusals that read as consent, and failures of machines that were put down to people."""

import logging
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitResult

from elicitkit import (
    Accepted,
    Answer,
    Cancelled,
    Declined,
    Elicitation,
    FormElicitation,
    McpSource,
    Policy,
    Request,
    Rule,
    Slot,
    elicit,
    elicit_url,
)
from elicitkit.testing import ScriptedAnswers, cancel, decline, fail, never
from tests import eras
from tests.host.hosting import process, text
from tests.render.terminal.person import CTRL_C, CTRL_D, ENTER, FILL_IN, answer

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


def asking() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def destroy(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME)
        return f"destroyed by {outcome.content['name']}" if outcome else f"kept: {outcome.reason}"

    @mcp.tool()
    async def visit(ctx: Context) -> str:
        outcome = await elicit_url(ctx, "Go", "https://a.example")
        return "visited" if outcome else f"kept: {outcome.reason}"

    return mcp


@pytest.mark.parametrize("refusal", [Declined(), Cancelled(), Cancelled("expired")])
def test_r055_a_refusal_is_falsy_and_an_empty_acceptance_is_not(refusal: Declined | Cancelled) -> None:
    assert not refusal
    assert refusal.content is None
    assert Accepted({})
    assert Accepted(None)


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize(("given", "said"), [(decline(), "kept: declined"), (cancel(), "kept: cancelled")])
async def test_r055_nothing_runs_after_one(revision: str, given: ElicitResult, said: str) -> None:
    with ScriptedAnswers([given]) as answers:
        async with eras.connected(asking(), revision, answers) as client:
            assert await eras.said(client, "destroy") == said


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("content", [None, {}, {"other": "x"}, {"name": None}])
async def test_r057_an_acceptance_without_what_is_required_is_an_error_and_no_refusal(
    revision: str, content: Any
) -> None:
    given = ElicitResult(action="accept", content=content)
    with ScriptedAnswers([given] * 3) as answers:
        async with eras.connected(asking(), revision, answers) as client:
            said = await eras.said(client, "destroy")

    assert said.startswith("error: ")
    assert "Name: is required" in said
    assert "kept" not in said


@pytest.mark.parametrize(
    ("schema", "is_accepted"),
    [
        ({"properties": {"a": {"type": "string"}}, "required": ["a"]}, False),
        ({"properties": {"a": {"type": "string", "default": "x"}}, "required": ["a"]}, True),
        ({"properties": {"a": {"type": "string", "default": 7}}, "required": ["a"]}, False),
        ({"properties": {"a": {"type": "string", "default": "x", "minLength": 5}}, "required": ["a"]}, False),
        ({"properties": {"a": {"type": "string", "default": "x"}}, "required": ["a", "b"]}, False),
        ({"properties": {"a": {"type": "object"}}, "required": ["a"]}, False),
        ({"properties": {}}, False),
    ],
)
async def test_r059_a_rule_accepts_defaults_only_where_they_are_a_whole_answer(
    schema: dict[str, Any], is_accepted: bool
) -> None:
    slot = Slot(None, policy=Policy([Rule("defaults", server="")], headless=True))

    answer = await slot.answer(Request("r1", "input", "?", data={"schema": {"type": "object", **schema}}))

    assert answer.ok is is_accepted
    assert answer.reason == (None if is_accepted else "headless")


@pytest.mark.parametrize(
    ("revision", "tool"), [("2025-06-18", "destroy"), ("2025-11-25", "destroy"), ("2025-11-25", "visit")]
)
async def test_r061_a_client_that_fails_did_not_refuse(revision: str, tool: str) -> None:
    with ScriptedAnswers([fail("the window is gone")]) as answers:
        async with eras.connected(asking(), revision, answers) as client:
            said = await eras.said(client, tool)

    assert said.startswith("error: The client answered a question with the error")
    assert "kept" not in said


async def test_r061_a_lost_connection_is_failed_and_no_cancel_of_a_persons() -> None:
    seen: list[tuple[Request, Answer]] = []

    def noted(request: Request, answer: Answer) -> None:
        seen.append((request, answer))

    config = {"mcpServers": {"raw": process_of_raw("die")}}
    with anyio.fail_after(15):
        async with McpSource.load(config, wait_for=ScriptedAnswers([never]).wait_for, on_answer=noted) as source:
            found = text(await source.call("raw_t"))

    assert "ended the connection" in found
    assert [answer.reason for _, answer in seen] == ["failed"]


def process_of_raw(mode: str) -> dict[str, Any]:
    entry = process()
    return {**entry, "args": ["-m", "tests.host.raw_server", mode]}


async def test_r061_a_host_function_that_fails_is_failed_too(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Request) -> Answer:
        raise OSError("no display")

    with caplog.at_level(logging.ERROR):
        answer = await Slot(broken).answer(Request("r1", "approval", "?"))

    assert answer.reason == "failed"
    assert "no display" in caplog.text


@pytest.mark.parametrize("keys", [(CTRL_C,), (FILL_IN, CTRL_C), (FILL_IN, CTRL_D), (FILL_IN, "Ada", ENTER, CTRL_C)])
async def test_r063_closing_the_prompt_is_a_cancel_wherever_it_stands(keys: tuple[str, ...]) -> None:
    assert await answer(NAME, *keys) == Cancelled()


async def test_r063_a_question_that_is_over_closes_its_prompt() -> None:
    closed = anyio.Event()

    async def prompt(request: Request) -> Answer:
        try:
            await anyio.sleep_forever()
        finally:
            closed.set()
        return request.accept()

    outcome = await Slot(prompt, timeout=0.01).answer(Request("r1", "approval", "?"))

    assert outcome.reason == "expired"
    assert closed.is_set()
