"""The rounds of one call: a request, the questions it comes back with, their answers, and the request again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio
from mcp import MCPError
from mcp.client import ClaimContext
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_REQUEST,
    URL_ELICITATION_REQUIRED,
    CallToolResult,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    Result,
    TextContent,
)

from .._json import thawed
from ..errors import ServerUnavailable, TaskOutOfReach
from ..limits import ROUNDS
from ..suspension import Answer, Request, declined_or_expired, unresolved
from ..tasks.client import TaskHandle
from ..tasks.client_reach import OUTAGE, Reach
from ..tasks.messages import CreatedTask
from .answering import Slot
from .asked import Mode, Params, Unanswerable, params_of, read_links, read_question
from .calls import Call
from .connection import Connection
from .origins import Origin
from .pending_calls import PendingCall
from .progress import Progress, Question, sent_back
from .showing import inside, shown_here
from .task_rounds import TaskAsked, asked_again, may_come_back, next_of
from .troubles import is_lost
from .upstream import Upstream

logger: logging.Logger = logging.getLogger(__name__)

BACKOFF_SECONDS: Final = 0.05
"""How long a call waits before it comes back to a server that asked for nothing but time; each time longer."""

OPEN_QUESTIONS: Final = 1_000
"""How many questions of one server may be open at a time."""

RELATED_TASK: Final = "io.modelcontextprotocol/related-task"
"""The key in the `_meta` of a result for the id of the task it is about (2025-11-25, "Tasks")."""

MOST_BACKOFF_SECONDS: Final = 0.25
"""The longest of these waits."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Drives the calls of a host."""

    slot: Slot
    modes: Collection[Mode]
    suspend: bool
    """Whether a question makes the call a `PendingCall`, instead of being put to the slot."""

    link_seconds: float
    """How long a server may take to tell that a link is done, before the call that required it is made again."""

    outage: float | None = OUTAGE
    """How long the server of a task may fail, in seconds; `None` for ever."""

    running: set[Call] = field(default_factory=set)
    """The calls that have no result yet."""

    def withdraw(self) -> None:
        """Close all questions: the host ends, and no server is asked again."""
        for call in tuple(self.running):
            call.ended_by_host = True
            call.withdraw()

    async def run(
        self, upstream: Upstream, tool: str, arguments: Mapping[str, Any], progress: Progress
    ) -> CallToolResult | PendingCall:
        """Go on with a call until it has a result, or has to be suspended.

        Raises:
            ServerUnavailable: If the server cannot be reached, and nothing was sent.
        """
        call = Call(tool, id=progress.call, inside=shown_here())
        self.running.add(call)
        try:
            return await self._run(upstream, call, arguments, progress)
        finally:
            self.running.discard(call)

    async def _run(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress
    ) -> CallToolResult | PendingCall:
        step: Progress | CallToolResult | PendingCall = progress
        has_sent = False
        while isinstance(step, Progress):
            step = await self._answered(upstream, call, arguments, step)
            if not isinstance(step, Progress):
                break
            sending = step
            try:
                step = await self._sent(upstream, call, arguments, sending)
            except ServerUnavailable as error:
                if not has_sent:
                    raise
                if sending.task is not None:
                    return await self._left(upstream, call, arguments, sending, str(error))
                return failure(str(error))  # An answer of an earlier round has left, and is not to leave twice.
            has_sent = True
        return step

    async def on_question(self, upstream: Upstream, connection: Connection, params: Params) -> ElicitResult | ErrorData:
        """Answer a question that came while a request was open: in the handshake eras, and from extensions."""
        result: ElicitResult | ErrorData = ElicitResult(action="cancel")
        with connection.asking() as call:  # It is left early when the call ends: nobody reads the result then.
            if call is None:
                logger.warning("the server %r asked when its call was over: it is cancelled", upstream.name)
                return result
            if upstream.open_questions >= OPEN_QUESTIONS:
                return ErrorData(code=INVALID_REQUEST, message=f"{OPEN_QUESTIONS:,} questions are open already")
            upstream.open_questions += 1
            try:
                result = await self._on_question(upstream, connection, call, params)
            finally:
                upstream.open_questions -= 1
        return result

    async def _on_question(
        self, upstream: Upstream, connection: Connection, call: Call, params: Params
    ) -> ElicitResult:
        request = self._read(params, upstream, call)
        if isinstance(request, Unanswerable):
            return ElicitResult(action="cancel")
        if self.suspend:
            answer = await self.slot.offered(request)
            if answer is None:
                call.refused = request
                answer = await self.slot.noted(request, request.cancel("unsupported"))
            return sent_back(request, answer)

        def withdrawn() -> str:
            return "failed" if (connection.is_over or call.lost) and not call.ended_by_host else "cancelled"

        with inside(call.inside):
            return sent_back(request, await self.slot.answer(request, withdrawn=withdrawn))

    # --- what a round asks --------------------------------------------------------------------------------------------

    async def _answered(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress
    ) -> Progress | CallToolResult | PendingCall:
        """All questions of a round answered; or what the call comes to without."""
        if self.suspend:
            return await self._offered(upstream, call, arguments, progress)
        links = [question.request for question in progress.questions if question.key is None]
        with upstream.completions.expecting(Origin.of(link).elicitation_id for link in links) as completed:
            while progress.questions:
                shown = progress.questions[:1] if self.slot.at_once == 1 else progress.questions
                answers: list[Answer] = []
                with call.asking():
                    answers = await asyncio.gather(*(self.slot.answer(question.request) for question in shown))
                if not answers:
                    return failure("the host ended before there was an answer")
                for question, answer in zip(shown, answers, strict=True):
                    if question.key is None and not answer.ok:
                        return failure(declined_or_expired(question.request))
                    progress = progress.answered(question, answer)
            await completed(self.link_seconds)
        return progress

    async def _offered(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress
    ) -> Progress | CallToolResult | PendingCall:
        while progress.questions:
            question = progress.questions[0]
            request = self.slot.limited(question.request)
            answer = await self.slot.offered(request)
            if answer is None:
                return PendingCall(request, upstream.name, call.tool, arguments, progress.to_state())
            if question.key is None and not answer.ok:
                return failure(declined_or_expired(question.request))
            progress = progress.answered(question, answer)
        return progress

    async def _asked(
        self, upstream: Upstream, call: Call, progress: Progress, round: InputRequiredResult
    ) -> Progress | CallToolResult:
        """The questions of the next round."""
        if progress.rounds == ROUNDS and progress.task is None:
            return failure(f"{upstream.described} asked for more than {ROUNDS} rounds of answers")
        if len(round.input_requests or {}) > OPEN_QUESTIONS:
            return failure(f"{upstream.described} asked more than {OPEN_QUESTIONS:,} questions at once")
        questions, answers = [], {}
        for key, asked in (round.input_requests or {}).items():
            request = self._read(params_of(asked), upstream, call, task=progress.task or "")
            if isinstance(request, Unanswerable):
                answers[key] = {"action": "cancel"}
            else:
                questions.append(Question(key, request))
        if not round.input_requests:
            await anyio.sleep(min(BACKOFF_SECONDS * 2**progress.rounds, MOST_BACKOFF_SECONDS))
        return progress.asked(questions, answers=answers, state=round.request_state)

    def _blocked(
        self, upstream: Upstream, call: Call, progress: Progress, error: MCPError
    ) -> Progress | CallToolResult:
        """The links that the server requires to be opened first; once in a call."""
        links = read_links(error.data, self.modes, server=upstream.name, tool=call.tool, call=call.id)
        if isinstance(links, Unanswerable):
            return failure(f"{upstream.described} cannot go on: {links.problem}")
        return failure(unresolved(links[0])) if progress.has_opened else progress.blocked(links)

    def _read(self, params: Params, upstream: Upstream, call: Call, *, task: str = "") -> Request | Unanswerable:
        return read_question(params, self.modes, server=upstream.name, tool=call.tool, call=call.id, task=task)

    # --- requests -----------------------------------------------------------------------------------------------------

    async def _sent(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress
    ) -> Progress | CallToolResult | PendingCall:
        """One request, and what it came back with."""
        try:
            result = await self._requested(upstream, call, arguments, progress)
            if isinstance(result, TaskAsked):
                return await self._asked(upstream, call, replace(progress, task=result.task_id), result.round)
            if isinstance(result, InputRequiredResult):
                return await self._asked(upstream, call, progress, result)
        except ServerUnavailable:
            raise
        except TaskOutOfReach as error:
            return await self._out_of_reach(upstream, call, arguments, progress, error)
        except MCPError as error:
            if error.code == URL_ELICITATION_REQUIRED:
                return self._blocked(upstream, call, progress, error)
            return failure(upstream.why_no_result(error, status=call.refusal))
        except TimeoutError:
            seconds = upstream.settings.seconds
            return failure(f"{upstream.described} did not answer within {seconds:g} seconds")
        except Exception as error:  # What the SDK raises for what a server does: its results, its streams.
            return failure(upstream.why_no_result(error, status=call.refusal))
        return result if call.refused is None else _refused(call.refused, result)

    async def _out_of_reach(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress, error: TaskOutOfReach
    ) -> CallToolResult | PendingCall:
        """What a call comes to whose task cannot be waited for: who waits is told its id, who does not may go on."""
        why = upstream.why_no_result(error.__cause__ or error, status=call.refusal)
        if self.suspend and may_come_back(error):
            known = progress if progress.task is not None else replace(progress, task=error.task_id, answers={})
            return await self._left(upstream, call, arguments, known, why)
        told = failure(f"{why}. Its task {error.task_id} was left as it is.")
        return told.model_copy(update={"meta": {RELATED_TASK: {"taskId": error.task_id}}})

    async def _left(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress, why: str
    ) -> PendingCall:
        """A call that goes on where it is when somebody says so; no policy does, or it would ask without an end."""
        origin = Origin(upstream.name, call.tool, call=call.id, task=progress.task or "")
        request = await self.slot.put_off(asked_again(why, origin))
        left = replace(progress, questions=(Question(None, request),))
        return PendingCall(request, upstream.name, call.tool, arguments, left.to_state())

    async def _requested(
        self, upstream: Upstream, call: Call, arguments: Mapping[str, Any], progress: Progress
    ) -> CallToolResult | InputRequiredResult | TaskAsked:
        """One request. It is sent once more where the server says that it did not even look at it."""
        connection = await upstream.connection()
        try:
            return await self._request(upstream, connection, call, arguments, progress)
        except MCPError as error:
            if error.code == HEADER_MISMATCH:
                await upstream.list_tools(connection)
            elif call.was_ignored and not is_lost(error):
                connection.retire()  # Other calls over it may have been looked at, and go on.
            else:
                raise
        return await self._request(upstream, await upstream.connection(), call, arguments, progress)

    async def _request(
        self,
        upstream: Upstream,
        connection: Connection,
        call: Call,
        arguments: Mapping[str, Any],
        progress: Progress,
    ) -> CallToolResult | InputRequiredResult | TaskAsked:
        if progress.task is not None:
            handle = TaskHandle(connection.client.session, progress.task)
            with connection.running(call), _noting_loss(connection, call):
                return await next_of(handle, self._reach(handle), progress.responses() or {})
        async with AsyncExitStack() as turn:
            if upstream.takes_turns(connection):
                if connection.turn.locked() and shown_here():
                    logger.error("a wait_for called %r of %r, and would wait for itself", call.tool, upstream.name)
                    return failure(f"{upstream.described} {_BUSY}")
                await turn.enter_async_context(connection.turn)
            call.refusal, call.was_ignored = "", False
            with connection.running(call):
                with call.patience.limit(upstream.settings.seconds), _noting_loss(connection, call):
                    result = await connection.client.session.call_tool(
                        call.tool,
                        thawed(arguments),
                        input_responses=progress.responses(),
                        request_state=progress.request_state,
                        allow_input_required=True,
                        allow_claimed=True,
                    )
                if isinstance(result, (CallToolResult, InputRequiredResult)):
                    return result
                if self.suspend and isinstance(result, CreatedTask):
                    handle = TaskHandle(connection.client.session, result.task_id)
                    return await next_of(handle, self._reach(handle), {})
                return await _resolved(upstream, connection, call.tool, result)

    def _reach(self, handle: TaskHandle) -> Reach:
        return Reach(handle.id, outage=self.outage)


