"""The road inside a task: a question is parked on the task, and the tool waits until `tasks/update` brings an answer.

The store has every question, answer and step of the task. A run of the tool that is not the first is given them, so
that what was answered returns at once, what was done is not done again, and an open question keeps its key.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ..asking import TRIES, Mode
from ..errors import AnswerError, CallOver, ElicitkitError, Fault, ProtocolError, StaleClaim, StoreError, UnknownTask
from ..journal import EXPIRED, FormQuestion, Journal, LinkQuestion, Question, Reply
from ..limits import ANSWER_BYTES
from ..safety import trace_of
from ..schema.dialects import DIALECTS
from ..server.lifetimes import Lifetime
from ..server.modes import require_mode
from .record import History, TaskInput, new_key
from .requests import form_request, link_request, shape_of

if TYPE_CHECKING:
    from mcp_types import ClientCapabilities

    from .store import TaskStore

logger = logging.getLogger(__name__)

REVISION = "2026-07-28"
"""The revision that has tasks."""

_NO_STEPS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's hold on one task."""

    store: TaskStore
    task_id: str
    fence: int
    lease: float
    """For how long it is renewed at a time, in seconds."""
    until: float
    """When it ends, unless renewed; in seconds since the epoch."""


STATUS_CHARACTERS: Final = 1_000
"""What is kept of a status message, in characters: it goes out with each poll."""


