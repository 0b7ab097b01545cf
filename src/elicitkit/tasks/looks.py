"""`Looks`: when to look again at tasks that somebody has claimed, who may be dead by the end of the claim."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Final, NamedTuple

_A_LITTLE: Final = 0.02
"""How long after the end of a claim it is looked whether it was renewed, in seconds."""


class _Look(NamedTuple):
    """One look that is planned."""

    handle: asyncio.TimerHandle
    moment: float
    """When the claim ends, as it is known."""

    revision: int
    """That of the newest change that is known."""


class Looks:
    """The looks that are planned, at most one for each task.

    Args:
        clock: What gives the time, in seconds since the epoch.
        look: What is called with the id of a task that is to be looked at.
    """

    def __init__(self, clock: Callable[[], float], look: Callable[[str], None]) -> None:
        self._clock = clock
        self._look = look
        self._planned: dict[str, _Look] = {}

    def plan(self, task_id: str, moment: float, revision: int) -> None:
        """Look at a task soon after a moment; infinity is for one at which there is nothing to look for any more.

        What is known from a change that is older than what was known before changes nothing.
        """
        planned = self._planned.get(task_id)
        if planned is not None:
            if revision < planned.revision:
                return
            if planned.moment <= moment < math.inf:  # It is looked soon enough, and planned anew then.
                self._planned[task_id] = planned._replace(revision=revision)
                return
            planned.handle.cancel()
            del self._planned[task_id]
        if moment < math.inf:
            wait = max(moment - self._clock(), 0.0) + _A_LITTLE
            handle = asyncio.get_running_loop().call_later(wait, self._due, task_id)
            self._planned[task_id] = _Look(handle, moment, revision)

    def clear(self) -> None:
        """Look at nothing any more."""
        for planned in self._planned.values():
            planned.handle.cancel()
        self._planned.clear()

    def _due(self, task_id: str) -> None:
        del self._planned[task_id]
        self._look(task_id)
