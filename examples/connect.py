"""A server that needs an account elsewhere, and asks with a link: what a person signs in with, no form may ask for.

    elicitkit call "python examples/connect.py" repositories

The other side is here too, as a page on this machine, so that it can be tried: open the link, and press the button.
"""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from elicitkit import Elicitation, elicit_url, step

tokens: dict[str, str] = {}
"""What was granted, by the state that the link carried. It stays in this process, and never reaches the client."""


# --- the account elsewhere --------------------------------------------------------------------------------------------


async def authorize(request: Request) -> HTMLResponse:
    """The page of the provider, where a person signs in and agrees."""
    return HTMLResponse(
        '<form method="post"><h1>Let the server read your repositories?</h1><button>Allow</button></form>'
    )


async def allowed(request: Request) -> RedirectResponse:
    """The provider sends the browser back with a code."""
    code = {"state": request.query_params["state"], "code": secrets.token_hex(16)}
    return RedirectResponse(f"/callback?{urlencode(code)}", status_code=303)


async def callback(request: Request) -> Response:
    """Our own page, where the code is changed for a token; only for a state that we gave out."""
    if (state := request.query_params.get("state", "")) not in tokens:
        return PlainTextResponse("This link is not known here.", status_code=400)
    tokens[state] = f"token for {request.query_params['code']}"
    return PlainTextResponse("You are signed in. Go back to where you came from.")


pages = Starlette(
    routes=[
        Route("/authorize", authorize),
        Route("/authorize", allowed, methods=["POST"]),
        Route("/callback", callback),
    ]
)
listening = socket.create_server(("127.0.0.1", 0))
listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)  # else each answer waits for 40 ms
ADDRESS = f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextlib.asynccontextmanager
async def with_pages(_: object) -> AsyncIterator[None]:
    web = uvicorn.Server(uvicorn.Config(pages, log_level="error"))
    serving = asyncio.create_task(web.serve([listening]))
    try:
        yield
    finally:
        web.should_exit = True
        await serving


# --- the server -------------------------------------------------------------------------------------------------------

mcp = MCPServer("repositories", middleware=[Elicitation()], lifespan=with_pages)


def new_state() -> str:
    """What ties the person who comes back to this call; in a step, so that it is the same in each run of the tool."""
    state = secrets.token_urlsafe(32)
    tokens[state] = ""
    return state


@mcp.tool()
async def repositories(ctx: Context) -> str:
    """List the repositories of the person's account."""
    state = await step(ctx, "state", new_state)

    async def done() -> bool:
        return bool(tokens.get(state))

    link = f"{ADDRESS}/authorize?{urlencode({'state': state})}"
    signed_in = await elicit_url(ctx, "Sign in, so that your repositories can be listed.", link, done=done)
    if not signed_in:
        return f"Not signed in: {signed_in.reason}."
    return "elicitkit, notes, website"  # with tokens[state]


if __name__ == "__main__":
    mcp.run()
