"""`MemoryTaskStore`: tasks in this process, for as long as it lives. For tests, and servers that may forget."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from ... import _json
from ...errors import TaskKeyError
from ..changes import Change, key_used
from ..listing import Listing, mark_of
from ..record import History, News, TaskInput, TaskRecord
from .transaction import Transaction
from .transactional import TransactionalStore

T = TypeVar("T")


class MemoryTaskStore(TransactionalStore):
    """A `TaskStore` in memory: all is lost with the process, and no other process sees it.

    A parked task takes 1 to 2 KiB; tasks that ask with the same form share its schema.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._tables = _Tables()

    async def open(self) -> None:
        """See `TaskStore.open`. There is nothing to do."""

    async def close(self) -> None:
        """See `TaskStore.close`. The tasks stay, for when it is opened again."""

    async def _write(self, work: Callable[[Transaction], T]) -> T:
        # Nothing is awaited within, and each work saves only after all its checks: it is a transaction.
        given = work(self._tables)
        self._tell(self._tables.take_changed())
        return given

    async def _read(self, work: Callable[[Transaction], T]) -> T:
        return work(self._tables)

    def _kept(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._tables.shared(request)


class _Kept:
    """What is kept of one task."""

    __slots__ = ("due", "inputs", "record", "steps")

    def __init__(self, record: TaskRecord) -> None:
        self.record = record
        self.inputs: tuple[TaskInput, ...] = ()
        """Every question, in the order they were parked."""
        self.steps: dict[str, str] | None = None
        self.due = math.inf
        """Where the newest entry of this task stands in the queue."""


class _Tables:
    """The `Transaction` of the memory store."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Kept] = {}
        self._waiting: dict[str, None] = {}
        """The tasks that wait to run, or run, in the order they began to."""
        self._open: dict[str, int] = {}
        """How many questions are open, by owner."""
        self._queue: list[tuple[float, str]] = []
        """When to look whether a task has something that is over: never too late, and sometimes too early."""
        self._schemas: WeakValueDictionary[bytes, dict[str, Any]] = WeakValueDictionary()
        self._revision = 0
        self._changed: dict[str, News | None] = {}

    def take_changed(self) -> dict[str, News | None]:
        """The tasks that changed since this was asked last, each with what is new; `None` for those that are gone."""
        changed, self._changed = self._changed, {}
        return changed

    def load(self, task_id: str) -> TaskRecord | None:
        """See `Transaction.load`."""
        kept = self._tasks.get(task_id)
        return None if kept is None else kept.record

    def load_history(self, task_id: str) -> History | None:
        """See `Transaction.load_history`."""
        kept = self._tasks.get(task_id)
        return None if kept is None else History(kept.record, kept.inputs, dict(kept.steps or {}))

    def insert(self, record: TaskRecord) -> TaskRecord:
        """See `Transaction.insert`."""
        if record.id in self._tasks:
            raise TaskKeyError("There is a task of that id already.")
        kept = self._tasks[record.id] = _Kept(record)
        return self._put(kept, Change(record))

    def save(self, change: Change) -> TaskRecord:
        """See `Transaction.save`."""
        kept = self._tasks[change.record.id]
        if kept.inputs and not {asked.key for asked in kept.inputs}.isdisjoint([asked.key for asked in change.parked]):
            raise key_used()
        if change.settled:
            settled = {asked.key: asked for asked in change.settled}
            kept.inputs = tuple([settled.get(asked.key, asked) for asked in kept.inputs])
        kept.inputs += change.parked
        return self._put(kept, change)

    def keep_step(self, task_id: str, name: str, given: str) -> None:
        """See `Transaction.keep_step`."""
        kept = self._tasks[task_id]
        kept.steps = kept.steps or {}
        kept.steps.setdefault(name, given)

    def open_of(self, owner: str) -> int:
        """See `Transaction.open_of`."""
        return self._open.get(owner, 0)

    def ready(self, limit: int, now: float) -> list[str]:
        """See `Transaction.ready`."""
        waiting = (self._tasks[task_id].record for task_id in self._waiting)
        free = (record.id for record in waiting if not record.is_leased(now) and not record.is_expired(now))
        return list(islice(free, limit))

    def page(self, listing: Listing, limit: int) -> list[TaskRecord]:
        """See `Transaction.page`. All tasks are looked at."""
        wanted = (kept.record for kept in self._tasks.values() if listing.wants(kept.record))
        first = heapq.nsmallest if listing.oldest_first else heapq.nlargest
        return first(limit, wanted, key=mark_of)

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`."""
        found: dict[str, None] = {}
        while len(found) < limit and self._queue and self._queue[0][0] <= now:
            moment, task_id = heapq.heappop(self._queue)
            kept = self._tasks.get(task_id)
            if kept is None or kept.due != moment:
                continue
            kept.due = math.inf
            if _due(kept.record) <= now:
                found[task_id] = None
            else:
                self._plan(kept)
        for task_id in found:
            self._plan(self._tasks[task_id])
        return list(found)

    def delete(self, task_id: str) -> None:
        """See `Transaction.delete`."""
        record = self._tasks.pop(task_id).record
        self._waiting.pop(task_id, None)
        self._count(record, -len(record.inputs))
        self._changed[task_id] = None

    def _put(self, kept: _Kept, change: Change) -> TaskRecord:
        if change.is_visible:
            self._revision += 1
            self._changed[change.record.id] = News.of(change.stamped(self._revision).record)
        record = change.record
        self._count(record, len(record.inputs) - len(kept.record.inputs))
        kept.record = record
        if record.is_waiting_to_run:
            self._waiting.setdefault(record.id)
        else:
            self._waiting.pop(record.id, None)
        self._plan(kept)
        return record

    def _plan(self, kept: _Kept) -> None:
        """Have a look at a task when something of it is over; an entry that turns out too early is made anew then."""
        if (due := _due(kept.record)) < kept.due:
            kept.due = due
            heapq.heappush(self._queue, (due, kept.record.id))

    def _count(self, record: TaskRecord, more: int) -> None:
        if more and (owner := record.owner) is not None:
            self._open[owner] = self._open.get(owner, 0) + more
            if not self._open[owner]:
                del self._open[owner]

    def shared(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """A request that is safe from whoever made it, with one object for all equal schemas."""
        params = dict(request["params"])
        if isinstance(schema := params.get("requestedSchema"), Mapping):
            written = _json.dumps(schema)
            if (kept := self._schemas.get(written)) is None:
                kept = self._schemas[written] = _json.frozen(schema)
            params["requestedSchema"] = kept
        return {**request, "params": params}


def _due(record: TaskRecord) -> float:
    due = record.due
    return math.inf if due is None else due
