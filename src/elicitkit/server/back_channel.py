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
from ..safety import plain_line
from ..schema.dialects import Dialect
from .modes import require_mode

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
        self._ctx = ctx
        self._journal = Journal()

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        if not self._ctx.session.can_send_request:
            raise ElicitationUnsupported(_NO_CHANNEL)
        require_mode(self._ctx.session.client_capabilities, mode)

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._journal.name(digest, key)

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`."""
        try:
            result = await self._ctx.session.elicit_form(
                question.message, dict(question.schema), related_request_id=self._ctx.request_id
            )
        except NoBackChannelError as error:
            raise ElicitationUnsupported(_NO_CHANNEL) from error
        except MCPError as error:
            raise _translated(error) from error
        except ValidationError as error:
            raise ProtocolError(_about(error)) from error
        return reply_from(result.action, result.content, self.answer_bytes)


def _translated(error: MCPError) -> ElicitationUnsupported | ProtocolError:
    """Our error for a client's. Its text is not repeated: a client's fault may quote what the person typed."""
    if error.code in (METHOD_NOT_FOUND, INVALID_REQUEST):
        return ElicitationUnsupported("This needs an answer from you, and the application you use refused to ask you.")
    return ProtocolError(f"The client answered a question with the error {error.code}.")


def _about(error: ValidationError) -> str:
    """What is wrong with an `ElicitResult`, without what the person typed."""
    wrong = error.errors()[0]
    where = ".".join(str(part) for part in wrong["loc"])
    got = f", not {plain_line(str(wrong['input']), limit=40)!r}" if wrong["loc"] == ("action",) else ""
    return (
        f"The client answered a question with something the protocol does not allow, at {where or 'the top'}: "
        f"an ElicitResult has the action accept, decline or cancel{got}, and flat content."
    )
