"""Plain lines, for `TERM=dumb` and windows too small to draw in."""

import pytest

from elicitkit import FormElicitation
from elicitkit.forms import Content
from elicitkit.outcomes import Accepted, Cancelled, Declined
from tests.render.terminal.person import CTRL_C, CTRL_D, answer, answer_and_send, lone, seated

pytestmark = pytest.mark.anyio

MANY = [f"option {i}" for i in range(1, 101)]


@pytest.fixture(autouse=True)
def a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")


def asking() -> FormElicitation[Content]:
    return FormElicitation.create("Tell us")


@pytest.mark.parametrize(
    ("form", "typed", "value"),
    [
        (asking().string("x").required(), "Ada", "Ada"),
        (asking().integer("x"), "42", 42),
        (asking().boolean("x").required(), "1", True),
        (asking().choice("x").options({"s": "Slow", "f": "Fast"}).required(), "2", "f"),
        (asking().multi_choice("x").options([*"abc"]), "1, 3", ["a", "c"]),
        (asking().multi_choice("x").options([*"abc"]), "3 1", ["a", "c"]),
        (asking().string("x").default("Ada"), "", "Ada"),
        (asking().choice("x").options([*"ab"]).default("b"), "", "b"),
        (asking().multi_choice("x").options([*"ab"]).default("b"), "", ["b"]),
        (asking().multi_choice("x").options([*"ab"]).default("b"), "-", []),
    ],
)
async def test_every_kind_of_field_is_a_line(form: FormElicitation[Content], typed: str, value: object) -> None:
    outcome = await answer_and_send(form, f"{typed}\n", enter="\n")

    assert outcome.content == {"x": value}


@pytest.mark.parametrize(
    ("form", "content", "cleared"),
    [
        (asking().string("x").default("Ada"), {"x": ""}, set[str]()),
        (asking().integer("x").default(7), {}, {"x"}),
    ],
)
async def test_a_default_is_cleared_with_a_dash(
    form: FormElicitation[Content], content: dict[str, object], cleared: set[str]
) -> None:
    outcome = await answer(form, "\n", "-\n", "\n")

    assert isinstance(outcome.content, Content)
    assert (outcome.content, outcome.content.cleared) == (content, cleared)


async def test_a_dash_in_an_empty_line_is_a_dash() -> None:
    outcome = await answer(asking().string("x"), "\n", "-\n", "\n")

    assert outcome.content == {"x": "-"}


@pytest.mark.parametrize("wrong", ["6", "0", "-1", "1 2", "٢", "9" * 300])
async def test_what_is_no_number_of_an_option_is_asked_again(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    form = asking().choice("x").options([*"abc"]).required()

    outcome = await answer(form, f"{wrong}\n", "2\n")

    assert outcome.content == {"x": "b"}
    assert "! a number from 1 to 5, please" in capsys.readouterr().out


async def test_a_long_list_is_searched_by_typing_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    form = asking().choice("x").options(MANY).required()

    outcome = await answer(form, "ON 77\n", "79\n")

    assert outcome.content == {"x": "option 77"}
    printed = capsys.readouterr().out
    assert "41. option 39" not in printed
    assert "and 62 more; type a part of one to find it" in printed
    assert printed.count("79. option 77") == 1


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [
        ("y", Accepted({"x": True}, raw={"x": True})),
        ("NO", Accepted({"x": False}, raw={"x": False})),
        ("decline", Declined()),
        ("c", Cancelled("cancelled")),
    ],
)
async def test_a_lone_yes_or_no_is_one_word(typed: str, outcome: object) -> None:
    assert await answer(asking().boolean("x").required(), f"{typed}\n") == outcome


async def test_a_word_that_may_mean_two_options_is_asked_again() -> None:
    form = asking().choice("x").options(["north", "northwest", "south"]).required()

    assert (await answer(form, "nor\n", "north\n")).content == {"x": "north"}


async def test_an_option_that_is_no_number_of_its_own_place_is_told_by_its_place() -> None:
    form = asking().choice("x").options(["2", "1"]).required()

    assert (await answer(form, "2\n")).content == {"x": "1"}


async def test_a_sign_goes_back_and_what_was_typed_is_kept() -> None:
    form = asking().string("a").integer("b")

    outcome = await answer(form, "\n", "x\n", "<\n", "\n", "7\n", "<\n", "8\n", "\n")

    assert outcome.content == {"a": "x", "b": 8}


@pytest.mark.parametrize(("typed", "text"), [(r"\<", "<"), ("a<", "a<"), (r"\x", r"\x")])
async def test_a_backslash_makes_text_of_the_sign(typed: str, text: str) -> None:
    assert (await answer(asking().string("x"), "\n", f"{typed}\n", "\n")).content == {"x": text}


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
@pytest.mark.parametrize("before", ["", "\n", "\n\n", "\n\n\n"])
async def test_ctrl_c_and_ctrl_d_cancel_everywhere(before: str, key: str) -> None:
    form = asking().string("x").multi_choice("y").options(["a"])

    assert await answer(form, before, key) == Cancelled("cancelled")


async def test_refusals_have_numbers_too() -> None:
    assert await answer(asking().string("x"), "2\n") == Declined()
    assert await answer(asking(), "\n") == Declined()
    assert await answer(asking(), "1\n") == Accepted({}, raw={})


async def test_only_text_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dumb terminal knows no escape sequence, neither of ours nor of a server's."""
    evil = "\x1b[31m[red]R[/red]\x1b]0;t\x07\u202e"
    form = lone({"x": {"type": "string", "title": evil, "enum": [evil, "b"]}}, "x", message=evil)

    async with seated(form, monkeypatch) as seat:
        screen = await seat.sees("1. [red]R[/red]")
        seat.press("1\n")

        assert (await seat.outcome()).content == {"x": evil}
    assert "1 of 1" not in screen
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(seat.written)


@pytest.mark.parametrize(("columns", "rows"), [(20, 24), (80, 8), (6, 4)])
async def test_a_window_too_small_for_lists_gets_lines(
    columns: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")

    async with seated(asking().integer("x"), monkeypatch, columns=columns, rows=rows) as seat:
        seat.press("\n7\n\n")

        assert (await seat.outcome()).content == {"x": 7}
