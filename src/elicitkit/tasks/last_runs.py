"""Tasks whose runs are lost one after another, which may be what kills the process: each has its last run apart.

What ends a process (memory that runs out, native code that crashes, `os._exit`) takes along whatever runs beside it,
and nobody can tell afterwards which of them it was. So a task that may be lost only once more is run while no other
such task is: if it is lost then, it was hardly for one that is like it; and the others are still to have their turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from ..limits import LOST_RUNS
from ..server.failures import error_result
from .claim import Claim
from .clearing import end_clearing
from .errands import Help
from .record import TaskRecord
from .run import Pulse, Run

logger: logging.Logger = logging.getLogger(__name__)

APART: Final = 300.0
"""How long the others wait for a last run that goes on and on, in seconds: what kills a process does so sooner."""


class LastRuns:
    """Gives tasks their last run, one after another.

    Args:
        limit: How many runs in a row may be lost.
        run: Runs a task, if it can still be had, and watches it.
        help: Does something in the background.
    """

    def __init__(
        self,
        limit: int,
        *,
        run: Callable[[str], Awaitable[None]],
        help: Help,
    ) -> None:
        self.limit = limit
        self._run = run
        self._help = help
        self._waiting: dict[str, None] = {}
        self._is_going_on = False

    def __len__(self) -> int:
        """How many tasks wait for their last run here; the store calls them ready, and they are nobody's yet."""
        return len(self._waiting)

    def open(self) -> None:
        """Begin, on the running event loop."""
        self._waiting.clear()
        self._is_going_on = False

    def are_not_for(self, record: TaskRecord) -> bool:
        """Whether a task that nobody runs may run beside all others; or not at all any more."""
        return record.begun != self.limit - 1

    def add(self, task_id: str) -> None:
        """Run a task when it is its turn."""
        self._waiting[task_id] = None
        if not self._is_going_on:
            self._is_going_on = True
            self._help(self._go_on())

    async def _go_on(self) -> None:
        try:
            while self._waiting:
                task_id = next(iter(self._waiting))
                # Before its run: what becomes of the task meanwhile may bring it here again.
                del self._waiting[task_id]
                await self._run(task_id)
        finally:
            self.open()  # If the store failed, the next look brings those that are left.


async def watch(run: Run, pausing: Pulse) -> None:
    """Wait until a run has shown that it kills nothing: it ends, waits for people, gets on, or lives for long."""
    clock = asyncio.get_running_loop().time
    until = clock() + APART
    while run.is_working and not run.road.has_got_on and clock() < until:
        await pausing.felt()


def require_runs(limit: int) -> int:
    """How many runs in a row may be lost.

    Raises:
        ValueError: If that is less than two: a process may be killed once for many a reason.
    """
    if limit < 2:
        raise ValueError(f"lost_runs is at least 2 (unless given, it is {LOST_RUNS}), not {limit!r}")
    return limit


async def give_up(claim: Claim, tool: str, lost: int, *, is_over: bool = False) -> None:
    """End a task as one whose tool failed, and say why; one that was cancelled is not cleared up behind any more.

    Raises:
        StaleClaim, CallOver, UnknownTask, StoreError: If it cannot be ended.
    """
    told = (
        f"The call was given up, and is not run again: {lost} times in a row, "
        "the process that ran it died or hung before it got any further."
    )
    if is_over:
        await end_clearing(claim)
    else:
        await claim.store.complete(claim.task_id, error_result(told), status_message=told, fence=claim.fence)
    logger.error(
        "the task %s is given up: %d runs of the tool %r in a row were lost with their process",
        claim.task_id[:8],
        lost,
        tool,
    )
