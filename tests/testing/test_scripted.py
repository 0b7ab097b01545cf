"""Scripted answers (report R169: there was no easy way to test what a server asks)."""

import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestURLParams, ElicitResult, ErrorData

from elicitkit import Answer, Elicitation, FormElicitation, Origin, Request, ScriptError, Slot, elicit
from elicitkit.testing import Asked, ScriptedAnswers, accept, cancel, decline, fail, never
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


def asking(*messages: str, key: str | None = None) -> MCPServer[Any]:
    """A server whose tool asks for a size with each message, and says what it was told."""
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        said = []
        for message in messages:
            form = FormElicitation.create(message).choice("size").options(["S", "M"]).required()
            outcome = await elicit(ctx, form, key=key)
            said.append(outcome.content["size"] if outcome else outcome.reason)
        return " ".join(said)

    return mcp


async def ask(mcp: MCPServer[Any], revision: str, answers: ScriptedAnswers) -> str:
    async with eras.connected(mcp, revision, answers) as client:
        return await eras.said(client, "ask")


@pytest.mark.parametrize("revision", eras.ALL)
async def test_answers_go_by_what_is_asked(revision: str) -> None:
    with ScriptedAnswers([accept(size="S")]) as answers:
        answers.when("Yours?").then(accept(size="M"))
        answers.when(re.compile("^His")).then(decline())

        assert await ask(asking("His?", "Yours?", "Hers?"), revision, answers) == "declined M S"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_wrong_answers_may_come_first(revision: str) -> None:
    with ScriptedAnswers() as answers:
        answers.when("Yours?").then(accept(size="XXL"), accept(), accept(size="M"))

        assert await ask(asking("Yours?"), revision, answers) == "M"
    assert [asked.question for asked in answers.asked] == ["Yours?"] * 3
    assert [asked.faults for asked in answers.asked] == [
        (),
        ("Size: must be one of S, M",),
        ("Size: is required",),
    ]


async def test_answers_go_by_field_by_key_and_by_link() -> None:
    with ScriptedAnswers() as answers:
        answers.when(field="size").always(accept(size="S"))
        assert await ask(asking("Yours?", "Hers?"), "2025-11-25", answers) == "S S"
    with ScriptedAnswers() as answers:
        answers.when(key="hat").then(accept(size="XXL"), accept(size="M"))
        assert await ask(asking("Yours?", key="hat"), "2026-07-28", answers) == "M"
    with ScriptedAnswers() as answers:
        answers.when(url=re.compile("^https://bank")).then(decline())
        params = ElicitRequestURLParams(message="Pay", url="https://bank.example.org/7")
        assert await answers(None, params) == decline()


async def test_a_host_is_answered_by_the_same_script() -> None:
    schema = {"type": "object", "properties": {"size": {"type": "string"}}}
    request = Origin("shop", "order").noted_in(Request("r1", "input", "Which size?", data={"schema": schema}))
    with ScriptedAnswers([cancel()]) as answers:
        answers.when(tool="order").then(accept(size="M"), decline())

        given = [await answers.wait_for(request) for _ in range(3)]

    assert given == [request.accept({"size": "M"}), request.decline(), request.cancel()]
    assert answers.asked[0].request is request


async def test_at_a_host_wrong_answers_may_come_first_too() -> None:
    schema = {"type": "object", "properties": {"size": {"type": "string", "enum": ["S", "M"]}}}
    with ScriptedAnswers() as answers:
        answers.when("Which size?").then(accept(size="XXL"), accept(size="M"))
        answer = await Slot(answers.wait_for).answer(Request("r1", "input", "Which size?", data={"schema": schema}))

    assert answer.data == {"size": "M"}
    assert [asked.faults for asked in answers.asked] == [(), ("Size: must be one of S, M",)]


async def test_what_is_no_form_is_answered_with_data_of_any_shape() -> None:
    request = Request("r1", "question", "Which?", data={"questions": [{"question": "Which?"}]})
    with ScriptedAnswers([Answer("any", ok=True, data={"answers": [["red"]]})]) as answers:
        answer = await answers.wait_for(request)

    assert request.is_answered_by(answer)
    assert answer.data == {"answers": [["red"]]}


