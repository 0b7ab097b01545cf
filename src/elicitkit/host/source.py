"""`McpSource`: the tools of all MCP servers of a host, with one slot for what they ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TextIO

from mcp.client import ClientExtension
from mcp_types import CallToolResult, Implementation, Tool

from .._json import frozen
from ..asking.road import seconds_of
from ..errors import ServerUnavailable
from ..naming import nearest
from ..suspension import Answer, declined_or_expired, new_id
from ..suspension.wire import frozen_object
from ..tasks.client_reach import OUTAGE
from .answering import Hook, Slot, WaitFor
from .asked import MODES, Mode
from .at_once import USUAL, Usual
from .config import read_config, servers_in
from .names import Names, prefix_of
from .pending_calls import PendingCall
from .policy import Policy
from .progress import Progress
from .rounds import Rounds, failure
from .rule import in_time
from .settings import settings_from
from .tools import ToolInfo
from .upstream import Plug, ServerStatus, Upstream

LINK_SECONDS: Final = 30.0
"""How long a server may take to tell that a link is done, before the call that required it is made again."""


class McpSource:
    """The tools of all MCP servers of a host. Make one with `McpSource.load`, and use it in an `async with`.

    What any server asks, in whichever era, becomes a `Request` that goes through one slot; see `Slot` for what becomes
    of it. A server that cannot be used is told in `statuses`, and never breaks the others.
    """

    def __init__(self, servers: Mapping[str, object], rounds: Rounds, plug: Plug) -> None:
        self._rounds, self._plug = rounds, plug
        self._entries = dict(servers)
        self._upstreams: dict[str, Upstream] = {}
        self._unused: dict[str, ServerStatus] = {}
        self._names = Names()
        self._listed: dict[str, tuple[tuple[Tool, ...], list[ToolInfo]]] = {}

    @classmethod
    def load(
        cls,
        config: str | Path | Mapping[str, Any],
        *,
        wait_for: WaitFor | Slot | None = None,
        suspend: bool = False,
        policy: Policy | None = None,
        timeout: timedelta | float | None = None,
        on_ask: Hook | None = None,
        on_answer: Hook | None = None,
        at_once: int | Usual | None = USUAL,
        modes: Collection[Mode] = MODES,
        link_seconds: float = LINK_SECONDS,
        outage: timedelta | float | None = OUTAGE,
        client_info: Implementation | None = None,
        errlog: TextIO | None = None,
        extensions: Callable[[str], Sequence[ClientExtension]] = lambda _: (),
    ) -> Self:
        """Read which servers there are. They are connected to in the `async with`, all at the same time.

        With a `wait_for`, a policy that answers something, or `suspend`, servers are told that they may ask; without,
        they are not.

            async with McpSource.load("mcp.json", wait_for=wait_for) as source:
                result = await source.call("shop_checkout", {"cart": "42"})

        Args:
            config: A file such as `mcp.json`, or what one holds; `settings_from` tells what an entry may have.
            wait_for: The host's function for people; or a `Slot`, which others use too.
            suspend: Do not wait for people: a call that needs one returns a `PendingCall`, for `resume`.
            policy: What may be answered without a person; nothing by default.
            timeout: How long a person may take for one question, in seconds or as a `timedelta`; with `suspend`, from
                when the call was suspended. Their time never counts against the time that a server may take.
            on_ask: Called with each request; sync or async.
            on_answer: Called with each request and its answer, whoever gave it, also when a question is withdrawn.
            at_once: How many questions are shown at a time; `None` is all of them. When nothing is said it is one, and
                all of them for the `wait_for` of an `Inbox`.
            modes: What is declared: `form`, and `url` for links.
            link_seconds: How long a server that required a link may take to tell that it is done (2025-11-25).
            outage: How long the server of a task may fail before the task is left as it is, in seconds or as a
                `timedelta`; `None` for ever. A `TasksClient` among the *extensions* has its own.
            client_info: How this host greets servers.
            errlog: A real file for what the processes of servers write to their standard error.
            extensions: Makes the SDK's client extensions for a server, by its name.

        Raises:
            TypeError: If *config* is no file and no dict, arguments do not go together, or one is of the wrong type.
            ValueError: If *config* has no servers, or is no JSON; *modes* has no forms; or a time is not positive.
            OSError: If it cannot be read.
        """
        if suspend and wait_for is not None:
            raise TypeError("a host waits for people, with wait_for, or it suspends, with suspend=True; not both")
        options = {"policy": policy, "timeout": timeout, "on_ask": on_ask, "on_answer": on_answer}
        slot = Slot.of(wait_for, options, at_once=at_once)
        _refuse_arguments(modes, extensions, client_info, errlog)
        seconds = seconds_of(link_seconds, what="link_seconds")
        servers = _servers(config)
        asks = slot.may_answer(later=suspend)
        patience = seconds_of(outage, what="outage")
        rounds = Rounds(
            slot,
            frozenset(modes if asks else ()),
            suspend=suspend,
            link_seconds=LINK_SECONDS if seconds is None else seconds,
            outage=patience,
        )
        plug = Plug(
            client_info or Implementation(name="elicitkit", version=_version()),
            rounds.on_question if asks else None,
            with_links="url" in rounds.modes,
            errlog=errlog,
            extensions=extensions,
            outage=patience,
        )
        return cls(servers, rounds, plug)

    async def __aenter__(self) -> Self:
        self.slot.hold()
        try:
            for name, entry in self._entries.items():
                self._prepare(name, entry)
            await asyncio.gather(*map(_reached, self._upstreams.values()))
        except BaseException:
            await self._close()
            raise
        finally:
            self.slot.release()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    @property
    def slot(self) -> Slot:
        """Where the questions go. `hold` and `release` let them wait while the host is not ready to show them."""
        return self._rounds.slot

    @property
    def statuses(self) -> dict[str, ServerStatus]:
        """How each server of the configuration is now, by name."""
        used = {name: upstream.status for name, upstream in self._upstreams.items()}
        return {name: used.get(name) or self._unused[name] for name in self._entries if name in used | self._unused}

    @property
    def tools(self) -> list[ToolInfo]:
        """The tools there are, in the order of the configuration and of their servers' lists."""
        return [info for upstream in self._upstreams.values() for info in self._infos(upstream)]

    def _infos(self, upstream: Upstream) -> list[ToolInfo]:
        """What a model is told of the tools of a server, made once of each list: schemas are large."""
        tools, infos = self._listed.get(upstream.name, ((), []))
        if tools is not upstream.tools:
            infos = [self._info(upstream.name, tool) for tool in upstream.tools]
            self._listed[upstream.name] = (upstream.tools, infos)
        return infos

    def _info(self, server: str, tool: Tool) -> ToolInfo:
        name, schema = self._names.name(server, tool.name), frozen(tool.input_schema)
        return ToolInfo(name, server, tool.name, tool.description or "", schema)

    async def refresh(self) -> None:
        """List all tools anew, and connect again to servers that have failed; `statuses` tells which did again."""
        await asyncio.gather(*(upstream.refresh() for upstream in self._upstreams.values()))

    async def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, call_id: str | None = None
    ) -> CallToolResult | PendingCall:
        """Call a tool, and put what it asks to the slot; with `suspend`, return as soon as a person is needed.

        What a server does wrong comes back as a result with `is_error`, for the model to see: that it cannot be
        reached, took too long, ended the connection, or broke the protocol. A question is open as long as its call
        is, and in the handshake eras as long as its connection. On 2026-07-28 it outlives the connection.

        Args:
            name: The name in `tools`.
            arguments: What it is called with.
            call_id: What the call is known by in the `Origin` of what it asks; else a new one.

        Returns:
            The result; with `suspend` also a `PendingCall`. On a connection of the handshake eras a question cannot
            wait for later: it is cancelled, and the result an error that starts with `unsupported:`.

        Raises:
            ValueError: If there is no such tool; the text has the nearest name.
            TypeError: If the arguments are no JSON object.
        """
        upstream, tool = self._found(name)
        given = frozen_object("the arguments", arguments) or {}
        try:
            return await self._rounds.run(upstream, tool, given, Progress(call_id or new_id("call")))
        except ServerUnavailable as error:
            return failure(str(error))

    async def resume(
        self, pending: PendingCall | str | bytes | Mapping[str, Any], answer: Answer
    ) -> CallToolResult | PendingCall:
        """Go on with a call that was suspended, in this process or another one.

        A question of the same round, or of another, makes it a `PendingCall` again. A pending call is a value: it can
        be resumed as often as one likes, and a server may then run the tool as often. Resume each once, and keep it
        until there is a result. Where a call is a task whose server fails for too long, the new `PendingCall` asks
        whether to go on: it has the task, and the answer too, if that may not have arrived.

        Args:
            pending: What `call` or `resume` returned, or its JSON, as text or read.
            answer: The answer to its request.

        Returns:
            As `call` does.

        Raises:
            ServerUnavailable: If the server cannot be reached. Nothing was sent; the pending call can be resumed. A
                server that goes away after it had the answer is an error result.
            AnswerError: If the answer does not fit the form. Nothing was sent, as above.
            ContractError: If it is the answer to another request, or *pending* is none of ours.
            ValueError: If the server or its tool is not in this configuration.
            TypeError: If something is of the wrong type, or this source waits for people itself.
        """
        if not self._rounds.suspend:
            raise TypeError("a source that waits for people has nothing to resume: load it with suspend=True")
        call = _pending(pending)
        upstream = self._upstream_of(call)
        progress = Progress.from_state(call.state, call.request)
        answer = await self.slot.received(call.request, in_time(call, answer, at=datetime.now(UTC)))
        question = progress.questions[0]
        if question.key is None and not answer.ok:
            return failure(declined_or_expired(call.request))
        return await self._rounds.run(upstream, call.tool, call.arguments, progress.answered(question, answer))

    def _prepare(self, name: str, entry: object) -> None:
        try:
            settings = settings_from(name, entry)
        except ValueError as error:
            self._unused[name] = ServerStatus(name, "failed", reason=str(error))
            return
        if settings is None:
            self._unused[name] = ServerStatus(name, "disabled")
        else:
            self._upstreams[name] = Upstream(name, settings, self._plug)

    def _found(self, name: str) -> tuple[Upstream, str]:
        """The server and its own name of a tool."""
        tools = {info.name: (self._upstreams[info.server], info.tool) for info in self.tools}
        if name not in tools:
            self._require_open()
            raise ValueError(f"no tool {name!r}: {nearest(name, tools)}{self._missing(name)}")
        return tools[name]

    def _missing(self, name: str) -> str:
        """What is wrong with the servers that a tool of this name might be of."""
        failed = [one for one in self.statuses.values() if one.state == "failed"]
        related = [one for one in failed if name.startswith(prefix_of(one.name))]
        return "".join(f". The server {one.name!r} has failed: {one.reason}" for one in related)

    def _upstream_of(self, call: PendingCall) -> Upstream:
        upstream = self._upstreams.get(call.server)
        if upstream is None:
            self._require_open()
            raise ValueError(f"no server {call.server!r} to resume a call at: {nearest(call.server, self._upstreams)}")
        if not upstream.settings.offers(call.tool):
            raise ValueError(f"the tool {call.tool!r} of the server {call.server!r} is not one that may be called")
        return upstream

    def _require_open(self) -> None:
        """Say what is missing where there is nothing at all: each server was looked at on entering the block."""
        if self._entries and not (self._upstreams or self._unused):
            raise ValueError("the source is not open: use it as in `async with McpSource.load(…) as source:`")

    async def _close(self) -> None:
        self._rounds.withdraw()
        await asyncio.gather(*(upstream.close() for upstream in self._upstreams.values()))


