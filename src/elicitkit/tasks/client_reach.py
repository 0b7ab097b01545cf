"""`Reach`: the requests about one task, made again while the way to its server, or the server, fails for a while.

A task outlives the connection, the process that serves it and the database it lies in. So a request that fails says
little about it, and a repeat changes nothing: a state is only read, and of several answers to a question the first
counts.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import timedelta
from typing import Final, TypeAlias, TypeVar

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
)
from pydantic import ValidationError

from ..asking.road import seconds_of
from ..errors import TaskOutOfReach
from ..safety import plain_line

T = TypeVar("T")

OUTAGE: Final = 300.0
"""How long a server of a task may fail, in seconds: a deploy, or the failover of a database, takes minutes."""

ANSWER_SECONDS: Final = 30.0
"""How long a server may take to answer one request about a task, before it is made again."""

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 5.0
"""How long it pauses between two tries, in seconds: each time twice as long."""

Unreached: TypeAlias = Callable[[Exception], None]
"""What hears of each request about a task that failed, and is made again."""

_CLOSED = "Connection closed"
"""What the SDK says of each request over a session whose connection has ended. That of a gateway may come back."""

_CLOSED_TRIES = 5
"""How often a request is made over a connection that says it has ended."""

_PASSING = frozenset({INTERNAL_ERROR, CONNECTION_CLOSED, REQUEST_TIMEOUT})
"""The errors that are about the way to a server, or about what it needs: no task ends with them."""

_LASTING = frozenset({INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR})
"""The errors that are about the request, whatever status they come with."""

_PASSING_STATUSES = frozenset({408, 425, 429})
"""The statuses of HTTP below 500 that say: later."""

_SHORT = 300
"""What is left of a stranger's words, in characters."""

_refusals: ContextVar[list[int] | None] = ContextVar("_refusals", default=None)


def note_refusal(status: int) -> None:
    """Note the status of HTTP, of 400 and more, that a request was refused with: the SDK tells nobody.

    Transports of ours call it; where none does, what a status would have said counts as something that passes.
    """
    if (refusals := _refusals.get()) is not None:
        refusals.append(status)


class Reach:
    """Makes requests about one task, however often they fail for a while.

    Args:
        task_id: The task.
        outage: For how long, in seconds or as a `timedelta`; `None` for ever.
        unreached: Hears of each request that failed, and is made again.
    """

    def __init__(
        self, task_id: str, *, outage: timedelta | float | None = OUTAGE, unreached: Unreached | None = None
    ) -> None:
        self.failures: int = 0
        """How many requests have failed so far."""
        self._task_id = task_id
        seconds = seconds_of(outage, what="outage")
        self._seconds = math.inf if seconds is None else seconds
        self._unreached = unreached

    async def through(self, request: Callable[[], Awaitable[T]]) -> T:
        """The result of a request.

        Raises:
            TaskOutOfReach: If it fails with what does not pass, or for too long.
        """
        clock = asyncio.get_running_loop().time
        pause, closed, ends_at = FIRST_PAUSE, 0, math.inf
        while True:
            refusals: list[int] = []
            token = _refusals.set(refusals)
            try:
                with anyio.fail_after(ANSWER_SECONDS):
                    return await request()
            except (MCPError, TimeoutError, ValidationError) as error:
                failure, status = error, refusals[-1] if refusals else None
            finally:
                _refusals.reset(token)
            now = clock()
            ends_at = min(ends_at, now + self._seconds)
            closed += _is_closed(failure)
            if not _passes(failure, status) or closed == _CLOSED_TRIES or now >= ends_at:
                raise TaskOutOfReach(self._task_id, _why(failure, status)) from failure
            self.failures += 1
            if self._unreached is not None:
                self._unreached(failure)
            await asyncio.sleep(min(pause, ends_at - now))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def deliver(self, answer: Callable[[], Awaitable[None]]) -> None:
        """Send an answer. What failed may have arrived, and then a server may not know the question any more.

        Raises:
            TaskOutOfReach: As for `through`.
        """
        is_repeat = False

        async def sent() -> None:
            nonlocal is_repeat
            try:
                await answer()
            except MCPError as error:
                if not (is_repeat and error.code == INVALID_PARAMS):
                    raise
            finally:
                is_repeat = True

        await self.through(sent)


def _is_closed(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED and error.message == _CLOSED


def _passes(error: Exception, status: int | None) -> bool:
    if not isinstance(error, MCPError):
        return isinstance(error, TimeoutError)
    if status is None or error.code in _LASTING:
        return error.code in _PASSING
    return status >= 500 or status in _PASSING_STATUSES


def _why(error: Exception, status: int | None) -> str:
    match error:
        case TimeoutError():
            return f"its server did not answer within {ANSWER_SECONDS:g} seconds"
        case MCPError() if status is not None and error.code not in _LASTING:
            return f"its server answered with the status {status}"
        case MCPError():
            return f"{plain_line(error.message, limit=_SHORT)} (error {error.code})"
        case _:
            return "its server answered with what the protocol does not allow"
