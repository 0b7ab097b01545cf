"""A client of a server by any road, and the person who sits at it."""

import math
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp.client.session
import pytest
from mcp import Client
from mcp_types import INTERNAL_ERROR, ElicitResult, ErrorData

from tests import eras

CONNECT_SECONDS = 30


class Person:
    """Answers each question by its words, and keeps what was asked."""

    def __init__(self) -> None:
        self.expect(())

    def expect(self, script: Iterable[tuple[str, ElicitResult]]) -> None:
        self.left = list(script)
        self.asked: list[str] = []

    async def __call__(self, context: object, params: Any) -> ElicitResult | ErrorData:
        self.asked.append(params.message)
        for pair in self.left:
            if pair[0] == params.message:
                self.left.remove(pair)
                return pair[1]
        return ErrorData(code=INTERNAL_ERROR, message="nobody expected this question")


@asynccontextmanager
async def connected(server: Any, revision: str, person: Any) -> AsyncIterator[Client]:
    """As `eras.connected`, for more than one test: only connecting and parting have a time limit."""
    mode = "auto" if revision in eras.MODERN else "legacy"
    with pytest.MonkeyPatch.context() as patch, anyio.fail_after(CONNECT_SECONDS) as limit:
        patch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)
        async with Client(server, mode=mode, elicitation_callback=person) as client:
            patch.undo()
            limit.deadline = math.inf
            assert client.protocol_version == revision
            yield client
            limit.deadline = anyio.current_time() + CONNECT_SECONDS
