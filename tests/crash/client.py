"""The client, in a process of its own: `python -m tests.crash.client FOLDER TASKS KILLS`.

It places orders, keeps the ids of their tasks, and asks for each until it has ended. Where the server dies it connects
to the next one, and attaches to its tasks by id; where there are several addresses it takes them in turn. `client` in
the folder tells what it was shown, and when.
"""

import argparse
import asyncio
import itertools
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolRequest, CallToolRequestParams

from elicitkit import TaskOutOfReach, TasksClient
from tests.crash.lines import Lines
from tests.crash.stages import Stages
from tests.tasks.desk import OVER, Raw

WORKERS = 8
"""How many requests are under way at once."""

POLL = 0.3
"""How often one task is asked for, in seconds."""

WAITS = 10
"""One in so many tasks is left to `TaskHandle.wait`, and shown to a person who never answers here."""

TIMEOUT = 10.0
"""How long one request may take, in seconds: longer than any that is answered."""

LOST = (httpx2.HTTPError, MCPError, OSError, TimeoutError)
"""What happens to requests whose server dies. What a server says of a task is no such thing: see `is_lost`."""


@dataclass(eq=False)
class Order:
    number: int
    stage: int
    """After how many kills it is placed."""

    attempts: int = 0
    task_id: str | None = None
    is_over: bool = False
    next_at: float = 0.0

    @property
    def token(self) -> str:
        """Another one for each attempt: the task of one whose answer was lost lives on without us."""
        return f"order-{self.number}-{self.attempts}"

    @property
    def arguments(self) -> dict[str, Any]:
        return {"token": self.token, "two_at_once": self.number % 2 == 1}


class Watched:
    """A session that writes down what `tasks/get` shows."""

    def __init__(self, session: Any, log: Lines) -> None:
        self._session = session
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def send_request(self, request: Any, result_type: Any) -> Any:
        sent = time.monotonic()
        with anyio.fail_after(TIMEOUT):
            result = await self._session.send_request(request, result_type)
        if request.method == "tasks/get":
            told = {"task": result.task_id, "sent": sent, "status": result.status}
            asked = {key: one["params"]["message"] for key, one in (result.input_requests or {}).items()}
            self._log.add("state", **told, asked=asked, result=result.result, error=result.error)
        return result


class Customer:
    def __init__(self, folder: Path, tasks: int, kills: int, addresses: list[str]) -> None:
        self._addresses = itertools.cycle(folder / address for address in addresses)
        self._log = Lines(folder / "client")
        self._stages = Stages()
        self._orders = [Order(number, number * kills // (2 * tasks)) for number in range(tasks)]

    async def order_all(self) -> None:
        while not all(order.is_over for order in self._orders):
            try:
                await self._connected()
            except Exception as error:
                if not is_lost(error):
                    raise
                self._log.add("lost", error=repr(error))
                await anyio.sleep(0.05)

    async def _connected(self) -> None:
        """Work on one connection, until all is done or it is lost."""
        with anyio.fail_after(TIMEOUT) as connecting:
            address = next(self._addresses).read_text(encoding="ascii")
            async with Client(address, extensions=[TasksClient()], elicitation_callback=self._show) as client:
                connecting.deadline = float("inf")
                await self._work(Watched(client.session, self._log))

    async def _work(self, session: Any) -> None:
        waiting = [order for order in self._orders if not order.is_over]
        polled = deque(order for order in waiting if order.number % WAITS or order.task_id is None)
        async with anyio.create_task_group() as group:
            for order in set(waiting) - set(polled):
                group.start_soon(self._wait, session, order)
            for _ in range(WORKERS):
                group.start_soon(self._serve, polled, lambda order: self._serve_one(session, order))

    async def _serve(self, polled: deque[Order], serve: Callable[[Order], Awaitable[None]]) -> None:
        """Take one order after the other, in turn with the other workers."""
        while polled:
            order = polled.popleft()
            await anyio.sleep(max(0.0, order.next_at - time.monotonic()))
            await serve(order)
            order.next_at = time.monotonic() + POLL
            if not order.is_over:
                polled.append(order)

    async def _serve_one(self, session: Any, order: Order) -> None:
        if order.task_id is not None:
            state = await TasksClient.attach(session, order.task_id).state()
            order.is_over = state.status in OVER
        elif self._stages.kills >= order.stage:
            order.task_id = await self._place(session, order)

    async def _place(self, session: Any, order: Order) -> str:
        order.attempts += 1
        params = CallToolRequestParams(name="order", arguments=order.arguments)
        self._log.add("placing", token=order.token)
        placed = (await session.send_request(CallToolRequest(params=params), Raw)).wire
        self._log.add("placed", token=order.token, task=placed["taskId"])
        return placed["taskId"]

    async def _wait(self, session: Any, order: Order) -> None:
        await TasksClient.attach(session, order.task_id or "").wait()
        order.is_over = True

    async def _show(self, *_: Any) -> Any:
        """Show a question until somebody else has answered it."""
        await asyncio.get_running_loop().create_future()


def is_lost(error: BaseException) -> bool:
    """Whether all that happened is that the server died."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_lost, error.exceptions))
    if isinstance(error, TaskOutOfReach):
        return error.__cause__ is not None and is_lost(error.__cause__)
    if isinstance(error, MCPError):
        return error.code in (CONNECTION_CLOSED, REQUEST_TIMEOUT)
    return isinstance(error, LOST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("tasks", type=int)
    parser.add_argument("kills", type=int)
    parser.add_argument("--addresses", nargs="+", default=["address"], help="the files with the addresses")
    given = parser.parse_args()

    async def main() -> None:
        await Customer(given.folder, given.tasks, given.kills, given.addresses).order_all()

    anyio.run(main)
