"""Asking in a task no longer: what its tool waits for no more, or does not come to any more."""

from __future__ import annotations

import logging
from collections.abc import Collection

from ..errors import CallOver, ElicitkitError, StoreError, UnknownTask
from .claim import Claim
from .record import TaskInput
from .troubles import troubles_of

logger: logging.Logger = logging.getLogger(__name__)


async def withdraw(claim: Claim, asked: TaskInput) -> None:
    """Ask a question no longer.

    Raises:
        StaleClaim, UnknownTask, StoreError: If that cannot be.
    """
    await claim.store.withdraw(claim.task_id, [asked.key], fence=claim.fence)


async def give_up(claim: Claim, asked: TaskInput) -> None:
    """Ask a question no longer, if it can be, so that nobody answers what nobody waits for."""
    try:
        await withdraw(claim, asked)
    except ElicitkitError:
        logger.info("a question of the task %s could not be withdrawn", claim.task_id[:8])


async def is_passed(claim: Claim, keys: Collection[str]) -> bool:
    """Withdraw what a tool came to no more; false if the store fails, which is no fault of what it does meanwhile.

    Raises:
        StaleClaim: If another worker has the task.
    """
    troubles = troubles_of(claim.store)
    try:
        await claim.store.withdraw(claim.task_id, keys, fence=claim.fence, have_passed=True)
    except StoreError as error:
        troubles.begin("write", error, f"questions of the task {claim.task_id[:8]} cannot be withdrawn yet")
        return False
    except (CallOver, UnknownTask):
        pass  # It has ended, and what was open with it.
    else:
        troubles.end("write")
    return True
