"""The other side of benchmarks/tasks.py, and how both are measured: `.peers/fastmcp/bin/python` runs it.

Both get the same requests through a session of the SDK's, in memory. `own` is FastMCP with its own client, which has
streams between itself and the server; with `sdk` the SDK's client calls the server directly, as it does ours. Each line
on standard input is what to measure; what was found goes to standard output as a line of JSON, in seconds and bytes.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import mcp_types
from mcp import Client, ClientSession
from mcp.client.extension import ClientExtension
from pydantic import ConfigDict

MESSAGE = "Where should we send it?"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "fullName": {"type": "string", "title": "Full name"},
        "email": {"type": "string", "format": "email", "title": "Email"},
    },
    "required": ["fullName"],
}
ANSWER = {"action": "accept", "content": {"fullName": "Ada Lovelace", "email": "ada@example.com"}}

ANSWERS, GETS, SIDE_BY_SIDE, ONE_BY_ONE = 8, 100, 32, 8
"""How often each thing is done in a round."""

BATCHES = 3
"""How often so many calls are made side by side in a round: a machine that does something else spoils a whole batch."""

LOOK = 0.001
"""How often the client looks whether a task is completed, in seconds: more often would hold up whoever completes it."""

TRACED, KEPT = 200, 800
"""Over how many parked tasks memory is measured: what Python allocated, and the size of the process."""


# --- the wire ---------------------------------------------------------------------------------------------------------


class Raw(mcp_types.Result):
    model_config = ConfigDict(extra="allow")


class TaskParams(mcp_types.RequestParams):
    task_id: str


class UpdateParams(TaskParams):
    input_responses: dict[str, Any]


class GetTask(mcp_types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class UpdateTask(mcp_types.Request[UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    params: UpdateParams
    name_param = "taskId"


class CancelTask(mcp_types.Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class KnowsTasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"


async def nobody(*_: Any) -> Any:
    """Declares that forms can be asked; answers go by `tasks/update`."""
    raise AssertionError("the client was asked itself")


# --- measuring --------------------------------------------------------------------------------------------------------


class Events:
    """What a server tells about itself: a question that is stored, and a tool that has its answer."""

    def __init__(self) -> None:
        self._parked = 0
        self._until = 0
        self._enough = asyncio.Event()
        self.went_on: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def parked(self) -> None:
        self._parked += 1
        if self._parked >= self._until:
            self._enough.set()

    def goes_on(self) -> None:
        now = time.perf_counter()
        if not self.went_on.done():
            self.went_on.set_result(now)

    def expect(self, questions: int) -> asyncio.Event:
        """What is set when so many questions more are stored."""
        self._until, self._enough = self._parked + questions, asyncio.Event()
        return self._enough


class Bench:
    """Measures one server through one client."""

    def __init__(self, session: ClientSession, events: Events) -> None:
        self._send: Callable[..., Awaitable[Raw]] = session.send_request
        self._events = events

    async def round(self) -> dict[str, Any]:
        answers = [await self._answered() for _ in range(ANSWERS)]
        return {
            "goes on": [goes_on for goes_on, _ in answers],
            "completed": [completed for _, completed in answers],
            "get": await self._getting(),
            "park": [one for _ in range(BATCHES) for one in await self._parking(SIDE_BY_SIDE, at_once=True)],
            "park one by one": await self._parking(ONE_BY_ONE, at_once=False),
        }

    async def traced(self) -> dict[str, float]:
        """What Python allocated for a parked task, in bytes."""
        await self._park(TRACED // 4)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        await self._park(TRACED)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return {"traced": (after - before) / TRACED}

    async def resident(self) -> dict[str, float]:
        """By how much the process grew for a parked task, in bytes."""
        await self._park(KEPT // 8)
        gc.collect()
        before = _resident_bytes()
        await self._park(KEPT)
        gc.collect()
        return {"resident": (_resident_bytes() - before) / KEPT}

    async def _answered(self) -> tuple[float, float]:
        """How long it took from an answer until the tool went on, and until the client saw the result."""
        (task_id,) = await self._park(1)
        (key,) = (await self._get(task_id)).model_extra["inputRequests"]  # type: ignore[index]
        self._events.went_on = asyncio.get_running_loop().create_future()
        request = UpdateTask(params=UpdateParams(task_id=task_id, input_responses={key: ANSWER}))
        start = time.perf_counter()
        updating = asyncio.ensure_future(self._send(request, Raw))
        goes_on = await self._events.went_on - start
        await updating
        while True:
            status = (await self._get(task_id)).model_extra["status"]  # type: ignore[index]
            if status == "completed":
                return goes_on, time.perf_counter() - start
            await asyncio.sleep(LOOK)

    async def _getting(self) -> list[float]:
        (task_id,) = await self._park(1)
        spent = []
        for _ in range(GETS):
            start = time.perf_counter()
            await self._get(task_id)
            spent.append(time.perf_counter() - start)
        await self._cancel([task_id])
        return spent

    async def _parking(self, count: int, *, at_once: bool) -> list[float]:
        """How long one call takes until its question is stored; of many at once, the time of all by their number."""
        spent, parked = [], []
        for _ in range(1 if at_once else count):
            start = time.perf_counter()
            parked += await self._park(count if at_once else 1)
            spent.append((time.perf_counter() - start) / (count if at_once else 1))
        await self._cancel(parked)
        return spent

    async def _park(self, count: int) -> list[str]:
        """Call the tool, and give the tasks once all their questions are stored."""
        stored = self._events.expect(count)
        ids: list[str] = []
        for first in range(0, count, SIDE_BY_SIDE):
            ids += await asyncio.gather(*(self._call() for _ in range(first, min(count, first + SIDE_BY_SIDE))))
        await stored.wait()
        return ids

    async def _call(self) -> str:
        params = mcp_types.CallToolRequestParams(name="ask", arguments={"cart": "42"})
        task_id: str = (await self._send(mcp_types.CallToolRequest(params=params), Raw)).model_extra["taskId"]  # type: ignore[index]
        return task_id

    async def _get(self, task_id: str) -> Raw:
        return await self._send(GetTask(params=TaskParams(task_id=task_id)), Raw)

    async def _cancel(self, ids: list[str]) -> None:
        for task_id in ids:
            await self._send(CancelTask(params=TaskParams(task_id=task_id)), Raw)


def _resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


# --- FastMCP ----------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def fastmcp_bench(*, own_client: bool) -> AsyncIterator[Bench]:
    from fastmcp import Client as OwnClient
    from fastmcp import FastMCP
    from fastmcp_tasks import TasksExtension

    events = Events()
    mcp = FastMCP("theirs")
    mcp.add_extension(TasksExtension(url="memory://"))
    mcp.tool(fastmcp_tool(events), task=True, output_schema=None)
    if own_client:
        async with OwnClient(mcp, elicitation_handler=nobody) as client:
            yield Bench(client.session, events)
        return
    declared: Any = {"extensions": [KnowsTasks()], "elicitation_callback": nobody}
    async with mcp._lifespan_manager(), Client(mcp._mcp_server, **declared) as client:
        yield Bench(client.session, events)


def fastmcp_tool(events: Events) -> Callable[..., Awaitable[Any]]:
    """The tool that asks, as FastMCP's tasks do: it returns the question, and is run again with the answer."""
    import fastmcp_tasks.input_loop
    from fastmcp import Context

    store = fastmcp_tasks.input_loop.store_outstanding

    async def storing(*given: Any) -> None:
        await store(*given)
        events.parked()

    fastmcp_tasks.input_loop.store_outstanding = storing
    params = mcp_types.ElicitRequestFormParams(message=MESSAGE, requested_schema=SCHEMA)
    asks = mcp_types.InputRequiredResult(input_requests={"where": mcp_types.ElicitRequest(params=params)})

    async def ask(cart: str, ctx: Any) -> Any:
        if (answer := (ctx.input_responses or {}).get("where")) is None:
            return asks
        events.goes_on()
        return str(answer.content["fullName"])

    ask.__annotations__["ctx"] = Context
    return ask


async def serve(bench: Bench) -> None:
    """Measure what each line asks for, and print what was found."""
    works: dict[str, Callable[[], Awaitable[Any]]] = {
        "round": bench.round,
        "traced": bench.traced,
        "resident": bench.resident,
    }
    while what := (await asyncio.to_thread(sys.stdin.readline)).strip():
        print(json.dumps(await works[what]()), flush=True)


async def main() -> None:
    logging.disable(logging.INFO)
    async with fastmcp_bench(own_client=sys.argv[1] == "own") as bench:
        await serve(bench)


if __name__ == "__main__":
    asyncio.run(main())
