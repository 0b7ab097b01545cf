"""Stores by their addresses: files, databases, memory; and what is none."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from elicitkit import MemoryTaskStore, MissingExtra, SqliteTaskStore, StoreError
from elicitkit.tasks.stores.addresses import open_store

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


@pytest.mark.parametrize("must_exist", [True, False])
async def test_a_database_of_something_else_is_not_touched(tmp_path: Path, must_exist: bool) -> None:
    with closing(sqlite3.connect("other.db")) as connection:
        connection.execute("CREATE TABLE tasks (mine TEXT)")
    before = contents(tmp_path)

    with pytest.raises(StoreError, match="something else"):
        await open_store("other.db", must_exist=must_exist).open()

    assert contents(tmp_path) == before
