"""Two server processes on one file: leases with fences, changes noticed, no double resume (issue 7, 3)."""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from elicitkit.tasks.store import TaskStore
from tests.crash.processes import serving
from tests.crash.rooms import desk_at, settle, store_in, wait_for, written
from tests.crash.tools import QUESTIONS, STEPS, result_of
from tests.tasks.desk import Desk, accept

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TASKS = 12


@asynccontextmanager
async def two_desks(folder: Path) -> AsyncIterator[tuple[Desk, Desk]]:
    """Desks at two servers on one file, whose claims last."""
    async with (
        store_in(folder) as store,
        serving(folder, 0, address="here", lease=30),
        serving(folder, 1, address="there", lease=30),
        desk_at(store, folder, "here") as here,
        desk_at(store, folder, "there") as there,
    ):
        yield here, there


async def run_one(number: int, first: Desk, second: Desk) -> str:
    """Place an order at the first server, and answer each question at both at once; give what both say of it."""
    token = f"order-{number}"
    task_id = await first.start("order", token=token)
    for question in QUESTIONS:
        key = await second.key(task_id)
        answers = [accept(answer=f"{token} {question} {who}") for who in ("one", "two")]
        ways = zip([first, second], answers, strict=True)
        await asyncio.gather(*(at.update(task_id, **{key: one}) for at, one in ways))
    said = await second.said(task_id)
    assert said == await first.said(task_id)
    return said


async def test_each_answer_resumes_its_task_once_whichever_server_takes_it(tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with two_desks(tmp_path) as (here, there):
            ways = [(here, there), (there, here)] * (TASKS // 2)
            said = await asyncio.gather(*(run_one(number, *way) for number, way in enumerate(ways)))
    heard = {(line["token"], line["question"]): line["value"] for line in written(tmp_path, "heard")}
    tokens = [f"order-{number}" for number in range(TASKS)]

    assert Counter(line["token"] for line in written(tmp_path, "start")) == dict.fromkeys(tokens, 1)
    assert len(written(tmp_path, "heard")) == len(heard) == TASKS * len(QUESTIONS)
    assert Counter((line["token"], line["step"]) for line in written(tmp_path, "row")) == {
        (token, name): 1 for token in tokens for name in STEPS
    }
    assert said == [
        result_of(token, [heard[token, one] for one in QUESTIONS], [f"{token} {one}" for one in STEPS])
        for token in tokens
    ]
    assert written(tmp_path, "trouble") == []


async def noticed_after(store: TaskStore, folder: Path, task_id: str, question: str) -> float:
    """Answer a question in the file alone, and give how long the server took to go on, in seconds."""
    began = time.monotonic()
    await settle(store, task_id, answer=f"{task_id} {question}")
    (line,) = await wait_for(folder, "heard", value=f"{task_id} {question}")
    return float(line["at"] - began)


async def test_a_server_notices_the_answer_of_another_process_within_50_ms(tmp_path: Path) -> None:
    """The time of the transaction that stores the answer, and of the tool's first line after it, counts too."""
    with anyio.fail_after(60):
        async with store_in(tmp_path) as store, serving(tmp_path, 0), desk_at(store, tmp_path) as at:
            delays = []
            for number in range(20):
                task_id = await at.start("slow", token=f"order-{number}")
                await at.key(task_id)
                delays.append(await noticed_after(store, tmp_path, task_id, "first"))

    assert statistics.median(delays) < 0.05, sorted(delays)
