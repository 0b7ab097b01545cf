"""An app on a free port of this machine, served in the test's own event loop."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import uvicorn


@asynccontextmanager
async def served(app: Any, port: int = 0) -> AsyncIterator[str]:
    """Serve *app*, and give its address; on a free port, if none is given."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listener])
            while not server.started:
                await anyio.lowlevel.checkpoint()
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            finally:
                server.should_exit = True
