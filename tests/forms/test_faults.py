"""The table of faults (design, section 4): each at its step or at `build`, never after the person answered."""

import math
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from typing import Any

import pytest

from elicitkit import ElicitkitError, Fault, Form, FormElicitation, FormError, SensitiveFieldError

STARTERS = ["string", "integer", "number", "boolean", "email", "uri", "date", "date_time", "choice", "multi_choice"]
BLANK = ["", " ", "\t\n", "\u3000"]
HUGE = 10**400
NO_NUMBERS: list[Any] = [
    math.nan,
    math.inf,
    -math.inf,
    True,
    False,
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("-Infinity"),
]
NO_COUNTS: list[Any] = [*NO_NUMBERS, -1, -HUGE, HUGE, 1.5, 2.0, Decimal(2)]
FRACTIONS: list[Any] = [1.5, Decimal("1.5"), Decimal("1." + "0" * 40 + "1")]
TOO_LARGE: list[Any] = [HUGE, -HUGE, 2**63, Decimal("1e400"), Decimal("1e9999999")]
NO_TEXT: list[Any] = [None, 5, True, b"m", ["m"]]

Step = Callable[[Any], Any]


def start() -> FormElicitation[Any]:
    return FormElicitation.create("m")


def choice() -> Any:
    return start().choice("colour").options(["red", "blue"])


def faults(make: Callable[[], object]) -> list[tuple[str, str]]:
    with pytest.raises(FormError) as caught:
        make()
    return [(fault.field, fault.problem) for fault in caught.value.faults]


def shown(value: Any) -> str:
    return {HUGE: "huge", -HUGE: "-huge"}.get(value, repr(value)) if isinstance(value, int) else repr(value)


# --- plain TypeError, at the call ---------------------------------------------------------------------------------

WRONG_TYPES: list[tuple[str, Step]] = [
    ("the message of a form", lambda value: FormElicitation.create(value)),
    ("the message of another form", lambda value: Form("m").with_message(value)),
    ("a name to exclude", lambda value: start().exclude(value)),
    *(
        (f"the name of a {starter}", lambda value, starter=starter: getattr(start(), starter)(value))
        for starter in STARTERS
    ),
    ("an option", lambda value: start().choice("c").option(value)),
    ("an option among others", lambda value: start().choice("c").options(["a", value])),
    ("an option in a mapping", lambda value: start().choice("c").options({value if value != ["m"] else 5: "A"})),
    ("an option of several", lambda value: start().multi_choice("c").option(value)),
    ("a title", lambda value: start().string("s").title(value)),
    ("a description", lambda value: start().string("s").description(value)),
    ("what selects", lambda value: start().string(lambda _, value=value: _[value])),
]


@pytest.mark.parametrize("value", NO_TEXT, ids=repr)
@pytest.mark.parametrize("call", [pytest.param(row[1], id=row[0]) for row in WRONG_TYPES])
def test_what_is_not_text_is_a_plain_type_error(call: Step, value: Any) -> None:
    with pytest.raises(TypeError) as caught:
        call(value)

    assert not isinstance(caught.value, ElicitkitError)


@pytest.mark.parametrize("title", NO_TEXT[1:], ids=repr)
def test_the_title_of_an_option_is_text_or_none(title: Any) -> None:
    with pytest.raises(TypeError, match="the title of an option is text"):
        start().choice("c").option("a", title)
    with pytest.raises(TypeError, match="the title of an option is text"):
        start().choice("c").options({"a": title})


@pytest.mark.parametrize("options", [None, 5, "red", ["a", None], [("a", "A")], b"ab"], ids=repr)
def test_options_are_texts_or_a_mapping(options: Any) -> None:
    with pytest.raises(TypeError):
        start().choice("c").options(options)


COUNTS: list[tuple[str, Step]] = [
    ("min_length", lambda count: start().string("f").min_length(count)),
    ("max_length", lambda count: start().email("f").max_length(count)),
    ("min_items", lambda count: start().multi_choice("f").min_items(count)),
    ("max_items", lambda count: start().multi_choice("f").max_items(count)),
]
BOUNDS: list[tuple[str, Step]] = [
    ("min", lambda bound: start().integer("f").min(bound)),
    ("max", lambda bound: start().integer("f").max(bound)),
    ("between, low", lambda bound: start().integer("f").between(bound, 2)),
    ("between, high", lambda bound: start().integer("f").between(1, bound)),
    ("min of a number", lambda bound: start().number("f").min(bound)),
    ("max of a number", lambda bound: start().number("f").max(bound)),
    ("between of a number, low", lambda bound: start().number("f").between(bound, 2)),
    ("between of a number, high", lambda bound: start().number("f").between(1, bound)),
]


