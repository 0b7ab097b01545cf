"""Putting calls down: those that wait for people are given back to the store, and cost nothing but their rows then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from ..errors import StaleClaim, StoreError, UnknownTask
from . import threads
from .errands import Help
from .run import Pulse, Run, ended
from .troubles import troubles_of

logger: logging.Logger = logging.getLogger(__name__)

GiveBack: TypeAlias = Callable[[Run], Awaitable[bool]]
"""Gives a task back to its store; tells whether it is not ours any more."""


class Resting:
    """Puts those calls down that wait longest, when there are too many: in memory, or in threads.

    Args:
        runs: The runs of this process by task. Who is put down is taken out.
        max_live: How many of them may stay.
        help: Does something in the background.
        has_news: Told of a task to which something happened while it was put down.
        pausing: Beats whenever a call has begun to wait.
    """

    def __init__(
        self,
        runs: dict[str, Run],
        *,
        max_live: int,
        help: Help,
        has_news: Callable[[str], None],
        pausing: Pulse,
    ) -> None:
        self._runs = runs
        self._max_live = max_live
        self._help = help
        self._has_news = has_news
        self._pausing = pausing
        self._is_open = False
        self._resting = 0
        self._is_to_trim = False

    def open(self) -> None:
        """Begin, on the running event loop."""
        self._is_open, self._resting, self._is_to_trim = True, 0, False
        self._threads = threads.limiter()

    def close(self) -> None:
        """Put nothing down any more that is not on its way."""
        self._is_open = False

    def trim_soon(self) -> None:
        """A call waits: put some down if need be.

        Two turns of the loop later, so that what a tool does beside its question has begun.
        """
        self._pausing.beat()
        if not self._is_to_trim and (self._excess > 0 or threads.are_short(self._threads)):
            self._is_to_trim = True
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._trim)

    @property
    def _excess(self) -> int:
        return len(self._runs) - self._resting - self._max_live

    def _trim(self) -> None:
        self._is_to_trim = False
        if not self._is_open:
            return
        waiting = [run for run in self._runs.values() if run.road.is_parked and run.road.phase == "open"]
        too_many = waiting[: max(self._excess, 0)]
        if threads.are_short(self._threads):
            holders = threads.holders(self._threads)
            threaded = [run for run in waiting[len(too_many) :] if run.task in holders]
            too_many += threaded[: max(len(threaded) - threads.share(self._threads), 0)]
        for run in too_many:
            self.rest(run, _put_down)

    def rest(self, run: Run, give_back: GiveBack) -> None:
        """Give a call back to the store. Until that is decided nothing reaches it, and it can do nothing new."""
        run.road.hold()
        self._resting += 1
        self._help(self._rest(run, give_back))

    async def _rest(self, run: Run, give_back: GiveBack) -> None:
        task_id = run.claim.task_id
        try:
            if await give_back(run):
                run.stop()
                await ended([run.task])
                if self._runs.get(task_id) is run:
                    del self._runs[task_id]
        finally:
            self._resting -= 1
            if run.road.phase == "held":
                run.road.go_on()
        if run.is_stopped:
            self.trim_soon()  # It was still counted as resting when others parked meanwhile.
        if run.has_news:
            run.has_news = False
            self._has_news(task_id)


async def _put_down(run: Run) -> bool:
    claim = run.claim
    await run.road.write_progress()
    try:
        return await claim.store.put_down(claim.task_id, fence=claim.fence, seen_revision=run.road.known_revision)
    except (StaleClaim, UnknownTask):
        logger.info("the task %s is not ours to put down", claim.task_id[:8])
        return True
    except StoreError as error:
        troubles_of(claim.store).begin("write", error, f"the task {claim.task_id[:8]} cannot be put down")
        # Perhaps it was, and the answer got lost: no step is done before that is known.
        run.road.claimed_until = 0.0
        return False
