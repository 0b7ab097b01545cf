"""A tool that ends its server whenever it is run is given up, and the other tasks go on (design, section 8).

A user sees a server that is started again and again, by whatever keeps it alive; and in the end one that stays so.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.crash.processes import ready, server_command, started
from tests.crash.rooms import QUICK, desk_at, settle, store_in, written
from tests.tasks.desk import until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LIMIT = 3


@asynccontextmanager
async def kept_alive(folder: Path) -> AsyncIterator[None]:
    """A server that is started again when it has died; there is one when the block begins."""

    async def keep() -> None:
        for run in range(3 * LIMIT):
            async with started(server_command(folder, run, tools="fatal", lost_runs=LIMIT, **QUICK)) as server:
                await ready(server)
                is_there.set()
                await server.wait()

    is_there = anyio.Event()
    async with anyio.create_task_group() as keeping:
        keeping.start_soon(keep)
        await is_there.wait()
        yield
        keeping.cancel_scope.cancel()


async def test_a_tool_that_ends_its_process_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    with anyio.fail_after(100):
        async with store_in(tmp_path) as store, kept_alive(tmp_path):
            async with desk_at(store, tmp_path) as at:
                parked, beside = await at.start("order", token="parked"), await at.start("slow", token="s", before=0.3)
                fatal = await at.start("fatal", token="fatal")
                for task_id in (parked, beside, fatal):
                    await at.key(task_id)
            await settle(store, beside, answer="one")
            await settle(store, fatal, answer="yes")
            for task_id in (fatal, beside):
                await until(store, task_id, lambda record: record.is_over or bool(record.inputs), seconds=60)

            async with desk_at(store, tmp_path) as at:
                told = await at.said(fatal)
                await at.answer(beside, answer="two")
                said = [await at.said(beside)]
                for answer in ("one", "two", "three"):
                    await at.answer(parked, answer=answer)
                said.append(await at.said(parked))

    assert told == (
        "error: The call was given up, and is not run again: 3 times in a row, "
        "the process that ran it died or hung before it got any further."
    )
    assert [json.loads(one)["answers"] for one in said] == [["one", "two"], ["one", "two", "three"]]
    deaths = [line["run"] for line in written(tmp_path, "fatal")]
    assert deaths == [*range(1 + LIMIT)]  # The first had been given an answer.
    (logged,) = [line for line in written(tmp_path, "trouble") if "given up" in line["text"]]
    assert logged["run"] == 1 + LIMIT
