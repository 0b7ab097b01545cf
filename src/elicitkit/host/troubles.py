"""What went wrong between a host and a server, in one line that may be shown: it holds no secret of the host's."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from ..errors import ElicitkitError
from ..safety import plain_line
from .servers import HttpServer, Server, StdioServer

_SHORT = 300
"""What is left of a stranger's words, in characters."""

_STATE_REFUSED = "invalid_request_state"
"""The SDK's reason when the sealed state of a call has expired, or was sealed with another key."""

_LOST = ("Connection closed", "SSE stream ")
"""How the SDK begins to say that a connection, or the stream of one request, has ended."""

_HIDDEN = 6
"""Shorter values of variables and headers are no secrets, and would blot out half of a text."""


def leaves(error: BaseException) -> Iterator[BaseException]:
    """What is in a group of errors, in groups too: the SDK raises what happens in a connection that way."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def is_lost(error: BaseException) -> bool:
    """Whether an error says that the connection has ended. Servers use the code of it too, which is -32000."""
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED and error.message.startswith(_LOST)


def why_not_connected(error: BaseException, server: Server) -> str:
    """Why there is no connection to a server."""
    return _without_secrets(f"{server.described} {_connecting(next(leaves(error)), server)}", server)


def why_no_result(error: BaseException, server: Server) -> str:
    """Why a request that was sent has no result."""
    return _without_secrets(f"{server.described} {_calling(next(leaves(error)))}", server)


def _connecting(error: BaseException, server: Server) -> str:
    match error:
        case httpx2.HTTPStatusError(response=response):
            return f"answered {response.status_code} {response.reason_phrase}".rstrip()
        case TimeoutError() | httpx2.HTTPError() | httpx2.InvalidURL():
            return f"cannot be reached ({type(error).__name__})"
        case OSError():
            verb = "reached" if isinstance(server, HttpServer) else "started"
            return f"cannot be {verb}: {error.strerror or type(error).__name__}"
        case _:
            return _calling(error)


def _calling(error: BaseException) -> str:
    match error:
        case MCPError() if is_lost(error):
            return "ended the connection"
        case anyio.ClosedResourceError() | anyio.BrokenResourceError():
            return "ended the connection"
        case MCPError(data={"reason": reason}) if reason == _STATE_REFUSED:
            return "took the answer for too late: it has closed this question, or restarted with other keys"
        case MCPError():
            return f"answered with an error: {plain_line(error.message, limit=_SHORT)} (error {error.code})"
        case ValidationError():
            return f"broke the protocol: {_first_fault(error)}"
        case ElicitkitError() | RuntimeError():  # The SDK's, for results that are not what the tool promised.
            return f"broke the protocol: {plain_line(str(error), limit=_SHORT)}"
        case _:
            return f"cannot be talked to ({type(error).__name__})"


def _first_fault(error: ValidationError) -> str:
    """Where the first fault is and what; without the value, which may be private."""
    fault = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, fault["loc"]))
    return plain_line(f"{error.title}: {where}: {fault['msg']}", limit=_SHORT)


def _without_secrets(text: str, server: Server) -> str:
    """What a server says may quote what it was given: the values of its variables and headers are taken out."""
    values = server.env if isinstance(server, StdioServer) else server.headers
    for value in sorted(values.values(), key=len, reverse=True):
        for secret in (value, *value.split()):
            text = text.replace(secret, "…") if len(secret) >= _HIDDEN else text
    return text
