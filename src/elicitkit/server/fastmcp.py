"""The adapter for FastMCP: `Elicitation()`, a middleware for `FastMCP(middleware=[…])`.

It hooks in as a middleware of FastMCP's and not of the SDK's below, because FastMCP runs its own for mounted servers
too, wherever they stand, and offers no public way to the other list. FastMCP's `Context.elicit` refuses on 2026-07-28
before it looks at the session, which therefore cannot carry it alone: that one method is wrapped, once and for all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import CallToolRequestParams, GetPromptRequestParams, InputRequiredResult, ReadResourceRequestParams
from pydantic import BaseModel

from ..errors import ElicitkitError, MissingExtra
from .driving import drive
from .sessions import AskingSession, SuspendingSession

try:
    from fastmcp import FastMCP, __version__
    from fastmcp.exceptions import FastMCPError, PromptError, ResourceError, ToolError
    from fastmcp.prompts.base import InputRequiredPromptResult, PromptResult
    from fastmcp.resources.base import InputRequiredResourceResult, ResourceResult
    from fastmcp.server.context import Context
    from fastmcp.server.dependencies import bind_request_context
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools.base import InputRequiredToolResult, ToolResult
except ImportError as _missing:
    raise MissingExtra("fastmcp", "The adapter for FastMCP") from _missing

R = TypeVar("R", bound=BaseModel)

_MASKS = ("Error calling tool ", "Error rendering prompt ", "Error reading resource ", "Failed to resolve dependency ")
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
    outer = context.fastmcp_context
    request = outer.request_context if outer else None
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
            async with _of_round(context, (ctx.params or {}).get("requestState")) as told:
                return _to_wire(await call_next(told))

    result: Any = await drive(ctx, call)
    return round_type(InputRequiredResult.model_validate(result)) if isinstance(result, dict) else result


def _to_wire(result: BaseModel) -> HandlerResult:
    """What is driven gives: a round that a component asks by itself as on the wire, anything else as it is."""
    if isinstance(result, (InputRequiredToolResult, InputRequiredPromptResult, InputRequiredResourceResult)):
        return result.input_required.model_dump(by_alias=True, mode="json", exclude_none=True)
    return result


# --- caches -----------------------------------------------------------------------------------------------------------


class _LaterRound(Context):
    """The context for middleware behind ours in a later round, which has a state even when none is the tool's.

    FastMCP's cache looks for one: what came of a person's answers must not be kept for calls that were asked nothing.
    """

    def __init__(self, fastmcp: FastMCP[Any], state: str) -> None:
        super().__init__(fastmcp)
        self._state = state

    @property
    def request_state(self) -> str | None:
        """The state as it came over the wire."""
        return self._state


@asynccontextmanager
async def _of_round(context: MiddlewareContext[Any], state: str | None) -> AsyncIterator[MiddlewareContext[Any]]:
    if state is None or context.fastmcp_context is None:
        yield context
        return
    async with _LaterRound(context.fastmcp_context.fastmcp, state) as later:
        yield context.copy(fastmcp_context=later)


# --- errors -----------------------------------------------------------------------------------------------------------


def _behind(error: BaseException | None) -> ElicitkitError | UrlElicitationRequiredError | None:
    """The error that FastMCP raised others in place of, if it is one whose text or code the client is to see."""
    while error is not None and str(error).startswith(_MASKS):
        error = error.__cause__
    return _found_in(error)


def _found_in(error: BaseException | None) -> ElicitkitError | UrlElicitationRequiredError | None:
    """The error itself, or the first of its kind in a group: what a task group raises."""
    if isinstance(error, (ElicitkitError, UrlElicitationRequiredError)):
        return error
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((found for one in inside if (found := _found_in(one)) is not None), None)


# --- FastMCP's own `ctx.elicit` ---------------------------------------------------------------------------------------

_PARAMETERS = ("self", "message", "response_type", "response_title", "response_description")
_USES = {"_is_modern_protocol", "session", "elicit"}


class _CanAsk:
    """A context that `Context.elicit` does not refuse, because our session can ask on 2026-07-28 too."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def _is_modern_protocol(self) -> bool:
        return False


def carry_elicit(context_class: type[Any]) -> None:
    """Let `elicit` of FastMCP's context travel on our road. It does what it did wherever the call has none.

    Raises:
        MissingExtra: If it is not the method of the releases of FastMCP that the extra pins.
    """
    stock = context_class.elicit
    if hasattr(stock, "carried_by_elicitkit"):
        return
    if not _is_known(stock):
        raise MissingExtra(
            "fastmcp", f"The adapter for FastMCP knows no Context.elicit like the one of {__version__}; it"
        )

    @functools.wraps(stock)
    async def elicit(self: Context, *args: Any, **kwargs: Any) -> Any:
        request = self.request_context
        suspends = request is not None and isinstance(request.session, SuspendingSession)
        return await stock(_CanAsk(self) if suspends else self, *args, **kwargs)

    elicit.carried_by_elicitkit = True  # type: ignore[attr-defined]  # a mark for the next time
    context_class.elicit = elicit


def _is_known(elicit: Any) -> bool:
    return tuple(inspect.signature(elicit).parameters) == _PARAMETERS and _USES.issubset(elicit.__code__.co_names)


carry_elicit(Context)
