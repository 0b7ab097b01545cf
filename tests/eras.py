"""One connection for each revision of the protocol, in memory."""

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from mcp import Client

from elicitkit import testing

T = TypeVar("T")

HANDSHAKE = ("2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
ALL = (*HANDSHAKE, *MODERN)


def connected(server: Any, revision: str, callback: Any = None, **more: Any) -> AbstractAsyncContextManager[Client]:
    """A client of *server* that speaks *revision*, and fails rather than hang; *more* is for the SDK's `Client`."""
    return testing.connected(server, callback, era=revision, **more)


async def said(client: Client, tool: str, /, **arguments: Any) -> str:
    """Call a tool, and give the text it ended with; one that failed is marked."""
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(part, "text", "") for part in result.content)
    return f"error: {text}" if result.is_error else text


async def together(*calls: Awaitable[T]) -> list[T]:
    """Await several things at once."""
    return list(await asyncio.gather(*calls))
