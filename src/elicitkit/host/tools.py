"""What every local tool has in common: its port, what a call tells it, and how it is run so that nothing escapes."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from ..errors import ServerUnavailable, ToolError
from ..safety import trace_of
from ..suspension import Answer, Pending, Request
from .awaiting import apart, is_cancelled
from .results import ToolResult

T = TypeVar("T")

logger: logging.Logger = logging.getLogger(__name__)

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call tells its tool. A Python function gets it by having a parameter of this type."""

    tool: str
    """The name the tool is called by."""

    call_id: str
    """Names the call, and is the same when the tool is run again: an idempotency key for what it does elsewhere."""

    answer: Answer | None = None
    """What the person agreed to, when the tool is run again; `None` in the first run. It is always `ok`."""

    request: Request | None = None
    """What was answered, with all that the tool put into it."""


@runtime_checkable
class LocalTool(Protocol):
    """The port of a tool that runs in the host. `FunctionTool`, `HttpTool` and `question` are such tools.

    `run` is given arguments that are JSON, and nothing else is known of them: to check them is the tool's own part. It
    waits for a person by returning a `Pending`, and is run once more, with the answer in its context, which may be in
    another process. What it raises becomes an error result: the text of a `ToolError`, else a fixed one.
    """

    @property
    def name(self) -> str:
        """What the model calls it: up to 64 ASCII letters, digits, `_` and `-`."""
        ...

    @property
    def description(self) -> str:
        """What it does, for the model."""
        ...

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments, an object."""
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Do it, and return anything that `ToolResult.from_value` takes, or a `Pending`."""
        ...


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What a model is told of a tool, wherever it runs."""

    name: str
    """What it is called by; no two tools of a toolkit have the same."""

    server: str
    """The server it is a tool of; empty for one that runs in the host."""

    tool: str
    """Its server's own name for it."""

    description: str = ""
    """What it does, if somebody said. That of a server's tool is a stranger's text."""

    input_schema: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    """The JSON Schema of its arguments."""


def require_tool_name(name: object) -> str:
    """Refuse a name that models cannot call a tool by.

    Raises:
        TypeError: If it is no text.
        ValueError: If it is empty, too long, or has other characters than ASCII letters, digits, `_` and `-`.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a tool is text, not {type(name).__name__}")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:80]!r} is no name of a tool: up to 64 ASCII letters, digits, '_' and '-' are")
    return name


async def run_tool(tool: LocalTool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult | Pending:
    """Run a tool. Nothing comes out but a result, one that waits, or the cancellation of the run.

    What a tool raises is logged here and never told; after an answer not even logged, since it may quote it: then the
    log has the type of the error, and the lines it passed.
    """
    result = await guarded(tool.name, lambda: _value(tool, arguments, context), is_answered=context.answer is not None)
    if isinstance(result, ToolResult) and result.pending is not None:
        return Pending(result.pending.request)  # It is ours now: what runs again is this tool.
    return result


async def guarded(name: str, run: Callable[[], Awaitable[T]], *, is_answered: bool) -> T | ToolResult:
    """What *run* gives, or an error result in place of what it raises. Only the cancellation of this task comes out."""
    try:
        return await run()
    except (ToolError, ServerUnavailable) as error:
        return ToolResult.error(str(error))
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        logger.error("the tool %r was cancelled from within", name)
    except Exception as error:
        _log(name, error, is_answered=is_answered)
    return ToolResult.error(f"{name} failed. The reason is in the log of the host.")


async def _value(tool: LocalTool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult | Pending:
    value = await apart(tool.run(arguments, context))
    return value if isinstance(value, Pending) else ToolResult.from_value(value)


def _log(name: str, error: Exception, *, is_answered: bool) -> None:
    if not is_answered:
        logger.error("the tool %r failed", name, exc_info=error)
        return
    logger.error("the tool %r failed with %s after it was answered%s", name, type(error).__name__, trace_of(error))
