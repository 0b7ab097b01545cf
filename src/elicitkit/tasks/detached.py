"""The SDK's session for a call without a request: inside a task nothing can be sent to the client any more.

It is the same in the first run and in every other, and one for all calls of the same client.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from mcp.server.connection import Connection
from mcp.server.session import ServerSession
from mcp.shared.exceptions import NoBackChannelError

from .call import TaskCall
from .record import to_json
from .road import REVISION


def detached_session(call: TaskCall) -> ServerSession:
    """A session that knows what the client declared, and has no way to it."""
    return _session(to_json("what a client declares", call.capabilities), to_json("a client's name", call.client))


class _Nowhere:
    """What the session sends to."""

    can_send_request = False

    async def send_raw_request(self, method: str, *_: Any) -> NoReturn:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        """Nobody is there."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Nobody is there."""


@lru_cache(maxsize=256)
def _session(capabilities: str, client: str) -> ServerSession:
    connection = Connection.from_envelope(REVISION, json.loads(client) or None, json.loads(capabilities))
    return ServerSession(_Nowhere(), connection)  # type: ignore[arg-type]  # a stand-in
