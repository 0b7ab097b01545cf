"""The prompt at a real pseudo-terminal, in a process of its own."""

import os
import signal
import sys
import termios
import warnings
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.render.terminal.person import CTRL_C, CTRL_D, DOWN, ENTER, FILL_IN, SEND, SPACE, UP

CHILD = Path(__file__).with_name("child.py")


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, columns: int, rows: int, term: str) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on, of a fork beside other tests' threads
            self.program = pexpect.spawn(
                sys.executable,
                [str(CHILD)],
                dimensions=(rows, columns),
                env={**os.environ, "TERM": term},
                encoding="utf-8",
                timeout=20,
            )

    def sees(self, text: str) -> list[str]:
        """Wait until the program has written this; the lines that are on the screen then come back."""
        self.program.expect_exact(text)
        self._stream.feed(self.program.before + self.program.after)
        return [line.rstrip() for line in self._screen.display if line.strip()]

    def press(self, *keys: str) -> None:
        self.program.send("".join(keys))

    def modes(self) -> object:
        return termios.tcgetattr(self.program.child_fd)


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    columns, rows, term = getattr(request, "param", (80, 24, "xterm-256color"))
    terminal = Terminal(columns, rows, term)
    yield terminal
    terminal.program.close(force=True)


EVERYTHING = (
    "{'fullName': 'Ada Lovelace', 'email': 'ada@example.com', 'startOn': '2026-11-30', "
    "'firstCall': '2026-11-30T14:30:00Z', 'ratio': 0.5, 'news': False, 'speed': 'exp', 'country': 'country 777', "
    "'extras': ['note']}"
)


def test_a_form_of_every_kind_is_filled_in_and_sent(terminal: Terminal) -> None:
    screen = terminal.sees("Cancel")
    assert screen[:3] == [
        "Question from the MCP server shop (The Shop)",
        "│ Please set up",
        "│   the [red]account[/red].",
    ]
    terminal.press(FILL_IN)
    assert "2 characters" in terminal.sees("at least 2 characters")[-1]
    terminal.press("A", ENTER)
    assert terminal.sees("must have at least 2 characters")[-1] == "! Full Name: must have at least 2 characters"
    terminal.press("da Lovelace", ENTER * 4, "2026-11-30T14:30:00Z", ENTER * 3)
    terminal.sees("(leave open)")
    terminal.press(DOWN, ENTER, DOWN, ENTER)
    terminal.sees("type to filter")
    terminal.press("y 777", ENTER, DOWN, SPACE, ENTER)
    screen = terminal.sees("Change a field")
    assert "  Country     country 777" in screen
    assert "  Homepage    (left open)" in screen
    terminal.press(SEND)

    terminal.sees("terminal: True")
    terminal.program.expect_exact(pexpect.EOF)
    assert EVERYTHING in terminal.program.before.replace("\r\n", "")


@pytest.mark.parametrize("terminal", [(80, 24, "dumb")], indirect=True)
def test_a_dumb_terminal_is_used_line_by_line(terminal: Terminal) -> None:
    terminal.sees("(number, Enter for 1) > ")
    for line in ["", "Ada Lovelace", "", "", "", "2026-11-30T14:30:00Z", "", "", "2", "2", "y 777", "778", "2", ""]:
        terminal.program.sendline(line)

    terminal.sees("terminal: True")
    terminal.program.expect_exact(pexpect.EOF)
    assert EVERYTHING in terminal.program.before.replace("\r\n", "")


@pytest.mark.parametrize("terminal", [(40, 24, "xterm"), (24, 10, "linux")], indirect=True)
def test_a_narrow_terminal_shows_each_choice(terminal: Terminal) -> None:
    assert terminal.sees("Cancel")[-3:] == [" » Fill in", "   Decline", "   Cancel"]
    terminal.press(UP, ENTER)

    terminal.sees("Cancelled(reason='cancelled')")


@pytest.mark.parametrize("terminal", [(80, 24, "xterm"), (80, 24, "dumb")], indirect=True)
@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_ctrl_c_and_ctrl_d_cancel_and_leave_the_terminal_as_it_was(terminal: Terminal, key: str) -> None:
    before = terminal.modes()
    terminal.sees("What now?")  # the last thing that is drawn, once the keys are heeded
    terminal.press(key)

    assert "Cancelled. No answer was sent." in terminal.sees("outcome: Cancelled(reason='cancelled')")
    assert terminal.modes() == before


@pytest.mark.parametrize("terminal", [(80, 24, "xterm"), (80, 24, "dumb")], indirect=True)
def test_a_withdrawn_question_closes_and_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    before = terminal.modes()
    terminal.sees("What now?")
    os.kill(terminal.program.pid, signal.SIGUSR1)

    assert "The question was withdrawn. No answer was sent." in terminal.sees("outcome: withdrawn")
    assert terminal.modes() == before
