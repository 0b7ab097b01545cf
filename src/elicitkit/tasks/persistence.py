"""What a run needs of a store that fails for a while: it is tried again, with longer and longer pauses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..errors import StoreError, UnknownTask
from ..safety import trace_of
from .endings import End, failing
from .errands import pauses
from .record import History
from .run import Run
from .troubles import troubles_of

logger: logging.Logger = logging.getLogger(__name__)


async def keep_end(run: Run, end: End) -> None:
    """Keep how a call ended; while the store fails, it is tried again, for the tool has done its work.

    Raises:
        StaleClaim, CallOver, UnknownTask: If the task is no longer ours to end.
        StoreError: If the store fails, and everything is to stop.
    """
    run.is_ending = True
    pausing, troubles = pauses(), troubles_of(run.claim.store)
    while True:
        try:
            await run.road.write_progress()
            await end(run.claim)
            troubles.end("write")
            return
        except TypeError as error:
            logger.error("the result of the task %s is no JSON%s", run.claim.task_id[:8], trace_of(error))
            end = failing("The result of this task cannot be sent.")
        except StoreError as error:
            if run.is_stopped:
                raise
            troubles.begin("write", error, f"the end of the task {run.claim.task_id[:8]} cannot be kept yet")
            await asyncio.sleep(next(pausing))


async def history_for(run: Run, is_wanted: Callable[[], bool]) -> History | None:
    """What the store has of a run, however long it cannot be read; `None` if the task is gone, or nobody wants it."""
    pausing, troubles = pauses(), troubles_of(run.claim.store)
    while is_wanted():
        try:
            history = await run.claim.store.history(run.claim.task_id)
        except UnknownTask:
            return None
        except StoreError as error:
            troubles.begin("read", error, f"the task {run.claim.task_id[:8]} cannot be read yet")
        else:
            troubles.end("read")
            return history
        await asyncio.sleep(next(pausing))
    return None
