"""The store in PostgreSQL keeps the contract; and what is its own: rounds, sessions, the database it is in."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest

from elicitkit import LimitError, StoreError, TaskKeyError, UnknownTask, open_store
from elicitkit.errors import watch
from elicitkit.tasks.listing import Listing
from elicitkit.tasks.stores import postgres_listing, postgres_tables
from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.testing import TaskStoreContract
from elicitkit.testing.store_contract.base import parked, question
from elicitkit.testing.store_contract.listening import Ear
from tests.services import postgres

pytestmark = pytest.mark.anyio


@pytest.fixture
def schema(empty_schema: str) -> str:
    """A schema with nothing in it but what the store makes."""
    return empty_schema


@pytest.fixture
async def store(schema: str) -> AsyncIterator[PostgresTaskStore]:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as made:
        yield made


class TestPostgresStore(TaskStoreContract):
    @pytest.fixture(autouse=True)
    def _in_a_schema_of_its_own(self, schema: str) -> None:
        self.schema = schema

    def make_store(self, folder: Path, **options: Any) -> PostgresTaskStore:
        # What is heard is heard by its notice, then, and never by a look around.
        return PostgresTaskStore(postgres.ADDRESS, schema=self.schema, rescan=3600, **options)


# --- at once ----------------------------------------------------------------------------------------------------------


async def test_one_that_fails_spoils_no_other_at_the_same_time(store: PostgresTaskStore) -> None:
    made = await parked(store, "a")

    done = await asyncio.gather(
        *(store.park(made.id, [question(store, key), question(store)]) for key in ("b", "a", "c", "b", "d")),
        return_exceptions=True,
    )

    assert sorted(type(one).__name__ for one in done) == ["TaskKeyError"] * 2 + ["TaskRecord"] * 3
    assert len((await store.get(made.id, owner=None)).inputs) == 1 + 3 * 2


async def test_more_work_than_connections_is_done_after_another(schema: str) -> None:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, pool_size=2) as store:
        with anyio.fail_after(20):
            made = await asyncio.gather(*(store.create({}) for _ in range(60)))

        assert len({record.revision for record in made}) == 60
        assert await connections_of(store) <= 2 + 1


async def connections_of(store: PostgresTaskStore) -> int:
    """How many the processes that look at this store have, without the one that asks."""
    found = await store._write(
        lambda within: within._execute(  # type: ignore[attr-defined]
            b"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'elicitkit' AND query LIKE %s",
            (f"%{store._schema}%",),
        ).fetchone()
    )
    return int(found[0])


async def test_what_is_asked_side_by_side_comes_in_the_order_it_is_asked(store: PostgresTaskStore) -> None:
    made, keys = await store.create({}), [f"key-{number:02}" for number in range(20)]

    await asyncio.gather(*(store.park(made.id, [question(store, key)]) for key in keys))

    assert list((await store.get(made.id, owner=None)).inputs) == keys


async def test_a_principal_is_not_asked_more_by_two_at_once(schema: str) -> None:
    """Design, section 11: the limit holds across tasks, processes and moments."""
    options: Any = {"schema": schema, "open_requests": 20}
    async with (
        PostgresTaskStore(postgres.ADDRESS, **options) as one,
        PostgresTaskStore(postgres.ADDRESS, **options) as other,
    ):
        made = [await one.create({}, owner="ada") for _ in range(40)]
        with anyio.fail_after(20):
            done = await asyncio.gather(
                *((one, other)[at % 2].park(task.id, [question(one)]) for at, task in enumerate(made)),
                return_exceptions=True,
            )

    assert sum(isinstance(error, LimitError) for error in done) == 20
    assert sum(isinstance(error, BaseException) for error in done) == 20


async def test_two_sweeps_at_once_do_all_of_it_once(schema: str) -> None:
    async with (
        PostgresTaskStore(postgres.ADDRESS, schema=schema) as one,
        PostgresTaskStore(postgres.ADDRESS, schema=schema) as other,
    ):
        for _ in range(30):
            await parked(one, "a", "b", wait=10)
        with anyio.fail_after(20):
            swept = await asyncio.gather(*(store.sweep(now=one.clock() + 11) for store in (one, other)))

    assert sum(each.expired for each in swept) == 60


async def test_a_caller_that_gave_up_keeps_nobody_waiting_and_its_change_is_heard(store: PostgresTaskStore) -> None:
    ear, chosen = Ear(store), "ab" * 16
    given_up = asyncio.ensure_future(store.create({}, task_id=chosen))
    await asyncio.sleep(0)
    given_up.cancel()

    await ear.hears(chosen)
    with anyio.fail_after(20):
        assert (await store.create({})).status == "working"


async def test_errors_made_in_the_threads_are_watched_as_others_are(store: PostgresTaskStore) -> None:
    """The adapters give errors of ours that leave a tool their text back."""
    made = await parked(store, "a")
    with watch() as watched:
        for error, refused in (
            (UnknownTask, store.progress("0" * 32, "m")),
            (TaskKeyError, store.park(made.id, [question(store, "a")])),
        ):
            with pytest.raises(error) as caught:
                await refused
            assert watched[-1].error is caught.value


async def test_what_is_read_is_one_state_of_the_store(store: PostgresTaskStore) -> None:
    made = await parked(store, "a")

    def reading(within: Any) -> tuple[Any, Any]:
        before = within.load(made.id)
        postgres.sql(f"UPDATE {store._schema}.tasks SET status_message = 'changed meanwhile'")
        return before, within.load(made.id)

    before, after = await store._read(reading)

    assert (after, before.status_message) == (before, None)
    assert (await store.get(made.id, owner=None)).status_message == "changed meanwhile"


@pytest.mark.parametrize("text", ["half \ud800", "\udc00\x00", "\x01 \ud800"], ids=ascii)
async def test_half_a_character_comes_back_as_it_was(store: PostgresTaskStore, text: str) -> None:
    """A token may have one in the name of its principal."""
    made = await store.create({}, owner=text, worker=text)
    await store.park(made.id, [question(store, text)], fence=1)
    await store.keep_step(made.id, text, "1", fence=1)

    history = await store.history(made.id)

    assert (await store.get(made.id, owner=text)).worker == text
    assert (await store.list_tasks(owner=text)).records == (history.record,)
    assert (list(history.record.inputs), dict(history.steps)) == ([text], {text: "1"})


# --- opening and closing ----------------------------------------------------------------------------------------------


async def test_a_store_can_be_closed_and_opened_again(schema: str) -> None:
    store = PostgresTaskStore(postgres.ADDRESS, schema=schema)
    with pytest.raises(StoreError, match="is not open"):
        await store.create({})
    async with store:
        made = await store.create({})
    await store.close()
    with pytest.raises(StoreError, match="is not open"):
        await store.get(made.id, owner=None)

    async with store:
        assert await store.get(made.id, owner=None) == made


async def test_what_waits_when_the_store_is_closed_is_finished(schema: str) -> None:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, pool_size=2) as store:
        waiting = [asyncio.ensure_future(store.create({})) for _ in range(20)]
        await asyncio.sleep(0)

    made = await asyncio.gather(*waiting)
    async with store:
        assert {record.id for record in made} == set(await store.ready())


async def test_a_closed_store_leaves_no_connection(schema: str) -> None:
    address = f"{postgres.ADDRESS}?application_name={schema}"
    async with PostgresTaskStore(address, schema=schema) as store:
        await asyncio.gather(*(store.create({}) for _ in range(10)))
        assert open_with(schema) >= 2

    with anyio.fail_after(20):
        while open_with(schema):  # noqa: ASYNC110  # PostgreSQL tells nobody
            await anyio.sleep(0.01)


def open_with(name: str) -> int:
    return int(postgres.sql(f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'")[0][0])


async def test_connections_that_are_long_gone_are_forgotten(schema: str) -> None:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as store:
        await store.create({})
        postgres.sql(f"INSERT INTO {schema}.lines VALUES ('long gone', 1, extract(epoch FROM now()) - 90000)")
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema):
        pass

    lines = [name for (name,) in postgres.sql(f"SELECT id FROM {schema}.lines")]
    assert "long gone" not in lines
    assert lines


async def test_a_store_is_opened_by_its_address(schema: str) -> None:
    async with open_store(postgres.ADDRESS, schema=schema) as store:
        assert isinstance(store, PostgresTaskStore)
        assert (await store.create({})).status == "working"


async def test_an_address_may_name_the_schema(schema: str) -> None:
    """For a command line, which has an address alone."""
    async with open_store(f"{postgres.ADDRESS}?connect_timeout=3&schema={schema}") as store:
        made = await store.create({})
    async with open_store(postgres.ADDRESS, schema=schema) as store:
        assert await store.ready() == [made.id]


# --- sessions ---------------------------------------------------------------------------------------------------------


async def test_what_is_acknowledged_is_on_disk_whatever_the_database_is_set_to(schema: str) -> None:
    lax = f"{postgres.ADDRESS}?options=-c%20synchronous_commit%3Doff"
    async with PostgresTaskStore(lax, schema=schema) as store:
        assert await setting(store, "synchronous_commit") == "on"


async def test_what_waits_for_more_than_its_disk_stays_so(schema: str) -> None:
    strict = f"{postgres.ADDRESS}?options=-c%20synchronous_commit%3Dremote_apply"
    async with PostgresTaskStore(strict, schema=schema) as store:
        assert await setting(store, "synchronous_commit") == "remote_apply"


async def setting(store: PostgresTaskStore, name: str) -> str:
    def asking(within: Any) -> str:
        return str(within._execute(b"SELECT current_setting(%s)", (name,)).fetchone()[0])

    return await store._read(asking)


@pytest.mark.parametrize(
    ("query", "given"),
    [
        (postgres_tables.READY, 3),
        (postgres_tables.DUE, 2),
        (postgres_tables.OPEN_INPUTS, 1),
        (postgres_tables.EVERY_INPUT, 1),
        (postgres_tables.SELECT_TASK, 1),
        (postgres_tables.STEPS, 1),
        (postgres_tables.READ_TASK, 1),
        (postgres_tables.READ_HISTORY, 1),
        (postgres_tables.OPEN_OF, 1),
        (postgres_tables.CHANGED, 1),
        *(
            (postgres_listing.listing_query("id, created_at", listing, 10)[0].encode(), listing)
            for listing in (
                Listing(),
                Listing(oldest_first=True, after=(1.0, "a")),
                Listing(owner="ada"),
                Listing(statuses=frozenset({"working", "failed"})),
                Listing(prefix="ab"),
            )
        ),
    ],
)
async def test_nothing_that_is_asked_often_looks_at_every_row(schema: str, query: bytes, given: int | Listing) -> None:
    """Issue 7: 100,000 parked rows cost as 100 do."""
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema):
        pass
    if isinstance(given, Listing):
        values: tuple[Any, ...] = postgres_listing.listing_query("id", given, 10)[1]
    else:
        values = ("1",) * given
    with psycopg.connect(postgres.ADDRESS) as connection:
        connection.execute(
            f"SET search_path = {schema}; SET enable_seqscan = off; SET enable_bitmapscan = off".encode()
        )
        plan = [row for (row,) in connection.execute(b"EXPLAIN " + query, values).fetchall()]

    assert any("Index" in step and "Cond" in step for step in plan) or "Index" in "".join(plan), plan
    assert "Seq Scan" not in "".join(plan), plan
    assert isinstance(given, int) or given.prefix or "Sort" not in "".join(plan).replace("Sort Key", ""), plan


@pytest.mark.parametrize("name", ["Tasks", "a-b", "x; DROP TABLE y", "", "a" * 41])
def test_a_schema_has_a_plain_name(name: str) -> None:
    with pytest.raises(ValueError, match="lower-case letters"):
        PostgresTaskStore(postgres.ADDRESS, schema=name)


def test_an_address_that_is_none_is_refused_without_its_password() -> None:
    with pytest.raises(ValueError, match="no address of a PostgreSQL") as caught:
        PostgresTaskStore("host=db password=swordfish what")

    assert "swordfish" not in repr(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://app:swordfish@db/shop?nope=1", "it has no option 'nope' behind its ?"),
        ("postgresql://app:swordfish@db/shop?sslmod=require&schema=x", "'sslmod' behind its ?: did you mean 'sslmode'"),
        ("postgresql://app:swordfish@db/shop?nope", "behind its ? stands name=value"),
        ("postgresql://app:sword%fish@db/shop", "stands for itself as %25"),
        ("postgresql://app:swordfish@[::1/shop", "an address of IPv6 stands in brackets"),
        ("postgresql://app:sword/fish@db/shop", "written as %2F"),
        ("postgresql://app@db:swordfish/shop", "its port is no number"),
        ("host=db password=my swordfish=x", "has a name that PostgreSQL does not know"),
        ("host=db password='swordfish", "a quote in it is not closed"),
        ("app:swordfish@db", "it begins with postgresql://"),
    ],
)
def test_an_address_that_is_none_says_which_part_of_it_is_wrong_and_not_the_password(address: str, told: str) -> None:
    with pytest.raises(ValueError, match="no address of a PostgreSQL") as caught:
        PostgresTaskStore(address)

    assert told in str(caught.value)
    assert "fish" not in repr(caught.value)
    assert "sword" not in repr(caught.value).replace("password", "")


def test_a_password_that_ends_the_user_too_early_is_refused_without_its_end() -> None:
    with pytest.raises(ValueError, match="written as %40") as caught:
        PostgresTaskStore("postgresql://app:sword@fish@db/test")

    assert "fish" not in repr(caught.value)


@pytest.mark.parametrize("option", ["pool_size", "timeout", "rescan"])
def test_a_number_that_is_none_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        PostgresTaskStore(postgres.ADDRESS, **{option: 0})
