"""`Upstream`: one server of a host, across all its connections: what it offers, how it is, and how to get there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Final, Literal, TextIO, TypeAlias

import anyio
from mcp import Client, MCPError
from mcp.client import ClientExtension, ClientRequestContext, IncomingMessage, Transport
from mcp_types import ElicitCompleteNotification, ElicitResult, ErrorData, Implementation, Tool
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from ..errors import ServerUnavailable
from ..naming import nearest
from ..safety import plain_line
from ..tasks.client_reach import OUTAGE
from .asked import Params
from .completions import Completions
from .connection import Connection
from .form_only import FormOnly
from .servers import SHOWN, HttpServer, Server, transport
from .settings import Protocol, Settings
from .sse import sse_transport
from .task_rounds import with_tasks
from .troubles import is_lost, leaves, why_no_result, why_not_connected
from .watched import Watched

logger: logging.Logger = logging.getLogger(__name__)

TOOL_PAGES: Final = 100
"""How many pages of tools are read before a list counts as endless."""

MODES: Final[dict[Protocol, str]] = {"auto": "auto", "handshake": "legacy"}
"""How the SDK calls the eras."""

Answering: TypeAlias = Callable[["Upstream", Connection, Params], Awaitable[ElicitResult | ErrorData]]
"""Answers a question that a server asked over a connection, while a request was open."""

OpenWay: TypeAlias = Callable[[Server, Connection], Transport]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server is."""

    name: str

    state: Literal["connected", "disabled", "failed"]

    _: KW_ONLY

    reason: str = ""
    """Why it failed, for people; it holds no secret."""

    protocol_version: str = ""
    """The revision that is spoken, where it is connected."""


@dataclass(frozen=True, slots=True)
class Plug:
    """What all connections of a host have in common."""

    client_info: Implementation

    answering: Answering | None
    """Answers what servers ask; without one, no elicitation is declared."""

    with_links: bool
    """Whether URL mode is declared too."""

    errlog: TextIO | None = None
    """Where the processes of servers write their standard error; this process's own if none is given."""

    extensions: Callable[[str], Sequence[ClientExtension]] = lambda _: ()
    """Makes the SDK's client extensions for a server, by its name."""

    outage: float | None = OUTAGE
    """How long the server of a task may fail, in seconds; `None` for ever."""


