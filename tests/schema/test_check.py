"""Answers (design, section 5): each rule of coercion is a row of a table; then what holds for answers as a whole."""

import math
from collections.abc import Callable
from decimal import Decimal, FloatOperation, Inexact, localcontext
from enum import IntEnum, StrEnum
from typing import Any

import pytest

from elicitkit import AnswerError, FormElicitation
from elicitkit.schema.check import Checker
from elicitkit.schema.read import read_fields

FIELDS: dict[str, Any] = {
    "integer": lambda form: form.integer("f"),
    "integer 1 to 5": lambda form: form.integer("f").between(1, 5),
    "integer from 1": lambda form: form.integer("f").min(1),
    "integer to 5": lambda form: form.integer("f").max(5),
    "number": lambda form: form.number("f"),
    "number 0.5 to 1.5": lambda form: form.number("f").between(0.5, 1.5),
    "boolean": lambda form: form.boolean("f"),
    "string": lambda form: form.string("f"),
    "string of 1": lambda form: form.string("f").min_length(1),
    "string of 2": lambda form: form.string("f").min_length(2),
    "string of 2 to 3": lambda form: form.string("f").min_length(2).max_length(3),
    "string to 3": lambda form: form.string("f").max_length(3),
    "email": lambda form: form.email("f"),
    "email to 9": lambda form: form.email("f").max_length(9),
    "uri": lambda form: form.uri("f"),
    "uri to 25": lambda form: form.uri("f").max_length(25),
    "date": lambda form: form.date("f"),
    "date-time": lambda form: form.date_time("f"),
    "choice": lambda form: form.choice("f").options(["red", "blue"]),
    "titled choice": lambda form: form.choice("f").options(
        {"#f00": "Red", "#00f": "Blue", "#001": "Dark", "#002": "Dark"}
    ),
    "crossed choice": lambda form: form.choice("f").options({"a": "b", "b": "a"}),
    "long choice": lambda form: form.choice("f").options([f"o{number}" for number in range(1, 12)]),
    "multi choice": lambda form: form.multi_choice("f").options({"r": "Red", "g": "Green", "b": "Blue"}),
    "multi choice from 2": lambda form: form.multi_choice("f").options(["r", "g", "b"]).min_items(2),
    "multi choice to 1": lambda form: form.multi_choice("f").options(["r", "g", "b"]).max_items(1),
    "multi choice 1 to 2": lambda form: form.multi_choice("f").options(["r", "g", "b"]).min_items(1).max_items(2),
}
MOMENT = "2026-11-30T14:30:00"

