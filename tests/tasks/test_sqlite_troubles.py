"""Troubles of a file of tasks (issue 7): clear errors, nothing acknowledged that was not stored, recovery by itself."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import pytest

from elicitkit import SqliteTaskStore, StoreError

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tasks.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteTaskStore]:
    async with SqliteTaskStore(path, busy_timeout=0.05) as made:
        yield made


async def run_sql(store: SqliteTaskStore, statement: str) -> None:
    """Run a statement on the connection that writes."""
    await store._write(lambda within: within._connection.execute(statement))  # type: ignore[attr-defined]


async def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"No such file or directory: '.*missing"):
        await SqliteTaskStore(tmp_path / "missing" / "tasks.db").open()


async def test_a_lock_of_another_process_is_an_error_and_passes(store: SqliteTaskStore, path: Path) -> None:
    made = await store.create({})
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        done = await asyncio.gather(*(store.create({}) for _ in range(3)), return_exceptions=True)
        assert [str(one) for one in done] == [
            "The store cannot be used: another process keeps it locked. Nothing was stored."
        ] * 3
        assert len({id(one) for one in done}) == 3
        assert await store.get(made.id, owner=None) == made  # Readers do not wait.
        other.execute("ROLLBACK")

    assert await store.create({})
    assert len(await store.ready()) == 2


async def test_a_store_that_becomes_read_only_says_so_and_goes_on_when_it_is_not(store: SqliteTaskStore) -> None:
    await run_sql(store, "PRAGMA query_only = ON")

    with pytest.raises(StoreError, match=r"its file, or the folder of it, is read-only\. Nothing was stored"):
        await store.create({})
    made = await store.create({})  # With a new connection, which is not.

    assert await store.ready() == [made.id]


async def test_a_file_that_is_gone_is_not_made_anew_behind_the_back_of_a_store(path: Path) -> None:
    async with SqliteTaskStore(path) as store:
        await asyncio.to_thread(path.rename, path.with_name("moved"))
        await run_until_error(store, "PRAGMA query_only = ON")

        with pytest.raises(StoreError, match="cannot be opened"):
            await store.create({})


async def run_until_error(store: SqliteTaskStore, statement: str) -> None:
    """Make a connection useless, so that the next work needs another."""
    await run_sql(store, statement)
    with pytest.raises(StoreError):
        await store.create({})


async def test_a_full_disk_is_an_error_and_what_was_acknowledged_is_there(store: SqliteTaskStore, path: Path) -> None:
    """Issue 7: nothing acknowledged that was not stored, recovery by itself."""
    await run_sql(store, "PRAGMA max_page_count = 60")

    acknowledged, refused = await fill(store)

    assert "the disk is full" in str(refused[0])
    await run_sql(store, "PRAGMA max_page_count = 1000000")
    await assert_kept(store, path, acknowledged)


async def test_a_full_file_system_is_an_error_and_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    """The same on a real one."""
    with mounted(tmp_path / "small", kib=512) as folder:
        async with SqliteTaskStore(folder / "tasks.db") as store:
            filling = folder / "filling"
            filling.write_bytes(b"x" * 200 * 1024)
            acknowledged, refused = await fill(store)

            assert "is full" in str(refused[0])
            filling.unlink()
            await assert_kept(store, folder / "tasks.db", acknowledged)


async def fill(store: SqliteTaskStore) -> tuple[list[str], list[BaseException]]:
    """Create tasks, several at once, until the store refuses some."""
    acknowledged: list[str] = []
    refused: list[BaseException] = []
    with anyio.fail_after(20):
        while not refused:
            done = await asyncio.gather(*(store.create({"a": "x" * 900}) for _ in range(8)), return_exceptions=True)
            refused += [one for one in done if isinstance(one, BaseException)]
            acknowledged += [one.id for one in done if not isinstance(one, BaseException)]
    assert {type(one) for one in refused} == {StoreError}
    return acknowledged, refused


async def assert_kept(store: SqliteTaskStore, path: Path, acknowledged: list[str]) -> None:
    """All that was acknowledged is there, and nothing else; and the store takes more."""
    assert set(await store.ready(10_000)) == set(acknowledged)
    assert (await store.create({})).id in await store.ready(10_000)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_file_that_may_not_be_written_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    async with SqliteTaskStore(folder / "tasks.db") as store:
        made = await store.create({})

    with as_a_stranger(folder), pytest.raises(StoreError, match=r"read-only|cannot be opened"):
        await SqliteTaskStore(folder / "tasks.db").open()
    async with store:
        assert await store.ready() == [made.id]


@contextmanager
def mounted(folder: Path, *, kib: int) -> Iterator[Path]:
    """A small file system of its own."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "elicitkit-test", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True)
    except FileNotFoundError:
        pytest.skip("elsewhere: this system has no mount")
    if done.returncode:
        pytest.skip("elsewhere: this user may not mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def as_a_stranger(folder: Path) -> Iterator[None]:
    """Inside the block nobody may write into the folder; root, who always may, is somebody else there."""
    was_root = os.geteuid() == 0
    for place in (folder, *folder.iterdir()):
        place.chmod(0o555)
    parents = [place for place in folder.parents if was_root and place.stat().st_uid == 0 and len(place.parts) > 2]
    modes = {place: place.stat().st_mode for place in parents}
    for place in parents:
        place.chmod(place.stat().st_mode | 0o011)
    if was_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)
        for place, mode in modes.items():
            place.chmod(mode)
        for place in (folder, *folder.iterdir()):
            place.chmod(0o755)
