"""The road inside a task: a question is parked on the task, and the tool waits until `tasks/update` brings an answer.

The store has every question, answer and step of the task. A run of the tool that is not the first is given them, so
that what was answered returns at once, what was done is not done again, and an open question keeps its key.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from ..asking import Mode, note_cancelled
from ..errors import CallOver, StaleClaim, StoreError, UnknownTask
from ..journal import (
    EXPIRED,
    Journal,
    LinkQuestion,
    Names,
    Question,
    Reply,
    fingerprint,
    warn_of_another_message,
)
from ..limits import ANSWER_BYTES
from ..schema.dialects import DIALECTS, Dialect
from ..server.lifetimes import Lifetime
from ..server.modes import require_mode
from .claim import Claim
from .errands import Help, persist
from .leftovers import Leftovers
from .parking import Parking
from .progress import Progress
from .questions import input_of, reply_of
from .record import PASSED, History, TaskInput, TaskRecord
from .withdrawing import is_given_up, is_withdrawn, withdraw

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

logger: logging.Logger = logging.getLogger(__name__)

T = TypeVar("T")

REVISION = "2026-07-28"
"""The revision that has tasks."""

_NO_STEPS: Mapping[str, str] = MappingProxyType({})


Phase: TypeAlias = Literal["open", "held", "stopped", "cancelled"]
"""What may be done on a road: everything; nothing new, until it is decided whether the call is put down; nothing any
more; nothing but steps, of a tool that clears up since its task was cancelled."""


class ParkedRoad:
    """A `Road` whose questions are parked on a task."""

    __slots__ = (  # There is one for each parked task in memory.
        *("_asked", "_held", "_help", "_journal", "_leftovers", "_names", "_on_parked", "_parked_at", "_parking"),
        *("_progress", "_running", "_steps", "_waiting", "_waiting_since"),
        *("call_id", "claim", "claimed_until", "has_got_on", "is_broken", "known_revision", "lifetime", "parking"),
        *("phase", "running_steps", "session"),
    )
    clears_up = False
    """Whether its run does nothing but clear up behind a cancellation."""

    answer_bytes = ANSWER_BYTES
    dialect: Dialect = DIALECTS[REVISION]

    def __init__(
        self,
        claim: Claim,
        session: ServerSession,
        *,
        call_id: str,
        journal: Journal | None = None,
        history: History | None = None,
        leftovers: Leftovers | None = None,
        on_parked: Callable[[], None] = lambda: None,
        help: Help = lambda work: work.close(),
    ) -> None:
        self.lifetime: Lifetime = Lifetime()
        self.claim = claim
        self.call_id = call_id
        self.session = session
        """What the SDK has for a session, without a way to the client."""
        self.phase: Phase = "open"
        self.is_broken: bool = False
        """Whether the store failed, or another worker overtook this one: whatever the tool makes of it is dropped."""
        self.has_got_on: bool = False
        """Whether this run got something done that is kept: it asked something new, or finished a step."""
        self.known_revision: int = 0
        """The revision of the record up to which everything that happened to the task is known here."""
        self._parked_at: int = 0
        """The revision of the last question that this road parked: what the store had before knows nothing of it."""
        self.claimed_until: float = claim.until
        """When the claim ends, unless renewed; in seconds since the epoch."""
        self._waiting_since: int | None = None
        """What the store was told at the last renewal: see `TaskStore.renew`."""
        self.running_steps: int = 0
        """How many steps run, those of ours within included."""
        self.parking: int = 0
        """How many questions are on their way into the store."""
        self._running: set[str] | None = None
        self._journal = journal
        """What was asked and done before the call became a task."""
        self._names = Names() if journal is None else journal.names
        self._asked: dict[str, TaskInput] = {}
        """The newest try of each question, by name."""
        self._steps: Mapping[str, str] = history.steps if history else _NO_STEPS
        self._waiting: dict[str, asyncio.Future[TaskInput]] = {}
        self._on_parked = on_parked
        self._help = help
        self._leftovers = leftovers
        self._parking: Parking | None = None
        self._progress: Progress | None = None
        self._held: asyncio.Future[None] | None = None
        if history is not None:
            self.refresh(history)

    # --- Road --------------------------------------------------------------------------------------------------------

    def require(self, mode: Mode) -> None:
        """See `Road.require`."""
        self.lifetime.require()
        require_mode(self.session.client_capabilities, mode, self.dialect.modes)

    @property
    def task_id(self) -> str:
        """See `Road.task_id`."""
        return self.claim.task_id

    @property
    def is_cancelled(self) -> bool:
        """See `Road.is_cancelled`."""
        return self.phase == "cancelled"

    @property
    def running(self) -> set[str]:
        """See `Road.running`."""
        if self._running is None:
            self._running = set()
        return self._running

    def name(self, digest: str, key: str | None) -> str:
        """See `Road.name`."""
        return self._names.question(key or digest) if self._journal is None else self._journal.name(digest, key)

    def deadline(self, name: str, seconds: float) -> float:
        """See `Road.deadline`: the store has it, once the question was parked."""
        if (asked := self._asked.get(name)) is not None:
            return asked.until
        return self.claim.store.clock() + seconds if self._journal is None else self._journal.deadline(name, seconds)

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`."""
        self.lifetime.require()
        if self.phase != "open":
            await self._may_go_on()
        asked = self._asked.get(question.name)
        if self._leftovers is not None:
            self._leftovers.come_to(question.name)
        while asked is None or asked.shape != question.shape or asked.has_passed or asked.state == "open":
            if asked is None or asked.shape != question.shape or asked.has_passed:
                # Not before: an answer that was kept is one, though the question's time is over by now.
                if (reply := self._reply_before(question)) is not None:
                    return reply
                asked = await self._park(question, instead_of=asked)
                if self.phase != "open":  # It was stopped meanwhile, and who waits was cancelled.
                    await self._may_go_on()
                continue
            try:
                asked = await self._settled(asked, question)
            except asyncio.CancelledError:
                if self.phase in ("stopped", "cancelled"):
                    note_cancelled()
                else:  # It is the tool that waits for it no longer.
                    await asyncio.shield(self._give_up_late(asked))
                raise
            except TimeoutError:
                asked = await self._swept(asked)
            finally:
                del self._waiting[question.name]
        if asked.state == "answered" and (message := asked.authors_message) != question.message:
            warn_of_another_message(question.name, fingerprint(message), fingerprint(question.message))
        return reply_of(asked, question)

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """See `Road.step`. In a task that was cancelled it is run too, for who clears up, and not kept."""
        self.lifetime.require()
        name = self._names.step(name)
        if (kept := self._kept_step(name)) is not None:
            return kept
        self.running_steps += 1  # A run that looks whether it may do a step is not put down meanwhile.
        try:
            if self.phase != "cancelled":
                await self._may_go_on()
                await self._require_claim()
                if self.phase != "open":  # It was stopped meanwhile.
                    await self._may_go_on()
            self._do_something_new()
            given = await run()
            await self._keep_step(name, given)
        finally:
            self.running_steps -= 1
        return given

    def _kept_step(self, name: str) -> str | None:
        before = None if self._journal is None else self._journal.step(name)
        return self._steps.get(name) if before is None else before

    def refuse_until_visited(self, link: LinkQuestion) -> None:
        """See `Road.refuse_until_visited`: 2026-07-28 has no such error."""

    async def complete(self, elicitation_id: str) -> None:
        """See `Road.complete`: 2026-07-28 has no such notification."""

    # --- beside its questions ----------------------------------------------------------------------------------------

    async def progress(self, told: str) -> None:
        """Say what the task is doing, in a line or two; see `Progress`."""
        if self._progress is None:
            self._progress = Progress(self.claim)
            if self.phase in ("stopped", "cancelled"):
                self._progress.stop()
        await self._progress.tell(told)

    async def write_progress(self) -> None:
        """Write what the task said last that it is doing: before it parks, ends, or is given back."""
        if self._progress is not None:
            await self._progress.write()

    # --- what the runner does with it --------------------------------------------------------------------------------

    @property
    def is_parked(self) -> bool:
        """Whether it waits for people, as far as one can tell from here.

        Some question waits, none is on its way into the store, and no step runs.
        """
        if self.running_steps or self.parking or self._is_parking:
            return False
        for waiter in self._waiting.values():  # A worker asks a thousand of them at each answer.
            if waiter.done():
                return False
        return bool(self._waiting)

    def is_woken_by(self, history: History) -> bool:
        """Whether something came for a question that waits."""
        latest = {asked.name: asked.state for asked in history.inputs}
        return any(latest.get(name, "open") != "open" for name in self._waiting)

    @property
    def waiting_for(self) -> dict[str, TaskInput]:
        """The open questions that somebody waits for here, by key."""
        every = (self._asked[name] for name, waiter in self._waiting.items() if not waiter.done())
        return {asked.key: asked for asked in every}

    def refresh(self, history: History) -> None:
        """Take what the store has now; answers wake those who wait for them."""
        if history.record.revision < max(self.known_revision, self._parked_at):  # What is newer is read, too.
            return
        self.known_revision = history.record.revision
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
        self.phase, self._held = "held", asyncio.get_running_loop().create_future()

    def go_on(self) -> None:
        """End what `hold` began."""
        self._leave_for("open")

    def stop(self, *, is_cancelled: bool = False) -> None:
        """Nothing is asked or done on this road any more; if the task was cancelled, who clears up may still do a step.

        Who waits for an answer is cancelled, two turns of the loop after the call: also what that does not reach, which
        are shields, tasks of the tool's own, and threads.
        """
        self._leave_for("cancelled" if is_cancelled else "stopped")
        if self._progress is not None:
            self._progress.stop()
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._cancel_waiting)

    def _leave_for(self, phase: Phase) -> None:
        self.phase = phase
        held, self._held = self._held, None
        if held is not None:
            held.set_result(None)

    def _cancel_waiting(self) -> None:
        for waiter in [*self._waiting.values()]:
            waiter.cancel()

    async def _may_go_on(self) -> None:
        """Wait while the road is held; end a tool that swallowed its end."""
        while self._held is not None:
            await asyncio.shield(self._held)
        if self.phase != "open":
            await asyncio.sleep(0)  # One that does so in a loop must not stop the event loop.
            note_cancelled()
            raise asyncio.CancelledError

    async def _guarded(self, doing: Awaitable[T]) -> T:
        """Have something done in the store, and note when nothing can be any more."""
        try:
            return await doing
        except (StoreError, StaleClaim):
            self.is_broken = True
            raise

    async def _require_claim(self) -> None:
        """Make sure that nobody else has the task: a process may have slept for longer than its claim.

        Raises:
            StaleClaim, CallOver, UnknownTask, StoreError: If it cannot be sure of that.
        """
        if self.claim.store.clock() >= self.claimed_until:
            await self._guarded(self.renew())

    async def renew(self) -> None:
        """Keep the claim for longer.

        Raises:
            StaleClaim, CallOver, UnknownTask, StoreError: If it cannot be kept.
        """
        claim, now = self.claim, self.claim.store.clock()
        waiting_since = self.known_revision if self.is_parked else None
        more: dict[str, Any] = {"clears_up": True} if self.clears_up or self.phase == "cancelled" else {}
        await claim.store.renew(claim.task_id, claim.lease, fence=claim.fence, waiting_since=waiting_since, **more)
        self.claimed_until, self._waiting_since = now + claim.lease, waiting_since

    @property
    def is_to_renew(self) -> bool:
        """Whether the claim is to be renewed at this look: of calls that wait on, at every other one.

        There are many of them, and nobody takes up what only waits for people, whose claim has run out.
        """
        left = self.claimed_until - self.claim.store.clock()
        return not self.is_parked or self._waiting_since != self.known_revision or left < self.claim.lease * 0.58

    # --- waiting -----------------------------------------------------------------------------------------------------

    def _reply_before(self, question: Question) -> Reply | None:
        """The reply to a question from before the call became a task; one whose time is over has one."""
        if self._journal is not None:
            return self._journal.reply_to(question)
        return EXPIRED if question.until is not None and question.until <= self.claim.store.clock() else None

    @property
    def _is_parking(self) -> bool:
        """Whether a question is on its way into the store, though nobody may wait for it any more."""
        return self._parking is not None and self._parking.is_at_work

    async def _park(self, question: Question, *, instead_of: TaskInput | None) -> TaskInput:
        """Park a question; one of another shape that had its name is asked no longer."""
        self._do_something_new()
        if instead_of is not None and not instead_of.has_passed:
            logger.warning("question %r is another one since it was asked; it is asked anew", question.name)
            await self._guarded(withdraw(self.claim, instead_of))
        asked = input_of(question, self.claim.store)
        if self._parking is None:
            self._parking = Parking(self._park_all, self._give_up_late)
        self.parking += 1
        try:
            await self._parking.put(asked)
        finally:
            self.parking -= 1
            if not (self.parking or self._is_parking):  # There may be ten thousand roads that wait.
                self._parking = None
        return self._asked[asked.name]

    async def _park_all(self, some: Sequence[TaskInput]) -> None:
        """Park questions, all of them or none."""
        if self.phase in ("stopped", "cancelled"):
            raise CallOver("The task was stopped while a question was on its way.")
        await self.write_progress()
        claim = self.claim
        record = await self._guarded(claim.store.park(claim.task_id, some, fence=claim.fence))
        self.has_got_on = True
        self._parked_at = max(self._parked_at, record.revision)
        if self.known_revision < record.revision:  # Else they may have been answered already.
            self._asked.update((asked.name, record.inputs[asked.key]) for asked in some)
            if self._has_no_news(record):
                self.known_revision = record.revision

    async def _give_up_late(self, asked: TaskInput) -> None:
        """Withdraw a question that its tool stopped waiting for while it was being parked."""
        while self._held is not None:
            await asyncio.shield(self._held)
        if self.phase == "open":  # Else the call was stopped, and the next run comes to it.
            given_up = partial(is_given_up, self.claim, asked)
            if not await given_up():
                self._help(persist(given_up))

    def _has_no_news(self, record: TaskRecord) -> bool:
        """Whether a record has the same questions open as this road."""
        return record.inputs.keys() == {asked.key for asked in self._asked.values() if asked.state == "open"}

    async def _keep_step(self, name: str, given: str) -> None:
        claim = self.claim
        try:
            await self._guarded(claim.store.keep_step(claim.task_id, name, given, fence=claim.fence))
            self.has_got_on = True
        except (CallOver, UnknownTask):
            logger.info("the task %s ended while a step ran", claim.task_id[:8])

    def _settled(self, asked: TaskInput, question: Question) -> Awaitable[TaskInput]:
        """Wait until a question is not open any more; one with a time limit of the author's ends on time."""
        waiter: asyncio.Future[TaskInput] = asyncio.get_running_loop().create_future()
        self._waiting[asked.name] = waiter
        self._on_parked()
        if question.until is None:
            return waiter
        return _within(waiter, question.until - self.claim.store.clock())

    async def _swept(self, asked: TaskInput) -> TaskInput:
        """What became of a question whose time is over, once the store has noticed that, too."""
        store = self.claim.store
        await self._guarded(store.sweep())
        self.refresh(await self._guarded(store.history(self.claim.task_id)))
        return self._asked[asked.name]

    def _do_something_new(self) -> None:
        if self._leftovers is not None:
            # Not while it is held: it may go on, and nobody would look again.
            self._leftovers.watch(self._drop, lambda: self.phase != "held" and (self.is_parked or self.phase != "open"))

    def _drop(self, names: Iterable[str]) -> Callable[[], Awaitable[bool]]:
        """Ask no longer what the tool has not come to, and give what withdraws it."""
        left = [asked for name in names if self.phase == "open" and (asked := self._asked[name]).state == "open"]
        if left:
            logger.warning(
                "the task %s asks %d questions no longer: its tool has changed", self.claim.task_id[:8], len(left)
            )
        for asked in left:  # At once, so that a tool that comes to one now does not wait for nothing.
            self._asked[asked.name] = replace(asked, state="withdrawn", reply=PASSED)
        keys = [asked.key for asked in left]
        return lambda: self._is_dropped(keys)

    async def _is_dropped(self, keys: Collection[str]) -> bool:
        """Withdraw what was dropped; false if the store fails, which is no fault of what the tool does meanwhile."""
        if not keys or self.phase in ("stopped", "cancelled"):
            return True
        try:
            return await is_withdrawn(self.claim, keys, have_passed=True)
        except StaleClaim:
            self.is_broken = True
            return True


async def _within(waiter: asyncio.Future[TaskInput], seconds: float) -> TaskInput:
    """Wait for so long, and no longer.

    Raises:
        TimeoutError: If it took longer.
    """
    async with asyncio.timeout(seconds):  # Before Python 3.12 `wait_for` may swallow that it is cancelled.
        return await waiter
