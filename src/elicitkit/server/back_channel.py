"""The road of the handshake eras (2025-06-18, 2025-11-25): one `elicitation/create` request, answered live."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError, NoBackChannelError, UrlElicitationRequiredError
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND, ElicitRequestURLParams, ElicitResult
from pydantic import ValidationError

from ..asking import Mode, reply_from, stay_cancelled
from ..errors import ElicitationUnsupported, ProtocolError
from ..journal import EXPIRED, FormQuestion, Journal, LinkQuestion, Question, Reply
from ..limits import ANSWER_BYTES
from ..schema.dialects import Dialect
from .lifetimes import CallTask, Lifetime
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
    task_id = None

    def __init__(self, ctx: ServerRequestContext[Any, Any], dialect: Dialect) -> None:
        self.dialect = dialect
        self.lifetime: Lifetime = Lifetime()
        self._task = CallTask()
        self.running: set[str] = set()
        self._ctx = ctx
        self._journal = Journal()

    @property
    def call_id(self) -> str:
        """See `Road.call_id`."""
        return self._journal.call_id

    @property
    def is_cancelled(self) -> bool:
        """See `Road.is_cancelled`."""
        return self._task.is_cancelled

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        self.lifetime.require()
        if not self._ctx.session.can_send_request:
            raise ElicitationUnsupported(_NO_CHANNEL)
        require_mode(self._ctx.session.client_capabilities, mode, self.dialect.modes)

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._journal.name(digest, key)

    def deadline(self, name: str, seconds: float) -> float:
        """See `Road.deadline`."""
        return self._journal.deadline(name, seconds)

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`. At the deadline the request is cancelled, which tells the client to withdraw the question."""
        self.lifetime.require()
        await stay_cancelled(self)
        left = self._journal.seconds_left(question)
        with anyio.move_on_after(math.inf if left is None else left):
            return await self._reply_to(question)
        return EXPIRED

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """See `Road.step`. The call is run once, and so is the step."""
        self.lifetime.require()
        return await run()

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        """See `Road.refuse_until_visited`."""
        params = ElicitRequestURLParams(message=link.message, url=link.url, elicitation_id=link.elicitation_id)
        raise UrlElicitationRequiredError([params])

    async def complete(self, elicitation_id: str) -> None:
        """See `Road.complete`."""
        await self._ctx.session.send_elicit_complete(elicitation_id)

    async def _reply_to(self, question: Question) -> Reply:
        """What the client answers.

        Its own words are never repeated, nor chained to: they may quote what the person typed, and the SDK logs the
        whole chain of an error that leaves a tool.
        """
        try:
            result = await self._send(question)
        except NoBackChannelError:
            raise ElicitationUnsupported(_NO_CHANNEL) from None
        except MCPError as error:
            raise _translated(error) from None
        except ValidationError as error:
            raise ProtocolError(result_problem(error)) from None
        return reply_from(result.action, result.content, self.answer_bytes)

    async def _send(self, question: Question) -> ElicitResult:
        session, sent_with = self._ctx.session, self._ctx.request_id
        match question:
            case FormQuestion(message=message, schema=schema):
                return await session.elicit_form(message, dict(schema), related_request_id=sent_with)
            case LinkQuestion(message=message, url=url, elicitation_id=visit):
                return await session.elicit_url(message, url, visit, related_request_id=sent_with)
        raise TypeError(f"a question is a form or a link, not {type(question).__name__}")


def _translated(error: MCPError) -> ElicitationUnsupported | ProtocolError:
    """Our error for a client's."""
    if error.code in (METHOD_NOT_FOUND, INVALID_REQUEST):
        return ElicitationUnsupported("This needs an answer from you, and the application you use refused to ask you.")
    return ProtocolError(f"The client answered a question with the error {error.code}.")
