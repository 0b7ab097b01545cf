"""`TransactionalStore`: a `TaskStore` for any medium that has transactions.

Each operation is one function of a `Transaction`: it reads the record, lets `changes` decide, and saves what that
gives. A new store implements `Transaction`, and how one is run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ..._json import sendable
from ...errors import LimitError, UnknownTask
from ...limits import LISTED_TASKS, TASK_QUESTIONS
from .. import changes
from ..changes import Change
from ..listing import EVERYBODY, Everybody, Listing, TaskPage, listing_of, page_of
from ..record import History, Settlement, Swept, TaskInput, TaskRecord, new_key, to_json
from ..requests import require_small
from ..states import Status
from ..store import LEASE, Judged, TaskStore, Wanted
from .arguments import positive, require_small_answer, task_id_of, whole
from .telling import Telling
from .transaction import Transaction, held, known, owned, running

T = TypeVar("T")

SWEEP_AT_ONCE = 200
"""How many tasks one transaction of a sweep takes, so that it does not keep others waiting."""


class TransactionalStore(Telling, TaskStore):
    """What all stores with transactions have in common: everything but how one is run."""

    @abstractmethod
    async def _write(self, work: Callable[[Transaction], T]) -> T:
        """Run *work* in a transaction, commit it, and tell the listeners; roll it back if it raises."""

    @abstractmethod
    async def _read(self, work: Callable[[Transaction], T]) -> T:
        """Run *work*, which writes nothing, on one state of the store."""

    async def _read_once(self, work: Callable[[Transaction], T]) -> T:
        """As `_read`, for a work that asks for one thing: one task, or one history."""
        return await self._read(work)

    def _kept(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The request of a question that is about to be asked, as the store keeps it."""
        return request

    def _to_ask(self, asked: TaskInput, now: float) -> TaskInput:
        return changes.opened(asked, self._kept(asked.request), now)

    def _to_settle(self, one: Settlement, now: float) -> Settlement:
        return one if one.replacement is None else replace(one, replacement=self._to_ask(one.replacement, now))

    # --- tasks -------------------------------------------------------------------------------------------------------

    async def create(
        self,
        call: Mapping[str, Any],
        *,
        owner: str | None = None,
        ttl: float | None = None,
        poll_interval_ms: int | None = None,
        task_id: str | None = None,
        worker: str | None = None,
        lease: float = LEASE,
    ) -> TaskRecord:
        """See `TaskStore.create`."""
        now = self.clock()
        record = TaskRecord(
            new_key() if task_id is None else task_id_of(task_id),
            owner,
            to_json("the call", call),
            now,
            now,
            now,
            ttl=None if ttl is None else positive("ttl", ttl),
            poll_interval_ms=None if poll_interval_ms is None else whole("poll_interval_ms", poll_interval_ms),
            fence=0 if worker is None else 1,
            worker=worker,
            lease_until=0.0 if worker is None else now + positive("lease", lease),
            begun=0 if worker is None else 1,
        )
        return await self._write(lambda within: within.insert(record))

    async def get(self, task_id: str, *, owner: str | None) -> TaskRecord:
        """See `TaskStore.get`."""
        return owned(await self._read_once(partial(known, task_id=task_id, now=self.clock())), owner)

    async def history(self, task_id: str) -> History:
        """See `TaskStore.history`."""
        now = self.clock()
        found = await self._read_once(lambda within: within.load_history(task_id))
        if found is None or found.record.is_expired(now):
            raise UnknownTask
        return found

    async def cancel(self, task_id: str, *, owner: str | None) -> None:
        """See `TaskStore.cancel`."""
        now = self.clock()

        def cancelling(within: Transaction) -> None:
            record = owned(known(within, task_id, now), owner)
            if not record.is_over:
                within.save(changes.ended(record, "cancel", now))

        await self._write(cancelling)

    # --- questions ---------------------------------------------------------------------------------------------------

    async def park(self, task_id: str, inputs: Iterable[TaskInput], *, fence: int | None = None) -> TaskRecord:
        """See `TaskStore.park`."""
        asked, now = tuple(inputs), self.clock()
        for one in asked:
            require_small(one.request)
        asked = tuple([self._to_ask(one, now) for one in asked])

        def parking(within: Transaction) -> TaskRecord:
            record = held(within, task_id, fence, now)
            change = changes.parked(record, asked, now)
            _require_few(record, len(asked))
            self._require_room(within, record.owner, len(asked))
            return within.save(change) if asked else record

        return await self._write(parking)

    async def settle(self, task_id: str, settlements: Iterable[Settlement]) -> frozenset[str]:
        """See `TaskStore.settle`."""
        given, now = tuple(settlements), self.clock()
        for one in given:
            require_small_answer(one)
        given = tuple([self._to_settle(one, now) for one in given])

        def settling(within: Transaction) -> frozenset[str]:
            change, taken = changes.settled(known(within, task_id, now), given, now)
            _save(within, change)
            return taken

        return await self._write(settling)

    async def answer(self, task_id: str, judged: Judged, *, owner: str | None) -> frozenset[str]:
        """See `TaskStore.answer`."""
        now = self.clock()

        def answering(within: Transaction) -> frozenset[str]:
            record = owned(known(within, task_id, now), owner)
            given = tuple(judged(record.inputs))
            for one in given:
                require_small_answer(one)
            change, taken = changes.settled(record, (self._to_settle(one, now) for one in given), now)
            _save(within, change)
            return taken

        return await self._write(answering)

    async def withdraw(
        self, task_id: str, keys: Iterable[str], *, fence: int | None = None, have_passed: bool = False
    ) -> None:
        """See `TaskStore.withdraw`."""
        unwanted, now = tuple(keys), self.clock()

        def withdrawing(within: Transaction) -> None:
            record = held(within, task_id, fence, now)
            # A worker that withdraws a question knows it already.
            change = changes.withdrawn(record, unwanted, now, wakes=fence is None, have_passed=have_passed)
            _save(within, change)

        await self._write(withdrawing)

    def _require_room(self, within: Transaction, owner: str | None, more: int) -> None:
        """Make sure that a principal may be asked so many questions more.

        Raises:
            LimitError: If not.
        """
        if owner is not None and (there := within.open_of(owner)) + more > self.open_requests:
            raise LimitError(
                f"There are {there:,} questions open for this principal, and there may be {self.open_requests:,}: "
                "some must be answered, or expire, first."
            )

    # --- running a task ----------------------------------------------------------------------------------------------

    async def keep_step(self, task_id: str, name: str, given: str, *, fence: int | None = None) -> None:
        """See `TaskStore.keep_step`."""
        now = self.clock()

        def keeping(within: Transaction) -> None:
            record = running(within, task_id, fence, now)
            within.keep_step(task_id, name, given)
            within.save(changes.stepped(record, now))

        await self._write(keeping)

    async def progress(self, task_id: str, status_message: str | None, *, fence: int | None = None) -> None:
        """See `TaskStore.progress`."""
        told, now = None if status_message is None else sendable(status_message), self.clock()

        def progressing(within: Transaction) -> None:
            within.save(changes.progressed(running(within, task_id, fence, now), told, now))

        await self._write(progressing)

    async def complete(
        self, task_id: str, result: Mapping[str, Any], *, status_message: str | None = None, fence: int | None = None
    ) -> TaskRecord:
        """See `TaskStore.complete`."""
        text, now = to_json("the result", result), self.clock()
        message = None if status_message is None else sendable(status_message)

        def completing(within: Transaction) -> TaskRecord:
            record = held(within, task_id, fence, now)
            return within.save(changes.ended(record, "complete", now, result_json=text, status_message=message))

        return await self._write(completing)

    async def fail(
        self, task_id: str, error: Mapping[str, Any], *, status_message: str | None = None, fence: int | None = None
    ) -> TaskRecord:
        """See `TaskStore.fail`."""
        text, now = to_json("the error", error), self.clock()
        message = sendable(str(error.get("message", "")) if status_message is None else status_message)

        def failing(within: Transaction) -> TaskRecord:
            record = held(within, task_id, fence, now)
            return within.save(changes.ended(record, "fail", now, error_json=text, status_message=message))

        return await self._write(failing)

    # --- workers -----------------------------------------------------------------------------------------------------

    async def claim(self, task_id: str, worker: str, seconds: float, *, clears_up: bool = False) -> int | None:
        """See `TaskStore.claim`."""
        now, wanted = self.clock(), positive("the time of a claim", seconds)

        def claiming(within: Transaction) -> int | None:
            record = within.load(task_id)
            if record is None or record.is_expired(now) or (record.is_over and not clears_up):
                return None
            change = changes.claimed(record, worker, wanted, now)
            return None if change is None else within.save(change).fence

        return await self._write(claiming)

    async def take(
        self, task_id: str, worker: str, seconds: float, *, wanted: Wanted = lambda _: True
    ) -> History | None:
        """See `TaskStore.take`."""
        now, lease = self.clock(), positive("the time of a claim", seconds)

        def taking(within: Transaction) -> History | None:
            found = within.load_history(task_id)
            if found is None or found.record.is_expired(now) or not found.record.is_waiting_to_run:
                return None
            if not wanted(found.record):
                return None
            change = changes.claimed(found.record, worker, lease, now)
            return None if change is None else replace(found, record=within.save(change))

        return await self._write(taking)

    async def renew(
        self,
        task_id: str,
        seconds: float,
        *,
        fence: int,
        waiting_since: int | None = None,
        clears_up: bool = False,
    ) -> None:
        """See `TaskStore.renew`."""
        now, wanted = self.clock(), positive("the time of a claim", seconds)

        def renewing(within: Transaction) -> None:
            record = held(within, task_id, fence, now)
            if not (clears_up and record.is_to_clear_up):
                record = running(within, task_id, fence, now)
            within.save(changes.renewed(record, wanted, now, waiting_since))

        await self._write(renewing)

    async def release(self, task_id: str, *, fence: int) -> None:
        """See `TaskStore.release`."""
        now = self.clock()

        def releasing(within: Transaction) -> None:
            within.save(changes.released(held(within, task_id, fence, now)))

        await self._write(releasing)

    async def put_down(self, task_id: str, *, fence: int, seen_revision: int) -> bool:
        """See `TaskStore.put_down`."""
        now = self.clock()

        def putting_down(within: Transaction) -> bool:
            return _save(within, changes.put_down(held(within, task_id, fence, now), seen_revision))

        return await self._write(putting_down)

    async def ready(self, limit: int = 100, *, now: float | None = None) -> list[str]:
        """See `TaskStore.ready`."""
        moment = self.clock() if now is None else now
        return await self._read(lambda within: within.ready(limit, moment))

    async def list_tasks(
        self,
        *,
        statuses: Iterable[Status] | None = None,
        owner: str | Everybody | None = EVERYBODY,
        prefix: str = "",
        oldest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
    ) -> TaskPage:
        """See `TaskStore.list_tasks`."""
        if not 1 <= limit <= LISTED_TASKS:
            raise ValueError(f"a page has 1 to {LISTED_TASKS:,} tasks, and not {limit!r}")
        listing, now = listing_of(statuses, owner, prefix, oldest_first, cursor), self.clock()
        if listing.statuses == frozenset():
            return TaskPage(())
        # One more than wanted tells whether there is a next page.
        return page_of(await self._read(partial(_listed, listing=listing, limit=limit + 1, now=now)), limit)

    async def sweep(self, *, now: float | None = None) -> Swept:
        """See `TaskStore.sweep`."""
        moment, expired, deleted = self.clock() if now is None else now, 0, 0
        # Looked for by a reader, so that a sweep that finds nothing waits for nobody.
        while due := await self._read(lambda within: within.due(SWEEP_AT_ONCE, moment)):
            swept = await self._write(partial(_swept, due=due, now=moment))
            expired, deleted = expired + swept.expired, deleted + swept.deleted
            if swept == Swept(0, 0):  # Another process did it.
                break
        return Swept(expired, deleted)


def _require_few(record: TaskRecord, more: int) -> None:
    """Make sure that a task may ask so many questions more.

    Raises:
        LimitError: If not.
    """
    if (there := len(record.inputs)) + more > TASK_QUESTIONS:
        raise LimitError(
            f"There are {there:,} questions open in this task, and there may be {TASK_QUESTIONS:,}: "
            "some must be answered, or expire, first."
        )


def _listed(within: Transaction, listing: Listing, limit: int, now: float) -> list[TaskRecord]:
    found: list[TaskRecord] = []
    while wanted := limit - len(found):
        some = within.page(listing, wanted)
        found += (record for record in some if not record.is_expired(now))
        if len(some) < wanted:
            break
        listing = listing.behind(some[-1])
    return found


def _swept(within: Transaction, due: list[str], now: float) -> Swept:
    expired = deleted = 0
    for record in filter(None, map(within.load, due)):
        change = changes.expired(record, now)
        after = record if change is None else change.record
        if after.is_expired(now):
            within.delete(record.id)
            deleted += 1
        elif change is not None:
            within.save(change)
            expired += len(change.settled)
    return Swept(expired, deleted)


def _save(within: Transaction, change: Change | None) -> bool:
    if change is not None:
        within.save(change)
    return change is not None
