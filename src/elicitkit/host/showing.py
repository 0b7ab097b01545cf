"""In whose `wait_for` something runs: what runs there must not wait for what waits for its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


class Queue(Protocol):
    """What shows questions, and has others wait."""

    @property
    def waiting(self) -> int:
        """How many questions wait for their turn."""
        ...


@dataclass(eq=False, slots=True)
class Showing:
    """The time in which a slot shows a question."""

    slot: Queue
    is_over: bool = False


_shown: ContextVar[tuple[Showing, ...]] = ContextVar("_shown", default=())


def shown_here() -> tuple[Showing, ...]:
    """The questions in whose `wait_for` this runs; what a `wait_for` has left behind runs in none."""
    return tuple(one for one in _shown.get() if not one.is_over)


def waiting_here() -> int:
    """How many questions wait for those in whose `wait_for` this runs."""
    return sum({id(one.slot): one.slot.waiting for one in shown_here()}.values())


@contextmanager
def showing(slot: Queue) -> Iterator[None]:
    """The time in which *slot* shows a question."""
    one = Showing(slot)
    with inside((*shown_here(), one)):
        try:
            yield
        finally:
            one.is_over = True


@contextmanager
def inside(shown: Sequence[Showing]) -> Iterator[None]:
    """Let the block count as run in these: what a server asks comes by a connection, which knows of none."""
    token = _shown.set(tuple(shown))
    try:
        yield
    finally:
        _shown.reset(token)
