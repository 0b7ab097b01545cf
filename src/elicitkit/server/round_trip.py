"""The road of 2026-07-28: the call ends with `InputRequiredResult`, and the client's retry runs it again.

A tool is suspended at its first unanswered question. Two turns of the loop later, so that questions asked side by side
are collected, its cancel scope is cancelled and every waiting question released; whatever the tool then returns or
raises is discarded. The retry runs it from the top, and the journal, which travels in the `requestState` that the SDK
seals, answers what was asked before.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ElicitResult
from pydantic import ValidationError

from .. import _json
from ..asking import Mode, reply_from, stay_cancelled
from ..errors import LimitError, ProtocolError
from ..journal import FormQuestion, Inner, Journal, LinkQuestion, Question, Reply
from ..limits import ROUND_BYTES, ROUND_QUESTIONS, ROUND_TRIP_ANSWER_BYTES, ROUNDS, STATE_BYTES
from ..schema.dialects import Dialect
from .lifetimes import CallTask, Lifetime
from .modes import require_mode
from .results import result_problem

if TYPE_CHECKING:
    from mcp.server.context import HandlerResult, ServerRequestContext

logger: logging.Logger = logging.getLogger(__name__)

_SEAL_BYTES = 1024
"""What the SDK's seal adds to a state before it is encoded: claims, nonce and tag, generously."""
_USE_TASKS = "Ask for less at a time, or run the tool as a task."


