"""The adapter for FastMCP: `Elicitation()`, a middleware for `FastMCP(middleware=[…])`.

It hooks in as a middleware of FastMCP's and not of the SDK's below, because FastMCP runs its own for mounted servers
too, wherever they stand, and offers no public way to the other list. FastMCP's `Context.elicit` refuses on 2026-07-28
before it looks at the session, which therefore cannot carry it alone: that one method is wrapped, once and for all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import CallToolRequestParams, GetPromptRequestParams, InputRequiredResult, ReadResourceRequestParams

from ..errors import ElicitkitError, MissingExtra
from .driving import drive
from .sessions import AskingSession, SuspendingSession

try:
    from fastmcp.exceptions import FastMCPError, PromptError, ResourceError, ToolError
    from fastmcp.prompts.base import InputRequiredPromptResult, PromptResult
    from fastmcp.resources.base import InputRequiredResourceResult, ResourceResult
    from fastmcp.server.context import Context
    from fastmcp.server.dependencies import bind_request_context
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools.base import InputRequiredToolResult, ToolResult
except ImportError as missing:
    raise MissingExtra("fastmcp", "The adapter for FastMCP") from missing

R = TypeVar("R")

_MASKS = ("Error calling tool ", "Error rendering prompt ", "Error reading resource ")
"""How FastMCP's texts for an error that a component did not mean to raise begin."""


class Elicitation(Middleware):
    """A middleware that opens a road for the questions of every tool, prompt, resource and template.

    Install it once: `FastMCP("shop", middleware=[Elicitation()])`. Servers that are mounted there need none of their
    own, and may have one. It leaves calls that ask nothing as they are. FastMCP's own `ctx.elicit` travels on the same
    road. An `ElicitkitError` that leaves a tool becomes an error result with its text, masked or not; one that leaves a
    prompt or a resource, an error with it.

    On 2026-07-28 a call comes in rounds: middleware sees each of them, and an answer of the class
    `fastmcp.tools.InputRequiredToolResult` (or its like) for all but the last. The state that travels between is sealed
    with a key of the process, for ten minutes. For people who answer tomorrow, or another server behind the address:

        from elicitkit import state_security

        FastMCP("shop", middleware=[Elicitation()], request_state_security=state_security(keys))
    """

    def __init__(self, *wrong: object) -> None:
        if wrong:  # The class itself was installed, and is called with a message.
            raise TypeError("install an instance, not the class: FastMCP(…, middleware=[Elicitation()])")

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Handle one message, as every middleware of FastMCP's does."""
        if not isinstance(context, MiddlewareContext):
            raise TypeError("this is the middleware for FastMCP; MCPServer takes the one of `elicitkit` itself")
        return await super().__call__(context, call_next)

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call a tool that may ask."""
        return await _asking(context, call_next, ToolError, InputRequiredToolResult)

    async def on_get_prompt(
        self,
        context: MiddlewareContext[GetPromptRequestParams],
        call_next: CallNext[GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """Render a prompt that may ask."""
        return await _asking(context, call_next, PromptError, InputRequiredPromptResult)

    async def on_read_resource(
        self,
        context: MiddlewareContext[ReadResourceRequestParams],
        call_next: CallNext[ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Read a resource that may ask."""
        return await _asking(context, call_next, ResourceError, InputRequiredResourceResult)


async def _asking(
    context: MiddlewareContext[Any],
    call_next: CallNext[Any, R],
    error_type: type[FastMCPError],
    round_type: Callable[[InputRequiredResult], R],
) -> R:
    """Run what may ask on the road of its era; what is inside a call that has one is on it already."""
    request = context.fastmcp_context and context.fastmcp_context.request_context
    if request is None or isinstance(request.session, AskingSession):
        return await call_next(context)
    try:
        return await _driven(request._srctx, context, call_next, round_type)
    except ElicitkitError as error:
        raise error_type(str(error)) from error
    except FastMCPError as error:
        if (behind := _behind(error)) is None:
            raise
        if isinstance(behind, ElicitkitError):
            raise error_type(str(behind)) from error
        raise behind from None


async def _driven(
    ctx: ServerRequestContext[Any, Any],
    context: MiddlewareContext[Any],
    call_next: CallNext[Any, R],
    round_type: Callable[[InputRequiredResult], R],
) -> R:
    async def call(inner: ServerRequestContext[Any, Any]) -> HandlerResult:
        with bind_request_context(inner):
            async with _told_of_round(context, (ctx.params or {}).get("requestState")) as told:
                return _to_wire(await call_next(told))

    result: Any = await drive(ctx, call)
    return round_type(InputRequiredResult.model_validate(result)) if isinstance(result, dict) else result


def _to_wire(result: Any) -> HandlerResult:
    """What is driven gives: a round that a component asks by itself as on the wire, anything else as it is."""
    asked = getattr(result, "input_required", None)
    return asked.model_dump(by_alias=True, mode="json", exclude_none=True) if asked is not None else result


# --- caches -----------------------------------------------------------------------------------------------------------


class _LaterRound(Context):
    """The context for middleware behind ours in a later round, which has a state even when none is the tool's.

    FastMCP's cache looks at it. It must not keep what came of a person's answers as what a fresh call gives.
    """

    round_state: str | None = None

    @property
    def request_state(self) -> str | None:
        """The state that came over the wire."""
        return self.round_state


def _told_of_round(
    context: MiddlewareContext[Any], state: str | None
) -> AbstractAsyncContextManager[MiddlewareContext[Any]]:
    ...


# --- errors -----------------------------------------------------------------------------------------------------------


def _behind(error: FastMCPError) -> ElicitkitError | UrlElicitationRequiredError | None:
    """The error that FastMCP raised another in place of, if it is one whose text or code the client is to see."""
    return _find(error.__cause__) if str(error).startswith(_MASKS) else None


def _find(error: BaseException | None) -> ElicitkitError | UrlElicitationRequiredError | None:
    if isinstance(error, (ElicitkitError, UrlElicitationRequiredError)):
        return error
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((found for one in inside if (found := _find(one)) is not None), None)
