"""What is still on its way to a browser, so that a server does not end before its last page has arrived."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Final
from urllib.parse import unquote, urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_SECONDS: Final = 30.0
"""How long a browser is given to ask for the page that it was sent on to; one that was closed never does."""

QUIET_SECONDS: Final = 0.5
"""How long after the last page its style and its script may be asked for."""

_LOOKING: Final = frozenset({"GET", "HEAD"})


class Visits:
    """An ASGI app around another, which knows when nobody waits for a page any more.

    Who sends a form waits for what comes back; where that sends them on, for the page that they are sent to. Who only
    looks, or listens for news, loses nothing.

    Args:
        app: The app around which it is.
        quiet: How long after a page nothing may come, in seconds.
    """

    def __init__(self, app: ASGIApp, *, quiet: float = QUIET_SECONDS) -> None:
        self._app = app
        self._quiet = quiet
        self._acting = 0
        self._sent_on: dict[str, float] = {}
        """The paths that browsers were sent on to, and since when."""
        self._arrived = -math.inf
        self._changed = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] in _LOOKING:
            await self._look(scope, receive, send)
        else:
            await self._act(scope, receive, send)

    async def over(self) -> None:
        """Wait until nobody waits for a page. Who was sent on and does not come is waited for until it is too long."""
        while (seconds := self._remaining()) > 0:
            self._changed.clear()
            with anyio.move_on_after(seconds):
                await self._changed.wait()

    def _remaining(self) -> float:
        """For how many seconds the app is still needed, unless something comes."""
        now = time.monotonic()
        if self._acting:
            return math.inf
        late = max(self._sent_on.values(), default=-math.inf) + LONGEST_SECONDS
        return max(late, self._arrived + self._quiet) - now

    async def _look(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        finally:
            if self._sent_on.pop(scope["path"], None) is not None:
                self._arrive()

    async def _act(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start" and (there := Headers(raw=message["headers"]).get("location")):
                self._sent_on[unquote(urlsplit(there).path)] = time.monotonic()
            await send(message)

        self._acting += 1
        try:
            await self._app(scope, receive, send_noted)
        finally:
            self._acting -= 1
            self._arrive()

    def _arrive(self) -> None:
        self._arrived = time.monotonic()
        self._changed.set()
