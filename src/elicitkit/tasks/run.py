"""`Run`: one running of one task, in this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress

from .road import Claim, ParkedRoad

logger = logging.getLogger(__name__)

_PATIENCE = 10.0
"""How long a tool may take to end that was cancelled, in seconds; nobody waits longer for one that refuses."""

_SECOND = 1.0
"""How often it is looked again whether something pauses: a step that ends beside a question tells nobody."""


class Run:
    """One running of one task in this process."""

    __slots__ = ("claim", "has_changed", "is_ending", "is_refreshing", "is_resting", "is_stopped", "road", "task")

    def __init__(self, claim: Claim, road: ParkedRoad) -> None:
        self.claim = claim
        self.road = road
        self.task: asyncio.Task[None] | None = None
        self.is_stopped = False
        """Whether it was stopped by us: what the tool makes of that is of no account."""
        self.is_ending = False
        """Whether the tool has finished, and what it came to is being kept."""
        self.is_resting = False
        """Whether it is being put down."""
        self.has_changed = False
        """Whether the task changed while it was being put down."""
        self.is_refreshing = False

    @property
    def is_working(self) -> bool:
        """Whether it does something else than wait for people, as far as one can tell from here."""
        return not (self.is_resting or self.is_stopped or self.road.is_parked)

    def stop(self, *, is_cancelled: bool = False) -> None:
        """Stop it, and drop whatever it comes to; if it has come to something already, that is still kept.

        Args:
            is_cancelled: Whether that is since a client cancelled the task, which was not run elsewhere.
        """
        if self.is_stopped:  # Who clears up must not be cancelled again.
            return
        self.is_stopped = True
        self.road.stop(is_cancelled=is_cancelled)
        if self.task is not None and not self.is_ending:
            self.task.cancel()


async def ended(tasks: Iterable[asyncio.Task[None] | None]) -> None:
    """Wait until tasks have ended that were cancelled, but not for ever."""
    if not (running := [task for task in tasks if task is not None and not task.done()]):
        return
    _, left = await asyncio.wait(running, timeout=_PATIENCE)
    for task in left:
        logger.warning("%s was cancelled, and does not end", task.get_name())


class Pulse:
    """Something that happens again and again; who waits for the next time may miss none, and is woken once a second."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def beat(self) -> None:
        """Wake all that wait."""
        felt, self._next = self._next, asyncio.Event()
        felt.set()

    async def felt(self) -> None:
        """Wait for the next time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._next.wait(), _SECOND)
