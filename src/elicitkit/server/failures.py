"""Errors of ours that leave a tool, a prompt or a resource, which the SDK would mask: they keep their text."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp.server.context import HandlerResult
from mcp.server.mcpserver.prompts.base import Prompt
from mcp.server.mcpserver.resources.templates import ResourceTemplate
from mcp.server.mcpserver.resources.types import FunctionResource
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from ..errors import ElicitkitError, Made, watch

_MASK = "Error executing tool "
"""How the SDK's text for an error that a tool did not mean to raise begins."""


async def tool_result(call: Callable[[], Awaitable[HandlerResult]]) -> HandlerResult:
    """What a call of a tool gives; an error of ours that left the tool is an error result with its text."""
    with watch() as made:
        try:
            result = await call()
            return unmasked(result, made) if isinstance(result, dict) else result
        except ElicitkitError as error:
            return error_result(error)


def error_result(error: ElicitkitError | str) -> dict[str, Any]:
    """What a tool gives that an error of ours left; or that cannot be run, for the reason in the text."""
    return {"resultType": "complete", "isError": True, "content": _text(error)}


async def content(call: Callable[[], Awaitable[HandlerResult]]) -> HandlerResult:
    """What a prompt or a resource gives.

    Raises:
        MCPError: In place of an error of ours, with its text: there are no error results here.
    """
    try:
        return await call()
    except Exception as error:
        if (ours := _cause_of_ours(error)) is None:
            raise
        raise MCPError(code=INTERNAL_ERROR, message=str(ours)) from None


def unmasked(result: dict[str, Any], made: Iterable[Made]) -> dict[str, Any]:
    """The result of a tool; an error of ours that left it has its text back, if it is among those that were made."""
    if not _is_masked(result):
        return result
    every = list(made)
    left = [one.error for one in every if _came_up(one.error)] or [one.error for one in every if _ended_its_task(one)]
    if not left:
        return result
    return {**result, "content": _text(left[-1])}


def _text(error: ElicitkitError | str) -> list[dict[str, str]]:
    return [{"type": "text", "text": str(error)}]


def _cause_of_ours(error: BaseException) -> ElicitkitError | None:
    """The error of ours that left a prompt or a resource, behind those that the SDK raises in its place."""
    seen: BaseException | None = error
    while seen is not None and not (isinstance(seen, ElicitkitError) and _came_up(seen)):
        seen = seen.__cause__ or seen.__context__
    return seen


def _is_masked(result: dict[str, Any]) -> bool:
    if not result.get("isError"):
        return False
    content = result.get("content") or [{}]
    return str(content[0].get("text", "")).startswith(_MASK)


_CALLERS = frozenset(
    caller.__code__ for caller in (Tool.run, Prompt.render, ResourceTemplate.create_resource, FunctionResource.read)
)
"""The code of the SDK that calls what an author wrote."""


def _came_up(error: ElicitkitError) -> bool:
    """Tell whether an error came up to the SDK, which no author had caught before."""
    return any(frame.f_code in _CALLERS for frame, _ in traceback.walk_tb(error.__traceback__))


def _ended_its_task(made: Made) -> bool:
    """Tell whether an error ended a task that the tool had started: a task group then raises it inside a group."""
    error, task = made
    if task is None or task is asyncio.current_task():
        return False
    return task.done() and not task.cancelled() and task.exception() is error
