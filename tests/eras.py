"""One connection for each revision of the protocol, in memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import mcp.client.session
import pytest
from anyio import fail_after
from mcp import Client

T = TypeVar("T")

HANDSHAKE = ("2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
ALL = (*HANDSHAKE, *MODERN)


@asynccontextmanager
async def connected(server: Any, revision: str, callback: Any = None, **more: Any) -> AsyncIterator[Client]:
    """A client of *server* that speaks *revision*, and fails rather than hang; *more* is for the SDK's `Client`."""
    with pytest.MonkeyPatch.context() as patch, fail_after(10):
        patch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)
        mode = "auto" if revision in MODERN else "legacy"
        async with Client(server, mode=mode, elicitation_callback=callback, **more) as client:
            yield client


async def said(client: Client, tool: str, /, **arguments: Any) -> str:
    """Call a tool, and give the text it ended with; one that failed is marked."""
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(part, "text", "") for part in result.content)
    return f"error: {text}" if result.is_error else text


async def together(*calls: Awaitable[T]) -> list[T]:
    """Await several things at once."""
    return list(await asyncio.gather(*calls))
