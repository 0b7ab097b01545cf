"""Giving tasks back that are not over, so that others may take them at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TypeAlias

import anyio

from ..errors import ElicitkitError, StaleClaim, StoreError, UnknownTask
from .claim import Claim
from .record import History
from .renewing import AT_ONCE
from .run import Run
from .store import TaskStore, Wanted

logger: logging.Logger = logging.getLogger(__name__)


Release: TypeAlias = Callable[[Claim], Awaitable[None]]
"""Lets a claim go."""


async def give_back(runs: Iterable[Run], release: Release) -> None:
    """Give back the tasks of runs, some at a time, with what they said last."""
    every = [*runs]
    for first in range(0, len(every), AT_ONCE):
        some = every[first : first + AT_ONCE]
        await asyncio.gather(*(run.road.write_progress() for run in some))
        await asyncio.gather(*(release(run.claim) for run in some))


async def release(claim: Claim) -> None:
    """Let a claim go. Where that fails it ends by itself, a little later."""
    try:
        with anyio.CancelScope(shield=True):
            await claim.store.release(claim.task_id, fence=claim.fence)
    except ElicitkitError:
        logger.info("the claim of the task %s runs out by itself", claim.task_id[:8])


async def is_released(claim: Claim) -> bool:
    """Let a claim go; false where the store fails, so that it can be tried again."""
    try:
        await claim.store.release(claim.task_id, fence=claim.fence)
    except StoreError:
        return False
    except (StaleClaim, UnknownTask):
        pass  # Somebody else has it, or nobody can have it any more.
    return True


async def take(store: TaskStore, task_id: str, worker: str, lease: float, *, wanted: Wanted) -> History | None:
    """See `TaskStore.take`. Who is stopped meanwhile gives the task back, once it is known whether it was taken."""
    taking = asyncio.ensure_future(store.take(task_id, worker, lease, wanted=wanted))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True), suppress(ElicitkitError):  # Else its claim runs out by itself.
            if (history := await taking) is not None:
                await store.release(task_id, fence=history.record.fence)
        raise
