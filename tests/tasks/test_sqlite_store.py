"""The store in a file keeps the contract; and what is its own: one commit for many, versions, the file."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context

from elicitkit import SqliteTaskStore, StoreError, TaskKeyError, Tasks, UnknownTask, elicit
from elicitkit.errors import watch
from elicitkit.tasks.listing import Listing
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.stores import sqlite_tables
from elicitkit.tasks.stores.sqlite_listing import listing_query
from elicitkit.tasks.stores.sqlite_schema import MIGRATIONS, migrate
from elicitkit.testing import Clock, TaskStoreContract
from elicitkit.testing.store_contract.base import accepting, parked, question
from tests.tasks.desk import accept, desk, form, server

pytestmark = pytest.mark.anyio


class TestSqliteStore(TaskStoreContract):
    def make_store(self, folder: Path, **options: Any) -> SqliteTaskStore:
        return SqliteTaskStore(folder / "tasks.db", **options)


class Traced(SqliteTaskStore):
    """A store that keeps the statements it ran."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.ran: list[str] = []

    def _connect(self) -> sqlite3.Connection:
        connection = super()._connect()
        connection.set_trace_callback(self.ran.append)
        return connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tasks.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteTaskStore]:
    async with SqliteTaskStore(path, busy_timeout=0.05) as made:
        yield made


# --- one commit for many ----------------------------------------------------------------------------------------------


async def test_writes_that_wait_share_a_commit(path: Path) -> None:
    """Issue 6: one writer thread with group commit."""
    async with Traced(path) as store:
        await store.create({})
        store.ran.clear()
        with anyio.fail_after(10):
            made = await asyncio.gather(*(store.create({}) for _ in range(200)))

    assert len({record.id for record in made}) == 200
    assert 1 <= store.ran.count("COMMIT") < 50


async def test_an_answer_waits_for_one_commit_until_its_tool_goes_on(path: Path) -> None:
    """Issue 5: a tool goes on soon after the answer, which is on the disk by then; each commit waits for the disk."""
    store, goes_on, may_end = Traced(path), asyncio.Event(), asyncio.Event()
    tasks = Tasks(store)
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task()
    async def order(ctx: Context) -> str:
        await elicit(ctx, form())
        goes_on.set()
        await may_end.wait()
        return "ordered"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        key = await at.key(task_id)
        store.ran.clear()
        updating = asyncio.create_task(at.update(task_id, **{key: accept(size="XL")}))
        with anyio.fail_after(10):
            await goes_on.wait()
        written = store.ran.count("BEGIN IMMEDIATE")
        may_end.set()
        await updating

        assert written == 1
        assert await at.said(task_id) == "ordered"


async def test_one_that_fails_spoils_no_other_in_its_commit(store: SqliteTaskStore) -> None:
    made = await parked(store, "a")

    done = await asyncio.gather(
        *(store.park(made.id, [question(store, key), question(store)]) for key in ("b", "a", "c", "b", "d")),
        return_exceptions=True,
    )

    assert [isinstance(one, TaskKeyError) for one in done] == [False, True, False, True, False]
    assert len((await store.get(made.id, owner=None)).inputs) == 1 + 3 * 2


async def test_what_is_read_is_one_state_of_the_store(path: Path) -> None:
    async with Traced(path) as store:
        made = await parked(store, "a")
        store.ran.clear()
        await store.get(made.id, owner=None)
        ran = [*store.ran]

    assert (ran[0], len(ran), ran[-1]) == ("BEGIN", 4, "COMMIT")


async def test_a_caller_that_gave_up_keeps_nobody_waiting(store: SqliteTaskStore) -> None:
    given_up = [asyncio.ensure_future(store.create({})) for _ in range(20)]
    await asyncio.sleep(0)
    for one in given_up:
        one.cancel()

    with anyio.fail_after(20):
        assert (await store.create({})).status == "working"


async def test_errors_made_in_the_threads_are_watched_as_others_are(store: SqliteTaskStore) -> None:
    """The adapters give errors of ours that leave a tool their text back."""
    with watch() as made:
        with pytest.raises(UnknownTask) as caught:
            await store.progress("0" * 32, "m")

        assert [one.error for one in made] == [caught.value]


