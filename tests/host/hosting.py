"""Hosts in tests: sources of servers in memory or in processes, on any revision."""

import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp.client.session
import pytest
from mcp.client._memory import InMemoryTransport
from mcp_types import CallToolResult

from elicitkit import Answer, McpSource, PendingCall, Request
from elicitkit.host import upstream
from tests import eras
from tests.host import asker

ROOT = Path(__file__).parents[2]
LIMIT = 20


class Person:
    """A `wait_for` that answers each question by its words, and keeps what was asked."""

    def __init__(self, answers: Mapping[str, Any] | None = None) -> None:
        self.answers = {"Who is there?": {"name": "Ada"}, "Which size?": {"size": "M"}, **(answers or {})}
        self.asked: list[Request] = []

    async def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        given = self.answers.get(request.prompt, {"name": "Ada"})
        return given(request) if callable(given) else request.accept(given)


@contextmanager
def speaking(revision: str) -> Iterator[None]:
    """Let every connection of a source speak this revision."""
    mode = "auto" if revision in eras.MODERN else "legacy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)
        patch.setitem(upstream.MODES, "auto", mode)
        yield


@contextmanager
def in_memory(servers: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The configuration of servers that are reached in memory, each as if it were a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upstream, "transport", lambda server, **_: InMemoryTransport(servers[server.command]))
        yield {"mcpServers": {name: {"command": name} for name in servers}}


@asynccontextmanager
async def hosting(server: Any, revision: str, **options: Any) -> AsyncIterator[McpSource]:
    """A source of one server in memory, by the name `a`."""
    with speaking(revision), in_memory({"a": server}) as config, anyio.fail_after(LIMIT):
        async with McpSource.load(config, **options) as source:
            yield source


def process(**environment: str) -> dict[str, Any]:
    """The entry of a server that asks, in a process of its own."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    return {
        "command": sys.executable,
        "args": ["-m", asker.__name__],
        "cwd": str(ROOT),
        "env": {"PYTHONPATH": path, **environment},
    }


def text(result: CallToolResult | PendingCall) -> str:
    """What a call ended with; one that failed is marked."""
    assert isinstance(result, CallToolResult), f"still waits: {result}"
    found = "\n".join(getattr(part, "text", "") for part in result.content)
    return f"error: {found}" if result.is_error else found
