"""The older transport over HTTP, for servers that have no streamable one (2024-11-05, "HTTP with SSE")."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
from mcp.client.sse import sse_client

from .quiet_logs import hide_queries
from .servers import CONNECT_SECONDS, HttpServer

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


@asynccontextmanager
async def sse_transport(server: HttpServer) -> AsyncIterator[TransportStreams]:
    """The transport to a server by SSE, for the SDK's `Client`. Reading has no limit: a person may be typing."""

    def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(CONNECT_SECONDS, read=None))

    hide_queries(server.url)
    async with sse_client(server.url, dict(server.headers), httpx_client_factory=client) as streams:
        yield streams
