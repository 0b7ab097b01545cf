"""The rule of calls that wait for a person (design, section 6), and nothing else.

A tool that waits is answered, and run once more. If it waits again, the call is an error; and so it is if the person
did not agree. Where nobody can be asked here and now, the call itself is the result, and goes on another day.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeAlias

from ..errors import ContractError
from ..limits import ROUNDS
from ..suspension import Answer, Request, declined_or_expired, unresolved
from .pending_calls import PendingCall
from .results import ToolResult

Ask: TypeAlias = Callable[[Request], Awaitable[Answer | None]]
"""Puts a request to whoever may answer it; `None` if nobody can now, and the call is to wait."""

Again: TypeAlias = Callable[[PendingCall, Answer], Awaitable[ToolResult]]
"""Runs the tool of a call again, with the answer."""


# --- pure: what becomes of an answer, and of what the tool gives then -------------------------------------------------


def in_time(call: PendingCall, answer: Answer, *, at: datetime) -> Answer:
    """An answer that is brought to a call: the same, but `expired` once the request is, whenever it was given.

    Raises:
        TypeError: If it is no answer.
        ContractError: If it is one to another request. The call still waits.
    """
    if not isinstance(answer, Answer):
        raise TypeError(f"a call goes on with an Answer, not with {type(answer).__name__}")
    if not call.request.is_answered_by(answer):
        raise ContractError(f"the answer is one to another request than {call.request.id!r}, which still waits")
    return call.request.cancel("expired") if call.request.is_expired(at) else answer


def refused(call: PendingCall, answer: Answer) -> ToolResult | None:
    """The error that ends a call without running its tool again; `None` if the person agreed."""
    return None if answer.ok else ToolResult.error(declined_or_expired(call.request))


def concluded(call: PendingCall, result: ToolResult) -> ToolResult:
    """What a call comes to whose tool was run again: its result, but an error if it waits once more."""
    return result if result.pending is None else ToolResult.error(unresolved(call.request))


# --- the shells -------------------------------------------------------------------------------------------------------


async def settle(result: ToolResult, *, ask: Ask, again: Again) -> ToolResult:
    """What a tool's first result comes to: the same if it does not wait, or nobody can be asked now."""
    if result.pending is None or (answer := await ask(result.pending.request)) is None:
        return result
    return await go_on(result.pending, answer, again=again)


async def go_on(call: PendingCall, answer: Answer, *, again: Again) -> ToolResult:
    """What a call that waited comes to with its answer: the tool is run again only if the person agreed."""
    if (error := refused(call, answer)) is not None:
        return error
    return concluded(call, await again(call, answer))


async def follow(result: ToolResult, *, ask: Ask, again: Again) -> ToolResult:
    """What a result of an MCP server comes to: it may ask several times, and is told of refusals, which it handles.

    After ten rounds, the most that a client takes part in, the call is an error.
    """
    first = result.pending
    for _ in range(ROUNDS):
        if result.pending is None or (answer := await ask(result.pending.request)) is None:
            return result
        result = await again(result.pending, answer)
    return result if first is None else concluded(first, result)
