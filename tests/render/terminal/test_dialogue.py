"""One form put to a person, with real keys (design, sections 4 and 5)."""

from dataclasses import replace
from typing import Any

import pytest
from rich.console import RenderableType

from elicitkit import FormElicitation, limits
from elicitkit.errors import Fault
from elicitkit.fields import ChoiceField, Option
from elicitkit.forms import Content, Form, FormSource
from elicitkit.outcomes import Accepted, Cancelled, Declined
from elicitkit.render.controls import Line, Pick, Tick
from elicitkit.render.terminal.asked import Asked
from elicitkit.render.terminal.dialogue import converse
from tests.render.terminal.person import (
    BACK,
    BACKSPACE,
    CHANGE,
    CLEAR,
    CTRL_C,
    CTRL_D,
    DOWN,
    ENTER,
    FILL_IN,
    LEFT,
    SEND,
    SPACE,
    UP,
    answer,
    answer_and_send,
    lone,
    seated,
)

pytestmark = pytest.mark.anyio

MANY = [f"option {i}" for i in range(50)]


def asking() -> FormElicitation[Content]:
    return FormElicitation.create("Tell us")


def accepted(**content: Any) -> Accepted[Any]:
    return Accepted(content, raw=content)


# --- each kind of field -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "keys", "value"),
    [
        (asking().string("x").required(), "Ada" + ENTER, "Ada"),
        (asking().string("x").default("Ada"), BACKSPACE + "am" + ENTER, "Adam"),
        (asking().email("x"), " ada@example.com " + ENTER, "ada@example.com"),
        (asking().uri("x"), "https://example.com/" + ENTER, "https://example.com/"),
        (asking().date("x"), "2026-11-30" + ENTER, "2026-11-30"),
        (asking().date_time("x"), "2026-11-30T14:30:00+01:00" + ENTER, "2026-11-30T14:30:00+01:00"),
        (asking().integer("x"), " 42.0 " + ENTER, 42),
        (asking().number("x"), "-0.5" + ENTER, -0.5),
        (asking().number("x"), "\u22123,5" + ENTER, -3.5),
        (asking().integer("x"), "٤٢" + ENTER, 42),
        (asking().boolean("x").required(), UP + ENTER, True),
        (asking().boolean("x"), UP + ENTER, False),
        (asking().choice("x").options({"s": "Slow", "f": "Fast"}).required(), DOWN + ENTER, "f"),
        (asking().multi_choice("x").options([*"abc"]), SPACE + DOWN + DOWN + SPACE + ENTER, ["a", "c"]),
    ],
)
async def test_every_kind_of_field_can_be_answered(form: FormElicitation[Content], keys: str, value: object) -> None:
    outcome = await answer_and_send(form, keys)

    assert outcome == accepted(x=value)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (asking().string("x").default("Ada"), "Ada"),
        (asking().string("x").default("two\nlines"), "two\nlines"),
        (asking().date("x").default("2026-11-30"), "2026-11-30"),
        (asking().integer("x").default(0), 0),
        (asking().number("x").default(0.1), 0.1),
        (asking().number("x").default(1e22), 1e22),
        (asking().boolean("x").default(False), False),
        (asking().choice("x").options([*"ab"]).default("b"), "b"),
        (asking().multi_choice("x").options([*"abc"]).default("c", "a"), ["c", "a"]),
    ],
)
async def test_a_default_is_kept_by_pressing_enter(form: FormElicitation[Content], value: object) -> None:
    outcome = await answer_and_send(form, ENTER)

    assert outcome == accepted(x=value)


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        (asking().string("x").default("Ada").min_length(1), CLEAR + ENTER),
        (asking().email("x").default("ada@example.com"), CLEAR + ENTER),
        (asking().integer("x").default(7), CLEAR + ENTER),
        (asking().boolean("x").default(True), DOWN + DOWN + ENTER),
        (asking().choice("x").options([*"ab"]).default("a"), DOWN + DOWN + ENTER),
        (asking().multi_choice("x").options([*"ab"]).min_items(1).default("a"), SPACE + ENTER),
    ],
)
async def test_a_cleared_default_comes_back_as_nothing(form: FormElicitation[Content], keys: str) -> None:
    """Design, section 5: `null` for a cleared field suppresses the default, where it arrives; the review says so."""
    outcome = await answer_and_send(form, keys)

    assert isinstance(outcome.content, Content)
    assert outcome.content.get("x") is None
    assert outcome.content.cleared == {"x"}