@pytest.mark.parametrize(
    "query",
    [
        sqlite_tables._READY,
        sqlite_tables._OPEN,
        sqlite_tables._SELECT_TASK,
        "SELECT id FROM tasks WHERE due <= ? ORDER BY due LIMIT ?",
        "SELECT id, revision FROM tasks WHERE revision > ? ORDER BY revision",
        "SELECT total(open) FROM tasks WHERE owner = ? AND open > 0",
    ],
)
async def test_nothing_that_is_asked_often_looks_at_every_row(store: SqliteTaskStore, path: Path, query: str) -> None:
    """Issue 7: 100,000 parked rows cost as 100 do."""
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", [1] * query.count("?")).fetchall()

    assert all("SEARCH" in step[3] and "INDEX" in step[3] for step in plan), plan


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"oldest_first": True, "after": (1.0, "ab")},
        {"owner": "ada"},
        {"owner": None, "after": (1.0, "ab")},
        {"owner": "ada", "statuses": frozenset({"working", "failed"})},
        {"statuses": frozenset({"working", "failed"}), "after": (1.0, "ab")},
    ],
    ids=lambda wanted: " ".join(wanted) or "all",
)
async def test_a_page_of_a_listing_is_read_in_the_order_of_an_index(
    store: SqliteTaskStore, path: Path, wanted: dict[str, Any]
) -> None:
    query, given = listing_query("id, created_at", Listing(**wanted), 100)
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", given).fetchall()

    read = [step[3] for step in plan if "tasks" in step[3]]
    assert read
    assert all("USING" in step and "INDEX tasks_by_" in step for step in read), plan
    sorts = [step[3] for step in plan if "TEMP B-TREE" in step[3]]
    assert bool(sorts) == ("statuses" in wanted and "owner" not in wanted), plan  # The first of each status alone.


