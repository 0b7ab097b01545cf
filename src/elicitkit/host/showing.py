"""In whose `wait_for` something runs: what runs there must not wait for what waits for its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Showing:
    """The time in which a slot shows a question."""

    slot: object
    is_over: bool = False


_shown: ContextVar[tuple[Showing, ...]] = ContextVar("_shown", default=())


def shown_here() -> tuple[Showing, ...]:
    """The questions in whose `wait_for` this runs; what a `wait_for` has left behind runs in none."""
    return tuple(one for one in _shown.get() if not one.is_over)


@contextmanager
def showing(slot: object) -> Iterator[None]:
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
