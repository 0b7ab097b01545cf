"""`Runner`: the calls of tasks that run in this process: it starts them, brings them back, and puts them down.

A first run is the continuation of the client's own call. Any later one is a replay: the tool runs from the top, and is
given what the store has. A run that waits for a person can be put down, and costs nothing but its rows then.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Set
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

import anyio

from ..errors import CallOver, ElicitkitError, StaleClaim, UnknownTask
from ..journal import Journal
from ..limits import LOST_RUNS
from ..safety import trace_of
from .call import TaskCall
from .claim import Claim
from .clearing import ClearingRoad, end_clearing
from .endings import Execute, completing, ending_of, failing
from .errands import Errands, persist
from .last_runs import LastRuns, give_up, require_runs, watch
from .looks import Looks
from .making import TaskTerms, make
from .persistence import history_for, keep_end
from .record import History, News, Settlement, TaskInput, TaskRecord, new_key
from .releasing import give_back, is_released, release, take
from .renewing import Renewing
from .resting import Resting
from .roads import first_road, later_road
from .run import Pulse, Run, ended
from .store import LEASE, TaskStore, Wanted
from .stores.transaction import is_owned
from .tools_here import AnyTool, Tools, ToolsHere
from .troubles import Troubles, troubles_of

logger: logging.Logger = logging.getLogger(__name__)

Replay: TypeAlias = Callable[["Run", History], Awaitable[Mapping[str, Any]]]
"""Runs the call of a record again, on the road of the run."""

MAX_LIVE: Final = 1_000
"""How many calls that wait for a person are kept in memory, unless told otherwise."""

Nudge: TypeAlias = Callable[[str, bool], None]
"""What is told the id of a task that may be ready; and whether it is, since this process made it so."""

GRACE: Final = 8.0
"""How long tools have to end when everything stops, in seconds, unless told otherwise: Docker kills after 10."""

_QUICKLY = 0.5
"""How long it takes a tool to end that does not refuse to, in seconds: those are given back before the others."""


class Runner:
    """Runs the calls of tasks on one event loop.

    Args:
        store: Where the tasks are.
        replay: What runs the call of a record again.
        lease: For how long a task is claimed at a time, in seconds; it is renewed while the process lives.
        max_live: How many calls are kept in memory; beyond, those that wait longest are put down. Calls that wait in
            threads are put down beyond half of those that the framework has.
        grace: How long a tool has to end when everything stops, in seconds; after that its task is given to others.
        lost_runs: How many runs of a task in a row may be lost before it is given up.
        tools: Which tools this process has; the tasks of others are left alone.
    """

    def __init__(
        self,
        store: TaskStore,
        replay: Replay,
        *,
        lease: float = LEASE,
        max_live: int = MAX_LIVE,
        grace: float = GRACE,
        lost_runs: int = LOST_RUNS,
        tools: Tools | None = None,
    ) -> None:
        self.store = store
        self.worker: str = secrets.token_hex(8)
        """What this process calls itself in the store."""
        self.lease = lease
        self.grace = grace
        self.left_behind: tuple[str, ...] = ()
        """The tasks whose tools did not end when everything stopped. They were given back, and may still do things."""
        self.most_working: int | None = None
        """How many calls may work here at once, beside those that began here; `None` for any number.

        A call that waits for people does not count; one that is answered when so many work is given back, for others.
        """
        self._replay = replay
        self._release = release
        self._runs: dict[str, Run] = {}
        self.pausing: Pulse = Pulse()
        """Beats whenever a call may have begun to wait for people, or ended."""
        self._errands = Errands(lambda: self._troubles)
        self._last_runs = LastRuns(require_runs(lost_runs), run=self._run_last, help=self.help)
        self._tools_here = ToolsHere(tools or AnyTool())
        self._looks = Looks(lambda: self.store.clock(), self._changed)
        self._renewing = Renewing(self._runs, has_news=self._changed)
        self._resting = Resting(
            self._runs, max_live=max_live, help=self.help, has_news=self._changed, pausing=self.pausing
        )
        self._tasks: set[asyncio.Task[None]] = set()
        # One of each for all runs: of a thousand that wait, each would keep its own.
        self._on_ended, self._on_parked, self._no_context = self._tasks.discard, self._resting.trim_soon, Context()
        self._starting: dict[str, int | None] = {}
        """Tasks that this process has, or is about to have, and that do not run yet.

        Each with the newest revision that was told meanwhile; 0 for none, and `None` where it is not known.
        """
        self._beginning = 0
        self._nudge: Nudge | None = None
        """What is told of tasks that may be ready; `None` while nothing may be started."""

    @property
    def live(self) -> int:
        """How many calls are in memory."""
        return len(self._runs)

    @property
    def _troubles(self) -> Troubles:
        return troubles_of(self.store)

    @property
    def is_busy(self) -> bool:
        """Whether as many calls work as may."""
        if self.most_working is None:
            return False
        return self._beginning + sum(run.is_working for run in self._runs.values()) >= self.most_working

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Count one call more as working inside the block, in which it is brought back."""
        self._beginning += 1
        try:
            yield
        finally:
            self._beginning -= 1
            self.pausing.beat()

    def is_working(self, task_id: str) -> bool:
        """Whether a task runs here, and does something else than wait for people."""
        run = self._runs.get(task_id)
        return run is not None and run.is_working

    @asynccontextmanager
    async def open(self, nudge: Nudge) -> AsyncIterator[None]:
        """Listen to the store inside the block; leaving it stops every run, for another process to take up.

        Args:
            nudge: What is told of tasks that may be ready, and do not run here.
        """
        self._nudge, self.left_behind = nudge, ()
        for left_behind in (self._runs, self._tasks, self._starting):  # By an event loop that was killed.
            left_behind.clear()
        self._errands.forget()
        self._last_runs.open()
        self._tools_here.open()
        self._resting.open()
        unsubscribe = self.store.follow(self._changed)
        try:
            yield
        finally:
            self._nudge = None
            self._resting.close()
            unsubscribe()
            self._looks.clear()
            with anyio.CancelScope(shield=True):
                await self._stop_all()

    # --- running -----------------------------------------------------------------------------------------------------

    async def create(self, call: TaskCall, terms: TaskTerms) -> TaskRecord:
        """Make a task of a call, which others are to run."""
        return await self._make(call, terms, new_key())

    async def new_run(
        self, call: TaskCall, terms: TaskTerms, *, journal: Journal | None = None
    ) -> tuple[TaskRecord, Run]:
        """Make a task of a call, and the run of it, which is to be started at once.

        Args:
            journal: What the call has asked, been told and done before.
        """
        task_id = new_key()
        self._starting[task_id] = 0
        try:
            record = await self._make(call, terms, task_id, worker=self.worker)
        finally:
            self._starting.pop(task_id, None)
        claim = Claim(self.store, task_id, record.fence, self.lease, record.lease_until)
        road = first_road(claim, call, journal=journal, help=self.help, on_parked=self._on_parked)
        road.known_revision = record.revision
        return record, Run(road, terms.owner)

    async def _make(self, call: TaskCall, terms: TaskTerms, task_id: str, *, worker: str | None = None) -> TaskRecord:
        return await make(self.store, call, terms, task_id=task_id, worker=worker, lease=self.lease, help=self.help)

    def start(self, run: Run, execute: Execute) -> None:
        """Run a call in the background that this process has claimed. While everything stops, it is left to others."""
        if self._nudge is None:
            return
        self._runs[run.claim.task_id] = run
        run.task = asyncio.create_task(self._run(run, execute), name=f"elicitkit task {run.claim.task_id[:8]}")
        self._tasks.add(run.task)
        run.task.add_done_callback(self._on_ended, context=self._no_context)

    async def advance(self, task_id: str, *, is_ready: bool = True) -> bool:
        """Bring a task back that nobody runs, if there is something to do for it; tell whether that was so.

        Args:
            task_id: The task.
            is_ready: Whether that is likely. If not, it is looked first, so that nobody is kept from writing.

        Raises:
            StoreError: If the store cannot be read or written.
        """
        if self._nudge is None or self._has(task_id) or self._tools_here.has_set_aside(task_id):
            return False
        if not is_ready and (await self._ready(task_id) is None or self._nudge is None or self._has(task_id)):
            return False
        return await self._take_up(task_id, self._last_runs.are_not_for)

    async def _take_up(self, task_id: str, wanted: Wanted) -> bool:
        self._starting[task_id] = 0
        try:
            until = self.store.clock() + self.lease
            has_tool = self._tools_here.have_that_of
            history = await take(
                self.store, task_id, self.worker, self.lease, wanted=lambda record: has_tool(record) and wanted(record)
            )
            if history is not None:
                return await self._run_again(history, until)
            record = await self._ready(task_id)  # Whoever has it may be dead: then it is looked again.
            if record is not None and not has_tool(record):
                if await self._tools_here.find_that_of(record):
                    return await self._take_up(task_id, wanted)
                self._tools_here.set_aside(record)
            elif record is not None and not wanted(record):
                self._last_runs.add(task_id)
            return False
        finally:
            if self._starting.pop(task_id, 0) != 0 and task_id not in self._runs:  # It was told, and nobody listened.
                self._changed(task_id)

    async def _run_last(self, task_id: str) -> None:
        """Give a task its last run. The store is told at once if that comes to nothing but to wait for people."""
        while self.is_busy:
            await self.pausing.felt()
        if self._nudge is None or self._has(task_id):
            return
        with self.beginning():
            await self._take_up(task_id, lambda _: True)
        if (run := self._runs.get(task_id)) is not None:
            await watch(run, self.pausing)
            await self._renewing.renew(run)

    @property
    def set_aside(self) -> int:
        """How many of the tasks that the store calls ready wait for something here."""
        return len(self._last_runs) + len(self._tools_here)

    def lacks_the_tool_of(self, task_id: str) -> bool:
        """Whether a task is left alone here since its tool is not there."""
        return self._tools_here.has_set_aside(task_id)

    def _has(self, task_id: str) -> bool:
        return task_id in self._runs or task_id in self._starting

    async def _run_again(self, history: History, until: float) -> bool:
        task_id = history.record.id
        claim = Claim(self.store, task_id, history.record.fence, self.lease, until)
        try:
            call = TaskCall.from_dict(history.record.call)
            road = later_road(claim, call, history, help=self.help, on_parked=self._on_parked)
        except Exception as error:
            logger.error("the call of the task %s cannot be read%s", task_id[:8], trace_of(error))
            await (end_clearing if history.record.is_over else failing("The call of this task cannot be read."))(claim)
            return False
        if self._nudge is None:
            await self._release(claim)
            return False
        if (lost := history.record.begun - 1) >= self._last_runs.limit:
            await give_up(claim, call.tool, lost, is_over=history.record.is_over)
            return False
        run = Run(road, history.record.owner)
        if isinstance(road, ClearingRoad):
            if not road.has_begun:
                await end_clearing(claim)
                return False
            road.on_end = partial(run.stop, is_cancelled=True)
        self.start(run, lambda: self._replay(run, history))
        newest = self._starting[task_id]
        if newest is None or newest > road.known_revision:  # It came since the history was read.
            self._changed(task_id)
        return True

    async def _ready(self, task_id: str) -> TaskRecord | None:
        """A task as it is, if anybody may take it; where somebody has it, it is looked again when the claim ends."""
        try:
            record = (await self.store.history(task_id)).record
        except UnknownTask:
            return None
        if record.is_waiting_to_run and record.is_leased(self.store.clock()):
            self._looks.plan(task_id, record.lease_until, record.revision)
            return None
        return record if record.is_waiting_to_run else None

    async def renew(self) -> None:
        """Renew the claims of all that runs here; a run that was overtaken is stopped."""
        await self._renewing.renew_all()

    async def _run(self, run: Run, execute: Execute) -> None:
        task_id, call, has_cleared_up = run.claim.task_id, execute(), False
        del execute  # What it knows of the request would be kept for as long as the call waits.
        try:
            try:
                end = completing(await call)
            except BaseException as error:
                end = ending_of(error, run.task)
            finally:
                run.road.lifetime.end()
            if not (run.is_stopped or run.road.is_broken or run.road.clears_up):
                await keep_end(run, end)
        except asyncio.CancelledError:
            if not run.is_stopped:
                raise
        except (StaleClaim, CallOver, UnknownTask) as error:
            logger.info("the task %s ended without this run: %s", task_id[:8], error)
            has_cleared_up = isinstance(error, CallOver)  # If it was cancelled, its tool ended before it heard of it.
        except ElicitkitError as error:
            logger.error(
                "the end of the task %s could not be kept; it will be run again, unless it was cancelled meanwhile%s",
                task_id[:8],
                trace_of(error),
            )
        finally:
            if run.road.is_broken and not run.is_stopped:
                self.help(self._give_back_broken(run.claim))
            has_cleared_up |= run.road.phase == "cancelled" or (run.road.clears_up and run.road.phase == "open")
            run.road.stop()  # Else a task that the tool left behind would wait for its answer for ever.
            if self._runs.get(task_id) is run:
                del self._runs[task_id]
            self.pausing.beat()
        if has_cleared_up and task_id not in self.left_behind:  # It was given to others otherwise.
            await end_clearing(run.claim)

    # --- answers -----------------------------------------------------------------------------------------------------

    def asked(self, task_id: str, owner: str | None, keys: Set[str]) -> Mapping[str, TaskInput] | None:
        """The questions of those keys that a run here waits with, as the store has them, for their owner.

        `None` where the store has to be asked: the task does not run here, or a key is of no such question.
        """
        run = self._runs.get(task_id)
        if run is None or not is_owned(run.owner, owner):
            return None
        waiting = run.road.waiting_for
        return waiting if keys <= waiting.keys() else None

    def answered(self, task_id: str, asked: TaskInput, settlement: Settlement) -> None:
        """Hand an answer that the store has just taken to a run here, sooner than it would read of it there."""
        run = self._runs.get(task_id)
        if run is None or settlement.replacement is not None or run.road.phase != "open":
            return
        if run.is_working or not self.is_busy:  # Else it is given back, once it is read what came.
            run.road.answered(replace(asked, state="answered", reply=settlement.reply))

    # --- changes -----------------------------------------------------------------------------------------------------

    def _changed(self, task_id: str, news: News | None = None) -> None:
        """A task changed."""
        run = self._runs.get(task_id)
        if run is not None:
            run.newest = max(run.newest, math.inf if news is None else news.revision)
            if not run.has_news and run.newest > run.road.known_revision:
                run.has_news = True
                self.help(self._refresh(run))
        elif task_id in self._starting:
            newest = self._starting[task_id]
            self._starting[task_id] = None if news is None or newest is None else max(newest, news.revision)
        elif self._nudge is None:
            return
        elif news is None or news.ready_at is None:
            self._nudge(task_id, False)
        elif news.ready_at > self.store.clock():
            self._looks.plan(task_id, news.ready_at, news.revision)
        else:
            self._nudge(task_id, news.is_own)

    async def _refresh(self, run: Run) -> None:
        run.has_news = False
        if run.newest <= run.road.known_revision:  # A question of its own is told of before it knows that it is asked.
            return
        run.newest = 0
        history = await history_for(run, lambda: self._runs.get(run.claim.task_id) is run)
        if history is None:
            run.stop()
        elif run.road.clears_up and history.record.fence == run.claim.fence:
            pass  # It ends by itself.
        elif history.record.is_over:
            run.has_news = not run.claim.is_of(history.record)  # It was put down, and whoever takes it clears up.
            run.stop(is_cancelled=history.record.status == "cancelled" and not run.has_news)
        elif history.record.fence != run.claim.fence:  # Another worker has it.
            run.stop()
        elif run.road.phase != "open":  # An answer must not wake what is about to be stopped.
            run.has_news = True
        elif not run.is_working and run.road.is_woken_by(history) and self.is_busy:
            self._resting.rest(run, self._is_given_back)
        else:
            run.road.refresh(history)

    # --- giving back -------------------------------------------------------------------------------------------------

    async def _is_given_back(self, run: Run) -> bool:
        """Give a task to others that has something to do."""
        await give_back([run], self._release)
        return True

    async def _give_back_broken(self, claim: Claim) -> None:
        """Give a task to others whose run the store broke, in a while: it was not lost with its process."""
        try:
            await asyncio.sleep(self.lease / 3)
            await persist(partial(is_released, claim))
        except asyncio.CancelledError:  # Everything stops.
            await self._release(claim)
            raise

    async def _stop_all(self) -> None:
        """Stop every run and give it back, those first that end at once; one that does not end is given up in time."""
        await self._errands.stop()
        runs = [*self._runs.values()]
        for run in runs:
            run.stop()
        quickly = min(_QUICKLY, self.grace)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=quickly)
        await give_back((run for run in runs if run.has_ended), self._release)
        left = [run for run in runs if not run.has_ended]
        await ended(self._tasks, self.grace - quickly)
        await give_back(left, self._release)
        self.left_behind = tuple(run.claim.task_id for run in left if not run.has_ended)
        await self._errands.stop()

    def help(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something in the background, and log what goes wrong."""
        self._errands.do(work)
