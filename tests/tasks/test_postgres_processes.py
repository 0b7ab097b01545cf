"""Several processes on one database (issue 8): the first answer wins, changes are heard, a kill loses nothing."""

import time
from asyncio.subprocess import Process
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager

import anyio
import pytest

from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.testing.store_contract.base import parked
from elicitkit.testing.store_contract.listening import Ear
from tests.services import postgres
from tests.tasks.processes import answered_by_two, assert_first_answers_won, lines_of, store_process

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def schema() -> Iterator[str]:
    postgres.require()
    with postgres.own_schema() as name:
        yield name


def another_process(what: str, schema: str, *arguments: str) -> AbstractAsyncContextManager[Process]:
    return store_process(what, postgres.ADDRESS, {"schema": schema}, *arguments)


async def test_the_first_answer_wins_among_processes(schema: str) -> None:
    keys = [f"key-{number}" for number in range(60)]
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as store:
        made = await parked(store, *keys)
        won = await answered_by_two(
            another_process("answer", schema, made.id, "first", ",".join(keys)),
            another_process("answer", schema, made.id, "second", ",".join(keys)),
        )
        history = await store.history(made.id)

    assert_first_answers_won(keys, won, history)


async def test_the_change_of_another_process_is_noticed(schema: str) -> None:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=60) as store:
        ear = Ear(store)
        async with another_process("create", schema) as process:
            (task_id,) = await lines_of(process)

        await ear.hears(task_id)


async def test_a_change_of_another_process_is_noticed_within_50_ms(schema: str) -> None:
    """The contract's `subscribe`. The quickest of many, since a machine that is busy may make any of them wait."""
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=3600) as store:
        heard: dict[str, float] = {}
        store.subscribe(lambda task_id: heard.setdefault(task_id, time.time()))
        async with another_process("create_some", schema) as process:
            words = await lines_of(process)
            made = list(zip(words[::2], words[1::2], strict=True))
        with anyio.fail_after(20):
            while len(heard) < len(made):  # noqa: ASYNC110
                await anyio.sleep(0.01)

    took = [heard[task_id] - float(moment) for task_id, moment in made]
    assert len(took) == 20
    assert min(took) < 0.05


async def test_two_processes_that_start_at_once_make_the_tables_once(schema: str) -> None:
    async with another_process("create", schema) as one, another_process("create", schema) as other:
        made = [*await lines_of(one), *await lines_of(other)]

    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as store:
        assert set(await store.ready()) == set(made)


async def test_what_was_acknowledged_survives_a_kill(schema: str) -> None:
    """SIGKILL in the middle of transactions, twice on one database; what it held is free again at once."""
    acknowledged: list[str] = []
    for round_number in range(2):
        async with another_process("park", schema) as process:
            assert process.stdout is not None
            for _ in range(60 + 30 * round_number):
                acknowledged.append((await process.stdout.readline()).decode().strip())
            process.kill()
            acknowledged += await lines_of(process)

    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as store:
        for task_id in acknowledged:
            history = await store.history(task_id)
            assert [asked.state for asked in history.inputs] == ["answered"]
            assert history.steps == {"charge": "1"}
    assert len(acknowledged) >= 150
