"""A server whose file has no room, or is read-only (issue 7, "Proof"): clear errors, nothing acknowledged that was not
stored, recovery by itself."""

import os
import resource
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import Process
from mcp.shared.exceptions import MCPError

from elicitkit import SqliteTaskStore
from tests.crash.processes import ended, killed, serving
from tests.crash.rooms import QUICK, desk_at, store_in
from tests.tasks.desk import Desk, accept
from tests.tasks.test_sqlite_troubles import mounted

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

FILLING = 9_000
"""How much each call and each answer brings along, in characters."""


@dataclass
class Client:
    """Calls and answers, and keeps what it was told: every task, every answer that was taken, every refusal."""

    folder: Path
    at: Desk
    tasks: dict[str, str] = field(default_factory=dict)
    """The question that each task had, once it was seen."""
    answers: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    async def calls(self) -> bool:
        """Call the tool; tell whether that came to a task."""
        called = await self.at.send("order", token=f"{len(self.tasks)} {'x' * FILLING}")
        if called.get("isError"):
            self.refused.append(called["content"][0]["text"])
            return False
        self.tasks[called["taskId"]] = ""
        return True

    async def looks(self) -> None:
        """See what the tasks ask that have not asked before."""
        for task_id in [one for one, key in self.tasks.items() if not key]:
            asked = (await self.at.get(task_id)).get("inputRequests") or {}
            self.tasks[task_id] = next(iter(asked), "")

    async def answers_one(self, task_id: str) -> bool:
        """Answer the first question of a task; tell whether it was taken."""
        answer = f"{task_id} {'y' * FILLING}"
        try:
            await self.at.update(task_id, **{self.tasks[task_id]: accept(answer=answer)})
        except MCPError as error:
            self.refused.append(str(error))
            return False
        self.answers[task_id] = answer
        return True

    async def until_refused(self) -> None:
        """Call and answer in turn until something is refused, and then once more of both."""
        with anyio.fail_after(30):
            while await self.calls():
                await self.looks()
                for task_id in [one for one, key in self.tasks.items() if key and one not in self.answers][::2]:
                    if not await self.answers_one(task_id):
                        break
        for task_id in [one for one, key in self.tasks.items() if key and one not in self.answers]:
            await self.answers_one(task_id)

    async def until_taken(self) -> None:
        """Call until that comes to a task that asks: without a restart."""
        with anyio.fail_after(20):
            while not await self.calls():  # noqa: ASYNC110  # a disk tells nobody that it has room
                await anyio.sleep(0.02)
            while not all(self.tasks.values()):
                await self.looks()
                await anyio.sleep(0.02)

    async def assert_kept(self, store: SqliteTaskStore) -> None:
        """Every task that was acknowledged is there, asks, and has every answer that was taken."""
        assert self.answers
        async with desk_at(store, self.folder) as at:
            for task_id, key in self.tasks.items():
                await self._assert_kept(at, task_id, key)

    async def _assert_kept(self, at: Desk, task_id: str, key: str) -> None:
        assert await at.key(task_id)
        (first, *_) = (await at.store.history(task_id)).inputs
        assert first.key == key
        answer = self.answers.get(task_id)
        assert (first.reply and first.reply.content) == (None if answer is None else {"answer": answer})


@asynccontextmanager
async def client_at(folder: Path, file: Path) -> AsyncIterator[Client]:
    """A client of the server; the store that its desk has is not open."""
    async with desk_at(SqliteTaskStore(file), folder) as at:
        yield Client(folder, at)


# --- no room ----------------------------------------------------------------------------------------------------------


class FileSystem:
    """A small one of its own, most of which is taken."""

    def __init__(self, folder: Path) -> None:
        self._filling = folder / "filling"

    def shrinks(self, process: Process) -> None:
        room = shutil.disk_usage(self._filling.parent).free
        self._filling.write_bytes(b"x" * (room - 400 * 1024))

    def grows(self, process: Process) -> None:
        self._filling.unlink()


class Quota:
    """A limit of the system on how large the files of a process may be."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def shrinks(self, process: Process) -> None:
        largest = max(file.stat().st_size for file in self._folder.iterdir())
        self._set(process, largest + 300 * 1024)

    def grows(self, process: Process) -> None:
        self._set(process, resource.RLIM_INFINITY)

    def _set(self, process: Process, size: int) -> None:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@contextmanager
def small_file_system(folder: Path) -> Iterator[FileSystem]:
    with mounted(folder, kib=2 * 1024):
        yield FileSystem(folder)


@contextmanager
def small_quota(folder: Path) -> Iterator[Quota]:
    folder.mkdir()
    yield Quota(folder)


@pytest.mark.parametrize("kind", [small_file_system, small_quota], ids=["a file system", "a quota"])
async def test_a_full_disk_loses_nothing_that_was_acknowledged_and_passes(
    kind: Callable[[Path], Any], tmp_path: Path
) -> None:
    file = tmp_path / "small" / "tasks.db"
    with anyio.fail_after(90), kind(file.parent) as room:
        async with serving(tmp_path, 0, store=file, **QUICK) as process, client_at(tmp_path, file) as client:
            room.shrinks(process)
            await client.until_refused()
            told = set(client.refused)
            room.grows(process)
            await client.until_taken()
            await killed(process)
        async with serving(tmp_path, 1, store=file, **QUICK), SqliteTaskStore(file) as store:
            await client.assert_kept(store)

    assert told <= {
        "The store cannot be used: the disk is full. Nothing was stored.",
        "The store cannot be used: the disk failed, or is full. Nothing was stored.",
    }


# --- read-only --------------------------------------------------------------------------------------------------------


def without_override() -> list[str]:
    """What stands before the command of a process that may not write what is read-only: root may, otherwise."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("elsewhere: root cannot give up its right to write everywhere on this system")
    return ["setpriv", "--bounding-set", "-dac_override"]


async def test_a_read_only_file_is_read_and_says_so_until_it_is_not(tmp_path: Path) -> None:
    file = tmp_path / "tasks.db"
    async with serving(tmp_path, 0, **QUICK) as process, client_at(tmp_path, file) as client:
        for _ in range(4):
            assert await client.calls()
        await client.until_taken()
        await ended(process)
    file.chmod(0o444)
    with anyio.fail_after(60):
        async with serving(tmp_path, 1, before=without_override(), **QUICK) as process:
            async with desk_at(SqliteTaskStore(file), tmp_path) as client.at:
                first, second, *_ = client.tasks
                assert (await client.at.get(first))["status"] == "input_required"
                assert [await client.calls(), await client.answers_one(first)] == [False, False]
                told = set(client.refused)
                file.chmod(0o600)
                await client.until_taken()
                assert await client.answers_one(second)
            await killed(process)
        async with serving(tmp_path, 2, **QUICK), store_in(tmp_path) as store:
            await client.assert_kept(store)

    assert told == {"The store cannot be used: its file, or the folder of it, is read-only. Nothing was stored."}