TAKEN: list[tuple[str, Any, Any]] = [
    ("integer", 42, 42),
    ("integer", 42.0, 42),
    ("integer", -0.0, 0),
    ("integer", "42", 42),
    ("integer", "42.0", 42),
    ("integer", "+42", 42),
    ("integer", "-42", -42),
    ("integer", "007", 7),
    ("integer", " 7 ", 7),
    ("integer", "1e3", 1000),
    ("integer", Decimal("42.00"), 42),
    ("integer", 2**63 - 1, 2**63 - 1),
    ("integer", str(-(2**63)), -(2**63)),
    ("integer 1 to 5", 1, 1),
    ("integer 1 to 5", "5", 5),
    ("number", 42, 42),
    ("number", 42.5, 42.5),
    ("number", "42.5", 42.5),
    ("number", " .5 ", 0.5),
    ("number", "5.", 5),
    ("number", "1.5e-3", 0.0015),
    ("number", "42", 42),
    ("number", "6.02e23", 6.02e23),
    ("number", "-1e19", -1e19),
    ("number", "1e18", 10**18),
    ("number", 1e300, 1e300),
    ("number", Decimal("0.1"), 0.1),
    ("number 0.5 to 1.5", 0.5, 0.5),
    ("number 0.5 to 1.5", "1.5", 1.5),
    ("boolean", True, True),
    ("boolean", False, False),
    ("string", "Ada", "Ada"),
    ("string", "", ""),
    ("string", " Ada\n", " Ada\n"),
    ("string", "42", "42"),
    ("string", "null", "null"),
    ("string of 2 to 3", "🙂🙂🙂", "🙂🙂🙂"),
    ("email", "ada@example.com", "ada@example.com"),
    ("email to 9", "a@ex.exam", "a@ex.exam"),
    ("uri", "https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
    ("uri", "urn:isbn:0451450523", "urn:isbn:0451450523"),
    ("uri", "https://exämple.com/ü?q=é#ß", "https://xn--exmple-cua.com/%C3%BC?q=%C3%A9#%C3%9F"),
    ("uri", "https://jörg@[::1]:8/ü", "https://j%C3%B6rg@[::1]:8/%C3%BC"),
    ("uri", "https://my_host/ü", "https://my_host/%C3%BC"),
    ("uri", "mailto:jörg@example.com", "mailto:j%C3%B6rg@example.com"),
    ("uri", "https://example.com/%C3%BC/ü", "https://example.com/%C3%BC/%C3%BC"),
    ("date", "2026-11-30", "2026-11-30"),
    ("date", "2024-02-29", "2024-02-29"),
    ("date-time", f"{MOMENT}Z", f"{MOMENT}Z"),
    ("date-time", f"{MOMENT}+01:00", f"{MOMENT}+01:00"),
    ("date-time", f"{MOMENT}.123456789-00:00", f"{MOMENT}.123456789-00:00"),
    ("date-time", f"{MOMENT}z".lower(), f"{MOMENT}z".lower()),
    ("choice", "red", "red"),
    ("titled choice", "#f00", "#f00"),
    ("titled choice", "Red", "#f00"),
    ("crossed choice", "a", "a"),
    ("multi choice", ["r", "b"], ["r", "b"]),
    ("multi choice", ["Blue", "r"], ["b", "r"]),
    ("multi choice", ("r",), ["r"]),
    ("multi choice", [], []),
    ("multi choice 1 to 2", ["r", "g"], ["r", "g"]),
]

WHOLE, NUMBER, LARGE = "must be a whole number", "must be a number", "is too large: it must fit into 64 bits"
MANY_FIGURES = "has too many figures: write it with an exponent, such as 1.5e20"
BEYOND = "is too large: it must be below 1.8e308"
WHOLE_FIGURES, NUMBER_FIGURES = f"{WHOLE} in figures, such as 1000", f"{NUMBER} in figures, such as 1000 or 1.5"
WHOLE_APART = f"{WHOLE} without thousands separators, such as 1000"
NUMBER_APART = f"{NUMBER} without thousands separators, and with a point for the decimals, such as 1000 or 1.5"
YES_NO, DATE = "must be yes or no (true or false)", "must be a date, such as 2026-11-30"
MAIL, ADDRESS = (
    "must be an e-mail address, such as ada@example.com",
    "must be a full address, such as https://example.com/page",
)
ZONE = "must be a date and time with a zone, such as 2026-11-30T14:30:00+01:00"
TWICE, LIST = "must not hold an option twice", "must be a list of options"
RED_BLUE, TITLED, MANY = "must be one of red, blue", "must be one of #f00, #00f, #001, #002", "may only hold r, g, b"

REFUSED: list[tuple[str, Any, str]] = [
    ("integer", True, WHOLE),
    ("integer", 42.5, WHOLE),
    ("integer", "42.5", WHOLE),
    ("integer", "5.00000000000000000000001", WHOLE),
    ("integer", "42xyz", WHOLE_FIGURES),
    ("integer", "2o", WHOLE_FIGURES),
    ("integer", "0x10", WHOLE_FIGURES),
    ("integer", "1_000", WHOLE_APART),
    ("integer", "٣", WHOLE_FIGURES),
    ("integer", "\uff14\uff12", WHOLE_FIGURES),
    ("integer", "", WHOLE_FIGURES),
    ("integer", "-", WHOLE_FIGURES),
    ("integer", math.nan, WHOLE),
    ("integer", math.inf, WHOLE),
    ("integer", Decimal("sNaN"), WHOLE),
    ("integer", "NaN", WHOLE_FIGURES),
    ("integer", [42], WHOLE),
    ("integer", {"value": 42}, WHOLE),
    ("integer", "9" * 401, LARGE),
    ("integer", 2**63, LARGE),
    ("integer", -(2**63) - 1, LARGE),
    ("integer", float(2**63), LARGE),
    ("integer", 10**400, LARGE),
    ("integer", str(2**63), LARGE),
    ("integer", "1e999", LARGE),
    ("integer", "1e9999999", LARGE),
    ("integer 1 to 5", 0, "must be between 1 and 5"),
    ("integer 1 to 5", "6", "must be between 1 and 5"),
    ("integer from 1", 0, "must be at least 1"),
    ("integer to 5", 6, "must be at most 5"),
    ("number", False, NUMBER),
    ("number", "42xyz", NUMBER_FIGURES),
    ("number", "12.5abc", NUMBER_FIGURES),
    ("number", "1,5", NUMBER_APART),
    ("number", "٣", NUMBER_FIGURES),
    ("number", "infinity", NUMBER_FIGURES),
    ("number", -math.inf, NUMBER),
    ("number", math.nan, NUMBER),
    ("number", None, "is required"),
    ("number", 2**63, MANY_FIGURES),
    ("number", str(2**63), MANY_FIGURES),
    ("number", "9" * 401, MANY_FIGURES),
    ("number", "1e999", BEYOND),
    ("number", "-1e9999999", BEYOND),
    ("number 0.5 to 1.5", 1.6, "must be between 0.5 and 1.5"),
    ("boolean", "true", YES_NO),
    ("boolean", "yes", YES_NO),
    ("boolean", 1, YES_NO),
    ("boolean", 0, YES_NO),
    ("boolean", "", YES_NO),
    ("boolean", None, "is required"),
    ("string", 42, "must be text"),
    ("string", True, "must be text"),
    ("string", ["Ada"], "must be text"),
    ("string", b"Ada", "must be text"),
    ("string", "\ud83d", "holds half a character (a lone surrogate)"),
    ("string", None, "is required"),
    ("string of 1", "", "must not be empty"),
    ("string of 2", "a", "must have at least 2 characters"),
    ("string of 2 to 3", "abcd", "must have 2 to 3 characters"),
    ("string of 2 to 3", "🙂", "must have 2 to 3 characters"),
    ("string to 3", "x" * 1_000_000, "must have at most 3 characters"),
    ("email", "ada", MAIL),
    ("email", "", MAIL),
    ("email", "Ada <ada@example.com>", MAIL),
    ("email", "ada@localhost", MAIL),
    ("email", "ada@[127.0.0.1]", MAIL),
    ("email", "ada@example.com\n", MAIL),
    ("email", "a@" * 500_000, MAIL),
    ("email to 9", "ada@example.com", "must have at most 9 characters"),
    ("uri", "example.com", ADDRESS),
    ("uri", "/page", ADDRESS),
    ("uri", "https://example.com/a b", ADDRESS),
    ("uri", "https://example.com/ü b", ADDRESS),
    ("uri", "https://exa\nmple.com/ü", ADDRESS),
    ("uri", "https://ü..com", ADDRESS),
    ("uri", "ü", ADDRESS),
    ("uri", 42, "must be text"),
    ("uri to 25", "https://example.com/üü", "must have at most 25 characters"),
    ("date", "2026-02-30", DATE),
    ("date", "20261130", DATE),
    ("date", "30.11.2026", DATE),
    ("date", "0000-01-01", DATE),
    ("date", "٢٠٢٦-01-01", DATE),
    ("date", f"{MOMENT}Z", DATE),
    ("date-time", MOMENT, ZONE),
    ("date-time", "2026-11-30", ZONE),
    ("date-time", MOMENT.replace("T", " ") + "Z", ZONE),
    ("date-time", "0000-11-30T14:30:00Z", ZONE),
    ("date-time", "2016-12-31T23:59:60Z", ZONE),
    ("date-time", f"{MOMENT}+25:00", ZONE),
    ("choice", "green", RED_BLUE),
    ("choice", "Red", RED_BLUE),
    ("choice", " red", RED_BLUE),
    ("choice", ["red"], RED_BLUE),
    ("choice", 1, RED_BLUE),
    ("choice", "", RED_BLUE),
    ("titled choice", "Dark", TITLED),
    ("long choice", "o0", "must be one of o1, o2, o3, o4, o5, o6, o7, o8 and 3 more"),
    ("multi choice", "r", LIST),
    ("multi choice", {"r": True}, LIST),
    ("multi choice", True, LIST),
    ("multi choice", ["r", "r"], TWICE),
    ("multi choice", ["r", "Red"], TWICE),
    ("multi choice", ["r", "x"], MANY),
    ("multi choice", ["r", None], MANY),
    ("multi choice", [["r"]], MANY),
    ("multi choice from 2", ["r"], "needs at least 2 of the options"),
    ("multi choice to 1", ["r", "g"], "takes at most 1 of the options"),
    ("multi choice 1 to 2", [], "needs 1 to 2 of the options"),
]


def rows(table: list[tuple[str, Any, Any]]) -> list[Any]:
    return [pytest.param(*row, id=f"{row[0]}: {ascii(row[1])[:40]}") for row in table]


def required(field: str) -> Any:
    return FIELDS[field](FormElicitation.create("m")).required()


def problems(form: Any, answer: Any) -> dict[str, str]:
    with pytest.raises(AnswerError) as caught:
        form.check(answer)
    return {fault.field: fault.problem for fault in caught.value.faults}


@pytest.mark.parametrize(("field", "given", "expected"), rows(TAKEN))
def test_a_value_that_fits_is_taken_as_the_type_of_its_field(field: str, given: Any, expected: Any) -> None:
    """R043, R045, R047, R049 of the reports for the numbers in text."""
    checked = required(field).check({"f": given})

    assert checked == {"f": expected}
    assert type(checked["f"]) is type(expected)


@pytest.mark.parametrize(("field", "given", "problem"), rows(REFUSED))
def test_a_value_that_does_not_fit_is_refused_with_what_would_do(field: str, given: Any, problem: str) -> None:
    """R037, R043, R045, R047, R049 of the reports."""
    assert problems(required(field), {"f": given}) == {"f": problem}


def test_a_fault_has_the_field_its_label_and_the_value_apart() -> None:
    with pytest.raises(AnswerError) as caught:
        FormElicitation.create("m").integer("max_age").check({"maxAge": "old"})

    (fault,) = caught.value.faults
    assert (fault.field, fault.label, fault.value) == ("maxAge", "Max Age", "old")
    assert str(caught.value) == "The answer does not fit: Max Age: must be a whole number in figures, such as 1000"


def test_all_faults_come_at_once_in_the_order_of_the_fields() -> None:
    form = FormElicitation.create("m").string("name").required().integer("age").boolean("ok").required().email("to")

    found = problems(form, {"to": "x", "age": "y", "ok": "yes"})

    assert found == {"name": "is required", "age": WHOLE_FIGURES, "ok": YES_NO, "to": MAIL}
    assert list(found) == ["name", "age", "ok", "to"]


@pytest.mark.parametrize("field", FIELDS)
def test_an_optional_field_may_be_left_out(field: str) -> None:
    checked = required(field).optional().check({})

    assert (checked, checked.cleared) == ({}, frozenset())


@pytest.mark.parametrize("field", FIELDS)
def test_a_required_field_may_not_be_left_out(field: str) -> None:
    assert problems(required(field), {}) == {"f": "is required"}


def test_a_field_left_out_takes_its_default() -> None:
    """R033 and R035 of the reports: one rule, ours, for every kind."""
    form = FormElicitation.create("m").string("s").default("x").integer("i").default(1).number("n").default(0.5)
    form.boolean("b").default(False).choice("c").options(["x"]).default("x")
    form.multi_choice("m").options(["x", "y"]).default("x", "y").required()

    assert form.check({}) == {"s": "x", "i": 1, "n": 0.5, "b": False, "c": "x", "m": ["x", "y"]}


def test_a_default_is_no_answer_to_something_wrong() -> None:
    """R037 of the reports: a value of the wrong type is wrong, never absent."""
    assert problems(FormElicitation.create("m").boolean("ok").default(False), {"ok": "true"}) == {"ok": YES_NO}


def test_the_default_of_a_multiple_choice_is_a_new_list_each_time() -> None:
    form = FormElicitation.create("m").multi_choice("f").options(["x", "y"]).default("x")
    form.check({})["f"].append("y")

    assert form.check({}) == {"f": ["x"]}


def test_null_is_nothing_and_suppresses_the_default() -> None:
    checked = FormElicitation.create("m").string("name").default("Ada").check({"name": None})

    assert checked == {}
    assert checked.cleared == {"name"}


def test_null_does_not_answer_a_required_field_even_with_a_default() -> None:
    assert problems(FormElicitation.create("m").string("f").required().default("x"), {"f": None}) == {
        "f": "is required"
    }


@pytest.mark.parametrize("field", sorted(FIELDS.keys() - {"string", "string to 3"}))
def test_empty_text_is_null_for_an_optional_field_that_is_not_plain_text(field: str) -> None:
    checked = required(field).optional().check({"f": ""})

    assert (checked, checked.cleared) == ({}, {"f"})


def test_an_optional_plain_text_keeps_empty_text() -> None:
    checked = FormElicitation.create("m").string("note").default("x").check({"note": ""})

    assert (checked, checked.cleared) == ({"note": ""}, frozenset())


def test_unknown_names_are_dropped() -> None:
    checked = FormElicitation.create("m").string("name").check({"name": "Ada", "admin": True, "Name": 1, "": None})

    assert checked == {"name": "Ada"}


def test_names_are_taken_in_either_spelling_and_the_wire_name_wins() -> None:
    form = FormElicitation.create("m").string("first_name").integer("max_age")

    assert form.check({"first_name": "Ada", "maxAge": 36}) == {"firstName": "Ada", "maxAge": 36}
    assert form.check({"first_name": "no", "firstName": "Ada"}) == {"firstName": "Ada"}


@pytest.mark.parametrize("answer", [[], ["name"], "name", 42, True, [("name", "Ada")]], ids=str)
def test_an_answer_that_is_no_object_is_refused_as_a_whole(answer: Any) -> None:
    form = FormElicitation.create("m").string("name")

    assert problems(form, answer) == {"": "must be an object with a value for each field"}


def test_no_content_is_an_empty_answer() -> None:
    """R057 of the reports: an answer without content is wrong where something is required, never a refusal."""
    assert FormElicitation.create("m").string("name").check(None) == {}
    assert problems(FormElicitation.create("m").string("name").required(), None) == {"name": "is required"}


def test_an_empty_form_accepts_an_empty_answer() -> None:
    """R039 of the reports."""
    assert FormElicitation.create("Sure?").check({}) == {}


def test_false_in_a_lone_boolean_is_an_answer() -> None:
    assert FormElicitation.create("Sure?").boolean("ok").required().check({"ok": False}) == {"ok": False}


def test_the_answer_given_is_left_as_it_was() -> None:
    given = {"n": "42", "c": ["Red"], "more": {}}
    FormElicitation.create("m").integer("n").multi_choice("c").options({"r": "Red"}).check(given)

    assert given == {"n": "42", "c": ["Red"], "more": {}}


class Word(str):
    __slots__ = ()


class Coin(StrEnum):
    HEADS = "r"


class Rank(IntEnum):
    FIRST = 1


ODD: list[tuple[dict[str, Any], Any]] = [
    ({"type": "string"}, "\ud800"),
    ({"type": "string"}, "é\N{GRINNING FACE}"),
    ({"type": "string"}, Word("x")),
    ({"type": "string"}, Coin.HEADS),
    ({"type": "string", "format": "email"}, "\ud800@example.com"),
    ({"type": "string", "format": "email"}, ""),
    ({"type": "string", "format": "uri"}, "https://é.example/é"),
    ({"type": "string", "format": "date"}, "0000-01-01"),
    ({"type": "string", "format": "date"}, "2023-02-29"),
    ({"type": "string", "format": "date-time"}, "0000-01-01T00:00:00Z"),
    ({"type": "string", "format": "date-time"}, "2016-12-31T23:59:60Z"),
    ({"type": "string", "format": "date-time"}, "2016-12-31t23:59:59.123456789z"),
    ({"type": "string", "format": "date-time"}, "2016-12-31T23:59:59"),
    ({"type": "string", "enum": ["", "r"]}, ""),
    ({"type": "string", "enum": ["r"]}, Coin.HEADS),
    ({"type": "string", "oneOf": [{"const": "r", "title": "Red"}]}, "Red"),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, ["r", Coin.HEADS]),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, ["g", Coin.HEADS]),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, [Word("r")]),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, ("g", "r")),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, [["r"]]),
    ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, []),
    ({"type": "integer"}, 2**63 - 1),
    ({"type": "integer"}, 2**63),
    ({"type": "integer"}, 4.0),
    ({"type": "integer"}, True),
    ({"type": "integer"}, Rank.FIRST),
    ({"type": "number"}, 2**63),
    ({"type": "number"}, 1e300),
    ({"type": "number"}, math.nan),
    ({"type": "number"}, math.inf),
    ({"type": "number"}, 4),
    ({"type": "number"}, Decimal("0.1")),
    ({"type": "boolean"}, 1),
    ({"type": "null"}, "x"),
]


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(("field", "given"), ODD, ids=lambda value: ascii(value)[:60])
def test_what_is_kept_as_it_came_is_what_the_rules_make_of_it(field: Any, given: Any, required: bool) -> None:
    checker = Checker(read_fields({"type": "object", "properties": {"it": field}, "required": ["it"][:required]}))

    kept, ruled = (outcome(check, {"it": given}) for check in (checker.check, checker._coerced))

    assert repr(kept) == repr(ruled)


def outcome(check: Callable[[Any], Any], answer: Any) -> Any:
    try:
        values = check(answer).values
    except AnswerError as error:
        return [fault.problem for fault in error.faults]
    return [(type(value), value, [*map(type, value)] if isinstance(value, list) else ()) for value in values.values()]


def test_a_check_needs_no_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """R021 of the reports."""
    form = FormElicitation.create("m").string("response").required()
    for name in ("exec", "eval", "compile"):
        monkeypatch.delattr(f"builtins.{name}")

    assert form.check({"response": "yes"}) == {"response": "yes"}


def test_a_decimal_context_of_the_application_changes_nothing() -> None:
    form = FormElicitation.create("m").integer("i").number("n").min(0.5)
    with localcontext(prec=2) as context:
        context.traps[FloatOperation] = context.traps[Inexact] = True
        checked = form.check({"i": "12345", "n": "0.12345e1"})

    assert checked == {"i": 12345, "n": 1.2345}
