"""A tool that ends its server whenever it is run is given up, and the other tasks go on (design, section 8).

A user sees a server that is started again and again, by whatever keeps it alive; and in the end one that stays so.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit.tasks.store import TaskStore
from tests.crash.processes import ready, server_command, started
from tests.crash.rooms import QUICK, desk_at, settle, store_in, written
from tests.services.redis_server import needs_redis, redis_server
from tests.tasks.desk import until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LIMIT = 3
OPTIONS: dict[str, Any] = {"tools": "fatal", "lost_runs": LIMIT, **QUICK}
GIVEN_UP = (
    "error: The call was given up, and is not run again: 3 times in a row, "
    "the process that ran it died or hung before it got any further."
)


@asynccontextmanager
async def kept_alive(folder: Path, runs: Iterator[int], *flags: str, **more: Any) -> AsyncIterator[None]:
    """A server that is started again when it has died; there is one when the block begins."""

    async def keep() -> None:
        while True:
            async with started([*server_command(folder, next(runs), **OPTIONS, **more), *flags]) as server:
                await ready(server)
                is_there.set()
                await server.wait()

    is_there = anyio.Event()
    async with anyio.create_task_group() as keeping:
        keeping.start_soon(keep)
        await is_there.wait()
        yield
        keeping.cancel_scope.cancel()


async def told_of_all(folder: Path, store: TaskStore) -> list[str]:
    """Let a fatal task run, beside one that works a while and one that waits for people; give what each comes to."""
    async with desk_at(store, folder) as at:
        parked, beside = await at.start("order", token="parked"), await at.start("slow", token="beside", before=0.3)
        fatal = await at.start("fatal", token="fatal")
        for task_id in (parked, beside, fatal):
            await at.key(task_id)
    await settle(store, beside, answer="one")
    await settle(store, fatal, answer="yes")
    for task_id in (fatal, beside):
        await until(store, task_id, lambda record: record.is_over or bool(record.inputs), seconds=60)
    async with desk_at(store, folder) as at:
        await at.answer(beside, answer="two")
        for answer in ("one", "two", "three"):
            await at.answer(parked, answer=answer)
        return [await at.said(task_id) for task_id in (fatal, beside, parked)]


def answers(said: str) -> list[str]:
    """What a tool says that it was told."""
    told: list[str] = json.loads(said)["answers"]
    return told


async def test_a_tool_that_ends_its_server_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    with anyio.fail_after(100):
        async with store_in(tmp_path) as store, kept_alive(tmp_path, count()):
            fatal, beside, parked = await told_of_all(tmp_path, store)

    assert fatal == GIVEN_UP
    assert (answers(beside), answers(parked)) == (["one", "two"], ["one", "two", "three"])
    deaths = [line["run"] for line in written(tmp_path, "fatal")]
    assert deaths == [*range(1 + LIMIT)]  # The first had been given an answer.
    (logged,) = [line for line in written(tmp_path, "trouble") if "given up" in line["text"]]
    assert logged["run"] == 1 + LIMIT


@needs_redis
async def test_a_tool_that_ends_one_worker_after_another_is_given_up_too(tmp_path: Path) -> None:
    with anyio.fail_after(100):
        async with AsyncExitStack() as stack:
            redis, runs = await stack.enter_async_context(redis_server(tmp_path)), count(1)
            store = await stack.enter_async_context(store_in(tmp_path))
            server = [*server_command(tmp_path, 0, **OPTIONS, docket=redis.url), "--leaves-tools"]
            await ready(await stack.enter_async_context(started(server)))
            for _ in range(2):
                worker = kept_alive(tmp_path, runs, "--serves-nobody", docket=redis.url)
                await stack.enter_async_context(worker)
            fatal, beside, parked = await told_of_all(tmp_path, store)

    assert fatal == GIVEN_UP
    assert (answers(beside), answers(parked)) == (["one", "two"], ["one", "two", "three"])
    assert 1 < len(written(tmp_path, "fatal")) <= 1 + LIMIT  # A worker that is merely slow may be overtaken, too.
    assert len([line for line in written(tmp_path, "trouble") if "given up" in line["text"]]) == 1