async def test_a_text_that_was_cleared_comes_back_empty() -> None:
    """No host leaves it out, and so no server fills in its default."""
    assert await answer_and_send(asking().string("x").default("Ada"), CLEAR + ENTER) == accepted(x="")


async def test_untouched_fields_without_a_default_are_absent() -> None:
    """Report R039: a form of optional fields can be sent untouched."""
    form = (
        asking().string("a").integer("b").boolean("c").choice("d").options([*"xy"]).multi_choice("e").options([*"xy"])
    )

    outcome = await answer(form, FILL_IN, ENTER * 5, SEND)

    assert isinstance(outcome.content, Content)
    assert outcome.content == {}
    assert not outcome.content.cleared


async def test_the_names_the_author_wrote_find_the_answers() -> None:
    outcome = await answer(asking().string("full_name"), FILL_IN, "Ada", ENTER, SEND)

    assert outcome.content is not None
    assert outcome.content["full_name"] == outcome.content["fullName"] == "Ada"


# --- wrong, then right ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "wrong", "right", "value", "words"),
    [
        (asking().integer("x").between(1, 9), "12x", BACKSPACE * 2, 1, "X: must be a whole number"),
        (asking().integer("x").max(9), "12", BACKSPACE, 1, "X: must be at most 9"),
        (asking().email("x"), "a@b.de!", BACKSPACE, "a@b.de", "X: must be an e-mail address"),
        (asking().string("x").required(), "", "a", "a", "X: is required"),
        (asking().string("x").max_length(2), "abc", BACKSPACE, "ab", "X: must have at most 2 characters"),
        (
            asking().multi_choice("x").options([*"ab"]).max_items(1),
            SPACE + DOWN + SPACE,
            SPACE,
            ["b"],
            "X: takes at most",
        ),
    ],
)
async def test_a_wrong_answer_is_asked_again_and_kept_in_the_line(
    form: FormElicitation[Content],
    wrong: str,
    right: str,
    value: object,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Reports R045 and R047: said at once, at the field, in the checker's words."""
    outcome = await answer(form, FILL_IN, wrong, ENTER, right, ENTER, SEND)

    assert outcome == accepted(x=value)
    assert f"! {words}" in capsys.readouterr().out


async def test_what_the_author_refuses_leads_back_to_the_review(capsys: pytest.CaptureFixture[str]) -> None:
    def below_ten(content: Content) -> None:
        if content["a"] + content["b"] > 10:
            raise ValueError("a and b are [b]too much[/b]")

    form = asking().integer("a").integer("b").validate(below_ten)

    outcome = await answer(form, FILL_IN, "9\r9\r", SEND, ENTER, DOWN + ENTER, BACKSPACE + "1\r", SEND)

    assert outcome == accepted(a=9, b=1)
    assert "! a and b are [b]too much[/b]" in capsys.readouterr().out


# --- the review -------------------------------------------------------------------------------------------------------


async def test_an_earlier_field_can_be_changed_before_sending() -> None:
    form = asking().string("a").string("b")

    outcome = await answer(form, FILL_IN, "x\ry\r", CHANGE, ENTER, LEFT + "w\r", SEND)

    assert outcome == accepted(a="wx", b="y")


async def test_changing_nothing_leads_back_to_the_review() -> None:
    form = asking().string("a").string("b")

    outcome = await answer(form, FILL_IN, "x\ry\r", CHANGE, UP + ENTER, SEND)

    assert outcome == accepted(a="x", b="y")


async def test_a_lone_field_is_changed_without_asking_which() -> None:
    outcome = await answer(asking().integer("x"), FILL_IN, "1\r", CHANGE, "2\r", SEND)

    assert outcome == accepted(x=12)


async def test_an_answer_cleared_in_the_review_is_absent_again() -> None:
    outcome = await answer(asking().string("x"), FILL_IN, "y\r", CHANGE, CLEAR + ENTER, SEND)

    assert outcome == accepted()


async def test_the_review_shows_labels_and_what_was_left_open(capsys: pytest.CaptureFixture[str]) -> None:
    form = asking().choice("speed").options({"exp": "Express"}).required().date("start_on")

    await answer(form, FILL_IN, ENTER, ENTER, SEND, asker="the shop")

    review = capsys.readouterr().out.partition("Your answers to the shop:")[2]
    assert "Speed     Express" in review
    assert "Start On  (left open)" in review


# --- declining and cancelling -----------------------------------------------------------------------------------------


async def test_declining_at_the_start() -> None:
    assert await answer(asking().string("x"), DOWN + ENTER) == Declined()


async def test_cancelling_at_the_start() -> None:
    assert await answer(asking().string("x"), UP + ENTER) == Cancelled("cancelled")


async def test_declining_in_the_review() -> None:
    assert await answer(asking().string("x"), FILL_IN, "y\r", DOWN * 2 + ENTER) == Declined()


async def test_cancelling_in_the_review() -> None:
    assert await answer(asking().string("x"), FILL_IN, "y\r", UP + ENTER) == Cancelled("cancelled")


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
@pytest.mark.parametrize(
    ("form", "before"),
    [
        pytest.param(asking().string("x"), [], id="at the start"),
        pytest.param(asking().string("x"), [FILL_IN], id="in an empty line"),
        pytest.param(asking().string("x"), [FILL_IN, "typed"], id="in a line with text"),
        pytest.param(asking().boolean("x"), [DOWN], id="in a list"),
        pytest.param(asking().choice("x").options(MANY), ["o4"], id="in a filtered list"),
        pytest.param(asking().choice("x").options(MANY), ["zz"], id="where a filter finds nothing"),
        pytest.param(asking().multi_choice("x").options(["a"]), [FILL_IN, SPACE], id="in a multiple choice"),
        pytest.param(lone({"x": {"type": "object"}}), [FILL_IN], id="in the review"),
        pytest.param(asking().string("x").string("y"), [FILL_IN, ENTER * 2, CHANGE], id="where a field is picked"),
    ],
)
async def test_ctrl_c_and_ctrl_d_cancel_everywhere(form: FormSource[Any], before: list[str], key: str) -> None:
    assert await answer(form, *before, key) == Cancelled("cancelled")


async def test_ctrl_d_before_a_character_deletes_it_as_in_a_shell() -> None:
    outcome = await answer(asking().string("x"), FILL_IN, "ab", LEFT, CTRL_D, ENTER, SEND)

    assert outcome == accepted(x="a")


# --- a lone choice takes one answer -----------------------------------------------------------------------------------

LONE = [
    (asking().boolean("x").required(), "y" + ENTER, accepted(x=True)),
    (asking().boolean("x").required(), ENTER, accepted(x=False)),  # Enter alone agrees to nothing
    (asking().boolean("x").required(), "(d" + BACK + ENTER, Declined()),
    (asking().boolean("x").required(), UP * 2 + ENTER, Cancelled("cancelled")),
    (asking().boolean("x"), ENTER, accepted()),
    (asking().choice("x").options([*"abc"]).required(), "c" + ENTER, accepted(x="c")),
    (asking().choice("x").options(["Proceed", "Cancel"]).required(), DOWN + ENTER, accepted(x="Cancel")),
    (asking().choice("x").options(["(cancel)"]).required(), ENTER, accepted(x="(cancel)")),
    (asking().choice("x").options(MANY).required(), ENTER, accepted(x="option 0")),
    (asking().choice("x").options(MANY).required(), UP * 2 + ENTER, Declined()),
    (asking().choice("x").options(MANY).required(), "cancel" + ENTER, Cancelled("cancelled")),
]


@pytest.mark.parametrize(("form", "keys", "outcome"), LONE)
async def test_a_lone_choice_is_one_list_with_the_refusals_in_it(
    form: FormElicitation[Content], keys: str, outcome: object
) -> None:
    assert await answer(form, keys) == outcome


async def test_a_lone_choice_that_the_author_refuses_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    def not_a(content: Content) -> None:
        if content["x"] == "a":
            raise ValueError("a is sold out")

    form = asking().choice("x").options([*"ab"]).required().validate(not_a)

    assert await answer(form, ENTER, DOWN + ENTER) == accepted(x="b")
    assert "! a is sold out" in capsys.readouterr().out


# --- back -------------------------------------------------------------------------------------------------------------


async def test_one_goes_back_to_the_field_before_and_finds_what_was_typed() -> None:
    form = asking().string("a").integer("b").boolean("c")

    outcome = await answer(form, FILL_IN, "x\r", "7", BACK, "y\r", "8\r", ENTER, SEND)

    assert outcome == accepted(a="xy", b=78)


async def test_one_goes_back_from_the_review_to_the_last_field() -> None:
    form = asking().string("a").multi_choice("b").options([*"xy"])

    outcome = await answer(form, FILL_IN, "1\r", ENTER, BACK, BACK, "2\r", SPACE + ENTER, SEND)

    assert outcome == accepted(a="12", b=["x"])


async def test_before_the_first_field_one_may_still_refuse() -> None:
    form = asking().string("a").string("b")

    assert await answer(form, FILL_IN, "x\r", BACK * 2, DOWN + ENTER) == Declined()


async def test_there_is_nothing_before_the_start() -> None:
    assert await answer(asking().string("a"), BACK * 3, FILL_IN, "x\r", SEND) == accepted(a="x")


async def test_going_back_from_a_change_changes_nothing() -> None:
    form = asking().string("a").string("b")

    outcome = await answer(form, FILL_IN, "x\ry\r", CHANGE, BACK, CHANGE, ENTER, "z", BACK, SEND)

    assert outcome == accepted(a="x", b="y")


# --- asked again ------------------------------------------------------------------------------------------------------


async def test_what_was_filled_in_before_stands_in_the_fields_with_its_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Issue 9, point 5."""
    form = asking().string("name").required().integer("age").boolean("news").default(True)
    filled = {"name": "Ada", "age": "old", "news": None, "unknown": 1}

    change_age = [ENTER, ENTER, CLEAR, "36\r"]  # the pointers start at what is wrong
    outcome = await answer(form, *change_age, SEND, filled=filled, faults=[Fault("age", "Age", "must be a number")])

    assert isinstance(outcome.content, Content)
    assert outcome.content == {"name": "Ada", "age": 36}
    assert outcome.content.cleared == {"news"}
    printed = capsys.readouterr().out
    assert "! Age: must be a number" in printed
    assert "Age   old" in printed


async def test_what_did_not_do_before_is_not_sent_by_one_key() -> None:
    form = asking().string("a").string("b")

    outcome = await answer(form, ENTER, ENTER, CLEAR, "x\r", SEND, filled={"a": "wrong", "b": "b"})

    assert outcome == accepted(a="x", b="b")


async def test_the_other_faults_stay_told_while_one_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [Fault("a", "A", "is too short"), Fault("b", "B", "is too long"), Fault("", "", "both are odd")]

    async with seated(asking().string("a").string("b"), monkeypatch, rows=60, faults=faults) as seat:
        await seat.sees("! both are odd")
        seat.press(ENTER, ENTER, "x\r")
        await seat.sees("A  x")
        screen = await seat.sees("Change a field")

    review = screen[screen.index("  A  x") :]
    assert [line for line in review if line.startswith("!")] == ["! B: is too long"]


async def test_a_lone_choice_that_is_asked_again_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    form = asking().choice("x").options([*"abc"]).required()

    outcome = await answer(form, ENTER, filled={"x": "b"}, faults=[Fault("", "", "not today")])

    assert outcome == accepted(x="b")
    assert "! not today" in capsys.readouterr().out


# --- the reason of a refusal ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        (DOWN + ENTER + "too late\r", Declined("too late")),
        (DOWN + ENTER + "\x1b[200~\x1b[31m\x1b[201~ \r", Declined()),
        (DOWN + ENTER + CTRL_C, Cancelled("cancelled")),
        (UP + ENTER, Cancelled("cancelled")),
    ],
)
async def test_who_declines_may_say_why(keys: str, outcome: object) -> None:
    assert await answer(asking().string("x"), keys, takes_reason=True) == outcome


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (ENTER + "x\r" + ENTER, "Sent."),
        (DOWN + ENTER, "Declined. No answer was sent."),
        (UP + ENTER, "Cancelled. No answer was sent."),
        (CTRL_C, "Cancelled. No answer was sent."),
    ],
)
async def test_the_last_line_says_how_it_ended(keys: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    await answer(asking().string("x"), keys)

    assert capsys.readouterr().out.splitlines()[-1] == words


# --- forms without fields, and with some that cannot be drawn ---------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        (UP + ENTER, accepted()),
        (ENTER, Declined()),  # Enter alone agrees to nothing
        (DOWN + ENTER, Cancelled("cancelled")),
        (CTRL_C, Cancelled("cancelled")),
        (CTRL_D, Cancelled("cancelled")),
    ],
)
async def test_a_form_without_fields_is_a_confirm_dialog(keys: str, outcome: object) -> None:
    assert await answer(asking(), keys) == outcome


async def test_a_confirm_that_the_author_refuses_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    refusals = iter([ValueError("not yet")])

    def once(_: Content) -> None:
        if error := next(refusals, None):
            raise error

    assert await answer(asking().validate(once), UP + ENTER, UP + ENTER) == accepted()
    assert "! not yet" in capsys.readouterr().out


UNDRAWABLE = {"x": {"type": "object", "title": "Address"}}


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        (ENTER, Declined()),
        (DOWN + ENTER, Cancelled("unsupported")),
        (CTRL_C, Cancelled("unsupported")),
    ],
)
async def test_a_required_field_that_cannot_be_drawn_can_only_be_refused(
    keys: str, outcome: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design, section 4: it can only be declined or cancelled, reason `unsupported`."""
    form = lone({**UNDRAWABLE, "y": {"type": "string"}}, "x")

    assert await answer(form, keys) == outcome
    printed = " ".join(capsys.readouterr().out.split())
    assert "This can only be declined or cancelled. It requires something that cannot be answered here." in printed
    assert "Address (required)" in printed


async def test_an_optional_field_that_cannot_be_drawn_is_shown_and_not_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = await answer(lone({**UNDRAWABLE, "y": {"type": "string"}}), FILL_IN, "z\r", SEND)

    assert outcome == accepted(y="z")
    printed = capsys.readouterr().out
    assert "This cannot be answered here: its type is 'object'" in printed
    assert "Address  (cannot be answered here)" in printed


async def test_a_form_of_nothing_that_can_be_drawn_can_still_be_sent() -> None:
    assert await answer(lone(UNDRAWABLE), FILL_IN, SEND) == accepted()


# --- large forms ------------------------------------------------------------------------------------------------------


class Hasty:
    """A person who takes the first thing there is, everywhere."""

    def show(self, *screen: RenderableType) -> None: ...

    back_key = "none"

    async def line(self, control: Line, *, back: bool = False) -> Line:
        return Line("1")

    async def pick(self, control: Pick, *, back: bool = False) -> Pick:
        return replace(control, at=0)

    async def tick(self, control: Tick, *, back: bool = False) -> Tick:
        return replace(control, ticked=frozenset({0}))


async def test_the_largest_form_can_be_answered() -> None:
    """Design, section 11: 64 fields, with 1,000 options each."""
    options = tuple(Option(str(i), f"Option {i}") for i in range(limits.OPTIONS))
    fields = tuple(ChoiceField(f"f{i}", options=options) for i in range(limits.FIELDS))

    outcome = await converse(Asked(Form("All of it", fields), "shop"), Hasty())

    assert outcome == accepted(**{f"f{i}": "0" for i in range(limits.FIELDS)})


async def test_one_of_a_thousand_options_is_found_by_typing() -> None:
    form = asking().choice("x").options(map(str, range(limits.OPTIONS)))

    assert await answer(form, "777" + ENTER) == accepted(x="777")


# --- questions that may stay open -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "keys", "outcome"),
    [
        (asking(), UP * 2 + ENTER, Cancelled("stopped")),  # from "no": yes, stop
        (asking(), DOWN * 2 + ENTER, Cancelled("skipped")),
        (asking(), DOWN + ENTER, Cancelled("cancelled")),
        (asking(), CTRL_C, Cancelled("interrupted")),
        (asking(), CTRL_D, Cancelled("interrupted")),
        (asking().string("x"), DOWN * 3 + ENTER, Cancelled("skipped")),
        (asking().string("x"), UP + ENTER, Cancelled("stopped")),
        (asking().string("x"), ENTER + "half" + CTRL_C, Cancelled("interrupted")),
        (asking().string("x"), ENTER + "a" + ENTER + UP + ENTER, Cancelled("stopped")),
        (asking().choice("x").options(["a", "b"]), DOWN * 4 + ENTER, Cancelled("stopped")),
        (asking().choice("x").options(["a", "b"]), DOWN * 3 + ENTER, Cancelled("skipped")),
        (asking().choice("x").options(["a", "b"]), DOWN * 2 + ENTER, Cancelled("cancelled")),
        (asking().choice("x").options(map(str, range(20))), DOWN * 4 + ENTER, Cancelled("stopped")),
        (asking().choice("x").options(map(str, range(20))), "19" + ENTER, accepted(x="19")),
    ],
)
async def test_what_may_stay_open_can_be_skipped_or_left(form: FormSource[Any], keys: str, outcome: object) -> None:
    """Issue 9, point 5: several questions queued. Ctrl-C decides nothing about one that is kept."""
    assert await answer(form, keys, may_stop=True, may_skip=True) == outcome


