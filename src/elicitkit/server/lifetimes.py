"""When and where a call's questions may be asked: while it runs and is not cancelled, on the event loop it runs on."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from ..errors import AdapterMissing, CallOver


class Lifetime:
    """The time in which one call runs. Make it on the call's event loop."""

    __slots__ = ("_is_over", "_loop")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_over = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """The call runs inside the block, and is over behind it."""
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """The call is over."""
        self._is_over = True

    def require(self) -> None:
        """Make sure that a question can be asked here and now.

        Raises:
            CallOver: If the call has ended.
            AdapterMissing: If this is another event loop, which the client's answer would never reach.
        """
        if self._is_over:
            raise CallOver("A question was asked after its call had ended; await every task that a tool starts.")
        if asyncio.get_running_loop() is not self._loop:
            raise AdapterMissing(
                "A question can only be asked on the server's own event loop, not in asyncio.run(). Make the tool "
                "async, or write anyio.from_thread.run(elicit, ctx, form) in one that runs in a thread."
            )


class CallTask:
    """The running task, as the one in which a call is run."""

    __slots__ = ("_cancelled_before", "_task")

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._cancelled_before = 0 if self._task is None else self._task.cancelling()

    @property
    def is_cancelled(self) -> bool:
        """Whether it, or what is cancelled with it, is being cancelled: a block of the tool's own that is, counts."""
        if self._task is not None and self._task.cancelling() > self._cancelled_before:
            return True
        return anyio.current_effective_deadline() == -math.inf
