"""A server's text on the terminal, and answers in the review (design, section 10)."""

import pytest

from elicitkit.errors import Fault
from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    Option,
    TextField,
    UnknownField,
)
from elicitkit.render.text import drawable, fault_line, label, option_labels, shown, shown_briefly

COLOURS = (Option("r", "Red"), Option("g", "Green"), Option("b", "Blue"))


@pytest.mark.parametrize(
    ("hostile", "drawn"),
    [
        ("\x1b[31mred\x1b[0m", "red"),  # colours
        ("\x1b]8;;https://evil.example\x07click\x1b]8;;\x07", "click"),  # a link (OSC 8)
        ("\x1b]0;title\x1b\\x", "x"),  # the window's title
        ("\x9b2Jx", "x"),  # the same by a single character
        ("photo\u202egpj.exe", "photogpj.exe"),  # a bidirectional override
        ("a\x07\x08\x00b", "ab"),
        ("two\r\nlines\tand a tab", "two lines and a tab"),
        ("[red]kept[/red] :smile:", "[red]kept[/red] :smile:"),  # markup is text
    ],
)
def test_hostile_text_comes_out_harmless_on_one_line(hostile: str, drawn: str) -> None:
    assert drawable(hostile) == drawn


@pytest.mark.parametrize("invisible", ["", " ", "\u202e", "\u200b\u2060", "\x1b[2J"])
def test_text_of_which_nothing_shows_is_written_out(invisible: str) -> None:
    assert drawable(invisible) == ascii(invisible)


def test_long_labels_are_cut_and_say_so() -> None:
    drawn = label(TextField("x", title="t" * 100_000))

    assert len(drawn) < 300
    assert "cut: 100,000 characters" in drawn


def test_an_option_is_called_by_its_title_else_by_its_value() -> None:
    assert option_labels((Option("r", "Red"), Option("green"))) == ("Red", "green")


def test_an_option_without_a_visible_label_shows_its_value_escaped() -> None:
    assert option_labels((Option("\x1b[2J", "\u202e"),)) == (r"'\x1b[2J'",)


def test_options_that_look_alike_are_told_apart_by_their_values() -> None:
    options = (Option("a", "Same"), Option("b", "Same"), Option("a\u202e", "Same\u202e"))

    assert option_labels(options) == ("Same (a)", "Same (b)", r"Same ('a\u202e')")


def test_an_option_cannot_pass_for_leaving_the_field_open() -> None:
    assert option_labels((Option("x", "(leave open)"),)) == ("(leave open) (x)",)


@pytest.mark.parametrize(
    ("field", "entries", "words"),
    [
        (TextField("x"), {"x": "Ada\nLovelace"}, "Ada\nLovelace"),
        (TextField("x"), {}, "(left open)"),
        (TextField("x", default="d"), {"x": None}, "(left open; the server may take its default, d, all the same)"),
        (TextField("x", default="d"), {"x": ""}, "(empty)"),
        (IntegerField("x", default=7), {}, "(left open; the server may take its default, 7, all the same)"),
        (
            ChoiceField("x", options=COLOURS, default="g"),
            {"x": None},
            "(left open; the server may take its default, Green, all the same)",
        ),
        (
            MultiChoiceField("x", options=COLOURS, default=("b", "r")),
            {"x": None},
            "(left open; the server may take its default, Red, Blue, all the same)",
        ),
        (TextField("x", default=""), {"x": ""}, "(empty)"),
        (TextField("x"), {"x": "\u200b"}, r"('\u200b')"),
        (TextField("x"), {"x": "a\x1b[2Jb"}, "ab"),
        (IntegerField("x"), {"x": 0}, "0"),
        (BooleanField("x"), {"x": False}, "No"),
        (ChoiceField("x", options=COLOURS), {"x": "g"}, "Green"),
        (MultiChoiceField("x", options=COLOURS), {"x": ["b", "r"]}, "Red, Blue"),
        (MultiChoiceField("x", options=COLOURS), {"x": []}, "(none)"),
        (UnknownField("x"), {}, "(cannot be answered here)"),
    ],
)
def test_the_review_shows_labels_and_what_was_left_open(field: Field, entries: dict[str, object], words: str) -> None:
    assert shown(field, entries) == words


def test_an_answer_among_many_is_cut_to_part_of_a_line() -> None:
    assert shown_briefly(TextField("x"), {"x": "two\nlines " + "w" * 100}) == "two lines " + "w" * 30 + "…"


def test_a_fault_is_drawn_harmlessly_in_the_checkers_words() -> None:
    fault = Fault("x", "\x1b[31mAge", "must be one of \u202ea,\nb")

    assert fault_line(fault) == "Age: must be one of a, b"
