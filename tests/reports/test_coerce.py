"""Text that became numbers it does not say, and numbers that became nothing."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import AnswerError, FormElicitation
from elicitkit.render.controls import Line, control, entry, settle
from elicitkit.testing import RandomAnswers, ScriptedAnswers, everything_server
from elicitkit.testing.everything.forms import FORMS
from tests import eras
from tests.host.hosting import hosting, text
from tests.render.terminal.person import BACKSPACE, ENTER, FILL_IN, SEND, answer

pytestmark = pytest.mark.anyio

SCOOPS = FORMS["integer"]


def test_r043_an_integer_is_a_line_to_type_in() -> None:
    assert control(SCOOPS.fields[0], {}) == Line("")  # type: ignore[arg-type]  # it is drawn


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r043_an_answer_without_the_number_is_asked_again_and_not_for_ever(revision: str) -> None:
    answers = ScriptedAnswers([{"action": "accept", "content": {}}] * 3)
    async with eras.connected(everything_server(), revision, answers) as client:
        said = await eras.said(client, "ask_integer")

    assert said.startswith("error: ")
    assert "Scoops: is required" in said
    assert len(answers.asked) == 3


async def test_r043_a_server_that_asks_for_ever_is_left() -> None:
    answers = RandomAnswers(1)
    async with hosting(everything_server(), "2026-07-28", wait_for=answers.wait_for) as source:
        found = text(await source.call("a_wrong_forever"))

    assert "asked for more than 10 rounds" in found


NUMBERS = FormElicitation.create("?").integer("whole").number("real").build()


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("42xyz", None), ("12.5abc", None), ("1e3", 1000), (" 7 ", 7), ("0x10", None), ("٣", None), ("1_000", None),
        ("", "nothing"), ("--1", None), ("+1", 1), ("1e999", None), ("NaN", None), ("1,5", None), ("4 2", None),
    ],
)  # fmt: skip
def test_r045_the_whole_of_a_text_is_the_number(typed: str, whole: Any) -> None:
    if whole is None:
        with pytest.raises(AnswerError, match="Whole: "):
            NUMBERS.check({"whole": typed})
    else:
        assert NUMBERS.check({"whole": typed}) == ({} if whole == "nothing" else {"whole": whole})


@given(st.integers(-(10**15), 10**15), st.sampled_from(["x", "%", " €", "e", ",", "\u0663", "_"]))
def test_r045_nothing_may_follow_it(number: int, more: str) -> None:
    for name in ("whole", "real"):
        with pytest.raises(AnswerError):
            NUMBERS.check({name: f"{number}{more}"})


@pytest.mark.parametrize("typed", ["2o", "two", "1.5"])
async def test_r047_what_is_no_number_is_said_at_its_field_at_once(typed: str, capsys: Any) -> None:
    field = NUMBERS.fields[0]
    with pytest.raises(AnswerError, match="Whole: must be a whole number"):
        settle(field, entry(field, Line(typed)))  # type: ignore[arg-type]  # it is drawn

    outcome = await answer(SCOOPS, FILL_IN, typed + ENTER, BACKSPACE * len(typed) + "2" + ENTER, SEND)

    assert outcome.content == {"scoops": 2}


FORM = (
    FormElicitation.create("?").string("branch").required()
    .choice("channel").options(["stable", "beta"]).required().boolean("notify").number("size")
)  # fmt: skip


@pytest.mark.parametrize("wrong", ["1e999", "-1e999", float("inf"), float("nan"), "Infinity", 10**400, "9" * 500])
def test_r049_a_number_that_json_cannot_hold_is_a_fault(wrong: object) -> None:
    with pytest.raises(AnswerError, match="Size: "):
        FORM.build().check({"branch": "main", "channel": "beta", "size": wrong})


async def test_r049_each_property_has_a_control_and_what_is_untouched_is_left_out() -> None:
    outcome = await answer(FORM, FILL_IN, "main" + ENTER, ENTER, ENTER, ENTER, SEND)

    assert outcome.content == {"branch": "main", "channel": "stable"}
    assert "null" not in json.dumps(outcome.content)
