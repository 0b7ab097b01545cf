"""Serving an app to the browsers of this machine, on an event loop that goes on meanwhile."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

import anyio
import uvicorn
from starlette.applications import Starlette

from .visits import LONGEST_SECONDS, Visits

GOODBYE_SECONDS: Final = 1
"""How long open connections, such as those of live updates, may take to end, once nobody waits for a page."""

_BACKLOG: Final = 128


@asynccontextmanager
async def serving(app: Starlette, *, host: str, port: int) -> AsyncIterator[str]:
    """See `elicitkit.render.web.serving`."""
    listening, visits = _listening(host, port), Visits(app)
    config = uvicorn.Config(
        visits,
        access_log=False,
        log_level="error",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://{_written(host)}:{listening.getsockname()[1]}"
    finally:
        try:
            with anyio.move_on_after(LONGEST_SECONDS, shield=True):  # A second Ctrl-C gets through nevertheless.
                await visits.over()
        finally:
            server.should_exit = True
            if (streams := getattr(app.state, "streams", None)) is not None:
                streams.end()
            with anyio.CancelScope(shield=True), suppress(asyncio.CancelledError):
                await asyncio.shield(running)
            listening.close()


class _Server(uvicorn.Server):
    """A server that leaves the signals to the program it is part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    # What is accepted on it has this, too. The event loop sees to it only where it makes the socket itself, and without
    # it the body of an answer is held back for 40 ms: until the other side has acknowledged the head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    return listening


def _written(host: str) -> str:
    """An address as a URL has it; one that means all of them is that of this machine."""
    if host in ("0.0.0.0", "::", ""):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
