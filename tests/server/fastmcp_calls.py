"""What the tests of FastMCP share: forms, answers by what is asked, and a client in memory."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext
from mcp import Client

from elicitkit import FormElicitation
from elicitkit.server.fastmcp import Elicitation
from elicitkit.testing import accept
from tests import eras

Server = FastMCP[Any]


def asking_server(*behind: Middleware, before: Sequence[Middleware] = (), **settings: Any) -> Server:
    return FastMCP("asker", middleware=[*before, Elicitation(), *behind], **settings)


def connected(mcp: Server, revision: str, callback: Any = None) -> AbstractAsyncContextManager[Client]:
    """The SDK's own client, which knows the SDK's server below FastMCP."""
    return eras.connected(mcp._mcp_server, revision, callback)


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


async def echo(_: object, params: Any) -> Any:
    """Answer each question with its own words."""
    return accept() if params.mode == "url" else accept(x=params.message)


async def call(mcp: Server, revision: str, callback: Any = echo, tool: str = "ask", **arguments: Any) -> str:
    async with connected(mcp, revision, callback) as client:
        return await eras.said(client, tool, **arguments)


class Seen(Middleware):
    """A middleware of a user's, which keeps what it sees of calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: Any) -> Any:
        self.calls.append(context.message.name)
        return await call_next(context)