@pytest.mark.parametrize("keys", [DOWN * 2 + ENTER, UP * 2 + ENTER, CTRL_C])
async def test_the_last_line_says_that_it_stays_open(keys: str, capsys: pytest.CaptureFixture[str]) -> None:
    await answer(asking(), keys, may_stop=True, may_skip=True)

    assert capsys.readouterr().out.splitlines()[-1] == "It stays open. No answer was sent."


async def test_one_that_is_alone_can_only_be_left() -> None:
    assert await answer(asking(), DOWN * 2 + ENTER, may_stop=True) == Cancelled("stopped")


async def test_one_that_does_not_stay_open_offers_neither(capsys: pytest.CaptureFixture[str]) -> None:
    assert await answer(asking().choice("x").options(["a", "b"]), DOWN * 2 + ENTER) == Cancelled("cancelled")
    assert await answer(asking(), DOWN * 2 + ENTER) == accepted()  # round to the first
    assert "stop" not in capsys.readouterr().out.lower()


async def test_one_that_cannot_be_answered_can_be_left_open() -> None:
    """Its reason would be `unsupported` if it were cancelled."""
    form = lone({"a": {"type": "object"}}, "a")

    assert await answer(form, CTRL_C) == Cancelled("unsupported")
    assert await answer(form, CTRL_C, may_stop=True) == Cancelled("interrupted")
    assert await answer(form, UP + ENTER, may_stop=True) == Cancelled("stopped")


async def test_what_ctrl_c_does_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    await answer(asking().string("x").string("y"), CTRL_C)
    await answer(asking().string("x").string("y"), CTRL_C, may_stop=True)

    first, second = capsys.readouterr().out.split("Cancelled. No answer was sent.")
    assert "Ctrl-C cancels." in first
    assert "Ctrl-C stops, and leaves it open." in " ".join(second.split())
