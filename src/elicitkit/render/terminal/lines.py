"""The port to a terminal that can only print and read lines: numbers in place of lists that are walked.

It serves `TERM=dumb` (a shell inside an editor), windows too small to draw in, and answers that are piped in. A
terminal stays in its own line mode, in which it echoes and edits by itself; prompt_toolkit only reads, because it can
do so on an event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_session
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.output import DummyOutput
from rich.console import RenderableType
from rich.text import Text

from ..controls import Control, Line, Pick, Tick
from ..text import typeable
from . import output
from .pipe import piped_line
from .prompts import GoBack
from .screens import Hanging, Quoted

_LISTED = 40
"""So many labels are listed unasked; more are found by typing a part of them."""

_DIGITS = 6
_BACK, _CLEAR = "<", "-"


class Lines:
    """Questions answered with a line of text each.

    Args:
        read: Prints a prompt and reads a line.
    """

    back_key = _BACK

    def show(self, *screen: RenderableType) -> None:
        """See `Prompts.show`."""
        output.show(*screen)

    def __init__(self, read: Callable[[str], Awaitable[str]] | None = None) -> None:
        self._typed = read or _read

    async def line(self, control: Line, *, back: bool = False) -> Line:
        """Have a line typed; there is no editing of the one that is there, only keeping and clearing."""
        if not control.text:
            return Line(_literal(await self._read("> ", control, back=back)))
        output.show(Text("now:"), Quoted(control.text))
        typed = await self._read("new (Enter keeps, - clears) > ", control, back=back)
        return Line({"": control.text, _CLEAR: ""}.get(typed, _literal(typed)))

    async def pick(self, control: Pick, *, back: bool = False) -> Pick:
        """Have a number typed, or a label."""
        rows = [f"{number}. {label}" for number, label in enumerate(control.labels, 1)]
        output.show(*_listing(rows))
        question = f"{control.question} " if control.question else ""
        sends = " sends" if control.sends else ""
        while True:
            typed = await self._read(f"{question}(number, Enter{sends} for {control.at + 1}) > ", control, back=back)
            chosen = _numbers(typed, len(rows)) or _named(typed, control.labels)
            if not typed or (chosen is not None and len(chosen) == 1):
                return replace(control, at=chosen[0] if typed and chosen else control.at)
            output.show(*_matching(rows, typed))

    async def tick(self, control: Tick, *, back: bool = False) -> Tick:
        """Have numbers typed, or a label."""
        rows = [f"[{'x' if i in control.ticked else ' '}] {i + 1}. {label}" for i, label in enumerate(control.labels)]
        output.show(*_listing(rows))
        while True:
            typed = await self._read("(numbers, Enter keeps, - for none) > ", control, back=back)
            chosen = [] if typed == _CLEAR else _numbers(typed, len(rows)) or _named(typed, control.labels)
            if not typed or chosen is not None:
                return Tick(control.labels, frozenset(chosen or ()) if typed else control.ticked)
            output.show(*_matching(rows, typed))

    async def _read(self, prompt: str, control: Control, *, back: bool) -> str:
        typed = await self._typed(prompt)
        if back and typed == _BACK:
            raise GoBack(control)
        return typed


async def read_piped(prompt: str) -> str:
    """Print a prompt, and take the next line that is piped in; it is printed behind the prompt, as if it were typed."""
    output.show(Text(prompt), end="")
    try:
        line = await piped_line()
    except (EOFError, asyncio.CancelledError):
        _end_line()
        raise
    output.show(Text(typeable(line)))
    return line


def _literal(typed: str) -> str:
    """What is meant by a line: a backslash in front makes text of a sign that would do something."""
    return typed[1:] if typed in (f"\\{_BACK}", f"\\{_CLEAR}") else typed


def _named(typed: str, labels: tuple[str, ...]) -> list[int] | None:
    """The place of a label that was typed, or begun so that it can be no other; `None` without one."""
    word = typed.strip().casefold()
    plain = [label.strip("()").casefold() for label in labels]
    for found in ([i for i, label in enumerate(plain) if label == word], _beginning(word, plain)):
        if len(found) == 1:
            return found
    return None


def _beginning(word: str, labels: list[str]) -> list[int]:
    return [i for i, label in enumerate(labels) if word and label.startswith(word)]


def _numbers(typed: str, count: int) -> list[int] | None:
    """Read places in a list, from 1 on; `None` when the text is anything else."""
    words = typed.replace(",", " ").split()
    places = [int(word) - 1 for word in words if word.isascii() and word.isdigit() and len(word) < _DIGITS]
    return places if len(places) == len(words) and all(0 <= place < count for place in places) else None


def _listing(rows: list[str]) -> Iterable[RenderableType]:
    yield from (Hanging(Text(row)) for row in rows[:_LISTED])
    if len(rows) > _LISTED:
        yield Text(f"and {len(rows) - _LISTED} more; type a part of one to find it")


def _matching(rows: list[str], typed: str) -> Iterable[RenderableType]:
    found = [row for row in rows if typed.casefold() in row.casefold()]
    yield from _listing(found) if found else [Text(f"! a number from 1 to {len(rows)}, please")]


async def _read(prompt: str) -> str:
    session: PromptSession[str] = PromptSession(input=_LineMode(get_app_session().input), output=DummyOutput())
    show = partial(output.show, Text(prompt), end="")
    try:
        # It shows when Ctrl-C is already heeded, so that nobody can press it too early.
        return await session.prompt_async(pre_run=show, set_exception_handler=False)
    except (KeyboardInterrupt, OSError, EOFError):
        _end_line()
        raise EOFError from None
    except asyncio.CancelledError:
        _end_line()
        raise


def _end_line() -> None:
    """Go on below the prompt, behind which the cursor still stands."""
    with suppress(EOFError):
        output.show(Text())


class _LineMode(Input):
    """An input that is read as it is, without raw mode."""

    def __init__(self, given: Input) -> None:
        self._given = given
        if reader := getattr(given, "stdin_reader", None):
            reader.closed = False  # In line mode a terminal can be read again after Ctrl-D.

    def fileno(self) -> int:
        return self._given.fileno()

    def typeahead_hash(self) -> str:
        return self._given.typeahead_hash()

    def read_keys(self) -> list[KeyPress]:
        return self._given.read_keys()

    def flush_keys(self) -> list[KeyPress]:
        return self._given.flush_keys()

    @property
    def closed(self) -> bool:
        return self._given.closed

    def raw_mode(self) -> AbstractContextManager[None]:
        return nullcontext()

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()

    def attach(self, input_ready_callback: Callable[[], None]) -> AbstractContextManager[None]:
        return self._given.attach(input_ready_callback)

    def detach(self) -> AbstractContextManager[None]:
        return self._given.detach()
