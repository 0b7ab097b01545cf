"""Servers that ask in the middle of a call, as the SDK's own example does, and the key that lets them."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit import McpSource
from elicitkit.host.settings import settings_from
from tests.host import stock_server
from tests.host.hosting import LIMIT, Person, text
from tests.host.serving import served

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def stock(way: str) -> AsyncIterator[dict[str, Any]]:
    """The entry of the server, in a process or at an address."""
    if way == "stdio":
        yield {"command": sys.executable, "args": [str(Path(stock_server.__file__))]}
        return
    async with served(stock_server.mcp.streamable_http_app()) as address:
        yield {"url": f"{address}/mcp"}


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_server_of_the_sdk_alone_asks_with_the_handshake_and_says_how_without(way: str) -> None:
    person = Person({"Which day?": {"date": "Monday"}})

    with anyio.fail_after(2 * LIMIT):
        async with stock(way) as entry:
            servers = {"new": entry, "old": {**entry, "protocol": "handshake"}}
            async with McpSource.load({"servers": servers}, wait_for=person) as source:
                versions = [status.protocol_version for status in source.statuses.values()]
                told = text(await source.call("new_book"))
                assert text(await source.call("old_book")) == "booked for Monday"
                assert text(await source.call("old_pay")) == "pay: accept"

    assert versions == ["2026-07-28", "2025-11-25"]
    assert told.startswith("error: ")
    assert '"protocol": "handshake"' in told
    assert [request.kind for request in person.asked] == ["input", "authorization"]


@pytest.mark.parametrize("given", ["legacy", "2025-11-25", 7, True])
def test_another_protocol_is_told(given: Any) -> None:
    with pytest.raises(ValueError, match="server 'a': protocol is to be 'auto' or 'handshake'"):
        settings_from("a", {"command": "x", "protocol": given})


@pytest.mark.parametrize(("given", "meant"), [(None, "auto"), ("auto", "auto"), ("handshake", "handshake")])
def test_the_protocol_is_chosen_by_the_file(given: Any, meant: str) -> None:
    settings = settings_from("a", {"command": "x", "protocol": given})

    assert settings is not None
    assert settings.protocol == meant
