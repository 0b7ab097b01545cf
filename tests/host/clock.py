"""A clock of the event loop that can be put forward, so that no test has to sleep."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """The time of the running loop, and all time limits by it."""

    def __init__(self) -> None:
        self._skipped = 0.0
        self._real = asyncio.get_running_loop().time

    def __call__(self) -> float:
        return self._real() + self._skipped

    def skip(self, seconds: float) -> None:
        """Let so many seconds have passed."""
        self._skipped += seconds


@contextmanager
def skippable() -> Iterator[Clock]:
    """Make the clock of the running loop one that can be put forward."""
    loop, clock = asyncio.get_running_loop(), Clock()
    real, loop.time = loop.time, clock  # type: ignore[method-assign]
    try:
        yield clock
    finally:
        loop.time = real  # type: ignore[method-assign]
