"""Giving tasks back that are not over, so that others may take them at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

import anyio

from ..errors import ElicitkitError
from .claim import Claim
from .renewing import AT_ONCE
from .run import Run

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
