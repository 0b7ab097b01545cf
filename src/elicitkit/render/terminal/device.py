"""Where a question is drawn and typed: the standard streams, or the terminal that a process has beside them.

`elicitkit call … | jq` has a person at the terminal though its output goes elsewhere; so has one whose input is a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TextIO

TERMINAL: Final = "/dev/tty"
"""The terminal that controls the process, under the name it has on every system but Windows."""


class Device(NamedTuple):
    """Both ends of a terminal."""

    keyboard: TextIO
    screen: TextIO


def is_terminal(stream: Any) -> bool:
    """Whether a stream is a terminal that is open."""
    return stream is not None and not stream.closed and bool(stream.isatty())


def has_standard_terminal() -> bool:
    """Whether both standard input and output are a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def has_terminal() -> bool:
    """Whether there is a person to ask, at the standard streams or at the terminal of the process."""
    if has_standard_terminal():
        return True
    with controlling_terminal() as device:
        return device is not None


@contextmanager
def controlling_terminal() -> Iterator[Device | None]:
    """Open the terminal that controls the process; where none does, that of standard input and error.

    There is none for a process in the background: it would be stopped at the first key.
    """
    try:
        keyboard = open(TERMINAL)  # noqa: SIM115  # closed below, and only if both ends could be opened
    except OSError:
        yield Device(sys.stdin, sys.stderr) if is_terminal(sys.stdin) and is_terminal(sys.stderr) else None
        return
    with keyboard, open(TERMINAL, "w") as screen:
        yield Device(keyboard, screen) if _is_in_front(keyboard.fileno()) else None


def _is_in_front(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except (OSError, AttributeError):
        return False
