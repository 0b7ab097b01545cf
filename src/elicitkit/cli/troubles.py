"""What went wrong between us and a server, in one line for people."""

from __future__ import annotations

from typing import Any, TypeGuard

import anyio
import httpx2
from mcp import InputRequiredRoundsExceededError, MCPError, UrlElicitationRequiredError
from mcp_types import CONNECTION_CLOSED, URL_ELICITATION_REQUIRED, ElicitRequestURLParams
from pydantic import ValidationError

from ..errors import TaskOutOfReach
from ..host.servers import HttpServer, Server, StdioServer
from ..host.steady import UNREACHED
from ..host.troubles import STATE_REFUSED, first_fault, leaves, not_there
from .exits import Exit, Failure


def trouble(error: Exception, server: Server) -> Failure:
    """The failure that an error from a connection comes down to.

    The SDK raises what happens inside a connection as groups in groups; the first of ours in them counts, else the
    first of all.
    """
    found = list(leaves(error))
    first = next((leaf for leaf in found if isinstance(leaf, Failure)), found[0])
    if isinstance(first, Failure):
        return first
    return Failure(Exit.UNREACHABLE, _reason(first, server))


def refusal(error: MCPError, tool: str) -> MCPError | Failure:
    """What an error that answered the call of a tool comes down to; a lost connection stays what it is."""
    if error.code == CONNECTION_CLOSED:
        return error
    if error.code == URL_ELICITATION_REQUIRED:
        return Failure(
            Exit.TOOL_FAILED,
            f"the tool {tool!r} wants a link to be opened first: {error.message}",
            details="\n".join(_links(error.data)),
        )
    if isinstance(error.data, dict) and error.data.get("reason") == STATE_REFUSED:
        return Failure(Exit.TOOL_FAILED, "the answer came too late: the server has closed this question, or restarted")
    return Failure(Exit.TOOL_FAILED, f"the call of {tool!r} failed: {error.message} (error {error.code})")


def required_links(error: MCPError) -> list[ElicitRequestURLParams]:
    """The links that an error says are to be opened first; none where it says something else, or not as it should."""
    if error.code != URL_ELICITATION_REQUIRED:
        return []
    try:
        return UrlElicitationRequiredError.from_error(error.error).elicitations
    except (ValidationError, AttributeError, TypeError):
        return []


def _links(data: Any) -> list[str]:
    asked = data.get("elicitations") if isinstance(data, dict) else None
    return [str(one.get("url")) for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []


def _reason(error: BaseException, server: Server) -> str:
    name = server.described
    match error:
        case TaskOutOfReach() if _is_lost(error.__cause__):
            return _reason(error.__cause__, server)
        case TaskOutOfReach():
            return f"the task at {name} cannot be waited for: {error.why}"
        case MCPError() if _is_lost(error):
            gone = error.message.startswith(UNREACHED)
            return f"{name} cannot be reached" if gone else f"{name} ended the connection"
        case anyio.ClosedResourceError() | anyio.BrokenResourceError():
            return f"{name} ended the connection"
        case MCPError():
            return f"{name} refused to start talking: {error.message} (error {error.code})"
        case ValidationError():
            return f"{name} broke the protocol: {first_fault(error)}"
        case InputRequiredRoundsExceededError():
            return f"{name} asked for more than {error.max_rounds} rounds of answers in one call"
        case RuntimeError():
            return f"{name} broke the protocol: {_first_line(error)}"
        case httpx2.HTTPStatusError():
            answer = f"{error.response.status_code} {error.response.reason_phrase}".strip()
            return f"{name} answered {answer}: it wants credentials, which the 'headers' of a --config file can carry"
        case TimeoutError() | httpx2.HTTPError() | httpx2.InvalidURL():
            return f"{name} cannot be reached: {_first_line(error)}"
        case FileNotFoundError() | NotADirectoryError() if isinstance(server, StdioServer):
            return f"{name} cannot be started: {not_there(server)}"
        case OSError():
            verb = "reached" if isinstance(server, HttpServer) else "started"
            return f"{name} cannot be {verb}: {error.strerror or _first_line(error)}"
        case _:
            return f"the connection to {name} failed: {_first_line(error)}"


def _is_lost(error: BaseException | None) -> TypeGuard[MCPError]:
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
