"""What is done for tasks in the background, beside their calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeAlias

from ..errors import StoreError
from ..safety import trace_of
from .troubles import Troubles

logger: logging.Logger = logging.getLogger(__name__)

Help: TypeAlias = Callable[[Coroutine[Any, Any, object]], None]
"""Does something in the background."""

_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
"""The first and the longest pause between two tries at a store that cannot be read or written, in seconds."""


class Errands:
    """Works in the background, none of which is waited for, and none of which fails in silence.

    Args:
        troubles: Gives where it is told that the store fails.
    """

    def __init__(self, troubles: Callable[[], Troubles]) -> None:
        self._troubles = troubles
        self._tasks: set[asyncio.Task[object]] = set()

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Begin something."""
        errand = asyncio.create_task(work)
        self._tasks.add(errand)
        errand.add_done_callback(self._done)

    def _done(self, errand: asyncio.Task[object]) -> None:
        self._tasks.discard(errand)
        if errand.cancelled() or (error := errand.exception()) is None:
            return
        if isinstance(error, StoreError):
            self._troubles().begin("write", error, "the work on a task failed")
        else:
            logger.error("the work on a task failed%s", trace_of(error))

    async def stop(self) -> None:
        """End all of it."""
        for errand in self._tasks:
            errand.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def forget(self) -> None:
        """Forget what an event loop has left that was killed."""
        self._tasks.clear()


def pauses() -> Iterator[float]:
    """How long to wait after each try at a store that fails, in seconds, for ever."""
    pause = _PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


async def persist(is_done: Callable[[], Awaitable[bool]]) -> None:
    """Try something at a store again and again, with growing pauses, until it says that it is done."""
    for pause in pauses():
        if await is_done():
            return
        await asyncio.sleep(pause)