_BUSY: Final = (
    "is busy with another call, and on its connection calls go one at a time. A wait_for must not wait for one: it may "
    "be the call whose question it is to answer"
)


def failure(text: str) -> CallToolResult:
    """The result of a call that failed: an error, with what a model or a person can do something with."""
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


@contextmanager
def _noting_loss(connection: Connection, call: Call) -> Iterator[None]:
    try:
        yield
    except MCPError as error:
        if is_lost(error):
            call.lost = True
            if connection.calls == {call}:  # Over HTTP it may have been one stream of many.
                connection.end()
        raise


async def _resolved(upstream: Upstream, connection: Connection, tool: str, claimed: Result) -> CallToolResult:
    """The result of a call that an extension has claimed, such as a task; it may take as long as it takes."""
    claims = (claim for extension in upstream.extensions for claim in extension.claims())
    claim = next(claim for claim in claims if claim.model is type(claimed))
    session = connection.client.session
    context = ClaimContext(session=session, tool_name=tool, read_timeout_seconds=None)
    result = await claim.resolve(claimed, context)
    if not result.is_error:
        await session.validate_tool_result(tool, result)
    return result


def _refused(request: Request, result: CallToolResult) -> CallToolResult:
    """The result of a call whose question could not wait for a later answer."""
    told = failure(
        f"unsupported: {request.prompt}\nThe server asks over a live connection, where a question cannot wait for a "
        "later answer. It was cancelled; a host with a wait_for can answer it."
    )
    return told.model_copy(update={"content": [*told.content, *result.content]})
