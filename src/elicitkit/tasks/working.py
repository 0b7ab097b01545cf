"""Running the tasks of a server in a process that serves no clients."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer

from ..errors import AdapterMissing
from .engine import Engine
from .extension import Tasks
from .serving import NO_LIFESPAN
from .store import TaskStore


def tasks_of(server: MCPServer[Any]) -> Tasks | None:
    """The `Tasks` among the extensions of a server, which has at most one."""
    return next((one for one in server._extensions if isinstance(one, Tasks)), None)


@asynccontextmanager
async def working(
    server: MCPServer[Any], engine: Engine, *, store: TaskStore | None = None, grace: float | None = None
) -> AsyncIterator[Tasks]:
    """Run the tasks of a server inside the block, in its lifespan. It may be served elsewhere, by as many as wanted.

    Args:
        server: The server.
        engine: What says which tasks run here.
        store: Where the tasks are, in place of the store that the server was made with.
        grace: How long tools have to end when the block does, in seconds, in place of what the server was made with.

    Raises:
        AdapterMissing: If the server has no tasks, or not their lifespan.
        StoreError: If the store cannot be opened.
    """
    tasks = tasks_of(server)
    if tasks is None:
        raise AdapterMissing(
            f"The server {server.name!r} has no tasks: it is made without Tasks(…) among its extensions."
        )
    tasks.run_by(engine, store=store, grace=grace)
    lifespan = server.settings.lifespan
    if lifespan is None:
        raise AdapterMissing(NO_LIFESPAN)
    async with lifespan(server):
        if not tasks.is_served:
            raise AdapterMissing(NO_LIFESPAN)
        yield tasks
