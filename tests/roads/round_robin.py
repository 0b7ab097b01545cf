"""One address before several servers: each request goes to the next of them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle

import httpx2
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.host import serving

HOP_BY_HOP = {"host", "content-length", "connection", "transfer-encoding"}


class RoundRobin:
    """Hands each request on, unchanged, and keeps which call went where."""

    def __init__(self, client: httpx2.AsyncClient, servers: list[str]) -> None:
        self.calls: list[str] = []
        """The servers that took a `tools/call`, in order."""
        self._client = client
        self._next = cycle(servers)

    async def __call__(self, request: Request) -> StreamingResponse:
        server, body = next(self._next), await request.body()
        if body and json.loads(body).get("method") == "tools/call":
            self.calls.append(server)
        headers = {name: value for name, value in request.headers.items() if name not in HOP_BY_HOP}
        onward = self._client.build_request(request.method, server, content=body, headers=headers)
        answer = await self._client.send(onward, stream=True)
        left = {name: value for name, value in answer.headers.items() if name not in HOP_BY_HOP}
        return StreamingResponse(answer.aiter_raw(), answer.status_code, left, background=BackgroundTask(answer.aclose))


@asynccontextmanager
async def before(servers: list[str]) -> AsyncIterator[tuple[str, RoundRobin]]:
    """Serve the one address for all of *servers*."""
    async with httpx2.AsyncClient(timeout=30) as client:
        balancer = RoundRobin(client, servers)
        app = Starlette(routes=[Route("/mcp", balancer.__call__, methods=["GET", "POST", "DELETE"])])
        async with serving.served(app) as address:
            yield f"{address}/mcp", balancer
