"""`Parking`: the way of a run's questions into the store. Those that are asked side by side go together.

A store reads, with each commit, all that is open in the task: a thousand questions that are asked at once, each in a
commit of its own, would be read half a million times.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from ..errors import ElicitkitError, LimitError
from .record import TaskInput
from .requests import require_small

Park: TypeAlias = Callable[[Sequence[TaskInput]], Awaitable[None]]
"""Parks some questions, all of them or none, and takes them to the road."""

_Waiting: TypeAlias = tuple[TaskInput, asyncio.Future[None]]


class Parking:
    """Parks the first question at once, and with each commit after it all that was asked meanwhile.

    Args:
        park: Parks some.
        give_up: Withdraws one that nobody waits for any more.
    """

    __slots__ = ("_give_up", "_park", "_task", "_waiting")

    def __init__(self, park: Park, give_up: Callable[[TaskInput], Awaitable[None]]) -> None:
        self._park = park
        self._give_up = give_up
        self._waiting: list[_Waiting] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether something is on its way, which nobody may wait for any more."""
        return self._task is not None

    async def put(self, asked: TaskInput) -> None:
        """Park a question, and wait until it is there.

        Raises:
            ElicitkitError: As `TaskStore.park`. A question that is refused takes none of the others with it.
        """
        require_small(asked.request)  # So that what the store refuses is for want of room.
        parked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, parked))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        try:
            await parked
        except ElicitkitError as error:
            # To each its own: adapters find out by it where it was raised, and where it was caught.
            raise copy.copy(error) from error.__cause__
        except asyncio.CancelledError:
            if parked.done() and not parked.cancelled() and parked.exception() is None:  # Just before.
                await asyncio.shield(self._give_up(asked))
            raise

    async def _work(self) -> None:
        try:
            while some := [one for one in self._waiting if not one[1].done()]:
                self._waiting.clear()
                await self._together(some)
        finally:
            self._task = None

    async def _together(self, some: Sequence[_Waiting]) -> LimitError | None:
        """Park questions; if there is no room for all, the first of them, and give the error that the others got."""
        try:
            await self._park([asked for asked, _ in some])
        except LimitError as error:
            return await self._as_many_as_fit(some, error)
        except Exception as error:
            _fail(some, error)
        else:
            given_up = [asked for asked, parked in some if parked.done()]
            for _, parked in some:
                if not parked.done():
                    parked.set_result(None)
            for asked in given_up:
                await self._give_up(asked)
        return None

    async def _as_many_as_fit(self, some: Sequence[_Waiting], refused: LimitError | None) -> LimitError | None:
        if len(some) > 1:
            half = len(some) // 2
            refused = await self._together(some[:half])
            if refused is None:
                return await self._together(some[half:])
            some = some[half:]
        if refused is not None:
            _fail(some, refused)
        return refused


def _fail(some: Sequence[_Waiting], error: Exception) -> None:
    for _, parked in some:
        if not parked.done():
            parked.set_exception(error)
            parked.exception()  # Who waits may be cancelled before it comes to it.
