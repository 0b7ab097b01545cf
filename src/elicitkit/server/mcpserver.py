"""The adapter for the official SDK: `Elicitation()`, a middleware for `MCPServer(middleware=[…])`."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.tools import Tool
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from ..errors import ElicitkitError, Made, watch
from .driving import ASKING_METHODS, drive

_MASK = "Error executing tool "
"""How the SDK's text for an error that a tool did not mean to raise begins."""


class Elicitation:
    """A server middleware that opens a road for the questions of every tool, prompt and resource template.

    Install it once: `MCPServer("shop", middleware=[Elicitation()])`. It leaves calls that ask nothing as they are. The
    SDK's own `ctx.elicit` and `ctx.elicit_url` travel on the same road. An `ElicitkitError` that leaves a tool becomes
    an error result with its text, which the SDK would mask; one that leaves a prompt or a resource, an error with it.

    On the low-level `Server`, install the SDK's `RequestStateBoundary` before it: it seals the state of a call.
    """

    def __init__(self, *wrong: object) -> None:
        if wrong:  # The class itself was installed, and is called with a message.
            raise TypeError("install an instance, not the class: MCPServer(…, middleware=[Elicitation()])")

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message; only those during which a person can be asked are touched."""
        if not isinstance(ctx, ServerRequestContext):
            raise TypeError("this Elicitation is for MCPServer; FastMCP has its own: elicitkit.server.fastmcp")
        if ctx.method not in ASKING_METHODS:
            return await call_next(ctx)
        with watch() as made:
            if ctx.method == "tools/call":
                return await _tool_result(ctx, call_next, made)
            return await _content(ctx, call_next)


async def _tool_result(ctx: ServerRequestContext[Any, Any], call_next: CallNext, made: Iterable[Made]) -> HandlerResult:
    try:
        return _unmasked(await drive(ctx, call_next), made)
    except ElicitkitError as error:
        return {"resultType": "complete", "isError": True, "content": _text(error)}


async def _content(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """What a prompt or a resource gives; they have no error results, so an error of ours is one of the protocol."""
    try:
        return await drive(ctx, call_next)
    except Exception as error:
        if (ours := _cause_of_ours(error)) is None:
            raise
        raise MCPError(code=INTERNAL_ERROR, message=_sendable(ours)) from None


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
    return [{"type": "text", "text": _sendable(error)}]


def _sendable(error: ElicitkitError) -> str:
    return str(error).encode(errors="backslashreplace").decode()  # A lone surrogate would stop the answer.


def _cause_of_ours(error: BaseException) -> ElicitkitError | None:
    """The error of ours behind those that the SDK raises in its place."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, ElicitkitError):
        seen = seen.__cause__ or seen.__context__
    return seen


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
