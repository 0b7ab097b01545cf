"""From a field to what it is answered with, and from there to the check (design, section 5)."""

import pytest

from elicitkit.errors import AnswerError
from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
)
from elicitkit.render.controls import Answerable, Control, Line, Pick, Tick, control, entry, settle

COLOURS = (Option("r", "Red"), Option("g", "Green"))
LABELS = ("Red", "Green")
OPEN = "(leave open)"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (TextField("x"), Line("")),
        (TextField("x", default="Ada"), Line("Ada")),
        (TextField("x", default="a\x1b[2J\u202eb"), Line("ab")),  # section 10: what is not drawn is not sent either
        (IntegerField("x", default=42), Line("42")),
        (NumberField("x", default=0.5), Line("0.5")),
        (BooleanField("x", default=True), Pick(("Yes", "No", OPEN), 0)),
        (BooleanField("x", default=False), Pick(("Yes", "No", OPEN), 1)),
        (BooleanField("x"), Pick(("Yes", "No", OPEN), 2)),
        (BooleanField("x", required=True), Pick(("Yes", "No"), 1)),  # Enter alone agrees to nothing
        (ChoiceField("x", options=COLOURS, default="g", required=True), Pick(LABELS, 1)),
        (ChoiceField("x", options=COLOURS), Pick((*LABELS, OPEN), 2)),
        (MultiChoiceField("x", options=COLOURS, default=("g",)), Tick(LABELS, frozenset({1}))),
    ],
)
def test_a_control_starts_at_the_default(field: Answerable, expected: Control) -> None:
    assert control(field, {}) == expected


@pytest.mark.parametrize(
    ("field", "before", "expected"),
    [
        (TextField("x", default="Ada"), {"x": "Bob"}, Line("Bob")),
        (TextField("x", default="Ada"), {"x": None}, Line("")),
        (BooleanField("x", default=True), {"x": None}, Pick(("Yes", "No", OPEN), 2)),
        (ChoiceField("x", options=COLOURS, default="g"), {"x": "r"}, Pick((*LABELS, OPEN), 0)),
        (MultiChoiceField("x", options=COLOURS, default=("g",)), {"x": []}, Tick(LABELS)),
    ],
)
def test_asked_again_a_control_starts_at_the_answer_before(
    field: Answerable, before: dict[str, object], expected: Control
) -> None:
    assert control(field, before) == expected


@pytest.mark.parametrize(
    ("field", "answered", "expected"),
    [
        (TextField("x"), Line(" kept "), {"x": " kept "}),
        (TextField("x", format="date"), Line(" 2026-11-30 "), {"x": "2026-11-30"}),
        (IntegerField("x"), Line(" 7 "), {"x": "7"}),
        (BooleanField("x"), Pick(("Yes", "No", OPEN), 1), {"x": False}),
        (ChoiceField("x", options=COLOURS), Pick((*LABELS, OPEN), 1), {"x": "g"}),
        (MultiChoiceField("x", options=COLOURS), Tick(LABELS, frozenset({1, 0})), {"x": ["r", "g"]}),
    ],
)
def test_an_answer_becomes_a_value(field: Answerable, answered: Control, expected: dict[str, object]) -> None:
    assert entry(field, answered) == expected


@pytest.mark.parametrize(
    ("field", "answered", "expected"),
    [
        (TextField("x"), Line(""), {}),  # untouched: absent
        (TextField("x", default="Ada"), Line(""), {"x": ""}),  # cleared: an answer, and no server fills it in again
        (TextField("x", default="Ada", max_length=9), Line(" "), {"x": ""}),
        (TextField("x", default="Ada", min_length=1), Line(""), {"x": None}),  # cleared: null, where no text says so
        (TextField("x", default="Ada", required=True), Line(""), {"x": None}),
        (TextField("x", default="a@b.example", format="email"), Line(""), {"x": None}),
        (TextField("x", default=""), Line(""), {"x": ""}),  # the default itself
        (TextField("x"), Line("  "), {}),
        (TextField("x", required=True), Line(""), {}),
        (IntegerField("x", default=7), Line(""), {"x": None}),
        (BooleanField("x", default=True), Pick(("Yes", "No", OPEN), 2), {"x": None}),
        (BooleanField("x"), Pick(("Yes", "No", OPEN), 2), {}),
        (ChoiceField("x", options=COLOURS, default="g"), Pick((*LABELS, OPEN), 2), {"x": None}),
        (MultiChoiceField("x", options=COLOURS), Tick(LABELS), {}),
        (MultiChoiceField("x", options=COLOURS, default=("r",)), Tick(LABELS), {"x": []}),  # "none of them"
        (MultiChoiceField("x", options=COLOURS, default=("r",), min_items=1), Tick(LABELS), {"x": None}),
        (MultiChoiceField("x", options=COLOURS, required=True), Tick(LABELS), {"x": []}),
    ],
)
def test_nothing_is_absent_and_a_cleared_default_is_empty_or_null(
    field: Answerable, answered: Control, expected: dict[str, object]
) -> None:
    assert entry(field, answered) == expected


