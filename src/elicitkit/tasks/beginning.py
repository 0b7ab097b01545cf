"""A call that becomes a task on its way: until then its questions travel by round trip, and from then on are parked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from ..journal import Question, Reply
from .endings import Execute
from .record import TaskRecord
from .road import ParkedRoad
from .run import Run, ended


class BeginningRoad:
    """A `Road` that goes over to another one when the call becomes a task.

    Args:
        before: The road until then.
        begin: Makes the task, and gives the road inside it.
    """

    def __init__(self, before: Any, begin: Callable[[], Awaitable[ParkedRoad]]) -> None:
        self._road = before
        self._begin = begin
        self._asking = 0
        self._steps: set[asyncio.Future[str]] = set()
        self._going_over = asyncio.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._road, name)

    @property
    def parked(self) -> ParkedRoad | None:
        """The road inside the task; `None` before there is one."""
        return self._road if isinstance(self._road, ParkedRoad) else None

    async def ask(self, question: Question) -> Reply:
        """See `Road.ask`."""
        self._asking += 1
        try:
            reply: Reply = await self._road.ask(question)
        finally:
            self._asking -= 1
        return reply

    async def step(self, name: str, run: Callable[[], Awaitable[str]]) -> str:
        """See `Road.step`."""
        stepping: asyncio.Future[str] = asyncio.ensure_future(self._road.step(name, run))
        self._steps.add(stepping)
        stepping.add_done_callback(self._steps.discard)
        try:
            return await stepping
        except asyncio.CancelledError:
            stepping.cancel()
            raise

    async def go_over(self) -> None:
        """Make the call a task; a second time nothing happens.

        What a step beside it gives is taken along. Beside a question without answer it never returns: the call is about
        to end with that, and comes back here when it is answered.
        """
        async with self._going_over:
            if self.parked is not None:
                return
            while self._steps:
                await asyncio.wait(self._steps)
            if self._asking:
                await asyncio.get_running_loop().create_future()
            self._road = await self._begin()


def parked_road(road: object) -> ParkedRoad | None:
    """The road inside a task that a call is on; `None` where it is on none."""
    if isinstance(road, BeginningRoad):
        return road.parked
    return road if isinstance(road, ParkedRoad) else None


async def begin_later(
    before: Any,
    run: Callable[[Any], Coroutine[Any, Any, Mapping[str, Any]]],
    *,
    begin: Callable[[], Awaitable[tuple[TaskRecord, Run | None]]],
    start: Callable[[Run, Execute], None],
) -> Mapping[str, Any] | TaskRecord:
    """Run a call until it ends, suspends, or becomes a task; give its result, or the task, in which it goes on.

    Args:
        before: The road that it is on.
        run: Runs it on a road.
        begin: Makes the task, and gives no run of it where others are to run it: then the call ends here.
        start: Lets the task go on in the background.
    """
    begun: asyncio.Future[tuple[TaskRecord, Run | None]] = asyncio.get_running_loop().create_future()

    async def going_over() -> ParkedRoad:
        record, task_run = await begin()
        if task_run is None:
            elsewhere: asyncio.Future[ParkedRoad] = asyncio.get_running_loop().create_future()
            begun.set_result((record, None))
            return await elsewhere
        start(task_run, lambda: going)
        begun.set_result((record, task_run))
        return task_run.road

    going = asyncio.create_task(run(BeginningRoad(before, going_over)))
    first: set[asyncio.Future[Any]] = {going, begun}
    try:
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
    finally:
        is_task = begun.done() and begun.result()[1] is not None
        if not (is_task or going.done()):  # It was cancelled, or others are to run it.
            await _end(going)
    return begun.result()[0] if begun.done() else going.result()


async def _end(going: asyncio.Task[Any]) -> None:
    """End a call, whatever it comes to."""
    going.cancel()
    await ended([going])
    if going.done() and not going.cancelled():
        going.exception()
