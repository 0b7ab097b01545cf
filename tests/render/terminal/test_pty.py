"""The prompt at a real pseudo-terminal, in a process of its own."""

import os
import re
import shlex
import signal
import sys
import termios
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.render.terminal.person import CTRL_C, CTRL_D, DOWN, ENTER, FILL_IN, SEND, SPACE, UP

CHILD = Path(__file__).with_name("child.py")


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, columns: int, rows: int, term: str, *command: str, **variables: str) -> None:
        program, *arguments = command or (sys.executable, str(CHILD))
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self.written = ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on, of a fork beside other tests' threads
            self.program = pexpect.spawn(
                program,
                arguments,
                dimensions=(rows, columns),
                env={**os.environ, "TERM": term, **variables},
                encoding="utf-8",
                timeout=20,
            )

    def sees(self, text: str) -> list[str]:
        """Wait until the program has written this; the lines that are on the screen then come back."""
        self.program.expect_exact(text)
        self.written += self.program.before + self.program.after
        self._stream.feed(self.program.before + self.program.after)
        return [line.rstrip() for line in self._screen.display if line.strip()]

    def ends(self) -> str:
        """Wait for the program to end; all that it wrote since comes back."""
        self.program.expect_exact(pexpect.EOF)
        return str(self.program.before).replace("\r\n", "\n")

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self.program.setwinsize(rows, columns)

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
        "Question from shop (The Shop)",
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


# --- the terminal beside streams that go elsewhere --------------------------------------------------------------------

PYTHON = f"{shlex.quote(sys.executable)} {shlex.quote(str(CHILD))} lone"


@pytest.fixture
def shell() -> Iterator[Callable[[str], Terminal]]:
    """Run a line of a shell at a terminal."""
    opened: list[Terminal] = []

    def run(line: str) -> Terminal:
        opened.append(Terminal(80, 24, "xterm-256color", "/bin/sh", "-c", line))
        return opened[-1]

    yield run
    for one in opened:
        one.program.close(force=True)


@pytest.mark.parametrize(
    "line",
    [
        f"{PYTHON} | sed 's/^/piped: /'",
        f"echo stray | {PYTHON} | sed 's/^/piped: /'",
        f"echo stray | {PYTHON} 2>&1 | sed 's/^/piped: /'",
    ],
    ids=["output", "input and output", "all of them"],
)
def test_a_person_is_asked_at_the_terminal_though_the_streams_go_elsewhere(
    line: str, shell: Callable[[str], Terminal]
) -> None:
    """Issue 9, point 5: `elicitkit call … | jq` has a person all the same."""
    terminal = shell(line)
    assert "Question from shop (The Shop)" in terminal.sees("(cancel)")
    terminal.press("y", ENTER)

    ended = terminal.ends()
    assert "piped: terminal: True\npiped: outcome: Accepted(content={'sure': True}" in ended
    assert "piped: Sent." not in ended


def test_only_what_the_tool_returns_goes_to_standard_output(shell: Callable[[str], Terminal]) -> None:
    """Issue 9, point 5, with the command itself: it asks at the terminal, and the result alone is piped."""
    terminal = shell(f"{sys.executable} -m elicitkit demo </dev/null | sed 's/^/piped: /'")
    terminal.sees("What now?")
    terminal.press(CTRL_C)

    ended = terminal.ends()
    piped = [line for line in ended.splitlines() if line.startswith("piped: ")]
    assert piped == ["piped: No talk was planned (cancelled). Perhaps next year!"]
    assert "A small server, started on this machine" in terminal.written


def test_nobody_is_asked_by_a_program_in_the_background(shell: Callable[[str], Terminal]) -> None:
    """It would be stopped at its first key."""
    ended = shell(f"set -m; {PYTHON} </dev/null 2>&1 | sed 's/^/piped: /' & wait").ends()

    assert "piped: terminal: False\npiped: outcome: Cancelled(reason='headless')" in ended


def test_keys_hit_before_the_question_is_there_are_no_answer(shell: Callable[[str], Terminal]) -> None:
    terminal = shell(f"read ready; {PYTHON}")
    terminal.press("go\n", "y", ENTER, "y", ENTER)
    assert " » No" in terminal.sees("(cancel)")
    terminal.press(DOWN, ENTER)

    assert "outcome: Declined" in terminal.ends()


# --- windows and colours ----------------------------------------------------------------------------------------------


def test_a_list_follows_the_size_of_its_window() -> None:
    terminal = Terminal(80, 24, "xterm", sys.executable, str(CHILD), "long")
    assert " » option 0" in terminal.sees("option 14")
    terminal.resize(30, 12)
    terminal.press(DOWN * 30)
    terminal.sees("option 30")
    terminal.resize(100, 40)
    terminal.press(DOWN)
    terminal.sees("option 31")
    terminal.press(ENTER)

    assert "{'x': 'option 31'}" in terminal.ends()


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {}])
def test_no_colours_are_sent_where_none_are_wanted(variables: dict[str, str]) -> None:
    """https://no-color.org"""
    terminal = Terminal(80, 40, "xterm-256color", sys.executable, str(CHILD), **variables)
    terminal.sees("Cancel")
    terminal.press(FILL_IN)
    terminal.sees("at least 2")
    terminal.press(ENTER)
    terminal.sees("is required")
    terminal.press(CTRL_C)

    written = terminal.written + terminal.ends()
    assert bool(re.search(r"\x1b\[(?:\d+;)*3[0-8](?:;\d+)*m", written)) is not bool(variables)
