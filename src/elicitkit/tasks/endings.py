"""How the call of a task ends: what it gives, or raises, and how that is written down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from ..safety import trace_of
from .claim import Claim
from .record import TaskRecord

logger: logging.Logger = logging.getLogger(__name__)

Execute: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
"""Runs a tool to its end, and gives its result as the wire has it. An `MCPError` is the protocol's error."""

End: TypeAlias = Callable[[Claim], Awaitable[TaskRecord]]
"""Writes down how a call ended."""


def completing(result: Mapping[str, Any]) -> End:
    """What writes down that a call gave something."""
    return lambda claim: claim.store.complete(claim.task_id, result, fence=claim.fence)


def ending_of(error: BaseException, within: asyncio.Task[Any] | None) -> End:
    """What writes down that a call, which was run within a task, raised something.

    Raises:
        BaseException: The error, if it is not the tool's: the task is cancelled or thrown away, or the process ends.
    """
    if isinstance(error, MCPError):
        return _failing(_written(error))
    if isinstance(error, asyncio.CancelledError):
        if within is None or within.cancelling():
            raise error
        return failing("The tool cancelled itself.")
    if isinstance(error, SystemExit):
        logger.error(
            "a tool tried to end the process, which a task must not: it would at each run again%s", trace_of(error)
        )
        return failing("The tool tried to end its server.")
    if isinstance(error, KeyboardInterrupt) or not is_running(within):
        raise error
    # Whatever it is, the tool has had its effects, and is not to have them again.
    logger.error("a task could not be run%s", trace_of(error))
    return failing("The task could not be run.")


def is_running(task: asyncio.Task[Any] | None) -> bool:
    """Whether a task runs now; where it does not, its coroutine is closed, which looks like a `GeneratorExit` in it."""
    try:
        return task is not None and asyncio.current_task() is task
    except RuntimeError:  # There is no loop any more.
        return False


def failing(message: str) -> End:
    """What writes down that a call could not be run, which is the protocol's error."""
    return _failing({"code": INTERNAL_ERROR, "message": message})


def _failing(error: Mapping[str, Any]) -> End:
    return lambda claim: claim.store.fail(claim.task_id, error, fence=claim.fence)


def _written(error: MCPError) -> dict[str, Any]:
    """An error as the wire has it, without its data where those are no JSON."""
    try:
        return error.error.model_dump(by_alias=True, mode="json", exclude_none=True)
    except ValueError:
        return {"code": error.error.code, "message": error.error.message}
