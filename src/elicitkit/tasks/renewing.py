"""Renewing the claims of what runs in this process; a run that was overtaken is stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from ..errors import CallOver, StaleClaim, StoreError, UnknownTask
from .run import Run
from .troubles import troubles_of

logger: logging.Logger = logging.getLogger(__name__)

AT_ONCE: Final = 100
"""How many claims are renewed or given back side by side: a store can write them together."""


class Renewing:
    """Renews claims.

    Args:
        runs: The runs of this process by task.
        has_news: Told of a task that may have ended.
    """

    def __init__(self, runs: dict[str, Run], *, has_news: Callable[[str], None]) -> None:
        self._runs = runs
        self._has_news = has_news

    async def renew_all(self) -> None:
        """Renew the claims of all that runs."""
        runs = [*self._runs.values()]
        for first in range(0, len(runs), AT_ONCE):
            await asyncio.gather(*map(self.renew, runs[first : first + AT_ONCE]))

    async def renew(self, run: Run) -> None:
        """Renew the claim of a run, if it is time to, and say whether it only waits for people."""
        claim = run.claim
        if not (self._has_still(run) and run.road.is_to_renew):
            return
        troubles = troubles_of(claim.store)
        try:
            await run.road.renew()
        except (StaleClaim, UnknownTask):
            if self._has_still(run):
                logger.warning("the task %s was taken over by another worker, or is gone", claim.task_id[:8])
                run.stop()
        except CallOver:
            self._has_news(claim.task_id)  # It has just ended, or somebody else ended it.
        except StoreError as error:
            troubles.begin("write", error, f"the claim of the task {claim.task_id[:8]} could not be renewed")
        else:
            troubles.end("write")

    def _has_still(self, run: Run) -> bool:
        """Whether a run goes on, or clears up, and is not being put down."""
        return self._runs.get(run.claim.task_id) is run and run.road.phase in ("open", "cancelled")
