"""Everything the command prints: results to standard output, all else to standard error.

Text of a server goes through here, and comes out without control characters.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from typing import Any, Final

from ..limits import MESSAGE_CHARACTERS
from ..safety import plain, plain_line

RESULT_CHARACTERS: Final = 1_000_000
"""The longest text of a result that is printed; `--json` has no limit."""

_NOT_ASCII = re.compile(r"[^\x20-\x7e\n]")


def say(text: str) -> None:
    """Tell the person something that is no result."""
    if sys.stderr is None:  # It was closed before we began, and `print` would take standard output in its place.
        return
    with suppress(BrokenPipeError):
        print(plain(text, limit=2 * MESSAGE_CHARACTERS), file=sys.stderr, flush=True)


def complain(line: str, *, details: str = "") -> None:
    """Say on one line what went wrong, with what the other side said below it."""
    say(f"elicitkit: {plain_line(line, limit=MESSAGE_CHARACTERS)}")
    for detail in plain(details).splitlines():
        say(f"  | {detail}")


def give(text: str) -> None:
    """Print text of a result."""
    _print(plain(text, limit=RESULT_CHARACTERS))


def give_json(value: Any) -> None:
    """Print a result as JSON, in which what a terminal must not be sent is escaped."""
    _print(_NOT_ASCII.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=2)))


def _print(text: str) -> None:
    """Print, with escapes for what the encoding of the output does not have."""
    if sys.stdout is None:  # It was closed before we began: nobody wants to read it.
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:  # Whoever read it has gone, such as `head`: there is nobody to print to any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escaped(found: re.Match[str]) -> str:
    return found[0] if plain(found[0]) else json.dumps(found[0])[1:-1]