async def test_an_answer_of_the_contract_serves_a_client_of_the_sdks_too() -> None:
    with ScriptedAnswers([Answer("any", ok=True, data={"size": "M"}), Answer("any", ok=False)]) as answers:
        assert await ask(asking("Yours?", "Hers?"), "2025-11-25", answers) == "M cancelled"


async def test_a_host_whose_script_has_nothing_fails() -> None:
    answers = ScriptedAnswers()

    with pytest.raises(ScriptError, match="no scripted answer is left"):
        await answers.wait_for(Request("r1", "approval", "Deploy?"))
    with pytest.raises(ScriptError, match=r"'Deploy\?'\n +of the kind 'approval'"):
        answers.finish()


SHOWN = "size: {'type': 'string', 'title': 'Size', 'enum': ['S', 'M']}, required"


async def test_a_question_that_nobody_expected_is_shown() -> None:
    answers = ScriptedAnswers([accept(size="M")])
    await ask(asking("Yours?", "Whose is the other one?"), "2025-11-25", answers)

    with pytest.raises(ScriptError) as failed:
        answers.finish()

    found = "1 question found no answer left in the script:"
    assert str(failed.value) == f"{found}\n  'Whose is the other one?'\n    {SHOWN}"


async def test_a_test_that_fails_of_it_is_told_as_well() -> None:
    answers = ScriptedAnswers()

    with pytest.raises(KeyError) as failed, answers:
        raise KeyError(await ask(asking("Yours?"), "2025-11-25", answers))

    assert "'Yours?'" in failed.value.__notes__[0]


async def test_answers_that_are_left_are_named_without_what_they_hold() -> None:
    with pytest.raises(ScriptError, match=r"never asked for: accept\(size\), never, fail$"):
        ScriptedAnswers([accept(size="s3cret"), never, fail("s3cret")]).finish()


async def test_an_answer_may_be_a_function_of_the_question() -> None:
    async def largest(asked: Asked) -> Any:
        return {"action": "accept", "content": {"size": asked.schema["properties"]["size"]["enum"][-1]}}

    with ScriptedAnswers([largest]) as answers:
        assert await ask(asking("Yours?"), "2025-11-25", answers) == "M"


async def test_a_person_may_never_answer() -> None:
    """Report R169: a script of accept, decline and timeout."""
    with ScriptedAnswers([never]) as answers, anyio.move_on_after(0.01) as waiting:
        await answers(None, ElicitRequestURLParams(message="Sign in", url="https://example.com"))

    assert waiting.cancelled_caught


async def test_a_client_may_fail() -> None:
    with ScriptedAnswers([fail("no screen")]) as answers:
        text = await ask(asking("Yours?"), "2025-11-25", answers)

    assert text.startswith("error: The client answered a question with the error")


async def test_where_the_client_raises_its_error_shows_the_question() -> None:
    with pytest.raises(MCPError) as failed:
        await ask(asking("Yours?"), "2026-07-28", ScriptedAnswers())

    assert f"no scripted answer is left for this question: 'Yours?'\n    {SHOWN}" in str(failed.value)


@pytest.mark.parametrize("given", [ScriptedAnswers, "accept", None, {"action": "reject"}])
def test_what_is_no_answer_is_refused_when_it_is_written(given: Any) -> None:
    with pytest.raises(ScriptError, match="answer 1 of the script is none"):
        ScriptedAnswers([given])


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


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (Asked("Sign in", {}, "https://a.example"), "'Sign in'\n    to open https://a.example"),
        (Asked("Sure?", {"type": "object", "properties": {}}), "'Sure?'\n    with a form without fields"),
        (Asked("Who?", {"type": "string"}), "'Who?'\n    with a form that has no fields to read: {'type': 'string'}"),
        (Asked("Who?", {"properties": {"a": {"$ref": "#"}}}), "'Who?'\n    a: {'$ref': '#'}"),
    ],
)
def test_each_sort_of_question_is_shown(asked: Asked, shown: str) -> None:
    assert str(asked) == shown