class ParkedRoad:
    """A `Road` whose questions are parked on a task."""

    __slots__ = (  # There is one for each parked task in memory.
        *("_asked", "_claim", "_held", "_is_cancelled", "_is_stopped", "_journal", "_on_parked", "_refreshed"),
        *(
            "_steps",
            "_waiting",
            "_waiting_since",
            "call_id",
            "capabilities",
            "claimed_until",
            "is_broken",
            "lifetime",
            "running",
        ),
        *("running_steps", "seen_revision"),
    )
    answer_bytes = ANSWER_BYTES
    dialect = DIALECTS[REVISION]

    def __init__(
        self,
        claim: Claim,
        capabilities: ClientCapabilities | None,
        *,
        call_id: str,
        journal: Journal | None = None,
        history: History | None = None,
        on_parked: Callable[[], None] = lambda: None,
    ) -> None:
        self.lifetime = Lifetime()
        self.call_id = call_id
        self.capabilities = capabilities
        self.running: set[str] = set()
        """See `Road.running`."""
        self.running_steps = 0
        """How many steps run, those of ours within included."""
        self.is_broken = False
        """Whether the store failed, or another worker overtook this one: whatever the tool makes of it is dropped."""
        self.seen_revision = 0
        """The revision of the record that this run saw last."""
        self._waiting_since: int | None = None
        """What the store was told at the last renewal: see `TaskStore.renew`."""
        self.claimed_until = claim.until
        """When the claim ends, unless renewed; in seconds since the epoch."""
        self._claim = claim
        self._journal = journal or Journal(claim.store.clock)
        """What was asked and done before the call became a task; and the names of questions."""
        self._asked: dict[str, TaskInput] = {}
        self._refreshed = 0
        """The revision of the last `refresh`."""
        self._steps: Mapping[str, str] = history.steps if history else _NO_STEPS
        self._waiting: dict[str, asyncio.Future[TaskInput]] = {}
        self._on_parked = on_parked
        self._is_stopped = self._is_cancelled = False
        self._held: asyncio.Future[None] | None = None
        if history is not None:
            self.refresh(history)

    # --- Road --------------------------------------------------------------------------------------------------------

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        self.lifetime.require()
        require_mode(self.capabilities, mode, self.dialect.modes)

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._journal.name(digest, key)

    def deadline(self, name: str, seconds: float) -> float:
        """See `Road.deadline`: the store has it, once the question was parked."""
        asked = self._asked.get(name)
        return self._journal.deadline(name, seconds) if asked is None else asked.until

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`."""
        self.lifetime.require()
        await self._may_go_on()
        asked = self._asked.get(question.name)
        if asked is None or asked.shape != question.shape:
            # Not before: an answer that was kept is one, though the question's time is over by now.
            if (reply := self._journal.reply_to(question)) is not None:
                return reply
            asked = await self._ask_anew(question, asked)
        while asked.state == "open":
            asked = await self._settled(asked, question)
        return _reply(asked, question)

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """See `Road.step`. In a task that was cancelled it is run too, for who clears up, and not kept."""
        self.lifetime.require()
        name = self._journal.step_name(name)
        for kept in (self._journal.step(name), self._steps.get(name)):
            if kept is not None:
                return kept
        if not self._is_cancelled:
            await self._may_go_on()
            await self._require_claim()
        self.running_steps += 1
        try:
            given = await run()
            await self._keep_step(name, given)
        finally:
            self.running_steps -= 1
        return given

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        """See `Road.refuse_until_visited`: 2026-07-28 has no such error."""

    async def complete(self, elicitation_id: str) -> None:
        """See `Road.complete`: 2026-07-28 has no such notification."""

    # --- rounds that a tool drives itself ----------------------------------------------------------------------------

    async def answers_to(self, requests: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Park what a tool asks in a round of its own, and give the answers by its keys.

        Raises:
            ProtocolError: If something is asked that a task cannot carry: no person answers it.
        """
        questions = {key: self._question_of(key, request) for key, request in requests.items()}
        replies = await asyncio.gather(*(self.ask(question) for question in questions.values()))
        return {key: _response(reply) for key, reply in zip(questions, replies, strict=True)}

    def _question_of(self, key: str, request: Mapping[str, Any]) -> Question:
        params = request.get("params") or {}
        if request.get("method") != "elicitation/create":
            raise ProtocolError(f"a task can ask a person, and nothing else: not {request.get('method')!r}")
        name = self.name(f"round {key}", None)
        if params.get("mode") == "url":
            self.require("url")
            return LinkQuestion(name, shape_of(request), params["message"], url=params["url"])
        self.require("form")
        schema = params["requestedSchema"]
        return FormQuestion(name, shape_of(request), params["message"], schema, tries=TRIES)

    async def progress(self, told: str) -> None:
        """Say what the task is doing, in a line or two. It is not worth a failure of the tool."""
        try:
            await self._claim.store.progress(self._claim.task_id, told[:STATUS_CHARACTERS], fence=self._claim.fence)
        except (CallOver, StaleClaim, UnknownTask):
            pass  # It has ended, or is not ours: the run is about to be stopped.
        except StoreError as error:
            logger.error("the progress of the task %s was not kept%s", self._claim.task_id[:8], trace_of(error))

    # --- what the runner does with it --------------------------------------------------------------------------------

    @property
    def is_parked(self) -> bool:
        """Whether it waits for people, as far as one can tell from here: some question waits, and no step runs."""
        if self.running_steps:
            return False
        for waiter in self._waiting.values():  # A worker asks a thousand of them at each answer.
            if waiter.done():
                return False
        return bool(self._waiting)

    def is_woken_by(self, history: History) -> bool:
        """Whether something came for a question that waits."""
        latest = {asked.name: asked.state for asked in history.inputs}
        return any(latest.get(name, "open") != "open" for name in self._waiting)

    def refresh(self, history: History) -> None:
        """Take what the store has now; answers wake those who wait for them."""
        revision = history.record.revision
        if revision < self._refreshed:
            return
        self._refreshed = revision
        self.seen_revision = max(self.seen_revision, revision)
        self._asked.update((asked.name, asked) for asked in history.inputs)  # The newest try of a name is the last.
        for name, waiter in self._waiting.items():
            asked = self._asked[name]
            if asked.state != "open" and not waiter.done():
                waiter.set_result(asked)

    def answered(self, asked: TaskInput) -> None:
        """Take one answer that the store has kept, before the store is read again."""
        waiter = self._waiting.get(asked.name)
        if waiter is not None and not waiter.done() and self._asked[asked.name].key == asked.key:
            self._asked[asked.name] = asked
            waiter.set_result(asked)

    def hold(self) -> None:
        """Let nothing new be asked or done, until `go_on` or `stop`: the call may be put down."""
        if self._held is None:
            self._held = asyncio.get_running_loop().create_future()

    def go_on(self) -> None:
        """End what `hold` began."""
        held, self._held = self._held, None
        if held is not None and not held.done():
            held.set_result(None)

    def stop(self, *, is_cancelled: bool = False) -> None:
        """Nothing is asked or done on this road any more; if the task was cancelled, who clears up may still do a step.

        Who waits for an answer is cancelled, two turns of the loop after the call: also what that does not reach, which
        are shields, tasks of the tool's own, and threads.
        """
        self._is_stopped, self._is_cancelled = True, is_cancelled
        self.go_on()
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._cancel_waiting)

    def _cancel_waiting(self) -> None:
        for waiter in [*self._waiting.values()]:
            waiter.cancel()

    async def _may_go_on(self) -> None:
        """Wait while the road is held; end a tool that swallowed its end."""
        while self._held is not None:
            await asyncio.shield(self._held)
        if self._is_stopped:
            await asyncio.sleep(0)  # One that does so in a loop must not stop the event loop.
            raise asyncio.CancelledError

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (StoreError, StaleClaim):
            self.is_broken = True
            raise

    async def _require_claim(self) -> None:
        """Make sure that nobody else has the task: a process may have slept for longer than its claim.

        Raises:
            StaleClaim, CallOver, UnknownTask, StoreError: If it cannot be sure of that.
        """
        if self._claim.store.clock() >= self.claimed_until:
            with self._guarded():
                await self.renew()

    async def renew(self) -> None:
        """Keep the claim for longer.

        Raises:
            StaleClaim, CallOver, UnknownTask, StoreError: If it cannot be kept.
        """
        claim, now = self._claim, self._claim.store.clock()
        waiting_since = self.seen_revision if self.is_parked else None
        await claim.store.renew(claim.task_id, claim.lease, fence=claim.fence, waiting_since=waiting_since)
        self.claimed_until, self._waiting_since = now + claim.lease, waiting_since

    @property
    def is_to_renew(self) -> bool:
        """Whether the claim is to be renewed at this look: of calls that wait on, at every other one.

        There are many of them, and nobody takes up what only waits for people, whose claim has run out.
        """
        left = self.claimed_until - self._claim.store.clock()
        return not self.is_parked or self._waiting_since != self.seen_revision or left < self._claim.lease * 0.58

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def _ask_anew(self, question: Question, other: TaskInput | None) -> TaskInput:
        """Park a question; one of another shape that had its name is asked no longer."""
        if other is not None:
            logger.warning("question %r is another one since it was asked; it is asked anew", question.name)
            with self._guarded():
                await self._claim.store.withdraw(self._claim.task_id, [other.key], fence=self._claim.fence)
        return await self._park(question)

    async def _park(self, question: Question) -> TaskInput:
        store = self._claim.store
        limit = store.clock() + store.max_wait
        until = limit if question.until is None else min(limit, question.until)
        tries = question.tries if isinstance(question, FormQuestion) else TRIES
        asked = TaskInput(new_key(), question.name, question.shape, _request(question), until, tries=tries)
        with self._guarded():
            record = await store.park(self._claim.task_id, [asked], fence=self._claim.fence)
        self.seen_revision = max(self.seen_revision, record.revision)
        if self._refreshed >= record.revision:
            return self._asked[asked.name]  # It may have been answered already.
        self._asked[asked.name] = asked
        return asked

    async def _keep_step(self, name: str, given: str) -> None:
        try:
            with self._guarded():
                await self._claim.store.keep_step(self._claim.task_id, name, given, fence=self._claim.fence)
        except (CallOver, UnknownTask):
            logger.info("the task %s ended while a step ran", self._claim.task_id[:8])

    async def _settled(self, asked: TaskInput, question: Question) -> TaskInput:
        """Wait until a question is not open any more; one with a time limit of the author's ends on time."""
        waiter: asyncio.Future[TaskInput] = asyncio.get_running_loop().create_future()
        self._waiting[asked.name] = waiter
        self._on_parked()
        try:
            if question.until is None:
                return await waiter
            return await asyncio.wait_for(waiter, max(0.0, question.until - self._claim.store.clock()))
        except asyncio.CancelledError:
            if not (self._is_stopped or self._held):  # It is the tool that waits for it no longer.
                await asyncio.shield(self._give_up(asked))
            raise
        except TimeoutError:
            with self._guarded():
                await self._claim.store.sweep()
                self.refresh(await self._claim.store.history(self._claim.task_id))
            return self._asked[asked.name]
        finally:
            del self._waiting[asked.name]

    async def _give_up(self, asked: TaskInput) -> None:
        """Ask a question no longer, so that nobody answers what nobody waits for."""
        try:
            await self._claim.store.withdraw(self._claim.task_id, [asked.key], fence=self._claim.fence)
        except ElicitkitError:
            logger.info("a question of the task %s could not be withdrawn", self._claim.task_id[:8])


def _reply(asked: TaskInput, question: Question) -> Reply:
    """What a question came to.

    Raises:
        AnswerError: If it is a link, and nothing that came was an answer: whoever asks for consent looks no further.
    """
    reply = asked.reply
    if reply is None:
        return EXPIRED if asked.state == "expired" else Reply("cancel")
    if isinstance(question, LinkQuestion) and reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    return replace(reply, tries=asked.attempt)


def _response(reply: Reply) -> dict[str, Any]:
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    content = None if reply.content is None else dict(reply.content)
    return {"action": reply.action} if content is None else {"action": reply.action, "content": content}


def _request(question: Question) -> Mapping[str, Any]:
    match question:
        case FormQuestion(message=message, schema=schema):
            return form_request(message, schema)
        case LinkQuestion(message=message, url=url):
            return link_request(message, url)
    raise TypeError(f"a question is a form or a link, not {type(question).__name__}")
