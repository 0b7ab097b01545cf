"""A clock that stands still, for what has deadlines."""

from __future__ import annotations


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now: float = 1_785_240_000.0  # 2026-07-28, 12:00 UTC
        """In seconds since the epoch."""

    def __call__(self) -> float:
        """The time now, in seconds since the epoch."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.now += seconds
