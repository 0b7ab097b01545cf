"""`Toolkit`: all tools of a host under one interface, and one slot for all that they ask."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

from mcp_types import CallToolResult

from ..asking.questions import TRIES
from ..errors import ElicitkitError
from ..naming import nearest
from ..safety import plain_line
from ..suspension import Answer, Pending, Request, new_id
from ..suspension.wire import frozen_object
from .answering import Hook, Slot, WaitFor
from .at_once import USUAL, Usual
from .function_tools import FunctionTool
from .names import Names
from .origins import Origin
from .pending_calls import PendingCall
from .policy import Policy
from .results import ToolResult
from .rule import follow, go_on, in_time, settle
from .tools import LocalTool, ToolContext, ToolInfo, guarded, require_tool_name, run_tool
from .turns import ToolCall, Turn


@runtime_checkable
class ToolSource(Protocol):
    """The port of what has tools of servers: `McpSource` is one. Nothing it returns is run again by anybody else."""

    @property
    def tools(self) -> Sequence[Any]:
        """What there is now, each with `name`, `server`, `tool`, `description` and `input_schema`."""
        ...

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> CallToolResult | PendingCall:
        """Call a tool by its name in `tools`. What it asks has *call_id* in its `Origin`."""
        ...

    async def resume(self, pending: PendingCall, answer: Answer) -> CallToolResult | PendingCall:
        """Go on with a call that waited, with an answer, which may be a refusal.

        Where it raises, nothing was sent: what goes wrong after that is a result.
        """
        ...


Stored: TypeAlias = PendingCall | ToolResult | Mapping[str, Any] | str | bytes
"""A call that waits: the value, the result that carries it, or the JSON of either."""

_SHORT = 80


class Toolkit:
    """Tools of MCP servers, Python functions, `question` and HTTP endpoints, called in one way.

    With a `wait_for`, a tool that waits for a person is answered and run once more, and every call ends with a result.
    Without one the result says what it waits for, and `resume` goes on when there is an answer, in another process if
    need be. Calls fail with an error result; nothing is raised but for the mistakes of whoever calls the toolkit.

    A source that was loaded with a `wait_for` of its own asks by itself; one with `suspend=True` asks by the toolkit.

    Args:
        tools: Functions, `FunctionTool`, `HttpTool`, `question`, anything else that is a `LocalTool`, and sources.
        wait_for: The host's one function for people; or a `Slot`, such as that of a source, to ask in one order.
        policy: What is answered without a person. Without a `wait_for`, what it leaves open waits.
        on_ask: Called with each request, before anything else happens to it.
        on_answer: Called with each request and its answer, whoever gave it.
        timeout: How long a person may take from when the request is shown, in seconds or as a `timedelta`; without a
            `wait_for`, from when the call began to wait.
        at_once: How many requests are shown at a time; `None` is all of them. When nothing is said it is one, and all
            of them for the `wait_for` of an `Inbox`.
        tries: How often a form may be answered, until it is right.

    Raises:
        TypeError: If one of the tools is no tool, or as `Slot` does.
        ValueError: If two of the host's own have the same name, or as `Slot` does. A tool of a server that has a name
            which is taken gets another, with a number behind it.
    """

    def __init__(
        self,
        tools: Iterable[Callable[..., Any] | LocalTool | ToolSource],
        *,
        wait_for: WaitFor | Slot | None = None,
        policy: Policy | None = None,
        on_ask: Hook | None = None,
        on_answer: Hook | None = None,
        timeout: timedelta | float | None = None,
        at_once: int | Usual | None = USUAL,
        tries: int = TRIES,
    ) -> None:
        given = [*tools]
        self._sources = [one for one in given if isinstance(one, ToolSource)]
        local = [_local(one) for one in given if not isinstance(one, ToolSource)]
        self._local = {tool.name: tool for tool in local}
        options = {"policy": policy, "on_ask": on_ask, "on_answer": on_answer, "timeout": timeout}
        self._slot = Slot.of(wait_for, options, at_once=at_once, tries=tries)
        _refuse_repeated([tool.name for tool in local])
        self._renamed = Names(self._local)

    def __repr__(self) -> str:
        return f"Toolkit({', '.join(repr(info.name) for info in self.tools)})"

    @property
    def tools(self) -> tuple[ToolInfo, ...]:
        """All tools there are now, for a model: the host's own first. Those of servers may come and go."""
        local = [
            ToolInfo(tool.name, "", tool.name, tool.description, tool.input_schema) for tool in self._local.values()
        ]
        return (*local, *(info for info, _, _ in self._remote))

    async def execute(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, call_id: str | None = None
    ) -> ToolResult:
        """Call a tool.

        What goes wrong is an error result: an unknown name (with the nearest there is), arguments that do not fit, a
        tool that fails, a person who does not agree.

        Args:
            name: One of `tools`.
            arguments: What JSON has, by name.
            call_id: What the call is known by, to its tool and in the `Origin` of what it asks; else a new one.
        """
        try:
            given = frozen_object("what it was called with", arguments) or {}
        except (TypeError, ElicitkitError) as error:
            return ToolResult.error(f"{_shown(name)} was not called: {error}.")
        call_id = call_id or new_id("call")
        for tool in self._local.values():  # Not looked up: a name may be something that cannot be.
            if tool.name == name:
                return await self._run_local(tool, given, call_id)
        for info, source, known_as in self._remote:
            if info.name == name:
                return await self._call_remote(source, known_as, given, call_id)
        return self._unknown(name)

    async def execute_turn(self, calls: Iterable[ToolCall]) -> Turn:
        """Call several tools side by side. The results stand in the order of the calls.

        Without a `wait_for` several may wait; the first in that order is the turn's `pending`. All others have run as
        far as they could, and what they came to stays in the turn: `resume_turn` runs nothing twice.

        Raises:
            TypeError: If one of *calls* is no `ToolCall`. Nothing ran.
        """
        made = [*calls]
        if wrong := [one for one in made if not isinstance(one, ToolCall)]:
            raise TypeError(f"a turn is made of ToolCalls, not of {type(wrong[0]).__name__}")
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(self.execute(one.name, one.arguments, call_id=one.id)) for one in made]
        return Turn(made, [task.result() for task in running])

    async def resume(self, pending: Stored, answer: Answer) -> ToolResult:
        """Go on with a call that waited, in this process or another: its tool is run again with the answer.

        A tool of the host's own runs once more, and waiting again is an error; a server may ask again, and then the
        result waits again. Nobody notes here what was resumed: to do it twice runs the tool twice.

        Where it raises, nothing ran, and the call still waits.

        Raises:
            ContractError: If it is an answer to another request, or what was stored cannot be read.
            AnswerError: If it does not fit the form that was asked.
            ServerUnavailable: If the server of the tool cannot be reached now.
            ValueError: If the server is not one of the sources', or may not be called.
            TypeError: If it is no answer, or no call that waits.
        """
        call = _read(pending)
        answer = in_time(call, answer, at=datetime.now(UTC))
        if call.server:
            return await self._resume_remote(call, answer)
        if (tool := self._local.get(call.tool)) is None:
            return self._unknown(call.tool)
        return await go_on(call, await self._slot.received(call.request, answer), again=partial(self._again, tool))

    async def resume_turn(self, turn: Turn | Mapping[str, Any] | str | bytes, answer: Answer) -> Turn:
        """Go on with the call of a turn that an answer is for, whichever of them it is.

        The others stay as they are: the turn is over when its `pending` is `None`.

        Raises:
            ContractError: If it is an answer to nothing that the turn waits for, or what was stored cannot be read.
            AnswerError, ServerUnavailable, ValueError, TypeError: As `resume` does. Nothing ran.
        """
        if not isinstance(turn, Turn):
            turn = Turn.from_dict(turn) if isinstance(turn, Mapping) else Turn.from_json(turn)
        at = turn.answered_at(answer)
        return turn.with_result(at, await self.resume(turn.results[at], answer))

    # --- the host's own -----------------------------------------------------------------------------------------------

    async def _run_local(self, tool: LocalTool, arguments: Mapping[str, Any], call_id: str) -> ToolResult:
        found = await run_tool(tool, arguments, ToolContext(tool.name, call_id))
        result = _waiting(tool, found, arguments, call_id, self._limited)
        return await settle(result, ask=self._ask, again=partial(self._again, tool))

    async def _again(self, tool: LocalTool, call: PendingCall, answer: Answer) -> ToolResult:
        call_id = str(call.state.get("call", ""))
        context = ToolContext(tool.name, call_id, answer, call.request)
        return _waiting(tool, await run_tool(tool, call.arguments, context), call.arguments, call_id, self._limited)

    def _limited(self, request: Request) -> Request:
        """A request that is to wait for later has to be answered in time; one that is shown now has that clock."""
        return request if self._slot.has_person else self._slot.limited(request)

    async def _ask(self, request: Request) -> Answer | None:
        """The answer of a person, or of the policy; `None` if there is neither, and the call waits."""
        return await (self._slot.answer(request) if self._slot.has_person else self._slot.offered(request))

    # --- those of servers ---------------------------------------------------------------------------------------------

    @property
    def _remote(self) -> Iterator[tuple[ToolInfo, ToolSource, str]]:
        """Each tool under the name it has here, with its source, and the name that has for it."""
        for at, source in enumerate(self._sources):
            for info in source.tools:
                name = self._renamed.unique((at, info.name), info.name)
                yield (
                    ToolInfo(name, info.server, info.tool, info.description or "", info.input_schema),
                    source,
                    info.name,
                )

    async def _call_remote(
        self, source: ToolSource, name: str, arguments: Mapping[str, Any], call_id: str
    ) -> ToolResult:
        async def run() -> ToolResult:
            return _from_source(await source.call(name, arguments, call_id=call_id))

        return await self._followed(source, await guarded(name, run, is_answered=False))

    async def _resume_remote(self, call: PendingCall, answer: Answer) -> ToolResult:
        source = self._source_of(call)
        if not self._shares_slot(source):
            answer = await self._slot.received(call.request, answer)
        found = await source.resume(call, answer)

        async def read() -> ToolResult:  # The tool ran: from here on all that happens is a result.
            return _from_source(found)

        return await self._followed(source, await guarded(call.tool, read, is_answered=True))

    async def _followed(self, source: ToolSource, result: ToolResult) -> ToolResult:
        """What a result of a source comes to. What went through this very slot already is not asked again."""

        async def again(call: PendingCall, answer: Answer) -> ToolResult:
            async def run() -> ToolResult:
                return _from_source(await source.resume(call, answer))

            return await guarded(call.tool, run, is_answered=True)

        return result if self._shares_slot(source) else await follow(result, ask=self._ask, again=again)

    def _source_of(self, call: PendingCall) -> ToolSource:
        """The source that has the server of a call; the only one there is, for a server that is away is its to tell of.

        Raises:
            ValueError: If no source has it.
        """
        having = [source for source in self._sources if any(info.server == call.server for info in source.tools)]
        if len(self._sources) == 1:
            having = self._sources
        if not having:
            known = {info.server for info, _, _ in self._remote}
            raise ValueError(f"no source has the server {call.server!r} now: {nearest(call.server, known)}")
        return having[0]

    def _shares_slot(self, source: ToolSource) -> bool:
        return getattr(source, "slot", None) is self._slot

    def _unknown(self, name: object) -> ToolResult:
        return ToolResult.error(
            f"There is no tool {_shown(name)}; {nearest(str(name), [info.name for info in self.tools])}"
        )


