"""The adapter for the official SDK: `Elicitation()`, a middleware for `MCPServer(middleware=[…])`."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.tools import Tool
from mcp.server.request_state import RequestStateSecurity

from ..asking import Mode, Road, travelling
from ..errors import ElicitationUnsupported, ElicitkitError, Made, watch
from ..journal import Question, Reply
from ..schema.dialects import DIALECTS, Dialect, dialect_of, no_dialect
from .back_channel import BackChannel
from .round_trip import RoundTrip, open_round

_Context: TypeAlias = ServerRequestContext[Any, Any]

_METHODS = frozenset({"tools/call"})
"""The requests during which a person can be asked."""

_LATER = frozenset({"prompts/get", "resources/read"})
_ONLY_TOOLS = "A question can only be asked by a tool so far, not by a prompt or a resource."

_MASK = "Error executing tool "
"""How the SDK's text for an error that a tool did not mean to raise begins."""


class Elicitation:
    """A server middleware that opens a road for the questions of every tool.

    Install it once: `MCPServer("shop", middleware=[Elicitation()])`. It leaves calls that ask nothing as they are. An
    `ElicitkitError` that leaves a tool becomes an error result with its text, which the SDK would mask.

    On the low-level `Server`, install the SDK's `RequestStateBoundary` before it: it seals the state of a call.
    """

    def __init__(self, *wrong: object) -> None:
        if wrong:  # The class itself was installed, and is called with a message.
            raise TypeError("install an instance, not the class: MCPServer(…, middleware=[Elicitation()])")

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message; only `tools/call` is touched."""
        if ctx.method in _LATER:
            return await call_next(_on(_NoRoad(_ONLY_TOOLS), ctx))
        if ctx.method not in _METHODS:
            return await call_next(ctx)
        drive = _DRIVES.get(ctx.protocol_version, _drive_nowhere)
        with watch() as made:
            try:
                return _unmasked(await drive(ctx, call_next), made)
            except ElicitkitError as error:
                return {"resultType": "complete", "isError": True, "content": _text(error)}


def state_security(
    keys: Sequence[bytes | str] | bytes | str, *, ttl: timedelta | float = timedelta(days=7)
) -> RequestStateSecurity:
    """Settings for `MCPServer(request_state_security=…)` that fit people, who may answer tomorrow.

    By default the SDK seals the state of a call with a key of the process, for ten minutes: after a restart, or on
    another server behind the same address, nobody can answer any more.

    Args:
        keys: Secrets of at least 32 bytes each, shared by all servers: the first seals, all open. To change a key, add
            the new one at the end everywhere, then move it to the front, then drop the old one after a `ttl`.
        ttl: How long a person may take for one round of questions; a number is in seconds.

    Raises:
        ValueError: If a key is too short, or the `ttl` is not positive.
    """
    ring = [keys] if isinstance(keys, (bytes, str)) else list(keys)
    seconds = ttl.total_seconds() if isinstance(ttl, timedelta) else ttl
    return RequestStateSecurity(keys=ring, ttl=seconds)


class AskingSession:
    """A session with a road on it; all else is the session of the SDK."""

    def __init__(self, session: Any, road: Road) -> None:
        self._session = session
        self.elicitkit_road = road

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


# --- a road for each revision -----------------------------------------------------------------------------------------

_Drive: TypeAlias = Callable[[_Context, CallNext], Awaitable[HandlerResult]]


async def _drive_live(ctx: _Context, call_next: CallNext) -> HandlerResult:
    road = BackChannel(ctx, dialect_of(ctx.protocol_version))
    with road.lifetime.running(), travelling(road):
        return await call_next(_on(road, ctx))


async def _drive_rounds(ctx: _Context, call_next: CallNext) -> HandlerResult:
    journal, params = open_round(ctx.params or {})
    road = RoundTrip(ctx, dialect_of(ctx.protocol_version), journal)
    with travelling(road):
        return await road.run(lambda: call_next(_on(road, ctx, params=params)))


async def _drive_nowhere(ctx: _Context, call_next: CallNext) -> HandlerResult:
    road = _NoRoad(no_dialect(ctx.protocol_version))
    with travelling(road):
        return await call_next(_on(road, ctx))


_DRIVES: dict[str, _Drive] = {
    "2025-06-18": _drive_live,
    "2025-11-25": _drive_live,
    "2026-07-28": _drive_rounds,
}


class _NoRoad:
    """The `Road` where there is none: it says why."""

    answer_bytes = 0
    dialect: Dialect = DIALECTS["2025-06-18"]

    def __init__(self, why: str) -> None:
        self._why = why

    def require(self, mode: Mode) -> None:
        raise ElicitationUnsupported(self._why)

    def name(self, digest: str, key: str | None) -> str:
        return key or digest

    async def ask(self, question: Question) -> Reply:
        raise ElicitationUnsupported(self._why)


def _on(road: Road, ctx: _Context, **changes: Any) -> _Context:
    return replace(ctx, session=AskingSession(ctx.session, road), **changes)  # type: ignore[arg-type]  # a stand-in


# --- errors -----------------------------------------------------------------------------------------------------------


def _unmasked(result: HandlerResult, made: Iterable[Made]) -> HandlerResult:
    """Give an error of ours that left the tool its text back."""
    if not _is_masked(result):
        return result
    every = list(made)
    left = [one.error for one in every if _came_up(one.error)] or [one.error for one in every if _ended_its_task(one)]
    if not left:
        return result
    return {**result, "content": _text(left[-1])}  # type: ignore[dict-item]  # it is masked, so it is a dict


def _text(error: ElicitkitError) -> list[dict[str, str]]:
    writable = str(error).encode(errors="backslashreplace").decode()  # A lone surrogate would stop the answer.
    return [{"type": "text", "text": writable}]


def _is_masked(result: HandlerResult) -> bool:
    if not isinstance(result, dict) or not result.get("isError"):
        return False
    content = result.get("content") or [{}]
    return str(content[0].get("text", "")).startswith(_MASK)


def _came_up(error: ElicitkitError) -> bool:
    """Tell whether an error came up to the SDK, which no tool had caught before."""
    return any(frame.f_code is Tool.run.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _ended_its_task(made: Made) -> bool:
    """Tell whether an error ended a task that the tool had started: a task group then raises it inside a group."""
    error, task = made
    if task is None or task is asyncio.current_task():
        return False
    return task.done() and not task.cancelled() and task.exception() is error
