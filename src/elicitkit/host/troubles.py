"""What went wrong between a host and a server, in one line that may be shown: it holds no secret of the host's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, CORE_RESULT_TYPES, INVALID_REQUEST
from pydantic import ValidationError

from ..errors import ElicitkitError
from ..safety import plain_line
from .secrecy import Secrets
from .servers import HttpServer, Server, StdioServer
from .steady import UNREACHED

_SHORT = 300
"""What is left of a stranger's words, in characters."""

STATE_REFUSED: Final = "invalid_request_state"
"""The SDK's reason when the sealed state of a call has expired, or was sealed with another key."""

_LOST = ("Connection closed", "SSE stream ", UNREACHED)
"""How the SDK, or a client of ours below it, begins to say that a connection or the stream of a request has ended."""

_NO_WAY_BACK = "no back-channel"
"""The SDK's words when a tool asks in the middle of its request, in an era that has no way for that."""

_STAND_INS = ("Not Found", "Session terminated", "Server returned an error response")
"""The SDK's words in place of a status of HTTP."""

_ASKED = "inputRequests"
_MODES = ("ElicitRequestFormParams", "ElicitRequestURLParams")
_MODELS = frozenset({"ElicitRequest", *_MODES})
"""The SDK's names for what may stand in a round, in the places that pydantic gives."""

_WORD = 40
"""What is left of a stranger's word, in characters."""

_DUMP = re.compile(r"\s*\[type=.*", re.DOTALL)
"""What pydantic adds to a fault: the value, which may be private, and a link."""


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


def why_not_connected(error: BaseException, server: Server, *, status: str = "") -> str:
    """Why there is no connection to a server.

    Args:
        error: What was raised.
        server: Where to.
        status: The status of HTTP that it refused with, which the SDK does not tell.
    """
    found = next(leaves(error))
    why = f"answered {status}" if status and _is_stand_in(found) else _connecting(found, server)
    return _without_secrets(f"{server.described} {why}", server)


def why_no_result(error: BaseException, server: Server, *, name: str, status: str = "") -> str:
    """Why a request that was sent has no result, as `why_not_connected` tells it; *name* is what calls know it by."""
    found = next(leaves(error))
    why = f"answered {status}" if status and _is_stand_in(found) else _calling(found)
    return _without_secrets(f"{name} {why}", server)


def _is_stand_in(error: BaseException) -> bool:
    return isinstance(error, MCPError) and error.message in _STAND_INS


def _connecting(error: BaseException, server: Server) -> str:
    match error:
        case httpx2.HTTPStatusError(response=response):
            return f"answered {response.status_code} {response.reason_phrase}".rstrip()
        case TimeoutError() | httpx2.HTTPError() | httpx2.InvalidURL():
            return f"cannot be reached ({type(error).__name__})"
        case FileNotFoundError() | NotADirectoryError() if isinstance(server, StdioServer):
            return f"cannot be started: {not_there(server)}"
        case OSError():
            verb = "reached" if isinstance(server, HttpServer) else "started"
            return f"cannot be {verb}: {error.strerror or type(error).__name__}"
        case _:
            return _calling(error)


def not_there(server: StdioServer) -> str:
    """What is missing for a process to be started: the system says only that something is."""
    if server.cwd is not None and not Path(server.cwd).is_dir():
        return "its cwd is no folder"
    if len(server.command.split()) > 1:
        return "there is no such program. The command is the program alone; what it is called with goes into args"
    return "there is no such program"


def _calling(error: BaseException) -> str:
    match error:
        case MCPError() if is_lost(error) and error.message.startswith(UNREACHED):
            return error.message.replace("The server ", "", 1)
        case MCPError() if is_lost(error):
            return "ended the connection"
        case anyio.ClosedResourceError() | anyio.BrokenResourceError():
            return "ended the connection"
        case TimeoutError():
            return "did not answer"
        case MCPError(data={"reason": reason}) if reason == STATE_REFUSED:
            return "took the answer for too late: it has closed this question, or restarted with other keys"
        case MCPError(code=code) if code == INVALID_REQUEST and _NO_WAY_BACK in error.message:
            return (
                'asks in the middle of a call, which is not possible on 2026-07-28. With "protocol": "handshake" in '
                f"its entry of the configuration it is: {_said(error.message)} (error {error.code})"
            )
        case MCPError():
            return f"answered with an error: {_said(error.message)} (error {error.code})"
        case ValidationError():
            return f"broke the protocol: {plain_line(first_fault(error), limit=_SHORT)}"
        case ElicitkitError() | RuntimeError():  # The SDK's, for results that are not what the tool promised.
            return f"broke the protocol: {_said(str(error))}"
        case _:
            return f"cannot be talked to ({type(error).__name__})"


def first_fault(error: ValidationError) -> str:
    """Where the fault is that says most, and what; without the value, which may be private."""
    faults = error.errors(include_url=False)
    if (kind := _unknown_type(faults)) is not None:
        return f"its result is of the type {plain_line(kind, limit=_WORD)!r}, which is none that is known"
    if (asked := _fault_of_a_question(faults)) is not None:
        at = asked["loc"].index(_ASKED)
        where = ".".join(str(part) for part in asked["loc"][at:] if part not in _MODELS)
        return f"{where}: {asked['msg']}"
    where = ".".join(map(str, faults[0]["loc"]))
    return f"{error.title}: {where}: {faults[0]['msg']}" if where else f"{error.title}: {faults[0]['msg']}"


def _unknown_type(faults: Sequence[Mapping[str, Any]]) -> str | None:
    """The type of a whole result, where it is one that no revision and no extension has."""
    wholes = (fault["input"] for fault in faults if fault["type"] == "missing" and isinstance(fault["input"], Mapping))
    kinds = (whole.get("resultType") for whole in wholes)
    return next((kind for kind in kinds if isinstance(kind, str) and kind not in CORE_RESULT_TYPES), None)


def _fault_of_a_question(faults: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The first fault of an elicitation in a round, of the mode that it is in; of its mode, where that is none."""
    of_mode = [[fault for fault in faults if _ASKED in fault["loc"] and model in fault["loc"]] for model in _MODES]
    for found in of_mode:
        if found and found[0]["loc"][-1] != "mode":
            return found[0]
    return next((found[0] for found in of_mode if found), None)


def _said(text: str) -> str:
    return plain_line(_DUMP.sub("", text), limit=_SHORT)


def _without_secrets(text: str, server: Server) -> str:
    """What a server says may quote what it was given: its variables, its headers, and the query of its URL."""
    if isinstance(server, StdioServer):
        return Secrets(server.env.values()).without(text)
    parts = urlsplit(server.url)
    in_url = [value for _, value in parse_qsl(parts.query)] + [parts.password or ""]
    return Secrets([*server.headers.values(), *in_url]).without(text)
