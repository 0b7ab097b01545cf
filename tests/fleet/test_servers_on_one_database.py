"""Several server processes behind one address, on one PostgreSQL (issue 8, 2): whichever takes a request will do."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from mcp import Client

from elicitkit.tasks.stores.postgres import PostgresTaskStore
from tests.crash.processes import ready, started
from tests.crash.rooms import settle, wait_for, written
from tests.crash.tools import QUESTIONS, STEPS, result_of
from tests.roads import round_robin
from tests.services import postgres, proxy
from tests.tasks.desk import Desk, KnowsTasks, accept, nobody

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

FIRST, SECOND, THIRD = 0, 1, 2
TASKS = 6
SHORT = 0.6
"""A lease that is soon over, in seconds."""


@pytest.fixture
def schema() -> Iterator[str]:
    postgres.require()
    with postgres.own_schema() as name:
        yield name


@pytest.fixture
async def store(schema: str) -> AsyncIterator[PostgresTaskStore]:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as made:
        yield made


def server_command(folder: Path, run: int, address: str, lease: float) -> list[str]:
    options = ["--lease", str(lease), "--look", str(lease / 4)]
    return [sys.executable, "-m", "tests.fleet.server", str(folder), str(run), address, *options]


@asynccontextmanager
async def serving(folder: Path, *addresses: str, lease: float = 30.0) -> AsyncIterator[list[Process]]:
    """A server for each address of the store, all ready; they are killed at the end of the block."""
    async with AsyncExitStack() as stack:
        commands = [server_command(folder, run, address, lease) for run, address in enumerate(addresses)]
        processes = [await stack.enter_async_context(started(one)) for one in commands]
        for process in processes:
            await ready(process)
        yield processes


@asynccontextmanager
async def desk_at(store: PostgresTaskStore, url: str) -> AsyncIterator[Desk]:
    async with Client(url, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
        yield Desk(client, store)


def url_of(folder: Path, run: int) -> str:
    return (folder / str(run)).read_text(encoding="ascii")


def through(schema: str, address: str = postgres.ADDRESS) -> str:
    return f"{address}?schema={schema}"


# --- behind one address -----------------------------------------------------------------------------------------------


async def run_one(number: int, at: Desk) -> str:
    token = f"order-{number}"
    task_id = await at.start("order", token=token)
    for question in QUESTIONS:
        key = await at.key(task_id)
        await at.update(task_id, **{key: accept(answer=f"{token} {question}")})
    return await at.said(task_id)


async def test_a_call_goes_on_where_it_runs_whichever_server_takes_the_answer(
    store: PostgresTaskStore, schema: str, tmp_path: Path
) -> None:
    """Each request to the next of three: no call is run twice, for its process hears of what another took."""
    with anyio.fail_after(120):
        async with serving(tmp_path, *[through(schema)] * 3):
            urls = [url_of(tmp_path, run) for run in (FIRST, SECOND, THIRD)]
            async with round_robin.before(urls) as (address, balancer), desk_at(store, address) as at:
                said = await asyncio.gather(*(run_one(number, at) for number in range(TASKS)))

    tokens = [f"order-{number}" for number in range(TASKS)]
    assert said == [
        result_of(token, [f"{token} {one}" for one in QUESTIONS], [f"{token} {one}" for one in STEPS])
        for token in tokens
    ]
    assert Counter(line["token"] for line in written(tmp_path, "start")) == dict.fromkeys(tokens, 1)
    assert len({line["run"] for line in written(tmp_path, "start")}) > 1
    assert len(set(balancer.calls)) > 1
    assert written(tmp_path, "trouble") == []


async def test_a_cancellation_reaches_the_process_that_runs_the_call(
    store: PostgresTaskStore, schema: str, tmp_path: Path
) -> None:
    with anyio.fail_after(120):
        async with (
            serving(tmp_path, *[through(schema)] * 2),
            desk_at(store, url_of(tmp_path, FIRST)) as here,
            desk_at(store, url_of(tmp_path, SECOND)) as there,
        ):
            task_id = await here.start("patient", token="order")
            await here.key(task_id)

            await there.cancel(task_id)

            (line,) = await wait_for(tmp_path, "stopped")
            assert (line["run"], (await here.get(task_id))["status"]) == (FIRST, "cancelled")


# --- processes that die, or are cut off -------------------------------------------------------------------------------


async def test_what_a_dead_process_left_is_taken_over_after_its_lease(
    store: PostgresTaskStore, schema: str, tmp_path: Path
) -> None:
    with anyio.fail_after(120):
        async with serving(tmp_path, *[through(schema)] * 2, lease=SHORT) as (first, _):
            async with desk_at(store, url_of(tmp_path, FIRST)) as at:
                task_id = await at.start("slow", token="order", before=0.8)
                await at.answer(task_id, answer="one")
                await wait_for(tmp_path, "heard", run=FIRST)
                first.kill()
            async with desk_at(store, url_of(tmp_path, SECOND)) as at:
                await at.answer(task_id, answer="two")
                said = json.loads(await at.said(task_id))

    assert said == {"token": "order", "answers": ["one", "two"], "steps": ["order reserve"]}
    assert [line["run"] for line in written(tmp_path, "heard")] == [FIRST, SECOND, SECOND]
    assert [line["run"] for line in written(tmp_path, "row")] == [SECOND]
    assert written(tmp_path, "trouble") == []


async def test_a_worker_that_was_cut_off_from_the_database_is_overtaken_and_changes_nothing(
    store: PostgresTaskStore, schema: str, tmp_path: Path
) -> None:
    """Issue 8, "Proof": a proxy that stops forwarding; when the worker is back it changes nothing."""
    with anyio.fail_after(120):
        async with (
            proxy.before(postgres.ADDRESS) as (address, between),
            serving(tmp_path, through(schema, address), through(schema), lease=SHORT),
            desk_at(store, url_of(tmp_path, SECOND)) as other,
        ):
            async with desk_at(store, url_of(tmp_path, FIRST)) as at:
                task_id = await at.start("slow", token="order", before=0.2)
                await at.key(task_id)
            between.freeze()
            await settle(store, task_id, answer="one")
            await wait_for(tmp_path, "kept", run=SECOND)
            key = await other.key(task_id)
            overtaken = await store.history(task_id)
            between.thaw()
            async with desk_at(store, url_of(tmp_path, FIRST)) as at:
                await at.get(task_id)  # It has heard all that was said meanwhile when it answers.
                back = await store.history(task_id)
                assert (back.inputs, back.steps, back.record.fence) == (overtaken.inputs, overtaken.steps, 2)
                await at.update(task_id, **{key: accept(answer="two")})
                said = json.loads(await at.said(task_id))

    assert said == {"token": "order", "answers": ["one", "two"], "steps": ["order reserve"]}
    assert [line["run"] for line in written(tmp_path, "row")] == [SECOND]
    assert [line["run"] for line in written(tmp_path, "kept")] == [SECOND]
    assert written(tmp_path, "trouble", run=SECOND) == []
