"""Making the task of a call; and unmaking one whose id nobody was given, so that nobody runs what nobody asks about."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import NamedTuple

from ..errors import StoreError, TaskKeyError, UnknownTask
from .call import TaskCall
from .errands import Help, persist
from .record import TaskRecord
from .store import TaskStore

logger: logging.Logger = logging.getLogger(__name__)


class TaskTerms(NamedTuple):
    """What a server says of a new task, as `TaskStore.create` has it."""

    owner: str | None
    ttl: float | None
    poll_interval_ms: int | None


async def make(
    store: TaskStore,
    call: TaskCall,
    terms: TaskTerms,
    *,
    task_id: str,
    worker: str | None,
    lease: float,
    help: Help,
) -> TaskRecord:
    """Make the task of a call. If nobody will know whether it was made, it is cancelled as soon as it can be.

    Args:
        store: Where it is kept.
        call: The call.
        terms: What the server says of it.
        task_id: Its id, chosen before, so that it can be looked for.
        worker: Who has it from its birth on, if anybody.
        lease: For how long.
        help: Does something in the background.

    Raises:
        StoreError: If it was not made, or nobody knows.
    """
    try:
        return await store.create(call.to_dict(), **terms._asdict(), task_id=task_id, worker=worker, lease=lease)
    except asyncio.CancelledError:
        help(_unmake(store, task_id, terms))
        raise
    except StoreError as error:
        if error.is_unknown:
            logger.warning("it is not known whether the task %s was made: if so, it is cancelled", task_id[:8])
            help(_unmake(store, task_id, terms))
        raise


async def _unmake(store: TaskStore, task_id: str, terms: TaskTerms) -> None:
    """See to it that a task is not run: it may be there, or come, or neither. While the store fails, try again."""

    async def is_unmade() -> bool:
        try:
            with suppress(TaskKeyError):  # It is there; else it cannot come any more.
                await store.create({}, **terms._asdict(), task_id=task_id, worker=task_id)
            with suppress(UnknownTask):  # Its time is over.
                await store.cancel(task_id, owner=terms.owner)
        except StoreError:
            return False
        return True

    await persist(is_unmade)
