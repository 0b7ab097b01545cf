"""A desk at a server in a process of its own, and what the tools of that server wrote down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from elicitkit import SqliteTaskStore
from elicitkit.tasks.answers import judge
from elicitkit.tasks.store import TaskStore
from tests.crash.lines import lines_of
from tests.tasks.desk import Desk, KnowsTasks, accept, nobody

QUICK: dict[str, Any] = {"lease": 0.5, "look": 0.05}
"""The options of servers whose tasks are soon taken over."""


@asynccontextmanager
async def desk_at(store: TaskStore, folder: Path, address: str = "address") -> AsyncIterator[Desk]:
    """A client of the server of that address; it is closed before the server is killed or stopped."""
    url = (folder / address).read_text(encoding="ascii")
    async with Client(url, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
        yield Desk(client, store)


def store_in(folder: Path) -> SqliteTaskStore:
    return SqliteTaskStore(folder / "tasks.db")


async def settle(store: TaskStore, task_id: str, **content: Any) -> frozenset[str]:
    """Accept the one open question, in the file alone."""
    (asked,) = (await store.history(task_id)).record.inputs.values()
    return await store.settle(task_id, [judge(asked, accept(**content))])


def written(folder: Path, what: str, **more: Any) -> list[dict[str, Any]]:
    """The lines of the tools of that kind, with such members."""
    return [line for line in lines_of(folder / "effects") if line["what"] == what and more.items() <= line.items()]


async def wait_for(folder: Path, what: str, count: int = 1, **more: Any) -> list[dict[str, Any]]:
    """Wait until there are so many of such lines."""
    with anyio.fail_after(10):
        while len(found := written(folder, what, **more)) < count:  # noqa: ASYNC110  # a file tells nobody
            await anyio.sleep(0.005)
    return found