@pytest.mark.parametrize(
    ("field", "pasted", "expected"),
    [
        (TextField("x"), "\x1b[31mred\x1b[0m", {"x": "red"}),
        (TextField("x"), "a\x00b\x08\u202ec", {"x": "abc"}),
        (TextField("x"), "one\n\ttwo", {"x": "one\n\ttwo"}),
        (TextField("x"), "\x1b[31m\u200b", {}),
        (TextField("x", format="email"), "\x1b[1mada@example.com\u200b ", {"x": "ada@example.com"}),
        (IntegerField("x"), "\ufeff7\x00", {"x": "7"}),
    ],
)
def test_of_what_is_pasted_only_what_the_review_can_show_is_sent(
    field: Answerable, pasted: str, expected: dict[str, object]
) -> None:
    assert entry(field, Line(pasted)) == expected


def test_a_control_of_another_kind_is_no_answer() -> None:
    with pytest.raises(TypeError, match="a BooleanField is not answered with a Line"):
        entry(BooleanField("x"), Line("yes"))


def test_what_is_settled_is_what_will_be_sent() -> None:
    assert settle(IntegerField("x"), {"x": "42.0"}) == {"x": 42}
    assert settle(TextField("x", format="uri"), {"x": "https://bücher.example"}) == {
        "x": "https://xn--bcher-kva.example"
    }
    assert settle(IntegerField("x", default=7), {"x": None}) == {"x": None}
    assert settle(IntegerField("x"), {}) == {}


# report R045: the whole text must parse
@pytest.mark.parametrize("typed", ["42xyz", "12.5abc", "0x10", "1,000", "1e999", "NaN", "2o"])
def test_a_number_is_refused_in_the_checkers_own_words(typed: str) -> None:
    field = IntegerField("age", minimum=1)

    with pytest.raises(AnswerError) as refused:
        settle(field, entry(field, Line(typed)))

    assert refused.value.faults[0].label == "Age"
    assert typed not in str(refused.value)


def test_a_required_field_left_empty_is_a_fault() -> None:
    for field in (TextField("x", required=True), TextField("x", required=True, default="d")):
        with pytest.raises(AnswerError, match="X: is required"):
            settle(field, entry(field, Line("")))


NUMBERS = [
    ("1000", 1000, 1000),
    ("\uff11\uff12", 12, 12),
    ("\u0663\u066b\u0665", 3.5, "whole"),  # Arabic figures, and their sign for the decimals.
    ("\uff11\uff12\uff0c\uff15", 12.5, "whole"),
    ("12,5", 12.5, "whole"),
    ("\u221212", -12, -12),
    ("1e3", 1000, 1000),
    ("1.000", 1, "apart"),  # In a number it can only be a decimal point; of a whole number nobody writes those.
    ("1,000", "apart", "apart"),
    ("1 000", "apart", "apart"),
    ("1\u202f000", "apart", "apart"),
    ("1'000", "apart", "apart"),
    ("1\u2019000", "apart", "apart"),
    ("1.000,5", "apart", "apart"),
    ("1,000.5", "apart", "apart"),
    ("1.000.000", "apart", "apart"),
    ("\u221e", "figures", "figures"),
    ("many", "figures", "figures"),
    ("\u4e00\u5343", "figures", "figures"),
    ("1e999", "large", "large"),
    ("9" * 500, "many figures", "large"),
]
SAID = {
    "whole": "must be a whole number",
    "apart": "without thousands separators",
    "figures": "in figures, such as 1000",
    "large": "is too large",
    "many figures": "has too many figures: write it with an exponent",
}


@pytest.mark.parametrize(("typed", "number", "whole"), NUMBERS, ids=[ascii(row[0])[:30] for row in NUMBERS])
def test_a_number_is_read_as_it_is_meant_or_refused_with_how_to_write_it(
    typed: str, number: object, whole: object
) -> None:
    """Section 5, coercion: ASCII decimal text. What people type is brought to it where it can mean one thing only; for
    the rest they are told how to write it, alike at the terminal and on the page."""
    for field, expected in ((NumberField("x"), number), (IntegerField("x"), whole)):
        try:
            found: object = settle(field, entry(field, Line(typed)))
        except AnswerError as error:
            (fault,) = error.faults
            assert isinstance(expected, str), fault.problem
            assert SAID[expected] in fault.problem
            assert not typed or typed not in fault.problem
        else:
            assert found == {"x": expected}
