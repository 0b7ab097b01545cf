"""Asking in a task no longer: what its tool waits for no more, or does not come to any more."""

from __future__ import annotations

from collections.abc import Collection

from ..errors import CallOver, StaleClaim, StoreError, UnknownTask
from .claim import Claim
from .record import TaskInput
from .troubles import troubles_of


async def withdraw(claim: Claim, asked: TaskInput) -> None:
    """Ask a question no longer.

    Raises:
        StaleClaim, UnknownTask, StoreError: If that cannot be.
    """
    await claim.store.withdraw(claim.task_id, [asked.key], fence=claim.fence)


async def is_given_up(claim: Claim, asked: TaskInput) -> bool:
    """Ask a question no longer that its tool waits for no more; false if the store fails."""
    try:
        return await is_withdrawn(claim, [asked.key], have_passed=False)
    except StaleClaim:  # Whoever has the task comes to it.
        return True


async def is_withdrawn(claim: Claim, keys: Collection[str], *, have_passed: bool) -> bool:
    """Withdraw questions; false if the store fails, which is no fault of what the tool does meanwhile.

    Args:
        claim: The claim of their task.
        keys: Which questions.
        have_passed: Whether the tool came to them no more, and not only waits for them no more.

    Raises:
        StaleClaim: If another worker has the task.
    """
    troubles = troubles_of(claim.store)
    try:
        await claim.store.withdraw(claim.task_id, keys, fence=claim.fence, have_passed=have_passed)
    except StoreError as error:
        troubles.begin("write", error, f"questions of the task {claim.task_id[:8]} cannot be withdrawn yet")
        return False
    except (CallOver, UnknownTask):
        pass  # It has ended, and what was open with it.
    else:
        troubles.end("write")
    return True
