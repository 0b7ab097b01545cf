"""`Transaction`: what a medium has to do for a `TransactionalStore`; and how a task is found in one."""

from __future__ import annotations

import hmac
from typing import Protocol

from ...errors import UnknownTask
from ..changes import Change, require_claim
from ..listing import Listing
from ..record import History, TaskRecord
from ..states import next_status


class Transaction(Protocol):
    """What can be read and written in one transaction. It blocks; it is used in the thread or place the store chose."""

    def load(self, task_id: str) -> TaskRecord | None:
        """A task with its open questions, or `None`; no other transaction changes it until this one ends."""
        ...

    def load_history(self, task_id: str) -> History | None:
        """A task with all its questions and steps, or `None`; while something may be written, it is as with `load`."""
        ...

    def insert(self, record: TaskRecord) -> TaskRecord:
        """Add a task, with the next revision.

        Raises:
            TaskKeyError: If its id is taken.
        """
        ...

    def save(self, change: Change) -> TaskRecord:
        """Write a change, with the next revision where it is visible.

        Raises:
            TaskKeyError: If it parks a question under a key that the task has used. Nothing was written.
        """
        ...

    def keep_step(self, task_id: str, name: str, given: str) -> None:
        """Keep a step, unless there is one of that name."""
        ...

    def open_of(self, owner: str) -> int:
        """How many questions are open for a principal."""
        ...

    def ready(self, limit: int, now: float) -> list[str]:
        """As `TaskStore.ready`; tasks that are expired may be among them."""
        ...

    def page(self, listing: Listing, limit: int) -> list[TaskRecord]:
        """The first tasks of a listing, each as `load` gives it: not more than *limit*; some may be expired."""
        ...

    def due(self, limit: int, now: float) -> list[str]:
        """Ids of tasks that have a question whose time is over, or are expired: not more than *limit*."""
        ...

    def delete(self, task_id: str) -> None:
        """Forget a task, with all it has."""
        ...


def known(within: Transaction, task_id: str, now: float) -> TaskRecord:
    """A task that is there.

    Raises:
        UnknownTask: If it is not, or is expired.
    """
    record = within.load(task_id)
    if record is None or record.is_expired(now):
        raise UnknownTask
    return record


def held(within: Transaction, task_id: str, fence: int | None, now: float) -> TaskRecord:
    """A task that the caller may change.

    Raises:
        UnknownTask, StaleClaim: If it is not there, or another worker has it.
    """
    record = known(within, task_id, now)
    require_claim(record, fence)
    return record


def running(within: Transaction, task_id: str, fence: int | None, now: float) -> TaskRecord:
    """A task that the caller may change, and that has not ended.

    Raises:
        UnknownTask, StaleClaim, CallOver: If not.
    """
    record = held(within, task_id, fence, now)
    if record.is_over:
        next_status(record.status, "ask")  # The table says so, by raising.
    return record


def owned(record: TaskRecord, owner: str | None) -> TaskRecord:
    """A task, if it is that owner's.

    Raises:
        UnknownTask: If not.
    """
    if not is_owned(record.owner, owner):
        raise UnknownTask
    return record


def is_owned(owner: str | None, asking: str | None) -> bool:
    """Whether what belongs to one principal belongs to who asks; nobody in particular owns what has no owner."""
    if owner is None or asking is None:
        return owner is asking
    return hmac.compare_digest(_bytes(owner), _bytes(asking))


def _bytes(owner: str) -> bytes:
    return owner.encode(errors="surrogatepass")
