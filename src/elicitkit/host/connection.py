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

logger: logging.Logger = logging.getLogger(__name__)

CLOSE_SECONDS: Final = 10.0
"""How long a server may take to stop, before its connection is left to itself; the SDK kills a process earlier."""

Make: TypeAlias = Callable[["Connection"], Client]
"""Makes the SDK's client for a connection, whose `end` is called when the other side ended it."""


class Connection:
    """One connection. A task keeps it, so that it may end without harm to those who use it."""

    def __init__(self, make: Make, *, has_one_stream: bool) -> None:
        self.has_one_stream = has_one_stream
        """Whether all that the server sends comes over one stream, so that nothing tells which call it belongs to."""
        self.client: Client
        """The SDK's, once it is opened."""
        self._make = make
        self.calls: set[Call] = set()
        """The calls that run over it."""
        self.turn: asyncio.Lock = asyncio.Lock()
        """Held by calls that must not run side by side."""
        self.refusal: str = ""
        """The last status of HTTP, with its phrase, that said that something went wrong."""
        self._nameless: set[Call] = set()
        """What stands in for the calls of questions of which nobody can tell whose they are."""
        self._has_strays = False
        """Whether a call was given up: what it still asks could be taken for a question of the next."""
        self._is_retired = False
        self._over = asyncio.Event()
        self._scope = anyio.CancelScope()
        self._task: asyncio.Task[None] | None = None

    async def open(self, seconds: float) -> None:
        """Connect.

        Raises:
            TimeoutError: If that took too long.
            Exception: What went wrong, in groups as the SDK raises it.
        """
        self.client = self._make(self)
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

    @property
    def is_usable(self) -> bool:
        """Whether new calls may run over it."""
        return not (self.is_over or self._is_retired)

    def retire(self) -> None:
        """Let no new call run over it, and end it when those that do are done."""
        self._is_retired = True
        self._end_if_idle()

    def refused(self, status: str, *, is_forgotten: bool) -> None:
        """Note a status of HTTP. Where the server does not know the session, it did not look at the request."""
        self.refusal = status
        if (call := current_call.get()) is not None:
            call.refusal, call.was_ignored = status, is_forgotten

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
        except (asyncio.CancelledError, TimeoutError):
            self._has_strays = True
            raise
        finally:
            self.calls.discard(call)
            call.withdraw()
            current_call.reset(token)
            if not self.calls:
                for other in tuple(self._nameless):
                    other.withdraw()
            self._end_if_idle()

    @contextmanager
    def asking(self) -> Iterator[Call | None]:
        """The time of a question, and the call it belongs to: the clock of the call stands still.

        Where that cannot be told, it belongs to one without a name, which no rule for a tool applies to; the clocks of
        all stand still, and it ends with the last of them. `None` is a question that comes when its call is over.
        """
        known = current_call.get()
        if not self.calls or (known is not None and known not in self.calls):
            yield None
            return
        call = known or self._only_call()
        with ExitStack() as stack:
            if call is None:
                call = Call("", id="", inside=[one for other in self.calls for one in other.inside])
                self._nameless.add(call)
                stack.callback(self._nameless.discard, call)
                for other in self.calls:
                    stack.enter_context(other.patience.standing_still())
            stack.enter_context(call.asking())
            yield call

    def _only_call(self) -> Call | None:
        """The one call that can have asked; `None` if there are several, or one before it may still ask."""
        return next(iter(self.calls)) if len(self.calls) == 1 and not self._has_strays else None

    def _end_if_idle(self) -> None:
        if self._is_retired and not self.calls:
            self.end()

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
