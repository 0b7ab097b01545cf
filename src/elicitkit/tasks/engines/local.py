"""`LocalEngine`: tasks are run in the server's own process, on its event loop. The default."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ...errors import StoreError
from ...safety import trace_of
from ..runner import Runner
from ..troubles import troubles_of
from .background import beside, keep_renewing, sleep_about

logger: logging.Logger = logging.getLogger(__name__)

_HANG_BACK: Final = 0.02
"""How long, about, a task is left to the process that made it ready, in seconds."""


class LocalEngine:
    """Brings tasks back in this process: what a dead one left when it starts, and what an answer wakes.

    Several processes may do so on one store. What one of them leaves by dying is taken up by another when its claim
    has run out.

    Args:
        look: How often the store is asked what is ready and what is over, in seconds. Answers do not wait for it.
        at_once: How many tasks are taken up at a look.
    """

    runs_here = True

    def __init__(self, *, look: float = 5.0, at_once: int = 100) -> None:
        self._look = look
        self._at_once = at_once

    @asynccontextmanager
    async def running(self, runner: Runner) -> AsyncIterator[None]:
        """See `Engine.running`."""
        async with (
            runner.open(lambda task_id, is_ready: runner.help(self._advance(runner, task_id, is_ready))),
            beside(looking=self._keep_looking(runner), renewing=keep_renewing(runner)),
        ):
            yield

    async def _advance(self, runner: Runner, task_id: str, is_ready: bool) -> None:
        """Bring a task back: at once where it was made ready, elsewhere if nobody has done so a little later."""
        if not is_ready:
            await sleep_about(_HANG_BACK)
        await runner.advance(task_id, is_ready=is_ready)

    async def _keep_looking(self, runner: Runner) -> None:
        while True:
            has_more = False
            try:
                has_more = await self._take_up(runner)
                troubles_of(runner.store).end("look")
            except StoreError as error:
                troubles_of(runner.store).begin("look", error, "the store of tasks could not be looked through")
            except Exception as error:
                logger.error(
                    "the store of tasks could not be looked through; the next look is in %s s%s",
                    self._look,
                    trace_of(error),
                )
            await asyncio.sleep(0 if has_more else self._look)

    async def _take_up(self, runner: Runner) -> bool:
        """End what is over, and bring back what is ready; tell whether there may be more of it."""
        await runner.store.sweep()
        before = runner.set_aside
        ready = await runner.store.ready(self._at_once + before)
        taken = await asyncio.gather(*map(runner.advance, ready))
        return len(ready) >= self._at_once + before and (any(taken) or runner.set_aside > before)
