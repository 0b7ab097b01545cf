"""`Connection`: one connection to one server, kept open by a task of its own from its opening to its end."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, TypeAlias

import anyio
from mcp import Client

from .calls import Call, current_call

logger = logging.getLogger(__name__)

CLOSE_SECONDS: Final = 10.0
"""How long a server may take to stop, before its connection is left to itself; the SDK kills a process earlier."""

Make: TypeAlias = Callable[["Connection"], Client]
"""Makes the SDK's client for a connection, whose `end` is called when the other side ended it."""


class Connection:
    """One connection. A task keeps it, so that it may end without harm to those who use it."""

    def __init__(self, make: Make, *, has_one_stream: bool) -> None:
        self.has_one_stream = has_one_stream
        """Whether all that the server sends comes over one stream, so that nothing tells which call it belongs to."""
        self.client = make(self)
        self.calls: set[Call] = set()
        """The calls that run over it."""
        self.turn = asyncio.Lock()
        """Held by calls that must not run side by side."""
        self.is_forgotten = False
        """Whether the server said that it no longer knows the session."""
        self._over = asyncio.Event()
        self._scope = anyio.CancelScope()
        self._task: asyncio.Task[None] | None = None

    async def open(self, seconds: float) -> None:
        """Connect.

        Raises:
            TimeoutError: If that took too long.
            Exception: What went wrong, in groups as the SDK raises it.
        """
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        context = contextvars.copy_context()
        context.run(current_call.set, None)  # The connection outlives the call that opened it.
        self._task = asyncio.create_task(self._keep(opened), context=context)
        try:
            await asyncio.wait([opened], timeout=seconds)
            if not opened.done():
                raise TimeoutError
        except (asyncio.CancelledError, TimeoutError):
            opened.cancel()
            self._scope.cancel()
            raise
        opened.result()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._over.is_set()

    @property
    def is_closed(self) -> bool:
        """Whether nothing of it is left."""
        return self._task is not None and self._task.done()

    def end(self) -> None:
        """Note that it has ended, or is to end. Calls that run over it fail, and what they asked is withdrawn."""
        self._over.set()

    def forget(self) -> None:
        """Note that the server no longer knows the session: the request that was told so was not looked at."""
        self.is_forgotten = True

    async def close(self) -> None:
        """End it, and wait until it has."""
        self.end()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
            self._scope.cancel()

    @contextmanager
    def running(self, call: Call) -> Iterator[None]:
        """Let a call run over it, and end what the call has open when it is done."""
        token = current_call.set(call)
        self.calls.add(call)
        try:
            yield
        finally:
            self.calls.discard(call)
            call.withdraw()
            current_call.reset(token)

    @contextmanager
    def asking(self) -> Iterator[Call]:
        """The time of a question, and the call it belongs to: the clock of the call stands still.

        Where that cannot be told, it belongs to one without a name, and the clocks of all stand still.
        """
        call = self._call_that_asks()
        with ExitStack() as stack:
            if call is None:
                for other in self.calls:
                    stack.enter_context(other.patience.standing_still())
            call = call or Call("", id="")
            stack.enter_context(call.asking())
            yield call

    def _call_that_asks(self) -> Call | None:
        known = current_call.get()
        if known in self.calls:
            return known
        return next(iter(self.calls)) if len(self.calls) == 1 else None

    async def _keep(self, opened: asyncio.Future[None]) -> None:
        try:
            with self._scope:
                async with self.client:
                    if not opened.done():
                        opened.set_result(None)
                    await self._over.wait()
        except Exception as error:
            if opened.done():
                logger.debug("a connection ended with %s", type(error).__name__)
            else:
                opened.set_exception(error)
        finally:
            self._over.set()
