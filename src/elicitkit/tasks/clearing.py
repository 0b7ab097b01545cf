"""Clearing up behind a cancellation, in a task that nobody ran when it was cancelled: its tool is run once more.

The task is `cancelled` for everybody by then, and nothing that this run does changes that. It goes as far as the runs
before it are known to have come, with the answers and steps that were kept, and is cancelled there, as a live run is:
`CancelledError` is raised where the tool waits, and its `except` and `finally` run, steps included.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from ..asking import note_cancelled
from ..errors import StaleClaim, StoreError, UnknownTask
from ..journal import Journal, Question
from .claim import Claim
from .record import History, TaskInput
from .road import ParkedRoad
from .troubles import troubles_of

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from ..journal import Reply

logger: logging.Logger = logging.getLogger(__name__)


class ClearingRoad(ParkedRoad):
    """The road of such a run: what is known is given, and at anything else it has reached its end."""

    __slots__ = ("_ahead", "_ends", "_has_come_to_its_end", "on_end")
    clears_up = True

    def __init__(
        self, claim: Claim, session: ServerSession, *, call_id: str, journal: Journal | None, history: History
    ) -> None:
        super().__init__(claim, session, call_id=call_id, journal=journal, history=_as_before(history))
        self._ahead = _known(history, journal)
        self._ends: list[asyncio.Future[None]] = []
        self._has_come_to_its_end = False
        self.on_end: Callable[[], None] = lambda: None
        """Cancels the run."""

    @property
    def has_begun(self) -> bool:
        """Whether a run before this one asked, was told or did anything that is known."""
        return bool(self._ahead)

    # --- Road --------------------------------------------------------------------------------------------------------

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`. It gives what the question came to before the task was cancelled."""
        reply = await super().ask(question)
        self._pass(question.name)
        return reply

    def _kept_step(self, name: str) -> str | None:
        if (kept := super()._kept_step(name)) is not None:
            self._pass(name)
        return kept

    # --- the end -----------------------------------------------------------------------------------------------------

    @property
    def is_parked(self) -> bool:
        """Never: it waits for nobody, and is not to be put down before it has cleared up."""
        return False

    @property
    def waiting_for(self) -> dict[str, TaskInput]:
        """Nothing: no answer counts any more."""
        return {}

    def _pass(self, name: str) -> None:
        self._ahead.discard(name)
        if not self._ahead:
            self._end_soon()

    def _settled(self, asked: TaskInput, question: Question) -> Awaitable[TaskInput]:
        waiter: asyncio.Future[TaskInput] = asyncio.get_running_loop().create_future()
        self._waiting[asked.name] = waiter
        self._end_soon()
        return waiter

    async def _park(self, question: Question, *, instead_of: TaskInput | None) -> NoReturn:
        await self._wait_for_the_end()

    async def _may_go_on(self) -> None:
        if self.phase == "open":
            await self._wait_for_the_end()
        await super()._may_go_on()

    async def _wait_for_the_end(self) -> NoReturn:
        end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ends.append(end)
        self._end_soon()
        try:
            await end
        finally:
            note_cancelled()
        raise asyncio.CancelledError

    def _end_soon(self) -> None:
        """Have the run cancelled two turns of the loop later, so that what a tool does beside it has begun."""
        if not self._has_come_to_its_end:
            self._has_come_to_its_end = True
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.on_end)

    def _cancel_waiting(self) -> None:
        super()._cancel_waiting()
        for end in self._ends:
            end.cancel()


async def end_clearing(claim: Claim) -> None:
    """Note that a tool has cleared up. Where that cannot be noted, it does so once more when the claim has run out."""
    try:
        await claim.store.put_down(claim.task_id, fence=claim.fence, seen_revision=sys.maxsize)
    except (StaleClaim, UnknownTask):
        logger.info("the task %s is not ours any more to clear up behind", claim.task_id[:8])
    except StoreError as error:
        told = f"that the task {claim.task_id[:8]} has cleared up could not be kept"
        troubles_of(claim.store).begin("write", error, told)


def _known(history: History, journal: Journal | None) -> set[str]:
    """The names of what the tool itself asked and did in earlier runs; what others asked is not its own."""
    asked = {asked.name for asked in history.inputs if asked.key != asked.name and not asked.has_passed}
    return asked | history.steps.keys() | (set() if journal is None else journal.known)


def _as_before(history: History) -> History:
    """The history with the questions open again that the cancellation withdrew."""
    cancelled_at = history.record.updated_at
    return replace(history, inputs=tuple(_open_until(asked, cancelled_at) for asked in history.inputs))


def _open_until(asked: TaskInput, cancelled_at: float) -> TaskInput:
    was_open = asked.state == "withdrawn" and (asked.settled_at or 0.0) >= cancelled_at
    return replace(asked, state="open", settled_at=None) if was_open else asked
