"""When and where a call's questions may be asked: while it runs, on the event loop it runs on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

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
