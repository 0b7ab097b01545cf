"""Hostile text in every place a server can put text: nothing escapes its box, and no sequence reaches the terminal
(design, section 10; issue 9, "Proof").
"""

import re
from typing import Any

import pytest

from elicitkit.errors import Fault
from elicitkit.forms import Content, Form
from tests.render.terminal.person import DOWN, ENTER, FILL_IN, lone, seated

pytestmark = pytest.mark.anyio

EVIL = (
    "\x1b[2J\x1b[31m[red]R[/red]\x1b[1;1H\x1b]8;;https://evil.example\x07L\x1b]8;;\x07\x1b]0;title\x1b\\"
    "\x9b2J\x90q\x9c\u202e\u2066\x08\x07\r\n? Send this? » Send\n[link=https://evil.example]x[/link] :+1:"
)
"""It clears the screen, moves the cursor, makes a link and a title, turns text around, and plays our own prompt."""

FORBIDDEN = re.compile(r"\x1b[\]PX^_]|\x1b\[[0-9;]*[HJ]R|[\x07\x80-\x9f\u202a-\u202e\u2066-\u2069]")
"""What none of our own drawing ever sends."""


def hostile() -> Form[Content]:
    named = {"title": EVIL, "description": EVIL}
    properties: dict[str, Any] = {
        EVIL: {"type": "string", **named, "default": EVIL},
        "b": {"type": "string", **named, "oneOf": [{"const": EVIL, "title": EVIL}, {"const": "b", "title": "\u202e"}]},
        "c": {"type": "array", **named, "items": {"anyOf": [{"const": EVIL, "title": EVIL}]}},
        "d": {"type": "integer", **named},
        "e": {"type": "boolean", **named},
        "f": {"type": EVIL, **named},
    }
    return lone(properties, message=EVIL)


def assert_harmless(lines: list[str], written: str) -> None:
    assert not FORBIDDEN.search(written)
    assert "👍" not in written
    forged = [line for line in lines if line.startswith("? Send this? » Send")]
    assert forged == []  # each line of a server's text stands beside a bar, or in a line of ours


async def test_it_is_text_all_the_way_through_a_form(monkeypatch: pytest.MonkeyPatch) -> None:
    form = hostile()
    faults = [Fault(EVIL, EVIL, EVIL)]

    async with seated(form, monkeypatch, columns=100, rows=90, filled={"d": EVIL}, faults=faults) as seat:
        screen = await seat.sees("Change a field")
        seat.press(ENTER, DOWN * 3, ENTER)
        await seat.sees("a whole number")
        seat.press("\x15", "7\r")
        await seat.sees("Change a field")
        seat.press("\x03")
        outcome = await seat.outcome()

    assert not outcome
    assert_harmless(screen + seat.lines(), seat.written)


async def test_it_is_text_in_each_list_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(hostile(), monkeypatch, columns=100, rows=90) as seat:
        await seat.sees("What now?")
        seat.press(FILL_IN)
        for head in range(1, 6):
            await seat.sees(f"{head} of 6 · ")
            seat.press(ENTER)
        screen = await seat.sees("Send this? (arrows")

    assert "6 of 6" in "".join(screen)  # what cannot be drawn is shown as well
    assert_harmless(screen, seat.written)


@pytest.mark.parametrize("kind", [{"enum": [EVIL, "b"]}, {"type": "boolean"}, {"type": "object"}])
async def test_it_is_text_where_one_answer_is_taken(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    form = lone({EVIL: {"type": "string", "title": EVIL, "description": EVIL, **kind}}, EVIL, message=EVIL)

    async with seated(form, monkeypatch, columns=100, rows=40) as seat:
        screen = await seat.sees("ancel")

    assert_harmless(screen, seat.written)


async def test_it_is_text_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    async with seated(hostile(), monkeypatch, columns=100, rows=90) as seat:
        seat.press("\n" * 6)
        screen = await seat.sees("Send this?")
        seat.press("\n")
        await seat.outcome()

    assert_harmless(screen, seat.written)
    assert not {"\x1b", "\x08"} & set(seat.written)


async def test_words_that_wrap_begin_no_line_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the width, a line at the left edge is one that we began."""
    words = "? Sent. Cancelled. 1. " * 9
    named = {"title": words, "description": words}
    properties: dict[str, Any] = {
        "a": {"type": "string", **named, "default": words},
        "b": {"type": "string", **named, "enum": [words, "b"], "default": words},
        "c": {"type": "array", **named, "items": {"enum": [words]}, "default": [words]},
    }
    faults = [Fault("a", words, words)]

    async with seated(
        lone(properties, message=words), monkeypatch, columns=40, rows=200, asker=words, faults=faults
    ) as seat:
        for question in ("Send this?", "Which one?", "> ", "Send this?"):
            await seat.sees(question)
            seat.press(ENTER)
        screen = await seat.sees("Which one?")

    begun = {line.split(" ")[0] for line in screen if not line.startswith((" ", "│"))}
    assert begun <= {"Question", "It", "You", "Your", "1", ">", "?", "!"}
    assert all(line.startswith(("? Send this?", "? Which one?")) for line in screen if line[0] == "?")