def _local(given: object) -> LocalTool:
    if isinstance(given, LocalTool):
        require_tool_name(given.name)
        return given
    if callable(given):
        return FunctionTool(given)
    raise TypeError(f"a toolkit has functions, tools and sources, not {type(given).__name__}")


def _refuse_repeated(names: Sequence[str]) -> None:
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        remedy = "give one of them another, as in FunctionTool(function, name=…)"
        raise ValueError(f"two tools have the name {repeated[0]!r}; {remedy}")


def _waiting(
    tool: LocalTool,
    found: ToolResult | Pending,
    arguments: Mapping[str, Any],
    call_id: str,
    limited: Callable[[Request], Request],
) -> ToolResult:
    """The result of a run. What waits becomes a call that can be stored, and says where it comes from."""
    if isinstance(found, ToolResult):
        return found
    request = limited(Origin(tool=tool.name, call=call_id).noted_in(found.request))
    return ToolResult.waiting(PendingCall(request, "", tool.name, arguments, {"call": call_id}))


def _from_source(found: CallToolResult | PendingCall) -> ToolResult:
    return ToolResult.waiting(found) if isinstance(found, PendingCall) else ToolResult.from_call_tool_result(found)


def _read(stored: Stored) -> PendingCall:
    found = stored.pending if isinstance(stored, ToolResult) else stored
    if isinstance(found, PendingCall):
        return found
    if found is None:
        raise TypeError("the call is over, and waits for nothing")
    return PendingCall.from_dict(found) if isinstance(found, Mapping) else PendingCall.from_json(found)


def _shown(name: object) -> str:
    return repr(plain_line(str(name), limit=_SHORT))
