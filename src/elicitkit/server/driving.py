"""One call with a road: which road a revision of the protocol has, in one table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from mcp.server.context import HandlerResult, ServerRequestContext

from ..asking import Mode, travelling
from ..errors import ElicitationUnsupported
from ..journal import Journal, LinkQuestion, Question, Reply
from ..schema.dialects import DIALECTS, Dialect, dialect_of, no_dialect
from .back_channel import BackChannel
from .round_trip import RoundTrip, open_round
from .sessions import AskingSession, SuspendingSession

Context: TypeAlias = ServerRequestContext[Any, Any]
Call: TypeAlias = Callable[[Context], Awaitable[HandlerResult]]
"""What is driven: it is given the context with the road on its session, and with the params that are left for it."""

ASKING_METHODS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The requests during which a person can be asked (specification 2026-07-28, "Multi round-trip requests")."""


async def drive(ctx: Context, call: Call) -> HandlerResult:
    """Run one call on the road of its revision, and give its result or the round of questions it ends with.

    Raises:
        MCPError: -32602, if the state that the client sent is not one of this call.
        ElicitkitError: What the call raises.
    """
    return await _DRIVES.get(ctx.protocol_version, _drive_nowhere)(ctx, call)


async def _drive_live(ctx: Context, call: Call) -> HandlerResult:
    road = BackChannel(ctx, dialect_of(ctx.protocol_version))
    with road.lifetime.running(), travelling(road):
        return await call(with_session(ctx, AskingSession(ctx.session, road)))


async def _drive_rounds(ctx: Context, call: Call) -> HandlerResult:
    journal, params = open_round(ctx.params or {})
    road = RoundTrip(ctx, dialect_of(ctx.protocol_version), journal)
    with travelling(road):
        return await road.run(lambda: call(with_session(ctx, SuspendingSession(ctx.session, road), params=params)))


async def _drive_nowhere(ctx: Context, call: Call) -> HandlerResult:
    road = _NoRoad(no_dialect(ctx.protocol_version))
    with travelling(road):
        return await call(with_session(ctx, AskingSession(ctx.session, road)))


_DRIVES: dict[str, Callable[[Context, Call], Awaitable[HandlerResult]]] = {
    "2025-06-18": _drive_live,
    "2025-11-25": _drive_live,
    "2026-07-28": _drive_rounds,
}


class _NoRoad:
    """The `Road` where there is none: it says why."""

    answer_bytes = 0
    task_id = None
    is_cancelled = False
    dialect: Dialect = DIALECTS["2025-06-18"]

    def __init__(self, why: str) -> None:
        self.call_id = Journal().call_id
        self.running: set[str] = set()
        self._why = why

    def require(self, mode: Mode) -> None:
        raise ElicitationUnsupported(self._why)

    def name(self, digest: str, key: str | None) -> str:
        return key or digest

    def deadline(self, name: str, seconds: float) -> float:
        return seconds

    async def ask(self, question: Question) -> Reply:
        raise ElicitationUnsupported(self._why)

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        return await run()

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        raise ElicitationUnsupported(self._why)

    async def complete(self, elicitation_id: str) -> None:
        raise ElicitationUnsupported(self._why)


def with_session(ctx: Context, session: object, **changes: Any) -> Context:
    """The context with a stand-in for its session.

    As `dataclasses.replace` makes it, which takes twice as long; each call makes one.
    """
    return type(ctx)(**{**vars(ctx), "session": session, **changes})
