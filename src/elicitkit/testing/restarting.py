"""`Restarts`: a server with tasks whose process is killed and started again, in memory and at once."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, cast

import anyio
from mcp import Client
from mcp.server.mcpserver import MCPServer

from ..errors import StoreError
from ..tasks.client import TasksClient
from ..tasks.store import LEASE, TaskStore
from ..tasks.stores.memory import MemoryTaskStore
from .clock import Clock
from .connecting import SECONDS, Callback, connected

MakeServer: TypeAlias = Callable[[TaskStore], MCPServer[Any]]
"""Makes the server anew, as a new process does, with its tasks in that store."""


class Restarts:
    """A server with tasks that goes through several processes.

        restarts = Restarts(make_server)
        async with restarts.running() as client:
            task_id = await restarts.begin(client, "order")
            await restarts.until_asked(task_id)
            restarts.kill()
        async with restarts.running(answers) as client:
            result = await TasksClient.attach(client.session, task_id).wait()

    A process that is not killed ends gracefully with its block: it gives back what it ran.

    Args:
        make: Makes the server, given the store.
        clock: The clock of the store; it goes on by itself only when a process is killed.
        lease: For how long the server claims its tasks, in seconds: what it gives to `Tasks`, if it does.
    """

    def __init__(self, make: MakeServer, *, clock: Clock | None = None, lease: float = LEASE) -> None:
        self.clock: Clock = clock or Clock()
        self.store: TaskStore = MemoryTaskStore(clock=self.clock)
        """What all the processes share; it can be read and written between them."""
        self._make = make
        self._lease = lease
        self._process = _Process(self.store)

    @asynccontextmanager
    async def running(
        self, answers: Callback | None = None, *, seconds: float = SECONDS, **more: Any
    ) -> AsyncIterator[Client]:
        """Start a process, and give a client of it that knows tasks; options are those of `connected`."""
        self._process = _Process(self.store)
        server = self._make(cast(TaskStore, self._process))
        callback = answers or _not_asked
        async with connected(server, callback, tasks=True, seconds=seconds, **more) as client:
            yield client

    def kill(self) -> None:
        """Kill the process that runs: from now on it changes nothing. Its claims have run out when the next starts."""
        self._process.is_dead = True
        self.clock.advance(self._lease + 1)

    async def begin(self, client: Client, tool: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Call a tool that becomes a task, and give the id of the task without waiting for it.

        Raises:
            AssertionError: If the call did not become a task.
        """
        created = await client.session.call_tool(tool, dict(arguments or {}), allow_claimed=True)
        task_id = getattr(created, "task_id", None)
        if task_id is None:
            raise AssertionError(f"the call of {tool!r} did not become a task: {created}")
        return str(task_id)

    async def until_asked(self, task_id: str, count: int = 1) -> list[str]:
        """Wait until so many questions of a task are open, and give their messages.

        Raises:
            TimeoutError: If it takes too long.
            UnknownTask: If there is no such task.
        """
        changed = asyncio.Event()
        unsubscribe = self.store.subscribe(lambda _: changed.set())
        try:
            with anyio.fail_after(SECONDS):
                while len(messages := await self._open(task_id)) < count:
                    await changed.wait()
                    changed.clear()
        finally:
            unsubscribe()
        return messages

    async def _open(self, task_id: str) -> list[str]:
        inputs = (await self.store.history(task_id)).record.inputs.values()
        return [asked.request["params"]["message"] for asked in inputs]

    @staticmethod
    async def result(client: Client, task_id: str) -> Any:
        """Wait for a task to end, and give what the call would have given."""
        return await TasksClient.attach(client.session, task_id).wait()


class _Process:
    """A store as one process has it: when that is dead, nothing is read or written by it any more."""

    def __init__(self, store: TaskStore) -> None:
        self._store = store
        self.is_dead = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return _gone if self.is_dead and inspect.iscoroutinefunction(found) else found

    async def __aenter__(self) -> _Process:
        await self._store.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._store.close()


async def _gone(*_: Any, **__: Any) -> Any:
    raise StoreError("This process was killed by its test.")


async def _not_asked(*_: Any) -> Any:
    """Declares that this client can be asked; it has no answer, and waits until it is gone."""
    await anyio.sleep_forever()