def setters(table: list[tuple[str, Step]]) -> Any:
    return pytest.mark.parametrize("call", [pytest.param(row[1], id=row[0]) for row in table])


@pytest.mark.parametrize("value", [None, "1", b"1", [1], 1j], ids=repr)
@setters(COUNTS + BOUNDS)
def test_a_bound_that_is_no_number_at_all_is_a_plain_type_error(call: Step, value: Any) -> None:
    with pytest.raises(TypeError) as caught:
        call(value)

    assert not isinstance(caught.value, ElicitkitError)


async def asked_later(_: Any) -> None: ...


@pytest.mark.parametrize("check", [None, "check", 5, asked_later], ids=["none", "text", "number", "async"])
def test_a_check_that_cannot_be_called_is_a_plain_type_error(check: Any) -> None:
    with pytest.raises(TypeError, match="validate takes a plain function"):
        start().validate(check)


# --- FormError, at the call ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BLANK, ids=ascii)
@pytest.mark.parametrize("starter", STARTERS)
def test_a_blank_name_is_a_fault(starter: str, name: str) -> None:
    assert faults(lambda: getattr(start(), starter)(name)) == [("", f"the name of a field is blank: {name!r}")]


@pytest.mark.parametrize("name", BLANK, ids=ascii)
def test_a_blank_name_is_a_fault_when_names_are_preserved_and_when_a_field_is_dropped(name: str) -> None:
    assert faults(lambda: FormElicitation.create("m", naming="preserve").string(name))
    assert faults(lambda: start().exclude(name))


@pytest.mark.parametrize("value", BLANK, ids=ascii)
def test_a_blank_option_is_a_fault(value: str) -> None:
    problem = "has a blank option; give it a value, and a title for what the person reads"

    assert faults(lambda: start().choice("c").option(value)) == [("c", problem)]
    assert faults(lambda: start().multi_choice("c").options(["a", value])) == [("c", problem)]


@pytest.mark.parametrize("title", BLANK, ids=ascii)
def test_a_titled_option_with_a_blank_title_is_a_fault(title: str) -> None:
    expected = [("c", "has a blank title for the option 'a'")]

    assert faults(lambda: start().choice("c").option("a", title)) == expected
    assert faults(lambda: start().multi_choice("c").options({"a": title})) == expected


@pytest.mark.parametrize("title", BLANK, ids=ascii)
def test_a_blank_title_of_a_field_is_a_fault(title: str) -> None:
    assert faults(lambda: start().string("s").title(title)) == [("s", "has a blank title")]


def test_an_option_given_twice_is_a_fault() -> None:
    expected = [("colour", "has the option 'red' twice")]

    assert faults(lambda: choice().option("red")) == expected
    assert faults(lambda: choice().option("red", "Crimson")) == expected
    assert faults(lambda: start().multi_choice("colour").options(["red", "blue", "red"])) == expected


@pytest.mark.parametrize(("low", "high"), [(5, 3), (0.5, 0.4), (Decimal("0.2"), Decimal("0.1"))], ids=repr)
def test_between_inverted_bounds_is_a_fault(low: Any, high: Any) -> None:
    problem = f"is to be between {float(low):g} and {float(high):g}, and nothing is"

    assert faults(lambda: start().number("price").between(low, high)) == [("price", problem)]


def test_between_equal_bounds_is_not() -> None:
    assert start().integer("n").between(3, 3).build()


@pytest.mark.parametrize("count", NO_COUNTS, ids=shown)
@setters(COUNTS)
def test_a_count_that_is_no_whole_number_from_0_is_a_fault(call: Step, count: Any) -> None:
    ((field, problem),) = faults(lambda: call(count))

    assert field == "f"
    assert problem.endswith("and it takes a whole number of at least 0")


@setters(COUNTS + BOUNDS)
def test_a_number_that_python_will_not_even_write_is_a_fault(call: Step) -> None:
    assert faults(lambda: call(-(10**5000)))


@pytest.mark.parametrize("bound", NO_NUMBERS, ids=repr)
@setters(BOUNDS)
def test_a_bound_that_nothing_can_be_compared_with_is_a_fault(call: Step, bound: Any) -> None:
    assert faults(lambda: call(bound)) == [("f", f"has {bound} for a bound, which is no number to compare with")]


