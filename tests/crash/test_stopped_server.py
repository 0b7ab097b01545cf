"""A worker that is stopped, overtaken after its lease, and continued changes nothing (issue 7, "Proof").

What it was in the middle of it may still do: nobody can stop the hand of a process that sleeps inside a step. But
nothing of that is kept, and no further effect comes of it.
"""

import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process

from elicitkit import SqliteTaskStore
from tests.crash.processes import serving
from tests.crash.rooms import QUICK, desk_at, settle, store_in, wait_for, written
from tests.tasks.desk import Desk

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SLEEPER, OTHER = 0, 1


@dataclass
class Place:
    """Two servers on one file: one that sleeps now and then, and the other, at which the client is."""

    folder: Path
    store: SqliteTaskStore
    sleeper: Process
    at: Desk

    async def starts(self, **arguments: float) -> str:
        """Have the first server run a task, up to its first question, while the other may not have it."""
        async with desk_at(self.store, self.folder, "sleeper") as at:
            task_id = await at.start("slow", token="order", **arguments)
            await at.key(task_id)
        return task_id

    async def stops(self) -> None:
        """Stop the first server, but not in the middle of a commit: everybody would wait for that."""
        self.sleeper.send_signal(signal.SIGSTOP)
        while is_locked(self.folder / "tasks.db"):
            self.sleeper.send_signal(signal.SIGCONT)
            await anyio.sleep(0.01)
            self.sleeper.send_signal(signal.SIGSTOP)

    async def continues(self) -> None:
        """Wake the first server, and give it time for whatever it is going to do: it has seen all when it answers."""
        self.sleeper.send_signal(signal.SIGCONT)
        async with desk_at(self.store, self.folder, "sleeper"):
            await anyio.sleep(1)

    async def overtaken(self, task_id: str) -> str:
        """Wait until the other server has brought the task to its second question, and give the key of that."""
        await wait_for(self.folder, "kept", run=OTHER)
        return await self.at.key(task_id)

    async def ends_well(self, task_id: str, key: str) -> None:
        """The task is as the other server left it, and ends as if there were no other."""
        history = await self.store.history(task_id)
        assert list(history.record.inputs) == [key]
        assert [asked.attempt for asked in history.inputs] == [1, 1]
        assert history.steps == {"reserve": '"order reserve"'}
        await self.at.answer(task_id, answer="two")
        assert json.loads(await self.at.said(task_id)) == {
            "token": "order",
            "answers": ["one", "two"],
            "steps": ["order reserve"],
        }
        assert written(self.folder, "trouble", run=OTHER) == []


def is_locked(file: Path) -> bool:
    """Whether somebody who does not go on holds the file: the others would be done in a moment."""
    with closing(sqlite3.connect(file, timeout=0.5, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        connection.execute("ROLLBACK")
    return False


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    with anyio.fail_after(60):
        async with (
            store_in(tmp_path) as store,
            serving(tmp_path, SLEEPER, address="sleeper", **QUICK) as sleeper,
            serving(tmp_path, OTHER, address="other", **QUICK),
            desk_at(store, tmp_path, "other") as at,
        ):
            yield Place(tmp_path, store, sleeper, at)


async def test_one_that_waited_for_an_answer_does_nothing_with_it(place: Place) -> None:
    task_id = await place.starts()
    await place.stops()
    await settle(place.store, task_id, answer="one")
    key = await place.overtaken(task_id)
    await place.continues()

    assert [line["run"] for line in written(place.folder, "row")] == [OTHER]
    await place.ends_well(task_id, key)


async def test_one_that_was_about_to_do_a_step_does_not_do_it(place: Place) -> None:
    task_id = await place.starts(before=0.3)
    await settle(place.store, task_id, answer="one")
    await wait_for(place.folder, "heard", run=SLEEPER)
    await place.stops()
    key = await place.overtaken(task_id)
    await place.continues()

    assert [line["run"] for line in written(place.folder, "row")] == [OTHER]
    await place.ends_well(task_id, key)


async def test_one_that_was_inside_a_step_keeps_nothing_of_it(place: Place) -> None:
    task_id = await place.starts(seconds=0.3)
    await settle(place.store, task_id, answer="one")
    await wait_for(place.folder, "begin", run=SLEEPER)
    await place.stops()
    key = await place.overtaken(task_id)
    await place.continues()

    assert written(place.folder, "kept", run=SLEEPER) == []
    await place.ends_well(task_id, key)


async def test_one_that_finds_its_task_over_leaves_it_so(place: Place) -> None:
    task_id = await place.starts()
    await place.stops()
    await settle(place.store, task_id, answer="one")
    await place.overtaken(task_id)
    await place.at.answer(task_id, answer="two")
    ended = await place.at.ended(task_id)
    await place.continues()

    assert await place.at.get(task_id) == ended
    assert [line["run"] for line in written(place.folder, "row")] == [OTHER]