async def test_what_an_id_begins_with_is_looked_for_among_the_ids(store: SqliteTaskStore, path: Path) -> None:
    query, given = listing_query("id, created_at", Listing(prefix="ab", statuses=frozenset({"working"})), 100)
    with closing(sqlite3.connect(path)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", given).fetchall()

    assert any("SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (id>? AND id<?)" in step[3] for step in plan), plan


# --- the file ---------------------------------------------------------------------------------------------------------


async def test_the_file_is_for_its_owner_alone(store: SqliteTaskStore, path: Path) -> None:
    await store.create({})

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(["tasks.db", "tasks.db-wal", "tasks.db-shm"], 0o600)


async def test_what_is_committed_survives_a_loss_of_power(path: Path) -> None:
    """Issue 6: WAL, `synchronous=FULL`."""
    async with SqliteTaskStore(path) as store:
        found = await store._write(
            lambda within: [
                within._connection.execute(f"PRAGMA {name}").fetchone()[0]  # type: ignore[attr-defined]
                for name in ("journal_mode", "synchronous", "secure_delete")
            ]
        )

    assert found == ["wal", 2, 1]


async def test_what_is_forgotten_is_not_left_in_the_file(path: Path) -> None:
    """Issue 7: erasure of answers when a task's TTL passes."""
    clock = Clock()
    async with SqliteTaskStore(path, clock=clock) as store:
        made = await parked(store, "a", ttl=10)
        await store.settle(made.id, [accepting("a", "swordfish")])
        clock.advance(11)
        await store.sweep()

    left = await asyncio.to_thread(path.read_bytes)
    assert b"swordfish" not in left
    assert made.id.encode() not in left


def test_a_store_that_is_not_kept_is_another_class() -> None:
    with pytest.raises(ValueError, match="MemoryTaskStore"):
        SqliteTaskStore(":memory:")


async def test_a_store_can_be_closed_and_opened_again(path: Path) -> None:
    store = SqliteTaskStore(path)
    with pytest.raises(StoreError, match="is not open"):
        await store.create({})
    async with store:
        made = await store.create({})
    await store.close()
    with pytest.raises(StoreError, match="is not open"):
        await store.get(made.id, owner=None)

    async with store:
        assert await store.get(made.id, owner=None) == made


async def test_what_waits_when_the_store_is_closed_is_finished(path: Path) -> None:
    async with SqliteTaskStore(path) as store:
        waiting = [asyncio.ensure_future(store.create({})) for _ in range(50)]
        await asyncio.sleep(0)

    made = await asyncio.gather(*waiting)
    async with store:
        assert {record.id for record in made} == set(await store.ready())


# --- versions ---------------------------------------------------------------------------------------------------------


class Newer(SqliteTaskStore):
    """A later version of this store, with one more column."""

    _migrations = (*MIGRATIONS, ("ALTER TABLE tasks ADD COLUMN colour TEXT", "UPDATE tasks SET colour = 'blue'"))


class Broken(SqliteTaskStore):
    """A later version whose migration fails in the middle."""

    _migrations = (*MIGRATIONS, ("ALTER TABLE tasks ADD COLUMN colour TEXT", "UPDATE absent SET colour = 'blue'"))


def version_of(path: Path) -> tuple[int, bool]:
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return version, "colour" in connection.execute("SELECT sql FROM sqlite_master WHERE name = 'tasks'").fetchone()[
            0
        ]


async def test_a_file_of_an_older_version_is_brought_up_to_date(path: Path) -> None:
    async with SqliteTaskStore(path) as store:
        made = await parked(store, "a")

    async with Newer(path) as store:
        assert await store.get(made.id, owner=None) == made
        await store.settle(made.id, [accepting("a")])

    assert version_of(path) == (len(MIGRATIONS) + 1, True)


async def test_a_file_of_the_first_version_is_still_read(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:1])
        connection.execute(
            "INSERT INTO tasks (id, status, created_at, updated_at, last_activity, revision, wake, fence, lease_until,"
            " open, waits, call) VALUES (?, 'working', 1, 1, 1, 1, 0, 0, 0, 0, 1, '{}')",
            ["a" * 32],
        )

    async with SqliteTaskStore(path) as store:
        (record,) = (await store.list_tasks()).records
    assert record == TaskRecord("a" * 32, None, "{}", 1.0, 1.0, 1.0, revision=1)
    assert record.begun == 0
    assert version_of(path) == (len(MIGRATIONS), False)


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    async with Newer(path) as store:
        made = await store.create({})

    with pytest.raises(
        StoreError, match=f"version {len(MIGRATIONS) + 1}, and this elicitkit knows version {len(MIGRATIONS)}"
    ):
        await SqliteTaskStore(path).open()
    async with Newer(path) as store:
        assert await store.get(made.id, owner=None) == made


async def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    async with SqliteTaskStore(path) as store:
        made = await store.create({})

    with pytest.raises(StoreError, match="no such table"):
        await Broken(path).open()

    assert version_of(path) == (len(MIGRATIONS), False)
    async with SqliteTaskStore(path) as store:
        assert await store.get(made.id, owner=None) == made


@pytest.mark.parametrize("kind", [SqliteTaskStore, Newer])
async def test_many_that_open_a_file_at_once_make_it_once(path: Path, kind: type[SqliteTaskStore]) -> None:
    if kind is Newer:
        await SqliteTaskStore(path).open()
    stores = [kind(path) for _ in range(8)]

    with anyio.fail_after(20):
        await asyncio.gather(*(one.open() for one in stores))
        made = await asyncio.gather(*(one.create({}) for one in stores))

    assert set(await stores[0].ready()) == {record.id for record in made}
    for one in stores:
        await one.close()


async def test_a_database_of_something_else_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE tasks (mine TEXT)")

    with pytest.raises(StoreError, match="a database of something else"):
        await SqliteTaskStore(path).open()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("tasks",)]


async def test_what_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    diary = "Dear diary, " * 1_000
    await asyncio.to_thread(path.write_text, diary)

    with pytest.raises(StoreError, match="is no database"):
        await SqliteTaskStore(path).open()
    assert await asyncio.to_thread(path.read_text) == diary
