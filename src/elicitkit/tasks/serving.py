"""`Serving`: what runs while a server serves, once, for all who serve at the same time.

In memory each client enters the server's lifespan for itself; over HTTP the application does, once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

import anyio
from mcp.server.mcpserver import MCPServer

from ..errors import AdapterMissing, ElicitkitError

logger: logging.Logger = logging.getLogger(__name__)

NO_LIFESPAN: Final = (
    "Tasks need their lifespan, which starts what runs them: add it to the server, as in\n"
    '    MCPServer("my-server", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())'
)
"""What is said to who left it out."""


def require_lifespan(mine: object) -> None:
    """Make sure that what an author adds to the lifespan of tasks is a lifespan.

    Raises:
        TypeError: If not: the method itself was given to a server, which calls it with itself.
    """
    if mine is not None and not callable(mine):
        raise TypeError(
            "lifespan=tasks.lifespan() has parentheses: the method makes the lifespan, and one of your own goes into "
            f"them, as in tasks.lifespan(mine); it was given {type(mine).__name__}"
        )


def require_served(server: object, tasks: object) -> None:
    """Make sure that a server has tasks among its extensions: else no call of it would become one, without a word.

    Raises:
        TypeError: If it is no server that can have any.
        AdapterMissing: If it has not.
    """
    if not isinstance(server, MCPServer):
        raise TypeError(f"Tasks are for MCPServer of the official SDK, not for {type(server).__name__}")
    known = getattr(server, "_extensions", None)  # The SDK tells nobody else which there are.
    if known is not None and not any(one is tasks for one in known):
        raise AdapterMissing(
            f"The server {server.name!r} has the lifespan of these tasks, and not the tasks themselves, so that every "
            "call would be a plain one: add them, as in\n"
            '    MCPServer("my-server", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())'
        )


@asynccontextmanager
async def started(server: MCPServer[Any], serving: AbstractAsyncContextManager[Any]) -> AsyncIterator[Any]:
    """Serve inside the block. What keeps a server from that is told in one line.

    What it raises comes to its author at the end of groups in groups, a screen or two long.
    """
    async with AsyncExitStack() as stack:
        try:
            state = await stack.enter_async_context(serving)
        except (ElicitkitError, ValueError, TypeError) as error:
            logger.error("the server %r cannot start: %s", getattr(server, "name", ""), " ".join(str(error).split()))
            raise
        yield state


class Serving:
    """Enters a context with the first who joins, and leaves it with the last.

    It is entered and left in a task of its own, since the last need not be the first.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changing = asyncio.Lock()
        self._users = 0
        self._stopping = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._state: Any = None

    @asynccontextmanager
    async def joined(self, context: AbstractAsyncContextManager[Any]) -> AsyncIterator[Any]:
        """Be one of those who serve, inside the block; all are given what the context of the first gave.

        Raises:
            RuntimeError: If others serve on another event loop.
            BaseException: What entering the context raises; or, for the last, what leaving it does.
        """
        self._begin_anew_on_another_loop()
        async with self._changing:
            if self._users == 0:
                await self._start(context)
            self._users += 1
        try:
            yield self._state
        finally:
            with anyio.CancelScope(shield=True):
                await self._leave()

    async def _leave(self) -> None:
        async with self._changing:
            self._users -= 1
            if self._users == 0:
                await self._stop()

    def _begin_anew_on_another_loop(self) -> None:
        if self._loop is not (running := asyncio.get_running_loop()):
            if self._loop is not None and self._loop.is_running():
                raise RuntimeError("these tasks are served on another event loop at the moment")
            self._loop, self._changing, self._users = running, asyncio.Lock(), 0

    async def _start(self, context: AbstractAsyncContextManager[Any]) -> None:
        self._stopping = asyncio.Event()
        started: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._keeping = asyncio.create_task(self._keep(context, started), name="elicitkit tasks: serving")
        try:
            await asyncio.wait({self._keeping, started}, return_when=asyncio.FIRST_COMPLETED)
            self._state = started.result() if started.done() else self._keeping.result()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._abandon(self._keeping)
            raise

    async def _keep(self, context: AbstractAsyncContextManager[Any], started: asyncio.Future[Any]) -> None:
        async with context as state:
            started.set_result(state)
            await self._stopping.wait()

    async def _stop(self) -> None:
        keeping, self._keeping, self._state = self._keeping, None, None
        self._stopping.set()
        if keeping is not None:
            await keeping

    async def _abandon(self, keeping: asyncio.Task[None]) -> None:
        self._keeping = None
        keeping.cancel()
        await asyncio.wait({keeping})
        if not keeping.cancelled():
            keeping.exception()  # It is raised already, or of no interest: the caller is cancelled.
