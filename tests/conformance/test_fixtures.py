"""The server that the suite judges is an honest one: what the suite itself does not look at."""

from collections.abc import Sequence
from typing import Any

import mcp_types as wire
import pytest
from anyio import fail_after
from mcp import Client
from pydantic import FileUrl

from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests import eras
from tests.conformance import jobs
from tests.conformance.server import PREFIX, mcp

REVISIONS = ("2025-11-25", "2026-07-28")
PROMPT, MULTIPLE = f"{PREFIX}prompt", f"{PREFIX}multiple_inputs"

Script = Sequence[wire.ElicitResult]


def one_question(*contents: dict[str, Any]) -> list[Script]:
    return [*([accept(content)] for content in contents), [decline()], [cancel()]]


SCRIPTS: dict[str, list[Script]] = {
    "test_elicitation": one_question({"username": "ada", "email": "ada@example.com"}),
    "test_elicitation_sep1034_defaults": one_question({}, {"age": 31}, {"verified": False}),
    "test_elicitation_sep1330_enums": one_question({}, {"legacyEnum": "opt1"}, {"titledMulti": ["value1"]}),
    f"{PREFIX}elicitation": one_question({"name": "Ada"}),
    f"{PREFIX}request_state": one_question({"ok": True}, {"ok": False}),
    f"{PREFIX}tampered_state": one_question({"ok": True}, {"ok": False}),
    f"{PREFIX}capabilities": one_question({"name": "Ada"}),
    f"{PREFIX}multi_round": [
        [decline()],
        [cancel()],
        *[[accept(name="Ada"), *rest] for rest in one_question({"color": "blue"})],
    ],
    PROMPT: one_question({"context": "a test"}),
}
"""What a person may do with each, every time with another end."""

BROKEN: dict[str, dict[str, Any]] = {
    "test_elicitation": {"username": "ada", "email": "nowhere"},
    "test_elicitation_sep1034_defaults": {"age": "many"},
    "test_elicitation_sep1330_enums": {"legacyEnum": "opt9"},
    f"{PREFIX}elicitation": {},
    f"{PREFIX}request_state": {"ok": "perhaps"},
    f"{PREFIX}tampered_state": {"ok": "perhaps"},
    f"{PREFIX}capabilities": {"name": ["Ada"]},
    f"{PREFIX}multi_round": {"name": None},
    PROMPT: {"context": 7.5},
}

pytestmark = pytest.mark.anyio


async def ends(fixture: str, revision: str, script: Script) -> str:
    """What a tool or the prompt says to a person who does this."""
    with ScriptedAnswers(script) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            if fixture != PROMPT:
                arguments = {"message": "Who are you?"} if fixture == "test_elicitation" else {}
                return await eras.said(client, fixture, **arguments)
            [message] = (await client.get_prompt(fixture)).messages
            assert isinstance(message.content, wire.TextContent)
            return message.content.text


async def everybody_answers(script: Script) -> tuple[str, int]:
    """What the tool with three kinds of question says, and how often it asked the person."""

    async def model(*_: object) -> wire.CreateMessageResult:
        return wire.CreateMessageResult(role="assistant", content=wire.TextContent(text="Good day,"), model="m")

    async def roots(*_: object) -> wire.ListRootsResult:
        return wire.ListRootsResult(roots=[wire.Root(uri=FileUrl("file:///home"))])

    with fail_after(10), ScriptedAnswers(script) as answers:
        callbacks: dict[str, Any] = {"sampling_callback": model, "list_roots_callback": roots}
        async with Client(mcp, elicitation_callback=answers, **callbacks) as client:
            return await eras.said(client, MULTIPLE), len(answers.asked)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("fixture", SCRIPTS)
async def test_what_is_said_after_yes_no_decline_and_cancel_differs(fixture: str, revision: str) -> None:
    said = [await ends(fixture, revision, script) for script in SCRIPTS[fixture]]

    assert len(set(said)) == len(said)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("fixture", BROKEN)
async def test_an_answer_that_breaks_the_form_is_asked_again(fixture: str, revision: str) -> None:
    right = next(script for script in SCRIPTS[fixture] if all(answer.action == "accept" for answer in script))

    assert await ends(fixture, revision, [accept(BROKEN[fixture]), *right]) == await ends(fixture, revision, right)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("fixture", [fixture for fixture in BROKEN if fixture != PROMPT])
async def test_a_person_who_never_gets_it_right_is_told_why(fixture: str, revision: str) -> None:
    text = await ends(fixture, revision, [accept(BROKEN[fixture])] * 3)

    assert text.startswith("error: The answer does not fit: ")


async def test_of_three_kinds_at_once_the_persons_answer_counts_too() -> None:
    assert await everybody_answers([accept(name="Ada")]) == ("Good day, Ada has file:///home.", 1)
    assert await everybody_answers([accept(), accept(name="Ada")]) == ("Good day, Ada has file:///home.", 2)
    assert await everybody_answers([decline()]) == ("Nothing was done: declined.", 1)
    assert await everybody_answers([cancel()]) == ("Nothing was done: cancelled.", 1)


@pytest.mark.parametrize("tool", ["sampling", "list_roots", "multiple_inputs"])
async def test_a_client_is_not_sent_what_it_did_not_declare(tool: str) -> None:
    with ScriptedAnswers([]) as answers:
        async with eras.connected(mcp, "2026-07-28", answers) as client:
            text = await eras.said(client, PREFIX + tool)

    assert text.startswith("error: ")
    assert "this needs a client with " in text


async def test_every_fixture_is_looked_at_here() -> None:
    async with eras.connected(mcp, "2026-07-28") as client:
        tools, prompts = await client.list_tools(), await client.list_prompts()

    by_hand = {f"{PREFIX}sampling", f"{PREFIX}list_roots", MULTIPLE}
    assert {one.name for one in [*tools.tools, *prompts.prompts]} == {*SCRIPTS, *by_hand, *jobs.NAMES}
