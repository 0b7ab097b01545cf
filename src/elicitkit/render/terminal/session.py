"""Everything that needs the extra `terminal`, put together: the way of asking that this terminal is up to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from prompt_toolkit.application import create_app_session, get_app_session
from prompt_toolkit.input import DummyInput, Input, create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.output import create_output
from prompt_toolkit.utils import is_dumb_terminal

from ...forms import Content
from ...outcomes import Outcome
from .asked import INTERRUPTED, Asked
from .device import controlling_terminal, has_standard_terminal, is_terminal
from .dialogue import converse, dismissed
from .interrupting import Interruption
from .lines import Lines, read_piped
from .prompts import Prompts
from .questions import Questions

_LEAST_COLUMNS, _LEAST_ROWS = 24, 10
"""In less, lists that are redrawn get in their own way."""


async def ask(asked: Asked, *, piped: bool = False) -> Outcome[Content]:
    """Put a form to the person at this terminal, or to what is piped in."""
    interruption = Interruption()

    def why_ended() -> str:
        return INTERRUPTED if interruption.has_come else asked.why_ended()

    outcome: Outcome[Content] = dismissed(asked)
    with _seat(interruption, piped=piped) as prompts:
        outcome = await converse(replace(asked, why_ended=why_ended), prompts)
    return outcome


@contextmanager
def _seat(interruption: Interruption, *, piped: bool) -> Iterator[Prompts]:
    """The way of asking, on the streams that somebody is at, whose Ctrl-C ends no more than the question."""
    # The session of a program that brings its own streams is left alone; to look at `.input` would make one.
    if getattr(get_app_session(), "_input", None) is not None or has_standard_terminal():
        with interruption.heeded():
            yield _at_terminal()
        return
    if piped and not is_terminal(sys.stdin):
        with _piped() as prompts:
            yield prompts
        return
    with controlling_terminal() as device:
        if device is None:
            with _piped() as prompts:
                yield prompts
            return
        with create_app_session(create_input(device.keyboard), create_output(device.screen)), interruption.heeded():
            yield _at_terminal()


@contextmanager
def _piped() -> Iterator[Prompts]:
    """Plain lines from standard input. Results go to standard output, so what is asked does not where it is piped."""
    screen = sys.stdout if is_terminal(sys.stdout) else sys.stderr
    with create_app_session(DummyInput(), create_output(screen)):
        yield Lines(read_piped)


def _at_terminal() -> Prompts:
    session = get_app_session()
    _forget_what_was_typed(session.input)
    size = session.output.get_size()
    is_small = size.columns < _LEAST_COLUMNS or size.rows < _LEAST_ROWS
    return Lines() if is_small or is_dumb_terminal() else Questions()


def _forget_what_was_typed(keyboard: Input) -> None:
    """Take no key for an answer that was hit before the question could be seen."""
    with suppress(ImportError, OSError, NotImplementedError):  # There is none of it on Windows.
        import termios

        if os.isatty(keyboard.fileno()):
            clear_typeahead(keyboard)
            termios.tcflush(keyboard.fileno(), termios.TCIFLUSH)
