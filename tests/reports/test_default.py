"""Defaults: shown, filled in by one rule, and never in a refusal."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Answer, AnswerError, Elicitation, Form, FormElicitation, Request, Slot, elicit
from elicitkit.render.controls import Line, Pick, Tick, control
from elicitkit.testing import RandomAnswers, ScriptedAnswers, accept, cancel, decline, everything_server
from elicitkit.testing.everything.forms import FORMS
from tests import eras
from tests.render.terminal.person import FILL_IN, SEND, answer

pytestmark = pytest.mark.anyio

DEFAULTS = {"name": "Ada", "age": 36, "score": 9.5, "sure": True, "size": "l", "days": ["Tue"]}


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("given", [{}, {"age": 40}])
async def test_r033_an_accepted_answer_has_the_defaults_of_what_was_left_out(
    revision: str, given: dict[str, Any]
) -> None:
    with ScriptedAnswers([accept(given)]) as answers:
        async with eras.connected(everything_server(), revision, answers) as client:
            text = await eras.said(client, "ask_defaults")

    assert json.loads(text) == {"action": "accept", "content": {**DEFAULTS, **given}}


@pytest.mark.parametrize("refusal", [decline(), cancel()])
@pytest.mark.parametrize("revision", eras.ALL)
async def test_r033_a_refusal_has_none(revision: str, refusal: Any) -> None:
    with ScriptedAnswers([refusal]) as answers:
        async with eras.connected(everything_server(), revision, answers) as client:
            text = await eras.said(client, "ask_defaults")

    assert "Ada" not in text


@dataclass
class Person:
    name: str = "Ada"
    age: int = 36
    sure: bool = True


@pytest.mark.parametrize("answer", [{}, {"name": "Ada", "age": 36, "sure": True}])
def test_r035_what_is_bound_shows_the_defaults_whoever_filled_them_in(answer: dict[str, Any]) -> None:
    form = FormElicitation.from_type(Person, "?").build()

    accepted = form.accept(answer)

    assert accepted.content == Person()
    assert accepted.raw == {"name": "Ada", "age": 36, "sure": True}


@pytest.mark.parametrize("wrong", ["true", "false", "yes", 1, 0, [], "TRUE"])
@pytest.mark.parametrize("default", [None, True, False])
@pytest.mark.parametrize("is_required", [True, False])
def test_r037_a_value_of_the_wrong_type_is_a_fault_and_not_absent(
    wrong: object, default: bool | None, is_required: bool
) -> None:
    step = FormElicitation.create("?").boolean("ok")
    step = step.required() if is_required else step
    form = (step if default is None else step.default(default)).build()

    with pytest.raises(AnswerError, match="Ok: must be yes or no"):
        form.check({"ok": wrong})


async def test_r039_a_form_of_optional_fields_can_be_sent_untouched() -> None:
    form = FORMS["optional"]

    assert form.check({}) == {}
    outcome = await answer(form, FILL_IN, "\r", "\r", "\r", SEND)
    assert outcome
    assert outcome.content == {}
    request = Request("r1", "input", "?", data={"schema": dict(form.schema())})
    left = await Slot(lambda asked: asked.accept()).answer(request)
    assert left == Answer("r1", ok=True)


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r041_every_kind_is_asked_on_every_revision_and_shows_its_default(revision: str) -> None:
    async with eras.connected(everything_server(), revision, RandomAnswers(1)) as client:
        for name in FORMS:
            assert '"action": "accept"' in await eras.said(client, f"ask_{name}"), name
    schema = FORMS["defaults"].schema(revision)
    for name, one in schema["properties"].items():
        assert "default" in one or "(default: " in one["description"], name


def test_r041_a_terminal_draws_each_kind_with_its_default() -> None:
    controls = [control(field, {}) for field in FORMS["defaults"].fields]  # type: ignore[arg-type]  # all are drawn

    assert controls[:3] == [Line("Ada"), Line("36"), Line("9.5")]
    assert [type(one) for one in controls[3:]] == [Pick, Pick, Tick]
    assert [getattr(one, "at", None) for one in controls[3:5]] == [0, 2]
    assert getattr(controls[5], "ticked", None) == {1}


async def test_r041_what_a_revision_cannot_draw_is_written_otherwise_and_comes_back_the_same() -> None:
    mcp: MCPServer[Any] = MCPServer("shop", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        form = FormElicitation.create("?").multi_choice("days").options(["Mon", "Tue"]).required().min_items(1)
        outcome = await elicit(ctx, form)
        return str(outcome.content["days"]) if outcome else outcome.reason

    with ScriptedAnswers([accept(days_1=False, days_2=True)]) as answers:
        async with eras.connected(mcp, "2025-06-18", answers) as client:
            assert await eras.said(client, "ask") == "['Tue']"
    assert all(one["type"] == "boolean" for one in answers.asked[0].schema["properties"].values())
    assert isinstance(answers.asked[0].form, Form)