class RoundTrip:
    """A `Road` on which the tool is run once for each round of questions."""

    answer_bytes = ROUND_TRIP_ANSWER_BYTES
    task_id = None

    def __init__(self, ctx: ServerRequestContext[Any, Any], dialect: Dialect, journal: Journal) -> None:
        self.dialect = dialect
        self.lifetime: Lifetime = Lifetime()
        self._task = CallTask()
        self._ctx = ctx
        self._journal = journal
        self._asked: list[Question] = []
        self._waiting: list[asyncio.Future[Reply]] = []
        self.running: set[str] = set()
        self._steps: set[asyncio.Future[str]] = set()
        self._scope = anyio.CancelScope()
        self._excess: LimitError | None = None
        self._round_bytes = 0

    @property
    def is_cancelled(self) -> bool:
        """See `Road.is_cancelled`."""
        return self._task.is_cancelled

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        self.lifetime.require()
        require_mode(self._ctx.session.client_capabilities, mode, self.dialect.modes)

    @property
    def journal(self) -> Journal:
        """What the call has asked, been told and done; another road may go on with it."""
        return self._journal

    @property
    def call_id(self) -> str:
        """See `Road.call_id`."""
        return self._journal.call_id

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._journal.name(digest, key)

    def deadline(self, name: str, seconds: float) -> float:
        """See `Road.deadline`."""
        return self._journal.deadline(name, seconds)

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`. Without an answer yet, it never returns: the call is suspended here."""
        self.lifetime.require()
        if (reply := self._journal.reply_to(question)) is not None:
            return reply
        await self._stay_suspended()
        await stay_cancelled(self)
        waiter: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._note(question, waiter)
        return await waiter

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """See `Road.step`. Suspending the call does not reach it: the round is sent when it is finished."""
        self.lifetime.require()
        name = self._journal.step_name(name)
        if (given := self._journal.step(name)) is not None:
            return given
        await self._stay_suspended()
        running = asyncio.ensure_future(self._do(name, run))
        self._steps.add(running)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            if not self._asked:  # It is not us who cancel.
                running.cancel()
            raise

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        """See `Road.refuse_until_visited`: 2026-07-28 has no such error."""

    async def complete(self, elicitation_id: str) -> None:
        """See `Road.complete`: 2026-07-28 has no such notification."""

    async def run(self, call: Callable[[], Awaitable[HandlerResult]]) -> HandlerResult:
        """Run the call until it ends or is suspended, and give its result or the round of questions.

        Raises:
            LimitError: If one of several questions asked side by side was one too many. Nothing was sent.
        """
        task = asyncio.current_task()
        cancelled_before = task.cancelling() if task else 0
        result: HandlerResult = None
        try:
            with self._scope:
                result = await call()
        except (Exception, asyncio.CancelledError, BaseExceptionGroup):
            if not self._asked:
                raise
            if task and task.cancelling() > cancelled_before:
                self._cancel_steps()
                raise
        finally:
            self.lifetime.end()
        if not self._asked:
            return self._with_journal(result)
        await self._finish_steps()
        if self._excess is not None:
            raise self._excess
        return self._round()

    # --- steps -------------------------------------------------------------------------------------------------------

    async def _do(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        given = await run()
        self._journal.keep_step(name, given)
        return given

    async def _finish_steps(self) -> None:
        """Wait for the steps that run beside a question; if the call is cancelled from outside, so are they."""
        try:
            if anyio.current_effective_deadline() == -math.inf:
                await anyio.lowlevel.checkpoint()  # Cancelled from outside: this raises.
            if self._steps:
                await asyncio.wait(self._steps)
        except asyncio.CancelledError:
            self._cancel_steps()
            raise
        for failed in self._steps:
            if not failed.cancelled() and failed.exception() is not None:
                logger.info("a step failed beside a question; it is run again with the next round")

    def _cancel_steps(self) -> None:
        for running in self._steps:
            running.cancel()

    # --- suspending --------------------------------------------------------------------------------------------------

    async def _stay_suspended(self) -> None:
        """End a tool that swallowed its suspension and goes on: it can neither ask nor do anything any more."""
        if self._scope.cancel_called:
            await asyncio.sleep(0)  # One that does so in a loop must not stop the event loop.
            raise asyncio.CancelledError

    def _note(self, question: Question, waiter: asyncio.Future[Reply]) -> None:
        self._refuse_excess(question)
        if not self._asked:
            self._excess = None  # The tool has caught it, and asks for less.
        self._journal.note(question)
        self._asked.append(question)
        self._waiting.append(waiter)
        if len(self._asked) == 1:
            _in_two_turns(self._suspend)

    def _suspend(self) -> None:
        """Cancel the call; two turns later also what the scope does not reach: shields, and tasks of their own."""
        self._scope.cancel()
        _in_two_turns(self._release)

    def _release(self) -> None:
        for waiter in self._waiting:
            waiter.cancel()

    def _refuse_excess(self, question: Question) -> None:
        if problem := self._excess_problem(question):
            self._excess = LimitError(f"{problem} {_USE_TASKS}")
            raise self._excess

    def _excess_problem(self, question: Question) -> str | None:
        if self._journal.rounds >= ROUNDS:
            return f"The call has asked in {ROUNDS} rounds, and may not ask more."
        if len(self._asked) >= ROUND_QUESTIONS:
            return f"A round may carry {ROUND_QUESTIONS} questions."
        if not self._asked:
            state = self._journal.write()
            if problem := _state_problem(state):
                return problem
            self._round_bytes = _sealed_bytes(state)
        self._round_bytes += _json.size(_input_request(question))
        size = self._round_bytes
        return f"The round takes {size:,} bytes, and may take {ROUND_BYTES:,}." if size > ROUND_BYTES else None

    # --- results -----------------------------------------------------------------------------------------------------

    def _round(self) -> dict[str, Any]:
        self._journal.end_round()
        return {
            "resultType": "input_required",
            "inputRequests": {question.name: _input_request(question) for question in self._asked},
            "requestState": self._written(),
        }

    def _written(self) -> str:
        """The journal as it is sent: a step that ran beside a question may have given too much.

        Raises:
            LimitError: If it did.
        """
        state = self._journal.write()
        if problem := _state_problem(state):
            raise LimitError(f"{problem} {_USE_TASKS}")
        return state

    def _with_journal(self, result: HandlerResult) -> HandlerResult:
        """Wrap our journal around the state of a round that the tool drives itself."""
        if self._journal.is_empty or not isinstance(result, dict) or result.get("resultType") != "input_required":
            return result
        self._journal.inner = Inner(result.get("requestState"), tuple(result.get("inputRequests") or ()))
        self._journal.end_round()
        return {**result, "requestState": self._written()}


def open_round(params: Mapping[str, Any]) -> tuple[Journal, Mapping[str, Any]]:
    """Read what a request of 2026-07-28 brings: the journal, and the params that are left for the tool.

    A first request may bring answers too: to questions with a key of the author's, before they are asked.

    Raises:
        MCPError: -32602, if the state has our mark and is not ours, or an answer of ours is no `ElicitResult`.
    """
    state, responses = params.get("requestState"), params.get("inputResponses") or {}
    if state is None and not responses:
        return Journal(), params
    journal = _journal_from(state)
    if not isinstance(responses, Mapping):  # The SDK refuses it.
        return journal or Journal(), dict(params)
    if journal is None or state is None:  # Nothing of ours yet: it is the first request, or a tool drives its rounds.
        return _new_journal(journal is not None, state, responses), dict(params)
    inner = journal.inner
    told = {name: one for name, one in responses.items() if name in inner.keys and not journal.is_asked(name)}
    if told:
        journal.inner = replace(inner, responses={**inner.responses, **told})
    ours = {name: value for name, value in responses.items() if name not in told}
    replies = {name: _reply(value) if journal.is_asked(name) else _early_reply(value) for name, value in ours.items()}
    journal.receive({name: reply for name, reply in replies.items() if reply is not None})
    return journal, _inner_params(params, journal.inner)


def _new_journal(may_be_early: bool, state: object, responses: Mapping[str, Any]) -> Journal:
    """A journal that keeps where the tool stands in rounds of its own, for when it asks through us on its way."""
    journal = Journal()
    journal.inner = Inner(state if isinstance(state, str) else None, (), dict(responses))
    if may_be_early:
        journal.receive({name: reply for name, value in responses.items() if (reply := _early_reply(value))})
    return journal


def _inner_params(params: Mapping[str, Any], inner: Inner) -> dict[str, Any]:
    left = {name: value for name, value in params.items() if name not in ("requestState", "inputResponses")}
    if inner.state is not None:
        left["requestState"] = inner.state
    if inner.responses:
        left["inputResponses"] = dict(inner.responses)
    return left


def _journal_from(state: object) -> Journal | None:
    if not isinstance(state, str):
        return Journal()
    try:
        return Journal.read(state)
    except ProtocolError as error:
        data = {"reason": "invalid_request_state"}
        raise MCPError(code=INVALID_PARAMS, message="Invalid or expired requestState", data=data) from error


def _reply(response: object) -> Reply:
    try:
        result = ElicitResult.model_validate(response, by_name=False)
    except ValidationError as error:
        raise MCPError(code=INVALID_PARAMS, message=result_problem(error)) from None
    return reply_from(result.action, result.content, ROUND_TRIP_ANSWER_BYTES)


def _early_reply(response: object) -> Reply | None:
    """A reply, if it is one: what comes unasked may be meant for the tool's own questions, or for nobody."""
    try:
        return _reply(response)
    except MCPError:
        return None


def _input_request(question: Question) -> dict[str, Any]:
    match question:
        case FormQuestion(message=message, schema=schema):
            params = {"mode": "form", "message": message, "requestedSchema": schema}
        case LinkQuestion(message=message, url=url):
            params = {"mode": "url", "message": message, "url": url}
        case _:
            raise TypeError(f"a question is a form or a link, not {type(question).__name__}")
    return {"method": "elicitation/create", "params": params}


def _state_problem(state: str) -> str | None:
    if (size := _sealed_bytes(state)) <= STATE_BYTES:
        return None
    return f"The answers and steps so far take {size:,} bytes, and may take {STATE_BYTES:,}."


def _sealed_bytes(state: str) -> int:
    """How long a state is once the SDK has sealed it: JSON in JSON, encrypted, in base64."""
    escaped = len(state) + state.count('"') + state.count("\\")
    return (escaped + _SEAL_BYTES) * 4 // 3


def _in_two_turns(action: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    loop.call_soon(loop.call_soon, action)
