"""Server-sent events: a page is told what it should show, whenever that changes, and decides itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import anyio
from starlette.responses import Response, StreamingResponse

from ...errors import StoreError, UnknownEntry
from ...host.inbox import Inbox

QUIET_SECONDS: Final = 20.0
"""After how long without news a stream says that it is there, so that nothing on the way closes it."""

GONE: Final = "gone"
"""The state of what is no longer there."""


class Streams:
    """The streams of an app that are open.

    Args:
        inbox: Whose changes count.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._open: set[asyncio.Event] = set()
        self._is_over = False

    def stream(self, state: Callable[[], Awaitable[str]]) -> Response:
        """The states of what a page shows: the first at once, and each that is another than the one before.

        Args:
            state: Reads the state, as a word without line breaks.
        """
        headers = {"X-Accel-Buffering": "no"}  # A proxy is to pass on each event at once.
        return StreamingResponse(self._events(state), media_type="text/event-stream", headers=headers)

    def end(self) -> None:
        """End all of them: the app is to be served no longer, and browsers come back by themselves."""
        self._is_over = True
        for changed in self._open:
            changed.set()

    async def _events(self, state: Callable[[], Awaitable[str]]) -> AsyncIterator[str]:
        changed = asyncio.Event()
        self._open.add(changed)
        stop = self._inbox.subscribe(lambda _: changed.set())
        last = None
        try:
            yield "retry: 2000\n\n"
            while not self._is_over:
                changed.clear()
                try:
                    now = await _read(state)
                except StoreError:  # The browser comes back, and the store may be there again.
                    return
                if now != last:
                    last = now
                    yield f"event: state\ndata: {now}\n\n"
                if now == GONE:
                    return
                with anyio.move_on_after(QUIET_SECONDS) as quiet:
                    await changed.wait()
                if quiet.cancelled_caught:
                    yield ": still here\n\n"
        finally:
            stop()
            self._open.discard(changed)


async def _read(state: Callable[[], Awaitable[str]]) -> str:
    try:
        return await state()
    except UnknownEntry:
        return GONE