class Upstream:
    """One server. It is connected again when it is needed and its connection has ended."""

    def __init__(self, name: str, settings: Settings, plug: Plug) -> None:
        self.name = name
        self.settings = settings
        self.tools: tuple[Tool, ...] = ()
        """The tools it offers and the host lets be called, as they were listed last."""
        self.completions: Completions = Completions()
        """Which links it said are done."""
        self.open_questions = 0
        """How many of its questions are open that came while a request was."""
        self.extensions: tuple[ClientExtension, ...] = with_tasks(plug.extensions(name), plug.outage)
        self._plug = plug
        self._connecting = asyncio.Lock()
        self._connection: Connection | None = None
        self._opened: list[Connection] = []
        self._reason = "it was not connected yet"
        self._missing: list[str] = []
        self.is_closed: bool = False
        """Whether the host has ended it for good."""

    @property
    def status(self) -> ServerStatus:
        """How it is now."""
        connection = self._connection
        if self.is_closed:
            return ServerStatus(self.name, "failed", reason=self._closed)
        if connection is None:
            return ServerStatus(self.name, "failed", reason=self._reason)
        if connection.is_over:
            ended = f"{self.settings.server.described} ended the connection; the next call connects again"
            return ServerStatus(self.name, "failed", reason=ended)
        return ServerStatus(self.name, "connected", protocol_version=connection.client.protocol_version)

    async def connection(self) -> Connection:
        """The connection, opened anew if there is none.

        Raises:
            ServerUnavailable: If it cannot be opened, or the tools not be listed; nothing else was sent.
        """
        async with self._connecting:
            if self.is_closed:
                raise ServerUnavailable(self._closed)
            if self._connection is None or not self._connection.is_usable:
                self._connection = None
                self._connection = await self._connected()
            return self._connection

    @property
    def _closed(self) -> str:
        return f"{self.described} is not connected to any more: the host has ended"

    @property
    def described(self) -> str:
        """What the result of a call may call it: its name here, since many are started by the same program."""
        return plain_line(self.name, limit=SHOWN)

    def why_no_result(self, error: BaseException, *, status: str) -> str:
        """Why a request that was sent has no result; it is not the server's doing where the host ended."""
        if self.is_closed:
            return self._closed
        return why_no_result(error, self.settings.server, name=self.described, status=status)

    async def list_tools(self, connection: Connection) -> None:
        """List its tools anew; the SDK learns from the list which headers a call needs.

        Raises:
            TimeoutError: If that took too long.
            MCPError, ValidationError: As the SDK raises them.
        """
        with anyio.fail_after(self.settings.seconds):
            listed = await _listed(connection.client, self.name)
        self.tools = tuple(tool for tool in listed if self.settings.offers(tool.name))
        self._tell_of_missing(tool.name for tool in listed)

    def _tell_of_missing(self, listed: Iterable[str]) -> None:
        """Log, once for each list that says so, which tools the entry allows that the server does not have."""
        missing = sorted((self.settings.allowed or frozenset()).difference(known := [*listed]))
        if missing and missing != self._missing:
            hints = ", ".join(f"{name!r} ({nearest(name, known)})" for name in missing)
            logger.warning("the server %r does not have every tool that its entry allows: %s", self.name, hints)
        self._missing = missing

    async def refresh(self) -> None:
        """List its tools anew, over a new connection where there is none; where that fails, the status tells."""
        with suppress(ServerUnavailable):
            connection = await self.connection()
            try:
                await self.list_tools(connection)
            except Exception as error:
                self._reason, self._connection = self._told(error, connection), None
                connection.retire()  # A call that waits for its task can go on when the server is back.

    def takes_turns(self, connection: Connection) -> bool:
        """Whether calls over a connection go one at a time, because a question could not be told whose it is.

        Where the server asks during a request and over one stream for all, the SDK does not know.
        """
        asks_in_requests = connection.client.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        return self._plug.answering is not None and asks_in_requests and connection.has_one_stream

    async def close(self) -> None:
        """End all connections for good, and wait until they have."""
        self.is_closed = True
        await asyncio.gather(*(connection.close() for connection in self._opened))

    async def _connected(self) -> Connection:
        reasons: list[str] = []
        for way in self._ways():
            connection = Connection(partial(self._client, way), has_one_stream=way is not _by_http)
            try:
                return await self._through(connection)
            except Exception as error:
                reasons.append(self._told(error, connection))
                if not _speaks_otherwise(error):
                    break
        self._reason = ", and by SSE ".join(reasons)
        raise ServerUnavailable(self._reason) from None

    async def _through(self, connection: Connection) -> Connection:
        self._opened = [one for one in self._opened if not one.is_closed] + [connection]
        await connection.open(self.settings.seconds)
        try:
            await self.list_tools(connection)
        except BaseException:
            connection.end()
            raise
        return connection

    def _ways(self) -> Iterator[OpenWay]:
        server, way = self.settings.server, self.settings.way
        if not isinstance(server, HttpServer):
            yield lambda process, _: transport(process, errlog=self._plug.errlog)
            return
        if way != "sse":
            yield _by_http
        if way != "http":
            yield _by_sse

    def _client(self, way: OpenWay, connection: Connection) -> Client:
        opened: Transport = Watched(way(self.settings.server, connection), connection.end)
        answering = self._plug.answering

        async def asked(context: ClientRequestContext, params: Params) -> ElicitResult | ErrorData:
            assert answering is not None
            return await answering(self, connection, params)

        return Client(
            opened if self._plug.with_links else FormOnly(opened),
            elicitation_callback=None if answering is None else asked,
            mode=MODES[self.settings.protocol],
            message_handler=self._told_of,
            client_info=self._plug.client_info,
            extensions=self.extensions,
            cache=None,  # A list of tools is asked for when it is wanted.
        )

    async def _told_of(self, message: IncomingMessage) -> None:
        if isinstance(message, ElicitCompleteNotification):
            self.completions.note(message.params.elicitation_id)

    def _told(self, error: Exception, connection: Connection) -> str:
        if isinstance(error, TimeoutError):
            return f"{self.settings.server.described} said nothing for {self.settings.seconds:g} seconds"
        return why_not_connected(error, self.settings.server, status=connection.refusal)


def _by_http(server: Server, connection: Connection) -> Transport:
    return transport(server, refused=connection.refused)


def _by_sse(server: Server, connection: Connection) -> Transport:
    assert isinstance(server, HttpServer)
    return sse_transport(server)


def _speaks_otherwise(error: Exception) -> bool:
    """Whether something answered at a URL that does not know the streamable transport (2025-06-18, Transports)."""
    return all(isinstance(leaf, MCPError) and not is_lost(leaf) for leaf in leaves(error))


async def _listed(client: Client, server: str) -> list[Tool]:
    """All its tools. Of those with one name the first is kept, and a list without an end is left."""
    if client.server_capabilities.tools is None:
        return []
    tools: dict[str, Tool] = {}
    cursor: str | None = None
    seen: set[str | None] = {None}
    while True:
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            if tools.setdefault(tool.name, tool) is not tool:
                logger.warning("the server %r lists the tool %r twice; the first is kept", server, tool.name[:80])
        cursor = page.next_cursor
        if cursor is None:
            break
        if cursor in seen or len(seen) == TOOL_PAGES:
            logger.warning("the list of tools of the server %r has no end; what was read is kept", server)
            break
        seen.add(cursor)
    return [*tools.values()]
