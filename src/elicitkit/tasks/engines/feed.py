"""`Feed`: gives a queue the ids of tasks that are ready. The queue may drop them, forget them, and be gone for a while.

It never trusts the queue: whatever the store calls ready, and was not given to the queue lately, is given to it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from ...errors import StoreError
from ...safety import trace_of
from ..store import TaskStore
from ..troubles import troubles_of
from .background import sleep_about
from .outage import Outage
from .untaken import Untaken

logger: logging.Logger = logging.getLogger(__name__)

Add: TypeAlias = Callable[[Sequence[str]], Awaitable[Collection[str] | None]]
"""Adds ids to the queue, and gives those that the queue dropped; `None` if it could not be reached."""

_GAP: Final = 0.01
"""The shortest time between two looks at the store, in seconds: what changes meanwhile is found by the second."""

_SOON: Final = 0.05
"""How soon an id that was dropped is given again, in seconds; after each time twice as long."""

AT_ONCE: Final = 100
"""How many ids are read at a look: those that wait for longest."""

_LONGEST: Final = 20.0
"""How late an id is given again at most that this process gave back, in seconds: nobody may have its tool."""

_MORE: Final = 0.2
"""How soon is looked again when so many are ready that there may be more, in seconds: who takes a task tells nobody."""


@dataclass(slots=True)
class _Given:
    """When an id is given again, if it is ready then."""

    again: float
    pause: float


class Feed:
    """Looks what is ready, when something changed and every few seconds, and adds it to a queue.

    Args:
        store: What tells what is ready.
        add: What adds to the queue.
        outage: Whether the queue can be reached.
        look: How often the store is asked when nothing is known to have changed, in seconds; and how long an id is
            left to the queue before it is added again.
        patience: How long it waits, about, before it looks what has changed, in seconds: others may be quicker.
        set_aside: How many tasks that are ready wait for something in this process: so many more are read at a look.
        untaken: What is told of all that is ready, where others are to take it.
    """

    def __init__(
        self,
        store: TaskStore,
        add: Add,
        outage: Outage,
        *,
        look: float,
        patience: float = 0.0,
        set_aside: Callable[[], int] = lambda: 0,
        untaken: Untaken | None = None,
    ) -> None:
        self._store = store
        self._add = add
        self._outage = outage
        self._look = look
        self._patience = patience
        self._set_aside = set_aside
        self._untaken = untaken
        self._changed = asyncio.Event()
        self._given: dict[str, _Given] = {}
        self._given_back: dict[str, float] = {}
        """What this process could not run itself, and how long it was left to the queue after that, in seconds."""
        self._ready: dict[str, None] = {}
        self._is_ready = asyncio.Event()
        self._swept = float("-inf")
        self._has_swept = False
        """Whether the last sweep went well: a look that is done without one is no sign that the next will."""
        self._may_be_more = False

    def nudge(self, task_id: str, is_ready: bool) -> None:
        """A task has changed, and may be ready again; if that is certain, it is added without a look at the store."""
        self._given.pop(task_id, None)
        self._given_back.pop(task_id, None)
        if is_ready:
            self._ready[task_id] = None
            self._is_ready.set()
        else:
            self._changed.set()

    def give_back(self, task_id: str) -> None:
        """The queue gave an id to this process, which cannot run it: another one may, to which it is to be given."""
        pause = self._given_back[task_id] = min(2 * self._given_back.get(task_id, _SOON / 2), _LONGEST)
        self._given[task_id] = _Given(_now() + pause, pause)
        self._changed.set()

    def forget(self) -> None:
        """The queue may have lost all that it was given."""
        self._given.clear()
        self._changed.set()

    async def keep_feeding(self) -> None:
        """Look and add for ever."""
        while True:
            try:
                await self._feed()
                if self._has_swept:
                    troubles_of(self._store).end("look")
                await self._outage.over()
            except StoreError as error:
                troubles_of(self._store).begin("look", error, "the store of tasks could not be looked through")
            except Exception as error:
                logger.error("the store of tasks could not be looked through%s", trace_of(error))
            await asyncio.sleep(_GAP)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._longest_wait()):  # Not `wait_for`: it may swallow a cancellation.
                    await self._changed.wait()
                await sleep_about(self._patience)

    async def keep_adding(self) -> None:
        """Add what is known to be ready, for ever. What cannot be added is found by the next look."""
        while True:
            await self._is_ready.wait()
            wanted = list(islice(self._ready, AT_ONCE))
            for task_id in wanted:
                del self._ready[task_id]
            if not self._ready:
                self._is_ready.clear()
            try:
                if not self._outage.is_on and (dropped := await self._add(wanted)) is not None:
                    self._note(wanted, dropped)
                    if not dropped:
                        continue
            except Exception as error:
                logger.error("tasks could not be given to the queue%s", trace_of(error))
            self._changed.set()

    def _longest_wait(self) -> float:
        soonest = min((given.again for given in self._given.values()), default=float("inf"))
        return max(_GAP, min(_MORE if self._may_be_more else self._look, soonest - _now()))

    async def _feed(self) -> None:
        self._changed.clear()
        if self._swept + self._look <= _now():
            self._swept, self._has_swept = _now(), False
            await self._store.sweep()
            self._has_swept = True
        at_once = AT_ONCE + self._set_aside()
        ready = await self._store.ready(at_once)
        self._may_be_more = len(ready) >= at_once
        if self._untaken is not None and not self._outage.is_on:  # An outage is told by itself.
            self._untaken.look(ready)
        self._given = {task_id: self._given[task_id] for task_id in ready if task_id in self._given}
        self._given_back = {task_id: self._given_back[task_id] for task_id in ready if task_id in self._given_back}
        wanted = [task_id for task_id in ready if self._is_wanted(task_id)]
        if wanted and (dropped := await self._add(wanted)) is not None:
            self._note(wanted, dropped)

    def _is_wanted(self, task_id: str) -> bool:
        return task_id not in self._given or self._given[task_id].again <= _now()

    def _note(self, added: Sequence[str], dropped: Collection[str]) -> None:
        """Remember what was added. What was dropped is so because it is in the queue, or since its run is about to end.

        In the second case nobody would look at it again, so it is added soon once more.
        """
        for task_id in added:
            pause = max(self._look, self._given_back.get(task_id, 0.0))
            if task_id in dropped:
                known = self._given.get(task_id)
                pause = _SOON if known is None else min(2 * known.pause, self._look)
            self._given[task_id] = _Given(_now() + pause, pause)


def _now() -> float:
    return asyncio.get_running_loop().time()
