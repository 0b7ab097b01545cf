"""How a fleet is measured, ours and FastMCP's: through the SDK's session to one server, while others run the tools.

The tool writes the moment at which it goes on to a file, since it may be in any process: all of a machine have one
clock. Nothing here knows elicitkit or FastMCP: both sides import it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types
from _fastmcp_tasks import ANSWER, GetTask, Raw, TaskParams, UpdateParams, UpdateTask

LATENCY, BURST, SIDE_BY_SIDE = 10, 60, 16
"""How many answers are given one by one, how many tasks are completed at once, and how many requests are under way."""

LOOK = 0.002
"""How often it is looked whether something happened, in seconds."""


class Marks:
    """The moments at which tools went on, in a file that all processes append to."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._path.touch()

    def add(self) -> None:
        file = os.open(self._path, os.O_APPEND | os.O_WRONLY)
        os.write(file, f"{time.monotonic()}\n".encode())
        os.close(file)

    def all(self) -> list[float]:
        return [float(line) for line in self._path.read_text(encoding="ascii").split()]


class FleetBench:
    def __init__(self, session: Any, marks: Marks) -> None:
        self._send: Callable[..., Awaitable[Raw]] = session.send_request
        self._marks = marks

    async def round(self) -> dict[str, Any]:
        answered = [await self._answered() for _ in range(LATENCY)]
        return {"goes on": [one for one, _ in answered], "completed": [one for _, one in answered]}

    async def burst(self) -> dict[str, Any]:
        """How many tasks a second are completed whose answers come all at once."""
        ids = await self._side_by_side([self._call() for _ in range(BURST)])
        keys = await self._side_by_side([self._key(task_id) for task_id in ids])
        start = time.monotonic()
        await self._side_by_side([self._answer(*one) for one in zip(ids, keys, strict=True)])
        await self._side_by_side([self._ended(task_id) for task_id in ids])
        return {"a second": [BURST / (time.monotonic() - start)]}

    async def _answered(self) -> tuple[float, float]:
        task_id = await self._call()
        key = await self._key(task_id)
        known, start = len(self._marks.all()), time.monotonic()
        await self._answer(task_id, key)
        while len(marks := self._marks.all()) == known:  # noqa: ASYNC110
            await asyncio.sleep(LOOK)
        await self._ended(task_id)
        return marks[-1] - start, time.monotonic() - start

    async def _call(self) -> str:
        params = mcp_types.CallToolRequestParams(name="ask", arguments={"cart": "42"})
        return str((await self._send(mcp_types.CallToolRequest(params=params), Raw)).model_extra["taskId"])  # type: ignore[index]

    async def _key(self, task_id: str) -> str:
        while not (asked := (await self._get(task_id)).get("inputRequests")):  # noqa: ASYNC110
            await asyncio.sleep(LOOK)
        return str(next(iter(asked)))

    async def _answer(self, task_id: str, key: str) -> None:
        await self._send(UpdateTask(params=UpdateParams(task_id=task_id, input_responses={key: ANSWER})), Raw)

    async def _ended(self, task_id: str) -> None:
        while (status := (await self._get(task_id))["status"]) != "completed":
            assert status in ("working", "input_required"), status
            await asyncio.sleep(LOOK)

    async def _get(self, task_id: str) -> dict[str, Any]:
        return (await self._send(GetTask(params=TaskParams(task_id=task_id)), Raw)).model_extra or {}

    async def _side_by_side(self, works: list[Awaitable[Any]]) -> list[Any]:
        room = asyncio.Semaphore(SIDE_BY_SIDE)

        async def one(work: Awaitable[Any]) -> Any:
            async with room:
                return await work

        return await asyncio.gather(*map(one, works))


async def measure(bench: FleetBench) -> None:
    """Measure what each line on standard input asks for, and print what was found."""
    while what := (await asyncio.to_thread(sys.stdin.readline)).strip():
        print(json.dumps(await getattr(bench, what)()), flush=True)
