"""What may still begin in a call that was cancelled: what clears up, and nothing of a tool that just goes on."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
from typing import Any, Protocol
from weakref import WeakSet

_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)

_DEEPEST = 100
"""How far back it is looked what an error came from."""

_told: WeakSet[asyncio.Task[Any]] = WeakSet()
"""Tasks that were not cancelled themselves, and learned of it at a question that nobody will answer any more."""


class _Cancellable(Protocol):
    @property
    def is_cancelled(self) -> bool: ...


def is_clearing_up() -> bool:
    """Whether this is inside an `except`, a `finally` or an exit of a block that a cancellation led to.

    Coroutines that are awaited there are inside it, too; tasks that are started there are not.
    """
    error = sys.exception()
    for _ in range(_DEEPEST):
        if error is None or isinstance(error, _CANCELLED):
            break
        error = error.__context__ if error.__cause__ is None else error.__cause__
    return isinstance(error, _CANCELLED)


def note_cancelled() -> None:
    """Note that the running task has learned that its call is cancelled."""
    if (task := asyncio.current_task()) is not None:
        _told.add(task)


def _has_learned() -> bool:
    """Whether the running task was cancelled, or has learned that its call is."""
    task = asyncio.current_task()
    return task is not None and (task.cancelling() > 0 or task in _told)


async def stay_cancelled(call: _Cancellable) -> None:
    """End a tool that swallowed the cancellation of its call, and goes on as if nothing had been.

    A task that has not learned of it may be one that clears up, and is let be.
    """
    if _has_learned() and not is_clearing_up():
        await _end_cancelled(call)


async def _end_cancelled(call: _Cancellable) -> None:
    """End what goes on in a call that is cancelled."""
    if call.is_cancelled:
        await asyncio.sleep(0)  # One that does so in a loop must not stop the event loop.
        raise asyncio.CancelledError


class Origin:
    """Where a coroutine was made, which may be awaited elsewhere: a `gather` in a `finally` starts a task for each."""

    __slots__ = ("_clears_up", "_goes_on")

    def __init__(self) -> None:
        self._clears_up = is_clearing_up()
        self._goes_on = not self._clears_up and _has_learned()

    async def stay_cancelled(self, call: _Cancellable) -> None:
        """As the function of that name."""
        if self._goes_on:
            await _end_cancelled(call)
        elif not self._clears_up:
            await stay_cancelled(call)
