"""A client and a server in memory, on any revision; `connected` is for tests with whatever framework."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, Final, TypeAlias
from unittest import mock

import anyio
from mcp import Client
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from ..naming import nearest
from ..schema.dialects import DIALECTS
from ..tasks.client import TasksClient

ERAS: Final = tuple(sorted(DIALECTS))
"""The revisions of the protocol that can ask, oldest first."""

SECONDS: Final = 10.0
"""How long a connection may be open in a test before it fails, in seconds."""

_OUTAGE: Final = 1.0
"""How long a server of tasks may fail, in seconds: what a test is to see of it comes before the test's time is over."""

Callback: TypeAlias = Callable[..., Any]


@asynccontextmanager
async def connected(
    server: Any,
    answers: Callback | None = None,
    *,
    era: str = ERAS[-1],
    tasks: bool = False,
    seconds: float = SECONDS,
    **more: Any,
) -> AsyncIterator[Client]:
    """A client of a server in memory. It fails rather than hang.

        with ScriptedAnswers([accept(name="Ada")]) as answers:
            async with connected(mcp, answers) as client:
                result = await client.call_tool("greet")

    Args:
        server: An `MCPServer` or low-level `Server` of the SDK, or a `FastMCP`.
        answers: What answers, such as `ScriptedAnswers`; without it the client does not say that it can be asked.
        era: The revision to speak; those of `ERAS` can ask.
        tasks: Whether the client knows tasks, and waits for them.
        seconds: How long all of it may take.
        more: Further options of the SDK's `Client`.

    Raises:
        ValueError: If there is no such revision.
        TimeoutError: If it takes longer.
    """
    if era not in KNOWN_PROTOCOL_VERSIONS:
        raise ValueError(f"no revision {era!r} is known: {nearest(era, KNOWN_PROTOCOL_VERSIONS)}")
    extensions = [*more.pop("extensions", ()), *([TasksClient(outage=_OUTAGE)] if tasks else [])]
    sdk_server = getattr(server, "_mcp_server", server)  # FastMCP keeps the SDK's there.
    client = Client(sdk_server, mode=_mode(era), elicitation_callback=answers, extensions=extensions or None, **more)
    failed: Exception | None = None
    with anyio.fail_after(seconds):
        async with AsyncExitStack() as stack:
            with _offering(era):
                await stack.enter_async_context(client)
            try:
                yield client
            except Exception as error:
                failed = error
    if failed is not None:  # The test's own error, where the client would make a group of it.
        raise failed


def _mode(era: str) -> str:
    return "legacy" if era <= LATEST_HANDSHAKE_VERSION else "auto"


@contextmanager
def _offering(era: str) -> Iterator[None]:
    """Let the SDK's client offer an older revision than its newest: it has no option for that."""
    if era >= LATEST_HANDSHAKE_VERSION:
        yield
        return
    with mock.patch("mcp.client.session.LATEST_HANDSHAKE_VERSION", era):
        yield
