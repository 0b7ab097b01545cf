"""Scripted answers (report R169: there was no easy way to test what a server asks)."""

from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequestURLParams, ElicitResult, ErrorData

from elicitkit import Elicitation, FormElicitation, ScriptError, elicit
from elicitkit.testing import Asked, ScriptedAnswers, accept, cancel, decline
from tests import eras

pytestmark = pytest.mark.anyio


def asker() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        form = FormElicitation.create("Name?").string("name").required()
        return str([(await elicit(ctx, form)).action for _ in range(2)])

    return mcp


async def test_answers_are_given_in_order_and_questions_kept() -> None:
    with ScriptedAnswers([accept(name="Ada"), {"action": "cancel"}]) as answers:
        async with eras.connected(asker(), "2026-07-28", answers) as client:
            text = await eras.said(client, "ask")

    assert text == "['accept', 'cancel']"
    assert [asked.message for asked in answers.asked] == ["Name?", "Name?"]
    assert answers.asked[0].form.fields[0].label == "Name"


async def test_a_script_that_runs_out_fails_the_call_and_the_test() -> None:
    answers = ScriptedAnswers([accept(name="Ada")])
    async with eras.connected(asker(), "2025-11-25", answers) as client:
        text = await eras.said(client, "ask")

    assert text.startswith("error: The client answered a question with the error")
    with pytest.raises(ScriptError, match="1 question found no answer left in the script"):
        answers.finish()


async def test_answers_that_are_left_over_fail_the_test() -> None:
    with pytest.raises(ScriptError, match="2 answers of the script were never asked for"):
        ScriptedAnswers([accept(), decline()]).finish()
    with pytest.raises(ScriptError, match="1 answer of the script was never asked for"), ScriptedAnswers([accept()]):
        pass


async def test_a_failing_test_keeps_its_own_error() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedAnswers([accept()]):
        raise ZeroDivisionError


async def test_answers_can_be_dropped() -> None:
    with ScriptedAnswers([accept(), cancel()]) as answers:
        assert answers.left == 2
        answers.skip()


async def test_a_link_is_answered_too() -> None:
    params = ElicitRequestURLParams(message="Sign in", url="https://example.com", elicitation_id="1")
    with ScriptedAnswers([accept()]) as answers:
        result = await answers(None, params)

    assert isinstance(result, ElicitResult)
    assert answers.asked == [Asked("Sign in", {}, "https://example.com")]


async def test_without_an_answer_the_client_gets_an_error_not_a_cancel() -> None:
    """Report R061: what a machine did was put down to the person."""
    answers = ScriptedAnswers([])
    result = await answers(None, ElicitRequestURLParams(message="Sign in", url="https://example.com"))

    assert isinstance(result, ErrorData)


async def test_a_file_has_an_answer_a_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"action": "accept", "content": {"name": "Ada"}}\n\n{"action": "decline"}\n', encoding="utf-8")

    assert ScriptedAnswers.from_file(file).left == 2


async def test_only_a_line_feed_ends_a_line_of_a_file(tmp_path: Path) -> None:
    text = "one\u2028two\u2029three\x85four"
    file = tmp_path / "answers.jsonl"
    file.write_bytes(f'{{"action": "accept", "content": {{"n": "{text}"}}}}\r\n{{"action": "decline"}}'.encode())

    answers = ScriptedAnswers.from_file(file)

    params = ElicitRequestURLParams(message="?", url="https://example.com")
    assert await answers(None, params) == accept(n=text)
    assert await answers(None, params) == decline()


async def test_a_file_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"action": "decline"}', encoding="utf-8-sig")

    assert ScriptedAnswers.from_file(file).left == 1


async def test_a_line_that_is_not_json_is_told_without_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"action": "decline"}\n{"action": "accept", "content": {"code": s3cret}}', encoding="utf-8")

    with pytest.raises(ScriptError, match=r"^line 2 of the answers is not JSON: [\w, ]+, at column 42$") as refused:
        ScriptedAnswers.from_file(file)

    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"action": "reject"}', r"answer 1 of the script is none \(action\)"),
        ('{"content": {}}', r"answer 1 of the script is none \(action\)"),
        ('{"action": "accept", "content": {"a": {"b": 1}}}', r"answer 1 of the script is none \(content"),
        ('["accept"]', "line 1 of the answers is not an object"),
        ("accept", "line 1 of the answers is not JSON: .*, at column 1$"),
        ('{"action": "accept", "content": {"n": NaN}}', "line 1 of the answers is not JSON"),
    ],
)
async def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(line, encoding="utf-8")

    with pytest.raises(ScriptError, match=problem):
        ScriptedAnswers.from_file(file)