@pytest.mark.parametrize("bound", FRACTIONS, ids=repr)
@setters(BOUNDS[:4])
def test_a_fractional_bound_of_a_whole_number_is_a_fault(call: Step, bound: Any) -> None:
    assert faults(lambda: call(bound)) == [("f", f"asks for a whole number, and has {bound} for a bound")]


@pytest.mark.parametrize("bound", TOO_LARGE, ids=shown)
@setters(BOUNDS)
def test_a_bound_beyond_64_bits_is_a_fault(call: Step, bound: Any) -> None:
    assert faults(lambda: call(bound)) == [("f", "has a bound that does not fit into 64 bits")]


GOOD_BOUNDS: list[tuple[str, Any, Any]] = [
    ("integer", 5, 5),
    ("integer", 5.0, 5),
    ("integer", Decimal("5.00"), 5),
    ("integer", -(2**63), -(2**63)),
    ("integer", 2**63 - 1, 2**63 - 1),
    ("number", 5, 5),
    ("number", 5.0, 5.0),
    ("number", 0.1, 0.1),
    ("number", 1e300, 1e300),
    ("number", Decimal("0.1"), 0.1),
    ("number", Decimal("5"), 5),
]


@pytest.mark.parametrize(("starter", "bound", "kept"), GOOD_BOUNDS, ids=repr)
def test_a_bound_is_kept_as_the_wire_has_it(starter: str, bound: Any, kept: Any) -> None:
    schema = getattr(start(), starter)("f").min(bound).schema()["properties"]["f"]

    assert schema["minimum"] == kept
    assert type(schema["minimum"]) is type(kept)


@pytest.mark.parametrize("setter", ["min_length", "max_length"])
def test_a_count_of_0_is_a_count(setter: str) -> None:
    assert getattr(start().string("f"), setter)(0).build()


def test_a_refused_step_leaves_the_form_as_it_was() -> None:
    form = choice().build()
    builder = choice()
    for step in (lambda: builder.option("red"), lambda: builder.options(["x", "x"]), lambda: builder.title(" ")):
        assert faults(step)

    assert builder.build() == form


# --- FormError, at build, all at once -----------------------------------------------------------------------------


@pytest.mark.parametrize("message", BLANK, ids=ascii)
def test_a_blank_message_may_be_recorded_and_not_built(message: str) -> None:
    form = FormElicitation.create(message)

    assert faults(form.build) == [("", "is blank; say what is asked, and why")]
    assert faults(lambda: Form("m").with_message(message)) == [("", "is blank; say what is asked, and why")]


AT_BUILD: list[tuple[str, Any, str]] = [
    (
        "a choice without options",
        start().choice("f"),
        "is a choice without options; add .option(value) or .options([…])",
    ),
    ("a multi choice without any", start().multi_choice("f").options([]), "is a choice without options; add"),
    ("options and a default gone", start().choice("f").options(["a"]).default("a").options([]), "is a choice without"),
    (
        "a default that is no option",
        start().choice("f").options(["a"]).default("b"),
        "has a default that must be one of a",
    ),
    (
        "a default that is a title",
        start().choice("f").options({"a": "A"}).default("A"),
        "has a default that must be one of a",
    ),
    (
        "one default that is no option",
        start().multi_choice("f").options(["a"]).default("a", "b"),
        "has a default that may only",
    ),
    (
        "a default twice",
        start().multi_choice("f").options(["a"]).default("a", "a"),
        "has a default that must not hold an option",
    ),
    (
        "too few defaults",
        start().multi_choice("f").options(["a", "b"]).min_items(1).default(),
        "has a default that needs at",
    ),
    ("a default out of bounds", start().integer("f").max(5).default(6), "has a default that must be at most 5"),
    (
        "a default too long",
        start().string("f").max_length(1).default("ab"),
        "has a default that must have at most 1 char",
    ),
    ("a number in text", start().integer("f").default("5"), "has a default that must be a number, not text"),
    ("a fraction", start().integer("f").default(1.5), "has a default that must be a whole number"),
    ("true for a number", start().number("f").default(True), "has a default that must be a number"),
    ("1 for a boolean", start().boolean("f").default(1), "has a default that must be yes or no (true or false)"),
    ("a number for text", start().string("f").default(5), "has a default that must be text"),
    ("no e-mail address", start().email("f").default("ada"), "has a default that must be an e-mail address"),
    (
        "a moment without zone",
        start().date_time("f").default("2026-11-30T14:30:00"),
        "has a default that must be a date and time with",
    ),
    ("half a character as default", start().string("f").default("\ud800"), "has a default that holds half a character"),
    (
        "half a character as title",
        start().string("f").title("\ud800"),
        "holds half a character (a lone surrogate), which cannot",
    ),
    (
        "half a character as option",
        start().choice("f").option("\ud800"),
        "holds half a character (a lone surrogate), which",
    ),
    ("lengths inverted", start().string("f").min_length(2).max_length(1), "has min_length 2 above max_length 1"),
    ("bounds inverted", start().integer("f").min(2).max(1), "has min 2 above max 1"),
    ("bounds of a number inverted", start().number("f").max(0.5).min(1), "has min 1 above max 0.5"),
    (
        "counts inverted",
        start().multi_choice("f").options(["a", "b"]).min_items(2).max_items(1),
        "has min_items 2 above max_items 1",
    ),
    ("more than there are", start().multi_choice("f").options(["a"]).min_items(2), "asks for at least 2 of 1 options"),
    ("a date in 9 characters", start().date("f").max_length(9), "is a date and has max_length 9, so that nothing fits"),
    (
        "a date of 11 characters",
        start().date("f").min_length(11),
        "is a date and has min_length 11, so that nothing fits",
    ),
    (
        "a moment in 19 characters",
        start().date_time("f").max_length(19),
        "is a date-time and has max_length 19, so that",
    ),
]


