"""Several processes on one file of tasks (issue 7): the first answer wins, changes are heard, a kill loses nothing."""

import asyncio
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest

from elicitkit import SqliteTaskStore
from elicitkit.testing.store_contract.base import parked
from elicitkit.testing.store_contract.listening import Ear

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def another_process(what: str, path: Path, *arguments: str) -> AsyncIterator[Process]:
    """A process that does *what* on a file; see `store_process`. It is killed at the end of the block."""
    command = [sys.executable, "-m", "tests.tasks.store_process", what, str(path), *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=PIPE, stdout=PIPE)
    try:
        with anyio.fail_after(60):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def lines_of(process: Process) -> list[str]:
    assert process.stdout is not None
    return (await process.stdout.read()).decode().split()


async def test_the_first_answer_wins_among_processes(tmp_path: Path) -> None:
    path, keys = tmp_path / "tasks.db", [f"key-{number}" for number in range(100)]
    async with SqliteTaskStore(path) as store:
        made = await parked(store, *keys)
        async with (
            another_process("answer", path, made.id, "first", ",".join(keys)) as first,
            another_process("answer", path, made.id, "second", ",".join(keys)) as second,
        ):
            for process in (first, second):
                assert process.stdout is not None
                assert process.stdin is not None
                assert await process.stdout.readline() == b"ready\n"
            for process in (first, second):
                process.stdin.write(b"go\n")  # type: ignore[union-attr]  # it has one
            won = {"first": await lines_of(first), "second": await lines_of(second)}
        history = await store.history(made.id)

    assert sorted([*won["first"], *won["second"]]) == sorted(keys)
    assert history.record.status == "working"
    for asked in history.inputs:
        assert asked.reply is not None
        assert asked.reply.content is not None
        assert asked.key in won[asked.reply.content["size"]]


async def test_the_change_of_another_process_is_noticed(tmp_path: Path) -> None:
    async with SqliteTaskStore(tmp_path / "tasks.db") as store:
        ear = Ear(store)
        async with another_process("create", tmp_path / "tasks.db") as process:
            (task_id,) = await lines_of(process)

        await ear.hears(task_id)


@pytest.mark.slow
async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """SIGKILL in the middle of commits, three times on one file."""
    path, acknowledged = tmp_path / "tasks.db", list[str]()
    for round_number in range(3):
        async with another_process("park", path) as process:
            assert process.stdout is not None
            for _ in range(100 + 70 * round_number):
                acknowledged.append((await process.stdout.readline()).decode().strip())
            process.kill()
            acknowledged += await lines_of(process)

    async with SqliteTaskStore(path) as store:
        for task_id in acknowledged:
            history = await store.history(task_id)
            assert [asked.state for asked in history.inputs] == ["answered"]
            assert history.steps == {"charge": "1"}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(acknowledged) >= 510
