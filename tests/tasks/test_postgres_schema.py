"""The tables in PostgreSQL: made once, brought up to date, refused when they are not ours; and who may do what."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import psycopg
import pytest

from elicitkit import StoreError
from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.tasks.stores.postgres_schema import MIGRATIONS
from elicitkit.testing.store_contract.base import accepting, parked
from elicitkit.testing.store_contract.listening import Ear
from tests.services import postgres

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs" / "postgres.md"


@pytest.fixture
def schema() -> Iterator[str]:
    postgres.require()
    with postgres.own_schema() as name:
        yield name


class Newer(PostgresTaskStore):
    """A later version of this store, with one more column."""

    _migrations = (*MIGRATIONS, ("ALTER TABLE tasks ADD COLUMN colour text", "UPDATE tasks SET colour = 'blue'"))


class Broken(PostgresTaskStore):
    """A later version whose migration fails in the middle."""

    _migrations = (*MIGRATIONS, ("ALTER TABLE tasks ADD COLUMN colour text", "UPDATE absent SET colour = 'blue'"))


def store_in(schema: str, kind: type[PostgresTaskStore] = PostgresTaskStore) -> PostgresTaskStore:
    return kind(postgres.ADDRESS, schema=schema)


def version_of(schema: str) -> tuple[int, bool]:
    ((version,),) = postgres.sql(f"SELECT version FROM {schema}.versions WHERE what = 'tasks'")
    columns = postgres.sql(
        f"SELECT 1 FROM pg_attribute WHERE attrelid = '{schema}.tasks'::regclass AND attname = 'colour'"
    )
    return version, bool(columns)


async def test_tables_of_an_older_version_are_brought_up_to_date(schema: str) -> None:
    async with store_in(schema) as store:
        made = await parked(store, "a")

    async with store_in(schema, Newer) as store:
        assert await store.get(made.id, owner=None) == made
        await store.settle(made.id, [accepting("a")])

    assert version_of(schema) == (len(MIGRATIONS) + 1, True)


async def test_tables_of_a_newer_version_are_refused_and_left_alone(schema: str) -> None:
    async with store_in(schema, Newer) as store:
        made = await store.create({})

    newest = len(MIGRATIONS)
    with pytest.raises(StoreError, match=f"version {newest + 1}, and this elicitkit knows version {newest}"):
        await store_in(schema).open()
    async with store_in(schema, Newer) as store:
        assert await store.get(made.id, owner=None) == made


async def test_a_migration_that_fails_changes_nothing(schema: str) -> None:
    async with store_in(schema) as store:
        made = await store.create({})

    with pytest.raises(StoreError, match="its tables are gone"):
        await store_in(schema, Broken).open()

    assert version_of(schema) == (len(MIGRATIONS), False)
    async with store_in(schema) as store:
        assert await store.get(made.id, owner=None) == made


async def test_a_process_of_the_version_before_goes_on_while_the_tables_are_changed(schema: str) -> None:
    async with store_in(schema) as older:
        made = await parked(older, "a")
        async with store_in(schema, Newer):
            await older.settle(made.id, [accepting("a")])

            assert (await older.history(made.id)).inputs[0].state == "answered"


@pytest.mark.parametrize("kind", [PostgresTaskStore, Newer])
async def test_many_that_open_a_store_at_once_make_it_once(schema: str, kind: type[PostgresTaskStore]) -> None:
    if kind is Newer:
        async with store_in(schema):
            pass
    stores = [store_in(schema, kind) for _ in range(6)]

    with anyio.fail_after(30):
        await asyncio.gather(*(one.open() for one in stores))
        made = await asyncio.gather(*(one.create({}) for one in stores))

    assert set(await stores[0].ready()) == {record.id for record in made}
    for one in stores:
        await one.close()


async def test_tables_of_something_else_are_refused_and_left_alone(schema: str) -> None:
    postgres.sql(f"CREATE SCHEMA {schema}", f"CREATE TABLE {schema}.inputs (mine text)")

    with pytest.raises(StoreError, match=f"The schema '{schema}' has a 'inputs' of something else"):
        await store_in(schema).open()
    assert postgres.sql(f"SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace") == [("inputs",)]


async def test_applications_with_schemas_of_their_own_do_not_meet(schema: str) -> None:
    with postgres.own_schema() as another:
        async with store_in(schema) as store, store_in(another) as other:
            ear, made, theirs = Ear(store), await store.create({}), await other.create({})
            await ear.hears(made.id)

            assert (await store.ready(), await other.ready()) == ([made.id], [theirs.id])
            assert theirs.id not in ear.heard


async def test_a_store_that_has_to_be_there_is_not_made(schema: str) -> None:
    with pytest.raises(StoreError, match=f"There is nothing of elicitkit in the schema '{schema}'"):
        await PostgresTaskStore(postgres.ADDRESS, schema=schema, must_exist=True).open()
    assert postgres.sql(f"SELECT to_regnamespace('{schema}')") == [(None,)]

    async with store_in(schema):
        pass
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, must_exist=True) as store:
        assert await store.ready() == []


async def test_tables_of_an_older_version_that_have_to_be_there_are_left_to_a_server(schema: str) -> None:
    async with store_in(schema):
        pass

    with pytest.raises(StoreError, match=f"have version {len(MIGRATIONS)}, and this elicitkit has version"):
        await Newer(postgres.ADDRESS, schema=schema, must_exist=True).open()
    assert version_of(schema) == (len(MIGRATIONS), False)


# --- who may do what --------------------------------------------------------------------------------------------------


@asynccontextmanager
async def role(name: str) -> AsyncIterator[str]:
    """A role without any right, and the address with which it comes in."""
    postgres.sql(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    try:
        given = psycopg.conninfo.conninfo_to_dict(postgres.ADDRESS)
        yield psycopg.conninfo.make_conninfo(**{**given, "user": name, "password": name})
    finally:
        postgres.sql(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def least_rights(schema: str, name: str) -> list[str]:
    """What docs/postgres.md says is to be granted."""
    _, _, behind = DOCS.read_text(encoding="utf-8").partition("```sql\n")
    block, _, _ = behind.partition("```")
    statements = block.replace("elicitkit", schema).replace("app", name).split(";")
    return [one.strip() for one in statements if one.strip()]


@pytest.mark.parametrize(
    ("granted", "told"),
    [
        ([], "may not make the schema {schema}. What helps: GRANT CREATE ON DATABASE {database} TO {role};"),
        (["CREATE SCHEMA {schema}"], "may not use the schema {schema}. What helps: GRANT USAGE ON SCHEMA {schema} TO"),
        (
            ["CREATE SCHEMA {schema}", "GRANT USAGE ON SCHEMA {schema} TO {role}"],
            "may not make tables in the schema {schema}. What helps: GRANT CREATE ON SCHEMA {schema} TO {role};",
        ),
    ],
    ids=["nothing", "schema", "usage"],
)
async def test_a_role_that_may_not_make_what_is_missing_is_told_what_helps(
    schema: str, granted: list[str], told: str
) -> None:
    """And it does help: with each GRANT that it is told of it comes further, and in the end the store is open."""
    name = f"{schema}_user"
    ((database,),) = postgres.sql("SELECT current_database()")
    words = {"schema": schema, "role": name, "database": database}
    async with role(name) as address:
        for one in granted:
            postgres.sql(one.format(**words))

        with pytest.raises(StoreError, match="the role") as caught:
            await PostgresTaskStore(address, schema=schema).open()
        assert told.format(**words) in str(caught.value)

        postgres.sql(grant_in(caught.value))
        with suppress(StoreError):
            await open_once(address, schema)
            return
        with pytest.raises(StoreError, match="may not make tables") as then:
            await open_once(address, schema)
        postgres.sql(grant_in(then.value))
        await open_once(address, schema)


def grant_in(error: StoreError) -> str:
    return str(error).partition("What helps: ")[2].partition(";")[0]


async def open_once(address: str, schema: str) -> None:
    async with PostgresTaskStore(address, schema=schema) as store:
        await store.create({})


@pytest.mark.parametrize("may_use", [False, True])
async def test_a_role_that_may_not_use_the_tables_is_told_what_helps(schema: str, may_use: bool) -> None:
    name = f"{schema}_user"
    async with store_in(schema), role(name) as address:
        if may_use:
            postgres.sql(f"GRANT USAGE ON SCHEMA {schema} TO {name}")

        with pytest.raises(StoreError, match=r"docs/postgres\.md lists under Rights") as caught:
            await PostgresTaskStore(address, schema=schema).open()

    every = f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {name};"
    assert (every if may_use else f"GRANT USAGE ON SCHEMA {schema} TO {name};") in str(caught.value)
    assert ("(permission denied for table versions)" in str(caught.value)) is may_use


async def test_what_a_role_lacks_while_the_store_is_used_is_named(schema: str) -> None:
    name = f"{schema}_user"
    async with store_in(schema), role(name) as address:
        postgres.sql(*(one for one in least_rights(schema, name) if "SEQUENCE" not in one))
        async with PostgresTaskStore(address, schema=schema) as store:
            with pytest.raises(
                StoreError, match=r"this role may not do that \(permission denied for sequence revisions"
            ):
                await store.create({})


async def test_a_role_with_the_least_rights_that_are_documented_can_do_everything(schema: str) -> None:
    name = f"{schema}_user"
    async with store_in(schema), role(name) as address:
        postgres.sql(*least_rights(schema, name))
        async with PostgresTaskStore(address, schema=schema, open_requests=3) as store:
            ear, made = Ear(store), await parked(store, "a", owner="ada", worker="w", ttl=100)
            await store.settle(made.id, [accepting("a")])
            await store.keep_step(made.id, "charge", "1", fence=1)
            await store.renew(made.id, 10, fence=1)
            await store.complete(made.id, {}, fence=1)
            page = await store.list_tasks()
            swept = await store.sweep(now=store.clock() + 200)
            await ear.hears(made.id)

        assert [record.status for record in page.records] == ["completed"]
        assert swept.deleted == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            postgres.sql(f"DROP TABLE {schema}.tasks", address=address)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            postgres.sql(f"CREATE TABLE {schema}.mine (x text)", address=address)


@pytest.mark.parametrize("is_standby", [False, True], ids=["role", "standby"])
async def test_what_reads_needs_no_right_to_write(schema: str, is_standby: bool) -> None:
    """Issue 8: an operator's `list` and `show`, with a role that may read, or where nobody may write."""
    name = f"{schema}_user"
    async with store_in(schema) as store, role(name) as address:
        made = await parked(store, "a", owner="ada")
        await store.keep_step(made.id, "charge", "1")
        postgres.sql(
            f"GRANT USAGE ON SCHEMA {schema} TO {name}", f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {name}"
        )
        if is_standby:
            address = psycopg.conninfo.make_conninfo(address, options="-c default_transaction_read_only=on")
        async with PostgresTaskStore(address, schema=schema, reads_only=True) as reader:
            assert await reader.history(made.id) == await store.history(made.id)
            assert (await reader.list_tasks(prefix=made.id[:6])).records == (await store.get(made.id, owner="ada"),)
            with pytest.raises(StoreError, match="opened to be read alone"):
                await reader.cancel(made.id, owner="ada")


async def test_what_reads_makes_no_tables_and_says_so(schema: str) -> None:
    name = f"{schema}_user"
    async with role(name) as address:
        with pytest.raises(StoreError, match=f"There is nothing of elicitkit in the schema '{schema}'"):
            await PostgresTaskStore(address, schema=schema, reads_only=True).open()
