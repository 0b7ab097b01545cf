"""A server that asks everything, rightly and wrongly, for tests of hosts and clients.

`everything_server()` makes one for a client in memory; `python -m elicitkit.testing.everything` runs it over stdio, and
with `--http` at an address. Each tool says in a line what it does. A tool that asks gives back, as JSON, what it was
told.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer

from ...server.mcpserver import Elicitation, state_security
from ...tasks.extension import Tasks
from ...tasks.store import TaskStore
from ...tasks.stores.memory import MemoryTaskStore
from . import asking, parking
from .misbehaving import Misbehaving

__all__ = ["everything_server"]


def everything_server(
    *, store: TaskStore | None = None, keys: str | bytes | None = None, dies: Callable[[], None] | None = None
) -> MCPServer[Any]:
    """A server whose tools ask in every way there is, on every revision of the protocol, and misbehave on request.

    Args:
        store: Where its tasks are kept; in memory unless given.
        keys: What it seals the state of calls with, for one that is to be started again; random unless given.
        dies: What the tool `wrong_death` does to its process; without it, that tool only says so.
    """
    tasks = Tasks(store or MemoryTaskStore(), poll_interval=0.05)
    misbehaving = Misbehaving(dies)
    server: MCPServer[Any] = MCPServer(
        "everything",
        log_level="ERROR",
        middleware=[misbehaving, Elicitation()],
        extensions=[tasks],
        lifespan=tasks.lifespan(),
        request_state_security=state_security(keys or secrets.token_bytes(32)),
    )
    asking.add_to(server)
    parking.add_to(server, tasks)
    misbehaving.add_to(server)
    return server
