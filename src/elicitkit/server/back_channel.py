"""The road of the handshake eras (2025-06-18, 2025-11-25): one `elicitation/create` request, answered live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND
from pydantic import ValidationError

from ..asking import Mode, reply_from
from ..errors import ElicitationUnsupported, ProtocolError
from ..journal import Journal, Question, Reply
from ..limits import ANSWER_BYTES
from ..schema.dialects import Dialect
from .lifetimes import Lifetime
from .modes import require_mode
from .results import result_problem

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_NO_CHANNEL = (
    "This needs an answer from you, and the connection has no way to ask: the server runs streamable HTTP without "
    "sessions or with JSON responses only, and the client speaks a revision before 2026-07-28. "
    "Use a newer client, or run the server with sessions."
)


class BackChannel:
    """A `Road` on which the tool waits while the person answers."""

    answer_bytes = ANSWER_BYTES

    def __init__(self, ctx: ServerRequestContext[Any, Any], dialect: Dialect) -> None:
        self.dialect = dialect
        self.lifetime = Lifetime()
        self._ctx = ctx
        self._journal = Journal()

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        self.lifetime.require()
        if not self._ctx.session.can_send_request:
            raise ElicitationUnsupported(_NO_CHANNEL)
        require_mode(self._ctx.session.client_capabilities, mode)

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._journal.name(digest, key)

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`.

        The client's own words are never repeated, nor chained to: they may quote what the person typed, and the SDK
        logs the whole chain of an error that leaves a tool.
        """
        self.lifetime.require()
        try:
            result = await self._ctx.session.elicit_form(
                question.message, dict(question.schema), related_request_id=self._ctx.request_id
            )
        except NoBackChannelError:
            raise ElicitationUnsupported(_NO_CHANNEL) from None
        except MCPError as error:
            raise _translated(error) from None
        except ValidationError as error:
            raise ProtocolError(result_problem(error)) from None
        return reply_from(result.action, result.content, self.answer_bytes)


def _translated(error: MCPError) -> ElicitationUnsupported | ProtocolError:
    """Our error for a client's."""
    if error.code in (METHOD_NOT_FOUND, INVALID_REQUEST):
        return ElicitationUnsupported("This needs an answer from you, and the application you use refused to ask you.")
    return ProtocolError(f"The client answered a question with the error {error.code}.")
