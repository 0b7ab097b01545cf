"""From an answer to a value: names of enums, numbers, times, what is missing (design, sections 4 and 5)."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pydantic
import pytest
import yarl

from elicitkit import AnswerError
from elicitkit.introspect.bind import bind
from elicitkit.introspect.describe import describe
from tests.introspect.making import KINDS, VALIDATING, answered, members, seed_of
from tests.introspect.shades import Colour, Crossed, Level, Odd, Right, Speed


def converted(hint: Any, value: Any) -> Any:
    """What a member of a class that checks nothing itself is given."""
    convert = seed_of(KINDS["dataclass"]({"it": hint}, {})).convert
    return value if convert is None else convert(value)


# --- choices ----------------------------------------------------------------------------------------------------------


def test_an_enum_is_bound_by_its_exact_name_and_by_a_value_that_is_text() -> None:
    assert converted(Colour, "BLUE_GREEN") is Colour.BLUE_GREEN
    assert converted(Colour, "bg") is Colour.BLUE_GREEN
    assert converted(Speed, "exp") is Speed.EXPRESS
    assert converted(Literal[Speed.EXPRESS], "exp") is Speed.EXPRESS
    for wrong in ("blue_green", "BlueGreen", "CRIMSON", "BG", "", 2, None, ["RED"]):
        with pytest.raises(ValueError, match="must be one of RED, BLUE_GREEN"):
            converted(Colour, wrong)


def test_where_a_value_is_the_name_of_another_the_name_counts() -> None:
    assert [converted(Crossed, text) for text in ("A", "B", "C", "see")] == [Crossed.A, Crossed.B, Crossed.C, Crossed.C]


def test_a_value_that_is_no_text_is_no_name() -> None:
    for wrong in (1, "1", "(1, 'one')"):
        with pytest.raises(ValueError, match="must be one of"):
            converted(Level, wrong)
        with pytest.raises(ValueError, match="must be one of"):
            converted(Odd, wrong)


def test_a_long_list_of_options_is_cut() -> None:
    with pytest.raises(ValueError, match=r"must be one of 0, 1, 2, 3, 4, 5, 6, 7 and 12 more$"):
        converted(Literal[tuple(range(20))], "x")


def test_several_are_bound_from_a_list_alone() -> None:
    assert converted(Right, ["RUN"]) is Right.RUN
    for wrong in ("RUN", 4, None, {"RUN": 1}):
        with pytest.raises(ValueError, match="must be a list of options"):
            converted(Right, wrong)
    with pytest.raises(ValueError, match="must be one of"):
        converted(set[Colour], ["RED", "nope"])


def test_what_is_a_value_of_the_type_already_stays() -> None:
    moment = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    values: list[tuple[Any, Any]] = [
        (Colour, Colour.RED),
        (Literal[1, 2], 2),
        (list[Colour], [Colour.RED]),
        (date, date(2026, 1, 1)),
        (datetime, moment),
        (UUID, UUID(int=1)),
        (Decimal, Decimal("1.10")),
    ]

    assert [converted(hint, value) for hint, value in values] == [value for _, value in values]


# --- numbers, text and times ------------------------------------------------------------------------------------------


def test_a_decimal_never_passes_through_a_float() -> None:
    """A number of JSON means the shortest decimal that is written like it; text means exactly what it says."""
    assert [str(converted(Decimal, value)) for value in (0.1, 1.1, 1e22, 7, "1.10", " 0.30 ", "1e-7")] == [
        *("0.1", "1.1", "1E+22", "7", "1.10", "0.30", "1E-7")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_in_text_is_a_number_to_the_form(kind: str) -> None:
    made = KINDS[kind]({"it": Decimal, "count": int, "ratio": float}, {})

    value = members(made, answered(made, {"it": "1.10", "count": "42.0", "ratio": " 3 "}))

    assert value == {"it": Decimal("1.1"), "count": 42, "ratio": 3.0}
    assert [*map(type, value.values())] == [Decimal, int, float]


MEANT: list[tuple[Any, Any, Any]] = [
    (int, "42", 42),
    (int, 42.0, 42),
    (int, "4.2e1", 42),
    (int | float, "42", 42),
    (int | float, "0.5", 0.5),
    (float, "0.5", 0.5),
    (float, 2**53, 2.0**53),
    (UUID, "12345678123456781234567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    (datetime, "2026-11-30t14:30:00z", datetime(2026, 11, 30, 14, 30, tzinfo=UTC)),
    (yarl.URL, "https://a.example/ä", yarl.URL("https://a.example/%C3%A4")),
]

REFUSED: list[tuple[Any, list[Any], str]] = [
    (str, [3, None, ["x"], True], "must be text"),
    (bool, [0, "true", "yes", None], "must be yes or no"),
    (int, ["x", "1_000", "٣", 4.5, "4.5", True, [], float("nan"), "1" * 500], "must be a whole number"),
    (int, [2.0**70, "1e30", "1e999999"], "is too large for 64 bits"),
    (float, ["x", True, float("inf"), None, "1e99999999999999999999"], "must be a number"),
    (float, ["1e999", 10**400], "is too large for 64 bits"),
    (Decimal, ["x", "NaN", "Infinity", float("nan"), True], "must be a number"),
    (date, ["30.11.2026", "", 3, None], "must be a date, such as 2026-11-30"),
    (datetime, ["2026-11-30T14:30:00", "now", 3], "must be a date and time with a zone, such as"),
    (UUID, ["x", 3, ""], "must be a UUID, such as"),
    (pydantic.EmailStr, ["ada", 3], "must be"),
    (yarl.URL, [3, None, []], "must be text"),
    (yarl.URL, ["http://[::1"], "Invalid"),
    (pydantic.HttpUrl, ["nope", "ftp://a.example"], "URL"),
    (pydantic.SecretStr, [3, None], "must be text"),
]


def test_an_answer_to_a_form_of_another_make_is_taken_as_it_can_be_meant() -> None:
    """`bind` works for any dynamic form (design, section 4): its field may be text where the member is a number."""
    found = [converted(hint, value) for hint, value, _ in MEANT]
    assert found == [meant for *_, meant in MEANT]
    assert [*map(type, found)] == [type(meant) for *_, meant in MEANT]


def test_an_answer_of_the_wrong_type_is_refused_in_our_words() -> None:
    for hint, wrong, words in REFUSED:
        for value in wrong:
            with pytest.raises(ValueError, match=words):
                converted(hint, value)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_of_the_wrong_type_is_a_fault_of_every_kind(kind: str) -> None:
    made = KINDS[kind]({"it": int, "when": date, "colour": Colour, "home": pydantic.HttpUrl, "text": str}, {})

    with pytest.raises(AnswerError) as caught:
        bind(describe(made), {"it": "x", "when": "y", "colour": "z", "home": "w", "text": []})

    assert {fault.field for fault in caught.value.faults} >= {"when", "colour"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_zone_of_a_time_is_kept(kind: str) -> None:
    made = KINDS[kind]({"it": datetime}, {})

    moment = members(made, answered(made, {"it": "2026-11-30T14:30:00+05:45"}))["it"]

    assert (moment.utcoffset(), moment.hour) == (timedelta(hours=5, minutes=45), 14)


# --- what is missing, cleared, or given by the author -----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_and_needed_is_a_fault_each(kind: str) -> None:
    made = KINDS[kind]({"first": int, "second": Colour, "third": int | None}, {})

    with pytest.raises(AnswerError) as caught:
        bind(describe(made), {})

    assert [(fault.field, fault.problem) for fault in caught.value.faults] == [
        ("first", "is required"),
        ("second", "is required"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_and_accepts_none_is_none_passed_explicitly(kind: str) -> None:
    """Design, section 4. A dataclass would not take it otherwise."""
    made = KINDS[kind]({"needed": int, "open": str | None}, {})

    assert members(made, answered(made, {"needed": 1})) == {"needed": 1, "open": None}


@pytest.mark.parametrize("kind", KINDS)
def test_a_fixed_value_takes_the_place_of_an_answer(kind: str) -> None:
    """`exclude(member, value=…)`: nobody was asked, and what is given is what the class would be given."""
    made = KINDS[kind]({"it": int, "colour": Colour, "open": str | None}, {})

    value = bind(describe(made), {"it": 1}, fixed={"colour": Colour.RED, "open": None})

    assert members(made, value) == {"it": 1, "colour": Colour.RED, "open": None}


def test_nothing_among_the_answers_is_a_cleared_member() -> None:
    @dataclass
    class Data:
        open: int | None = 3
        given: int = 4

    assert bind(describe(Data), {"open": None, "given": None}) == Data(None, 4)
    assert bind(describe(Data), {}, cleared={"open"}) == Data(None, 4)


def test_a_cleared_member_that_is_needed_is_a_fault() -> None:
    made = KINDS["dataclass"]({"it": int}, {})

    with pytest.raises(AnswerError, match="It: is required"):
        bind(describe(made), {}, cleared={"it"})


def test_what_is_answered_beside_the_members_plays_no_part() -> None:
    class Model(pydantic.BaseModel, extra="forbid"):
        it: int

    assert bind(describe(Model), {"it": 1, "more": 2}) == Model(it=1)


def test_a_fault_has_the_label_the_form_gives_and_the_value_as_an_attribute_alone() -> None:
    made = KINDS["dataclass"]({"it": date}, {})

    with pytest.raises(AnswerError) as caught:
        bind(describe(made), {"it": "tomorrow"}, labels={"it": "The day"})

    (fault,) = caught.value.faults
    assert (fault.field, fault.label, fault.value) == ("it", "The day", "tomorrow")
    assert "tomorrow" not in f"{caught.value!r} {caught.value}"


@pytest.mark.parametrize("kind", VALIDATING)
def test_pydantic_is_given_values_that_are_right_even_where_it_is_strict(kind: str) -> None:
    made = KINDS[kind]({"it": UUID, "when": date, "price": Decimal, "colours": frozenset[Colour]}, {})

    value = answered(made, {"it": str(UUID(int=1)), "when": "2026-11-30", "price": 1.1, "colours": ["RED"]})

    assert members(made, value) == {
        "it": UUID(int=1),
        "when": date(2026, 11, 30),
        "price": Decimal("1.1"),
        "colours": frozenset({Colour.RED}),
    }


def test_pydantic_may_keep_the_values_of_enums() -> None:
    class Model(pydantic.BaseModel, use_enum_values=True):
        it: Colour
        given: Colour = Colour.RED

    assert seed_of(Model, "given").default == "RED"
    assert answered(Model, {"it": "BLUE_GREEN"}).it == "bg"
