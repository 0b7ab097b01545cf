"""Several processes on one file of tasks (issue 7): the first answer wins, changes are heard, a kill loses nothing."""

import sqlite3
import time
from asyncio.subprocess import Process
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest

from elicitkit import SqliteTaskStore
from elicitkit.tasks.stores import sqlite_lanes
from elicitkit.testing.store_contract.base import parked
from elicitkit.testing.store_contract.listening import Ear
from tests.tasks.processes import answered_by_two, assert_first_answers_won, lines_of, store_process

pytestmark = pytest.mark.anyio


def another_process(what: str, path: Path, *arguments: str) -> AbstractAsyncContextManager[Process]:
    return store_process(what, str(path), {"busy_timeout": 30}, *arguments)


async def test_the_first_answer_wins_among_processes(tmp_path: Path) -> None:
    path, keys = tmp_path / "tasks.db", [f"key-{number}" for number in range(100)]
    async with SqliteTaskStore(path) as store:
        made = await parked(store, *keys)
        won = await answered_by_two(
            another_process("answer", path, made.id, "first", ",".join(keys)),
            another_process("answer", path, made.id, "second", ",".join(keys)),
        )
        history = await store.history(made.id)

    assert_first_answers_won(keys, won, history)


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


async def test_a_store_looks_less_often_while_nothing_happens_and_soon_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 7, points 2 and 3: little work when idle, and a change of another process noticed within 50 ms."""
    async with SqliteTaskStore(tmp_path / "tasks.db") as store:
        writer = store._writing
        assert writer._pause() is None  # Nobody wants to hear of anything.
        store.subscribe(lambda _: None)
        monkeypatch.setattr(writer, "_changed_at", time.monotonic() - sqlite_lanes.QUIET_AFTER)
        when_quiet = writer._pause()
        await store.create({})

        assert writer._pause() == sqlite_lanes.POLL
        assert when_quiet == sqlite_lanes.QUIET_POLL < 0.05
