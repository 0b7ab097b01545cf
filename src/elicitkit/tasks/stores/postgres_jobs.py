"""`Job`: one work that is to be done in a transaction, how long it may take, and what it came to.

A job waits for a thread, runs in it, and is delivered on the event loop. Who waits for it waits for a bounded time: a
job that no thread took in time is given up, and one that PostgreSQL leaves without an answer is cut off from it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from ...errors import StoreError
from ..record import News
from .postgres_connections import Connection, hang_up

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

Tell: TypeAlias = Callable[[Mapping[str, News], Iterable[str]], None]
"""Called on the event loop with what changed, each with what is new, and what was deleted."""

_AGAIN: Final = 0.5
"""How long after a connection was cut it is looked whether another must be, in seconds."""


class Job(Generic[T]):
    """A work, on its way through a thread.

    Args:
        work: What is to be done.
        is_reading: Whether it writes nothing.
        is_once: Whether one statement is all of it.
        timeout: How long it may wait for a thread, and then how long it may take, in seconds.
    """

    __slots__ = (
        *("_connection", "_deadline", "_future", "_is_given_up", "_lock", "_loop", "_timeout", "_timer"),
        *("context", "is_cut", "is_once", "is_reading", "work"),
    )

    def __init__(self, work: Callable[[Any], T], *, is_reading: bool, timeout: float, is_once: bool = False) -> None:
        self.work = work
        self.is_reading = is_reading
        self.is_once = is_once
        self.is_cut: bool = False
        """Whether its time was over while it waited on a connection."""
        self.context: Context = copy_context()  # So that whoever watches for errors hears of those made in the thread.
        self._timeout = timeout
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[T] = self._loop.create_future()
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._deadline: float | None = None
        self._is_given_up = False
        self._timer = self._loop.call_later(timeout, self._look)

    async def outcome(self) -> T:
        """Wait for it.

        Raises:
            StoreError: If it could not be done.
            Exception: What the work raises.
        """
        return await self._future

    # --- in the thread -----------------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Whether somebody still waits for it."""
        with self._lock:
            if not self._is_given_up:
                self._deadline = time.monotonic() + self._timeout
            return not self._is_given_up

    def prolong(self) -> None:
        """Allow as much time again: what was begun has to be found out about."""
        with self._lock:
            self._deadline = time.monotonic() + self._timeout

    @property
    def left(self) -> float:
        """How much time is left, in seconds."""
        return 0.0 if self._deadline is None else self._deadline - time.monotonic()

    @contextmanager
    def waiting_on(self, connection: Connection) -> Iterator[None]:
        """Have a connection cut when the time is over inside the block."""
        with self._lock:
            self._connection = connection
        try:
            yield
        finally:
            with self._lock:
                self._connection = None

    def deliver(self, value: T, changed: Mapping[str, News], deleted: Iterable[str], tell: Tell) -> None:
        """It was done: tell who listens, and then who waits."""
        self._call(self._succeed, value, changed, deleted, tell)

    def fail(self, error: BaseException) -> None:
        """It was not done."""
        self._call(self._settle, error)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # The loop was closed: nobody waits any more.
            self._loop.call_soon_threadsafe(function, *args)

    # --- on the event loop -------------------------------------------------------------------------------------------

    def _succeed(self, value: T, changed: Mapping[str, News], deleted: Iterable[str], tell: Tell) -> None:
        self._timer.cancel()
        tell(changed, deleted)
        if not self._future.done():  # Who waited may have given up.
            self._future.set_result(value)

    def _settle(self, error: BaseException) -> None:
        self._timer.cancel()
        if not self._future.done():
            self._future.set_exception(error)

    def _look(self) -> None:
        """See to it that nobody waits for longer than was said."""
        with self._lock:
            left = self.left
            if self._deadline is None:
                self._is_given_up = True
            elif left <= 0 and self._connection is not None:
                self.is_cut = True
                hang_up(self._connection)
        if self._is_given_up:
            self._settle(self.context.run(_no_connection, self._timeout))
        else:
            self._timer = self._loop.call_later(max(left, _AGAIN), self._look)


def _no_connection(seconds: float) -> StoreError:
    return StoreError(
        f"The store cannot be used: no connection to PostgreSQL was free for {seconds:g} seconds. Nothing was stored."
    )
