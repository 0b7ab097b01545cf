"""`bind`: an answer to any form as a value of a type (design, section 4, last paragraph)."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, Flag
from typing import Any, NotRequired, TypedDict

import pytest
from mcp_types import ElicitResult

from elicitkit import Accepted, AnswerError, FormElicitation, bind


class Color(Enum):
    RED = "r"
    BLUE_GREEN = "bg"


class Access(Flag):
    READ = 1
    WRITE = 2


NO_ACCESS = Access(0)


@dataclass
class Paint:
    full_name: str
    color: Color = Color.RED
    access: Access = NO_ACCESS
    price: Decimal | None = None


@pytest.mark.parametrize(
    "raw",
    [
        {"fullName": "Ada"},
        {"full_name": "Ada"},
        ElicitResult(action="accept", content={"fullName": "Ada"}),
        Accepted(None, raw={"fullName": "Ada"}),
    ],
    ids=["wire names", "own names", "ElicitResult", "Accepted"],
)
def test_an_answer_binds_in_whatever_form_it_comes(raw: Any) -> None:
    assert bind(Paint, raw) == FormElicitation.bind(Paint, raw) == Paint("Ada")


@pytest.mark.parametrize("said", ["BLUE_GREEN", "bg", "Blue Green"])
def test_an_enum_takes_the_name_the_value_and_the_title(said: str) -> None:
    assert bind(Paint, {"full_name": "Ada", "color": said}).color is Color.BLUE_GREEN


def test_an_enum_takes_no_other_spelling_of_the_name() -> None:
    with pytest.raises(AnswerError, match="Color"):
        bind(Paint, {"full_name": "Ada", "color": "blue_green"})


def test_flags_bind_from_a_list() -> None:
    assert bind(Paint, {"full_name": "A", "access": ["READ", "WRITE"]}).access == Access.READ | Access.WRITE


def test_types_are_made_right_as_in_any_answer() -> None:
    @dataclass
    class Visit:
        guests: int
        at: datetime

    assert bind(Visit, {"guests": "2", "at": "2026-11-30T12:00:00Z"}) == Visit(
        2, datetime(2026, 11, 30, 12, tzinfo=UTC)
    )


def test_a_decimal_does_not_become_a_float_on_its_way() -> None:
    assert bind(Paint, {"full_name": "A", "price": 0.1}).price == Decimal("0.1")


def test_missing_members_get_their_default_or_none_and_not_required_ones_stay_absent() -> None:
    class Note(TypedDict):
        text: str | None
        tag: NotRequired[str]

    assert bind(Note, {}) == {"text": None}


def test_every_fault_is_found_and_names_its_field() -> None:
    with pytest.raises(AnswerError) as raised:
        bind(Paint, {"color": "private", "price": "private"})

    assert "private" not in str(raised.value)
    assert {fault.field for fault in raised.value.faults} <= {"full_name", "fullName", "color", "price"}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_is_nothing_to_bind(action: Any) -> None:
    with pytest.raises(ValueError, match=f"the action is '{action}'"):
        bind(Paint, ElicitResult(action=action))


@pytest.mark.parametrize("raw", [None, "x", 3, ["a"]])
def test_what_is_no_answer_is_a_type_error(raw: Any) -> None:
    with pytest.raises(TypeError):
        bind(Paint, raw)
