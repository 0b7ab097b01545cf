"""`Untaken`: a server that leaves its tasks to workers says so, once, when nobody takes them, whyever that is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

logger: logging.Logger = logging.getLogger(__name__)

SECONDS: Final = 60.0
"""How long a task may be ready before it is told that nobody took it, in seconds."""


class Untaken:
    """What is ready and was not taken, as far as the looks at the store that are done anyway show it.

    Args:
        clock: What gives the time, in seconds; it does not matter since when.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}
        self._is_told = False

    def look(self, ready: Sequence[str]) -> None:
        """Note what is ready now."""
        now = self._clock()
        self._since = {task_id: self._since.get(task_id, now) for task_id in ready}
        late = [task_id for task_id, since in self._since.items() if now - since >= SECONDS]
        if late and not self._is_told:
            logger.warning(
                "nobody has taken the task %s, which has been ready for %g s (as have %d others): no worker runs, "
                "or those that do have no room or not its tool, or it waits there for its last run",
                late[0][:8],
                SECONDS,
                len(late) - 1,
            )
        self._is_told = bool(late)
