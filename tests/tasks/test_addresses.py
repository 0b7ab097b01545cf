"""Stores by their addresses: files, databases, memory; and what is none."""

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from elicitkit import MemoryTaskStore, MissingExtra, SqliteTaskStore, StoreError, open_inbox_store
from elicitkit.tasks.stores.addresses import open_store
from elicitkit.tasks.stores.sqlite_schema import MIGRATIONS

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "tasks.db",
        "./tasks.db",
        "sqlite:///tasks.db",
        "sqlite:///{here}/tasks.db",
        "SQLITE:///tasks.db",
        Path("tasks.db"),
    ],
    ids=repr,
)
async def test_a_path_and_the_address_of_a_file_are_a_file(address: str | Path, tmp_path: Path) -> None:
    store = open_store(str(address).format(here=tmp_path) if isinstance(address, str) else address)

    assert isinstance(store, SqliteTaskStore)
    async with store:
        await store.create({})
    assert (tmp_path / "tasks.db").stat().st_size


@pytest.mark.parametrize(
    ("address", "name"),
    [("sqlite:///my%20tasks.db", "my tasks.db"), ("C:tasks.db", "C:tasks.db"), ("a:b.db", "a:b.db")],
)
async def test_a_name_may_hold_what_stands_in_addresses(address: str, name: str, tmp_path: Path) -> None:
    async with open_store(address):
        assert (tmp_path / name).is_file()


async def test_a_store_in_memory_is_kept_nowhere(tmp_path: Path) -> None:
    async with open_store("memory:", max_wait=5) as store:
        assert isinstance(store, MemoryTaskStore)
        assert store.max_wait == 5
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("mysql://root:hunter2@db/tasks", "no stores of tasks at mysql: addresses"),
        ("https://example.org/tasks.db", "sqlite:///FILE"),
        ("sqlite://tasks.db", "sqlite:///tasks.db"),
        ("sqlite:tasks.db", "sqlite:///tasks.db"),
        ("sqlite:///", "sqlite:///tasks.db"),
        ("memory:tasks", "has no name"),
        (":memory:", "MemoryTaskStore"),
    ],
)
def test_what_is_no_address_says_what_is_one(address: str, told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        open_store(address)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgres@localhost",
        "app@db.example",
        "app:hunter2@db.example:5432/shop",
        "app@db.example/shop",
        "db.example:5432/shop",
        "localhost:5432",
        "host=db dbname=shop",
        "dbname = shop password='hunter2'",
        "service=shop",
    ],
)
@pytest.mark.parametrize("open_at", [open_store, open_inbox_store], ids=lambda one: one.__name__)
def test_a_database_that_is_written_otherwise_is_no_file(
    tmp_path: Path, open_at: Callable[[str], object], address: str
) -> None:
    with pytest.raises(ValueError, match="begins with postgresql://") as caught:
        open_at(address)

    assert "hunter2" not in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "address", ["me@home.db", "a@b/c/tasks.db", "./app@db", "/var/app@db", "a=b.db", "tasks", Path("app@db")], ids=repr
)
def test_a_path_may_have_such_signs_in_it(address: str | Path) -> None:
    assert isinstance(open_store(address), SqliteTaskStore)


def test_a_file_that_is_there_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "app@db").touch()

    assert isinstance(open_store("app@db"), SqliteTaskStore)


@pytest.mark.parametrize(
    ("address", "option", "told"),
    [
        ("tasks.db", "pool_size", "a store in a file has no pool_size: its options are busy_timeout, clock"),
        ("sqlite:///tasks.db", "rescan", "a store in a file has no rescan"),
        ("memory:", "busy_timeout", "a store in memory has no busy_timeout"),
        ("postgresql://db/shop", "busy_timeout", "a store in PostgreSQL has no busy_timeout.* pool_size"),
    ],
)
def test_an_option_of_another_sort_of_store_is_told_with_those_there_are(address: str, option: str, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        open_store(address, **{option: 4})


async def test_a_store_says_where_it_is(tmp_path: Path) -> None:
    assert open_store("tasks.db").place == str(tmp_path / "tasks.db")
    assert open_store("memory:").place == "a MemoryTaskStore"
    assert (
        open_store("postgresql://app:hunter2@db.example:5433/shop?schema=mine&sslmode=require").place
        == "postgresql://db.example:5433/shop, schema mine"
    )


def test_a_database_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingExtra, match=r"pip install 'elicitkit\[postgres\]'"):
        open_store("postgresql://db/tasks")


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- what has to be there ---------------------------------------------------------------------------------------------


async def test_a_file_that_has_to_be_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no file of tasks at '.*tasks\.db'"):
        await open_store("tasks.db", must_exist=True).open()
    with pytest.raises(StoreError, match="is no file"):
        await open_store(".", must_exist=True).open()
    with pytest.raises(StoreError, match="nothing to look at"):
        open_store("memory:", must_exist=True)
    assert os.listdir(tmp_path) == []


async def test_an_empty_file_that_has_to_be_there_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "tasks.db").touch()

    with pytest.raises(StoreError, match="is empty"):
        await open_store("tasks.db", must_exist=True).open()
    assert contents(tmp_path) == {"tasks.db": b""}


async def test_a_file_of_an_older_version_that_has_to_be_there_is_left_to_a_server(tmp_path: Path) -> None:
    class First(SqliteTaskStore):
        _migrations = MIGRATIONS[:1]

    async with First("tasks.db"):
        pass

    with pytest.raises(StoreError, match=f"has version 1, and this elicitkit has version {len(MIGRATIONS)}"):
        await open_store("tasks.db", must_exist=True).open()
    async with First("tasks.db") as store:
        assert await store.ready() == []


@pytest.mark.parametrize("must_exist", [True, False])
async def test_a_database_of_something_else_is_not_touched(tmp_path: Path, must_exist: bool) -> None:
    with closing(sqlite3.connect("other.db")) as connection:
        connection.execute("CREATE TABLE tasks (mine TEXT)")
    before = contents(tmp_path)

    with pytest.raises(StoreError, match="something else"):
        await open_store("other.db", must_exist=must_exist).open()

    assert contents(tmp_path) == before
