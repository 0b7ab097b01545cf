"""`Run`: one running of one task, in this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress

from .claim import Claim
from .road import ParkedRoad

logger: logging.Logger = logging.getLogger(__name__)

_PATIENCE = 10.0
"""How long a tool may take to end that was cancelled, in seconds; nobody waits longer for one that refuses."""

_SECOND = 1.0
"""How often it is looked again whether something pauses: a step that ends beside a question tells nobody."""


class Run:
    """One running of one task in this process. What may still be done in it is the phase of its road.

    Args:
        road: What the tool asks on.
        owner: Whose task it is.
    """

    __slots__ = ("has_news", "is_ending", "newest", "owner", "road", "task")

    def __init__(self, road: ParkedRoad, owner: str | None) -> None:
        self.road: ParkedRoad = road
        self.owner: str | None = owner
        self.task: asyncio.Task[None] | None = None
        self.has_news: bool = False
        """Whether something happened to the task that was not read yet."""
        self.newest: float = 0
        """The newest revision that was told since then; infinity where it is not known."""
        self.is_ending: bool = False
        """Whether the tool has finished, and what it came to is being kept."""

    @property
    def claim(self) -> Claim:
        """The hold on the task."""
        return self.road.claim

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped by us: what the tool makes of that is of no account."""
        return self.road.phase in ("stopped", "cancelled")

    @property
    def is_working(self) -> bool:
        """Whether it does something else than wait for people, as far as one can tell from here."""
        return self.road.phase == "open" and not self.road.is_parked

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.task is None or self.task.done()

    def stop(self, *, is_cancelled: bool = False) -> None:
        """Stop it, and drop whatever it comes to; if it has come to something already, that is still kept.

        Args:
            is_cancelled: Whether that is since a client cancelled the task, which was not run elsewhere.
        """
        if self.is_stopped:  # Who clears up must not be cancelled again.
            return
        self.road.stop(is_cancelled=is_cancelled)
        if self.task is not None and not self.is_ending:
            self.task.cancel()


async def ended(tasks: Iterable[asyncio.Task[None] | None], patience: float | None = None) -> None:
    """Wait until tasks have ended that were cancelled, but not for ever: for so many seconds."""
    if not (running := [task for task in tasks if task is not None and not task.done()]):
        return
    _, left = await asyncio.wait(running, timeout=_PATIENCE if patience is None else patience)
    for task in left:
        logger.warning("%s was cancelled, and does not end", task.get_name())


class Pulse:
    """Something that happens again and again; who waits for the next time may miss none, and is woken once a second."""

    def __init__(self) -> None:
        self._next: asyncio.Event | None = None

    def beat(self) -> None:
        """Wake all that wait."""
        felt, self._next = self._next, None
        if felt is not None:
            felt.set()

    async def felt(self) -> None:
        """Wait for the next time."""
        if self._next is None:
            self._next = asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECOND):  # Before Python 3.12 `wait_for` may swallow that it is cancelled.
                await self._next.wait()
