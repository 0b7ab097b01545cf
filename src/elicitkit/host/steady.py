"""`SteadyClient`: the client for HTTP below the SDK's transport, which lives through an outage of a server of tasks."""

from __future__ import annotations

from typing import Any, Final

import httpx2
from mcp_types import CONNECTION_CLOSED, ErrorData, JSONRPCError

UNREACHED: Final = "The server cannot be reached"
"""What a request is answered with, in place of its server."""


def is_about_a_task(request: httpx2.Request) -> bool:
    """Whether it is a request of the Tasks extension (2026-07-28, "Streamable HTTP": the header `Mcp-Method`)."""
    return request.headers.get("mcp-method", "").startswith("tasks/")


class SteadyClient(httpx2.AsyncClient):
    """Answers a request of 2026-07-28 with an error where its server cannot be reached, but for the first of all.

    Else the SDK's transport would end, and with it the connection for all calls: whoever waits for a task could not ask
    again when the server is back. There is no connection to lose, since each request stands for itself.
    """

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request."""
        if request.headers.get("mcp-method", "server/discover") == "server/discover":
            return await super().send(request, **options)
        try:
            response = await super().send(request, **options)
            if response.headers.get("content-type", "").startswith("application/json"):
                await response.aread()  # What breaks off is to be noticed here.
            return response
        except httpx2.TransportError as error:
            return _unreached(request, error)


def _unreached(request: httpx2.Request, error: httpx2.TransportError) -> httpx2.Response:
    data = ErrorData(code=CONNECTION_CLOSED, message=f"{UNREACHED} ({type(error).__name__})")
    body = JSONRPCError(jsonrpc="2.0", id=None, error=data).model_dump(mode="json", by_alias=True, exclude_none=True)
    return httpx2.Response(503, json={**body, "id": None}, request=request)
