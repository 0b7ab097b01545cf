"""`Progress`: what a task says it is doing, written a few times a second at most.

Clients ask about once a second, and each writing is a commit. So the newest message is kept, and those before it are
dropped.
"""

from __future__ import annotations

import asyncio
from typing import Final

from ..errors import CallOver, StaleClaim, StoreError, UnknownTask
from ..limits import STATUS_CHARACTERS
from .claim import Claim
from .troubles import troubles_of

SECONDS: Final = 0.25
"""The shortest time between two messages of one run that are written while it works, in seconds."""


class Progress:
    """The messages of one run: the first is written at once, the next ones together after a while.

    The last one is kept until `write`, which whoever parks, ends or puts down the task calls before. It is not worth a
    failure of the tool: one that cannot be written is tried again with the next.

    Args:
        claim: The hold on the task, without which nothing is written.
    """

    __slots__ = ("_claim", "_is_over", "_message", "_timer", "_turn", "_writing", "_written_at")

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._message: str | None = None
        """The newest, while it is not written."""
        self._written_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        """One is written at a time: two on two connections could come in either order."""
        self._is_over = False

    async def tell(self, told: str) -> None:
        """Say what the task is doing, in a line or two."""
        self._message = told[:STATUS_CHARACTERS]
        since = self._claim.store.clock() - self._written_at
        if self._is_over or not 0 <= since < SECONDS:  # The clock may have been set back.
            await self.write()
            return
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS - since, self._write_soon)
        await asyncio.sleep(0)  # A tool that tells much and awaits nothing else lets others have their turn here.

    async def write(self) -> None:
        """Write the newest message, unless that was done."""
        async with self._turn:
            self._stop_timer()
            if (told := self._message) is None:
                return
            claim, self._message = self._claim, None
            self._written_at = claim.store.clock()
            try:
                await claim.store.progress(claim.task_id, told, fence=claim.fence)
            except (CallOver, StaleClaim, UnknownTask):
                pass  # It has ended, or is not ours: the run is about to be stopped.
            except StoreError as error:
                self._keep(told)
                troubles_of(claim.store).begin(
                    "write", error, f"the progress of the task {claim.task_id[:8]} was not kept"
                )
            except asyncio.CancelledError:
                self._keep(told)
                raise

    def stop(self) -> None:
        """Write nothing any more by itself."""
        self._is_over = True
        self._stop_timer()

    def _keep(self, told: str) -> None:
        if self._message is None:
            self._message = told

    def _write_soon(self) -> None:
        self._timer = None
        self._writing = asyncio.get_running_loop().create_task(self.write())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
