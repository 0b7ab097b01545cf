"""A server nobody here wrote, whose form has 13 fields of every kind."""

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from elicitkit.cli import Exit
from tests.cli.terminal import CLEAR, DOWN, ENTER, SPACE, UP, at_terminal

COMMAND = "npx -y @modelcontextprotocol/server-everything@2026.8.31 stdio"
TOOL = "trigger-elicitation-request"

pytestmark = [
    pytest.mark.node,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npx") is None, reason="missing here: needs npx"),
]

CONTENT: dict[str, Any] = {
    "name": "Ada Lovelace",
    "check": True,
    "firstLine": "Call me Ishmael.",
    "email": "ada@example.com",
    "homepage": "https://example.com/ada",
    "birthdate": "1815-12-10",
    "integer": 7,
    "number": 2.5,
    "untitledSingleSelectEnum": "Ross",
    "untitledMultipleSelectEnum": ["Piano", "Drums"],
    "titledSingleSelectEnum": "hero-3",
    "titledMultipleSelectEnum": ["fish-1", "fish-3"],
    "legacyTitledEnum": "pet-4",
}

READ_AS = """\
  - String (string, required)
  - Boolean (boolean, optional)
  - String with default (string, optional)
  - String with email format (email, optional): an e-mail address: ada@example.com
  - String with uri format (uri, optional): a full address: https://example.com/page
  - String with date format (date, optional): a date: 2026-11-30
  - Integer (integer, optional): a whole number, 1 to 100
  - Number in range 1-1000 (number, optional): a number, 0 to 1000
  - Untitled Single Select Enum (choice, optional): Monica | Rachel | Joey | Chandler | Ross | Phoebe
  - Untitled Multiple Select Enum (multiple choice, optional): choose 1 to 3 of Guitar | Piano | Violin | Drums | Bass
  - Titled Single Select Enum (choice, optional): Superman | Green Lantern | Wonder Woman
  - Titled Multiple Select Enum (multiple choice, optional): choose 1 to 3 of Tuna | Salmon | Trout
  - Legacy Titled Single Select Enum (choice, optional): Cats | Dogs | Birds | Fish | Reptiles
"""

TYPED = {
    "String (required)": "Ada Lovelace" + ENTER,
    "Boolean (optional)": UP + UP + ENTER,  # from "leave open" to "yes"
    "String with default (optional)": CLEAR + "Call me Ishmael." + ENTER,
    "String with email format (optional)": "ada@example.com" + ENTER,
    "String with uri format (optional)": "https://example.com/ada" + ENTER,
    "String with date format (optional)": "1815-12-10" + ENTER,
    "Integer (optional)": CLEAR + "7" + ENTER,
    "Number in range 1-1000 (optional)": CLEAR + "2.5" + ENTER,
    "Untitled Single Select Enum (optional)": DOWN * 4 + ENTER,
    "Untitled Multiple Select Enum (optional)": SPACE + DOWN + SPACE + DOWN * 2 + SPACE + ENTER,
    "Titled Single Select Enum (optional)": DOWN * 2 + ENTER,
    "Titled Multiple Select Enum (optional)": DOWN * 2 + SPACE + ENTER,
    "Legacy Titled Single Select Enum (optional)": DOWN * 3 + ENTER,
}
"""The head of each field as the prompt draws it, and the keys that answer it."""


def echoed(text: str) -> Any:
    """The elicitation result that the tool prints as it came."""
    return json.loads(text.partition("Raw result: ")[2])


def test_scripted_answers_fill_in_all_13_fields(
    run: Callable[..., tuple[int, str, str]], answers: Callable[..., str]
) -> None:
    file = answers(json.dumps({"action": "accept", "content": CONTENT}))

    code, out, err = run("call", COMMAND, TOOL, "--answers", file)

    assert code == Exit.FINE
    assert READ_AS in err
    assert echoed(out) == {"action": "accept", "content": CONTENT}


def test_a_person_at_a_terminal_fills_in_all_13_fields() -> None:
    with at_terminal("call", COMMAND, TOOL, patience=120) as terminal:
        terminal.is_asked("Question from Everything Reference Server")
        terminal.press(ENTER)
        for number, (head, keys) in enumerate(TYPED.items(), 1):
            terminal.is_asked(f"{number} of 13 · {head}")
            terminal.press(keys)
        terminal.is_asked("Send this?")
        terminal.press(ENTER)

        assert terminal.ends() == Exit.FINE
        assert echoed(terminal.seen()) == {"action": "accept", "content": CONTENT}


def test_a_person_who_declines_is_told_apart_from_one_who_cancels() -> None:
    with at_terminal("call", COMMAND, TOOL, patience=120) as terminal:
        terminal.is_asked("What now?")
        terminal.press(DOWN, ENTER)

        assert terminal.ends() == Exit.FINE
        assert echoed(terminal.seen()) == {"action": "decline"}