def _refuse_arguments(modes: object, extensions: object, client_info: object, errlog: object) -> None:
    """Say at once what every server would fail with.

    Raises:
        TypeError: If something is of the wrong type.
        ValueError: If there are no forms among the modes, or something else.
    """
    if isinstance(modes, str) or not isinstance(modes, Collection):
        raise TypeError("modes are a collection, such as {'form', 'url'}")
    if "form" not in modes or not set(modes) <= set(MODES):
        raise ValueError("modes are 'form' and 'url', and no host leaves out 'form'")
    if not callable(extensions):
        raise TypeError(f"extensions is a function of a server's name, not {type(extensions).__name__}")
    if not (client_info is None or isinstance(client_info, Implementation)):
        raise TypeError(f"client_info is an Implementation of mcp_types, not {type(client_info).__name__}")
    if not (errlog is None or _is_real_file(errlog)):
        raise TypeError(f"errlog is a real file, opened for text: a process writes to it; not {type(errlog).__name__}")


def _is_real_file(file: Any) -> bool:
    try:
        return isinstance(file.fileno(), int)
    except (AttributeError, OSError, ValueError):  # One in memory has no number.
        return False


def _servers(config: object) -> dict[str, Any]:
    if isinstance(config, (str, Path)):
        return read_config(config)
    if not isinstance(config, Mapping):
        raise TypeError(f"servers are loaded from a file or a dict, not from {type(config).__name__}")
    return servers_in(config, "the configuration")


def _pending(given: PendingCall | str | bytes | Mapping[str, Any]) -> PendingCall:
    if isinstance(given, PendingCall):
        return given
    return PendingCall.from_dict(given) if isinstance(given, Mapping) else PendingCall.from_json(given)


async def _reached(upstream: Upstream) -> None:
    with suppress(ServerUnavailable):  # Its status tells.
        await upstream.connection()


def _version() -> str:
    try:
        return metadata.version("elicitkit")
    except metadata.PackageNotFoundError:  # It is run from a checkout.
        return "0+uninstalled"