@pytest.mark.parametrize(("form", "problem"), [pytest.param(*row[1:], id=row[0]) for row in AT_BUILD])
def test_what_steps_cannot_see_alone_is_a_fault_at_build_with_its_field(form: Any, problem: str) -> None:
    """R011 of the reports: options made at run time may turn out to be none."""
    ((field, found),) = faults(form.build)

    assert field == "f"
    assert found.startswith(problem)


def test_half_a_character_is_found_in_the_message_and_in_a_name() -> None:
    problem = "holds half a character (a lone surrogate), which cannot be sent"

    assert faults(FormElicitation.create("\ud800").string("a\udfff").build) == [("", problem), ("a\udfff", problem)]


def test_every_fault_of_a_form_comes_in_one_error_each_with_its_field() -> None:
    form: Any = FormElicitation.create(" ").string("name").min_length(2).max_length(1).choice("colour")
    form = form.integer("age").min(5).default(3).email("mail").default("x").number("ok").default(1)

    assert [field for field, _ in faults(form.build)] == ["", "name", "colour", "age", "mail"]


def test_the_text_of_the_error_has_every_field_by_its_label() -> None:
    with pytest.raises(FormError) as caught:
        start().choice("t_shirt").integer("age").min(2).max(1).build()

    assert str(caught.value).splitlines() == [
        "The form has 2 faults:",
        "- T Shirt: is a choice without options; add .option(value) or .options([…])",
        "- Age: has min 2 above max 1",
    ]


@pytest.mark.parametrize("send", ["build", "schema", "check", "to_input_request"])
def test_whatever_needs_the_form_finds_its_faults(send: str) -> None:
    step = getattr(start().choice("c"), send)

    assert faults(lambda: step({}) if send == "check" else step())[0][0] == "c"


def test_a_form_can_be_mended_after_a_failed_build() -> None:
    form = start().choice("c")
    assert faults(form.build)

    assert form.option("a").build().schema()["properties"]["c"]["enum"] == ["a"]


def test_two_steps_that_are_each_fine_in_the_end_are_no_fault() -> None:
    """A default is looked at when the form is built: what it has to fit may come after it."""
    form = start().choice("c").default("b").option("a").option("b").integer("n").default(9).max(5).max(10)

    assert form.check({}) == {"c": "b", "n": 9}


def test_a_credential_is_refused_with_its_own_error() -> None:
    with pytest.raises(SensitiveFieldError) as caught:
        start().string("api_key").build()

    assert caught.value.faults == (
        Fault(
            "apiKey",
            "Api Key",
            "asks for a credential, which a form must not do; use a URL question, "
            "or .allow_sensitive() on the field if it only sounds like one",
        ),
    )


def test_every_fault_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="The form does not work"):
        start().string("")


class Negative(IntEnum):
    ONE = -1


@pytest.mark.parametrize(
    "step",
    [
        lambda form: form.string("x").min_length(Negative.ONE),
        lambda form: form.multi_choice("x").max_items(Negative.ONE),
    ],
    ids=["min_length", "max_items"],
)
def test_a_count_that_is_an_enum_member_is_a_number_like_any_other(step: Any) -> None:
    """`in range(...)` tries one number after the other for a subclass of `int`: this once never came to an end."""
    with pytest.raises(FormError, match="a whole number of at least 0"):
        step(FormElicitation.create("?"))
