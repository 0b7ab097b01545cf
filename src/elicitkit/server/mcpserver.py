"""The adapter for the official SDK: `Elicitation()`, a middleware for `MCPServer(middleware=[…])`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.request_state import RequestStateSecurity

from .driving import ASKING_METHODS, drive
from .failures import content, tool_result
from .sessions import AskingSession


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
        if ctx.method not in ASKING_METHODS or isinstance(ctx.session, AskingSession):  # It is installed twice.
            return await call_next(ctx)
        finish = tool_result if ctx.method == "tools/call" else content
        return await finish(lambda: drive(ctx, call_next))


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
