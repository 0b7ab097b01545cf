"""Prompts and lists on a real terminal: what the person sees, and which keys do what."""

import asyncio
import os
import signal
from typing import Any

import pytest

from elicitkit import FormElicitation, limits
from elicitkit.forms import Content
from elicitkit.outcomes import Cancelled
from tests.render.terminal.person import (
    BACKSPACE,
    DOWN,
    ENTER,
    FILL_IN,
    PAGE_DOWN,
    PAGE_UP,
    SEND,
    SPACE,
    answer,
    lone,
    seated,
)

pytestmark = pytest.mark.anyio

HOSTILE = "\x1b[31m[red]R[/red]\x1b]8;;https://evil.example\x07L\x1b]8;;\x07\u202e<b>x</b>\x07"
HARMLESS = "[red]R[/red]L<b>x</b>"


def choosing(*options: str) -> FormElicitation[Content]:
    return FormElicitation.create("Which?").choice("x").options(options).required()


def numbered(count: int) -> list[str]:
    return [f"option {i}" for i in range(1, count + 1)]


async def test_a_default_stands_in_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FormElicitation.create("Who?").string("x").default("Ada")

    async with seated(form, monkeypatch) as seat:
        seat.press(FILL_IN)
        assert ">  Ada" in await seat.sees("Ada")


async def test_a_short_list_shows_all_its_options_and_where_the_pointer_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing("red", "green", "blue"), monkeypatch) as seat:
        seat.press(DOWN)
        screen = await seat.sees("» green")

    assert screen[-6:] == [
        ">  (arrows, Enter sends)",
        "   red",
        " » green",
        "   blue",
        "   (decline)",
        "   (cancel)",
    ]


async def test_a_multiple_choice_shows_what_is_ticked(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FormElicitation.create("Which?").multi_choice("x").options(["red", "green"]).default("green")

    async with seated(form, monkeypatch) as seat:
        seat.press(FILL_IN, SPACE)
        screen = await seat.sees("● red")

    assert screen[-2:] == [" » ● red", "   ● green"]


@pytest.mark.parametrize("count", [3, 30])
@pytest.mark.parametrize("stray", ["\t", "\x01", "é" + BACKSPACE, "a" + BACKSPACE, "i" + BACKSPACE, PAGE_UP])
async def test_a_key_hit_by_mistake_ticks_nothing(stray: str, count: int) -> None:
    form = FormElicitation.create("Which?").multi_choice("x").options(numbered(count)).default("option 2")

    outcome = await answer(form, FILL_IN, stray, ENTER, SEND)

    assert outcome.content == {"x": ["option 2"]}


async def test_a_list_longer_than_the_terminal_scrolls_with_the_pointer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing(*numbered(100)), monkeypatch, rows=12) as seat:
        seat.press(PAGE_DOWN * 3, PAGE_UP)
        screen = await seat.sees("» option 21")

    assert "X (required)" in " ".join(screen)  # the question stays in sight


async def test_typing_narrows_a_long_list(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing(*numbered(limits.OPTIONS)), monkeypatch) as seat:
        seat.press("99")
        screen = await seat.sees("/ 99")

    assert " » option 99" in screen
    assert "   option 199" in screen
    assert "   option 1" not in screen


async def test_what_is_found_and_what_was_typed_stand_together(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing(*numbered(100)), monkeypatch) as seat:
        await seat.sees("option 1")
        seat.press("99")
        await seat.sees("/ 99")
        rows = seat.rows()

    (found,) = [at for at, row in enumerate(rows) if row.startswith(" » option 99")]
    (typed,) = [at for at, row in enumerate(rows) if row.startswith("/ 99")]
    assert typed - found <= 2


async def test_letters_of_every_alphabet_narrow_a_long_list() -> None:
    form = choosing(*numbered(20), "Österreich", "日本")

    outcome = await answer(form, "日", ENTER)

    assert outcome.content == {"x": "日本"}


async def test_what_matches_nothing_is_said_and_cannot_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing(*numbered(20)), monkeypatch) as seat:
        seat.press("17z", ENTER)
        await seat.sees("nothing matches")
        seat.press(BACKSPACE, ENTER)

        assert (await seat.outcome()).content == {"x": "option 17"}


async def test_a_long_label_is_wrapped_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing("w" * 60), monkeypatch, columns=40) as seat:
        screen = await seat.sees("» ww")

    listed = "".join(screen[-4:-2])
    assert listed.count("w") == 60


async def test_hostile_text_is_drawn_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 2, "Bad input"; design, section 10."""
    properties: dict[str, Any] = {
        "a": {"type": "string", "title": HOSTILE, "default": HOSTILE},
        "b": {"type": "string", "oneOf": [{"const": HOSTILE, "title": HOSTILE}]},
        "c": {"type": "array", "items": {"anyOf": [{"const": HOSTILE, "title": HOSTILE}]}},
    }
    async with seated(lone(properties, "b", message=HOSTILE), monkeypatch, rows=60) as seat:
        seat.press(FILL_IN, ENTER, ENTER, SPACE)
        screen = await seat.sees(f"● {HARMLESS}")

    assert f">  {HARMLESS}" in screen
    assert not {"\x07", "\u202e"} & set(seat.written)
    assert "\x1b]" not in seat.written
    assert "\x1b[31m[red]" not in seat.written


async def test_the_terminal_is_never_asked_where_its_cursor_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not answer would be complained about at every prompt."""
    async with seated(choosing("a"), monkeypatch) as seat:
        await seat.sees("» a")

    assert "\x1b[6n" not in seat.written


async def test_errors_of_other_tasks_stay_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An MCP connection lives on the same loop: prompt_toolkit would stop the prompt and show its troubles."""
    loop, caught = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: caught.append(context["message"]))

    async with seated(choosing("a"), monkeypatch) as seat:
        await seat.sees("» a")
        loop.call_exception_handler({"message": "a stream broke"})
        seat.press(DOWN)
        await seat.sees("» (decline)")

    assert caught == ["a stream broke"]
    assert "stream" not in seat.written


async def test_an_interrupt_from_outside_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(choosing("a"), monkeypatch) as seat:
        await seat.sees("» a")
        os.kill(os.getpid(), signal.SIGINT)

        assert await seat.outcome() == Cancelled("cancelled")
