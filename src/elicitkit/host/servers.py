"""The servers a host can reach, and the transport to each for the SDK's client."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TextIO, TypeAlias
from urllib.parse import urlsplit

import httpx2
from mcp.client import Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ..safety import plain_line
from ..tasks.client_reach import note_refusal
from .quiet_logs import hide_queries
from .steady import SteadyClient, is_about_a_task

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_OPTIONS: Final = re.compile(r"\s+-")

SHOWN: Final = 200
"""What is shown of the name of a server, in characters."""

CONNECT_SECONDS: Final = 30.0
"""How long a connection over HTTP may take to open. Reading has no limit: a person may be typing."""


@dataclass(frozen=True, slots=True)
class StdioServer:
    """A server that is started as a process of its own, and spoken to over its standard input and output."""

    command: str

    _: KW_ONLY

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Set on top of the few harmless variables that every server gets; secrets are usual here, so it is never shown."""

    cwd: str | None = None

    @property
    def described(self) -> str:
        """What an error may call it; options that were written into the command are left out, as they hold secrets."""
        return plain_line(Path(_OPTIONS.split(self.command, maxsplit=1)[0]).name, limit=SHOWN)


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server that listens at a URL (streamable HTTP)."""

    url: str = field(repr=False)

    _: KW_ONLY

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; secrets are usual here, so they are never shown."""

    @property
    def described(self) -> str:
        """What an error may call it: the URL without user, query and fragment, in which secrets are usual."""
        parts = urlsplit(self.url)
        return plain_line(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}", limit=SHOWN)


class Refused(Protocol):
    """What is told of a status that says that something went wrong."""

    def __call__(self, status: str, *, is_forgotten: bool) -> None:
        """Note it."""


_SESSION = "mcp-session-id"

Server: TypeAlias = StdioServer | HttpServer
"""A server that can be reached."""


def transport(
    server: Server, *, errlog: TextIO | None = None, refused: Refused = lambda status, *, is_forgotten: None
) -> Transport:
    """The transport to a server, for the SDK's `Client`.

    Args:
        server: Where to.
        errlog: A real file for what the process of a server writes to its standard error; this process's own if none
            is given.
        refused: Called when a server over HTTP answers with a status of 400 and more: with it, and whether that says
            that the session is no longer known, so that the request was not looked at.
    """
    match server:
        case StdioServer():
            parameters = StdioServerParameters(
                command=server.command, args=list(server.args), env=dict(server.env), cwd=server.cwd
            )
            return stdio_client(parameters) if errlog is None else stdio_client(parameters, errlog)
        case HttpServer():
            return _open_http(server, refused)


@asynccontextmanager
async def _open_http(server: HttpServer, refused: Refused) -> AsyncIterator[TransportStreams]:
    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            is_forgotten = response.status_code == 404 and _SESSION in response.request.headers
            note_refusal(response.status_code)
            refused(f"{response.status_code} {response.reason_phrase}".rstrip(), is_forgotten=is_forgotten)

    hide_queries(server.url)
    async with (
        SteadyClient(
            headers=dict(server.headers),
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            limits=httpx2.Limits(max_connections=None),  # In the handshake eras an open question holds a stream open.
            event_hooks={"response": [look, _stop_unauthorized]},
        ) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


async def _stop_unauthorized(response: httpx2.Response) -> None:
    """The SDK would only say that there was an error, and try the other era, which cannot help.

    A task that is not there for these credentials says nothing of the other calls over the connection.
    """
    if response.status_code in (401, 403) and not is_about_a_task(response.request):
        response.raise_for_status()
