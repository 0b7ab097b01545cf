"""Many parked tasks and a server that is killed (issue 7, 2): a row each, and none is run again until it is answered.

How much they take, and how fast all of it is, benchmarks/durable.py says.
"""

import asyncio
import signal
from pathlib import Path

import anyio
import pytest

from elicitkit import SqliteTaskStore
from tests.crash.processes import serving
from tests.crash.rooms import QUICK, desk_at, settle, store_in, wait_for, written
from tests.tasks.desk import Desk

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MANY, LIVE = 60, 5


async def placed(at: Desk, count: int) -> list[str]:
    """The ids of so many orders, each of which asks its first question."""
    ids = await asyncio.gather(*(at.start("order", token=f"order-{number}") for number in range(count)))
    await asyncio.gather(*map(at.key, ids))
    return ids


async def put_down(store: SqliteTaskStore) -> None:
    """Wait until no more tasks have a worker than may be in memory."""
    changed = True
    while changed:
        page = await store.list_tasks(statuses=["input_required"], limit=1_000)
        changed = sum(record.worker is not None for record in page.records) > LIVE
        await anyio.sleep(0.01)  # What workers do among themselves is told to nobody.


async def test_what_is_parked_is_rows_and_none_of_it_is_run_again_until_it_is_answered(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with store_in(tmp_path) as store:
            async with serving(tmp_path, 0, max_live=LIVE, **QUICK) as first:
                async with desk_at(store, tmp_path) as at:
                    ids = await placed(at, MANY)
                    await put_down(store)
                first.send_signal(signal.SIGKILL)
                await first.wait()
            await settle(store, ids[0], answer="while nobody runs")
            async with serving(tmp_path, 1, max_live=LIVE, **QUICK), desk_at(store, tmp_path) as at:
                await wait_for(tmp_path, "heard", run=1)
                answered = [ids[1], ids[MANY // 2], ids[-1]]
                for task_id in answered:
                    await settle(store, task_id, answer="first")
                await wait_for(tmp_path, "heard", len(answered) + 1, run=1)
                for task_id in (ids[2], ids[-2]):  # To look is not to wake.
                    assert (await at.get(task_id))["status"] == "input_required"

    woken = {f"order-{ids.index(task_id)}" for task_id in [ids[0], *answered]}
    assert {line["token"] for line in written(tmp_path, "start", run=1)} == woken
    assert len(written(tmp_path, "start", run=0)) == MANY


async def test_a_start_looks_at_no_task_that_waits(tmp_path: Path) -> None:
    """100,000 parked rows: a start and a look as with 100."""
    asked: list[str] = []

    class Traced(SqliteTaskStore):
        def _connect(self):  # type: ignore[no-untyped-def]
            connection = super()._connect()
            connection.set_trace_callback(asked.append)
            return connection

    async with store_in(tmp_path) as store, serving(tmp_path, 0, **QUICK), desk_at(store, tmp_path) as at:
        ids = await placed(at, 10)

    async with Traced(tmp_path / "tasks.db") as store:
        await store.sweep()
        assert await store.ready() == []

    assert not [statement for statement in asked if any(task_id in statement for task_id in ids)]
