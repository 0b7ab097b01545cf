"""Erasure (issue 7): after a sweep the bytes of forgotten answers are nowhere in the file, its `-wal` included."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from elicitkit import SqliteTaskStore
from elicitkit.journal import Reply
from elicitkit.tasks.record import Settlement
from elicitkit.tasks.stores import sqlite_erasure
from elicitkit.testing import Clock
from elicitkit.testing.store_contract.base import parked

pytestmark = pytest.mark.anyio

TTL = 100.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tasks.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(path: Path, clock: Clock) -> AsyncIterator[SqliteTaskStore]:
    async with SqliteTaskStore(path, clock=clock, open_requests=10_000) as made:
        yield made


def left(path: Path, ids: list[str]) -> list[str]:
    """What of some tasks is still in any file of the store."""
    data = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
    return [task_id for task_id in ids if secret_of(task_id) in data or task_id.encode() in data]


def size_of(file: Path) -> int:
    return file.stat().st_size


def secret_of(task_id: str) -> bytes:
    return f"swordfish {task_id[:8]}".encode()


async def answered(store: SqliteTaskStore, size: int = 1, *, ttl: float = TTL) -> str:
    """A task with answers, a step and a result that hold its secret; its id."""
    record = await parked(store, "a", "b", ttl=ttl, owner="ada")
    secret = secret_of(record.id).decode()
    for key in ("a", "b"):
        await store.settle(record.id, [Settlement(key, Reply("accept", {"size": secret + "z" * size}))])
    await store.keep_step(record.id, "charge", f'"{secret}"')
    await store.complete(record.id, {"content": [secret]})
    return record.id


async def test_a_sweep_leaves_no_byte_of_what_it_forgot(store: SqliteTaskStore, path: Path, clock: Clock) -> None:
    """SQLite's `secure_delete` alone leaves some in the gaps of its pages: here, with rows that grow."""
    dice = random.Random(7)
    ids = await asyncio.gather(*(answered(store, dice.choice([1, 50, 300, 900, 5_000])) for _ in range(150)))
    kept = await asyncio.gather(*(answered(store, 100, ttl=100 * TTL) for _ in range(50)))
    assert len(left(path, [*ids, *kept])) == 200
    clock.advance(TTL + 1)

    swept = await store.sweep()

    assert swept.deleted == 150
    assert left(path, ids) == []
    assert len(left(path, kept)) == 50


async def test_what_a_reader_keeps_alive_goes_with_the_first_sweep_after_it(
    store: SqliteTaskStore, path: Path, clock: Clock
) -> None:
    made = await answered(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as backup:
        backup.execute("BEGIN")
        assert backup.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
        clock.advance(TTL + 1)
        await store.sweep()
        await store.create({})  # Nobody is kept from writing.
        assert left(path, [made]) == [made]
        assert await store.erase() is False

    await store.sweep()

    assert left(path, [made]) == []


async def test_a_large_file_is_rewritten_only_when_that_is_asked_for(
    store: SqliteTaskStore, path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_erasure, "SMALL", 0)
    ids = [await answered(store, 100_000) for _ in range(10)]
    size = sum(map(size_of, (path, path.with_name("tasks.db-wal"))))
    clock.advance(TTL + 1)

    await store.sweep()
    swept = size_of(path)
    assert size_of(path.with_name("tasks.db-wal")) == 0
    assert await store.erase() is True

    assert swept > size / 4 > size_of(path)
    assert left(path, ids) == []


async def test_a_file_is_not_rewritten_by_itself_again_and_again(
    store: SqliteTaskStore, path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewritten: list[str] = []
    await store._writing.run_alone(lambda connection: connection.set_trace_callback(rewritten.append))

    for _ in range(3):
        await answered(store)
        clock.advance(TTL + 1)
        await store.sweep()
    assert rewritten.count("VACUUM") == 1
    monkeypatch.setattr(sqlite_erasure, "EVERY", 0.0)
    await store.sweep()
    await store.sweep()

    assert rewritten.count("VACUUM") == 2


async def test_what_a_process_left_that_died_before_it_overwrote_it_goes_with_the_first_sweep(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SqliteTaskStore(path, clock=clock) as dead, SqliteTaskStore(path, clock=clock) as store:
        made = await answered(dead)
        clock.advance(TTL + 1)
        monkeypatch.setattr(sqlite_erasure.Erasure, "is_due", False)
        assert (await dead.sweep()).deleted == 1
        monkeypatch.undo()
        assert left(path, [made]) == [made]

        assert (await store.sweep()).deleted == 0

        assert left(path, [made]) == []


async def test_a_sweep_is_done_though_nothing_can_be_overwritten(
    store: SqliteTaskStore, path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    await answered(store)
    clock.advance(TTL + 1)
    await store._writing.run_alone(lambda connection: connection.set_authorizer(_without_vacuum))

    with caplog.at_level("INFO", "elicitkit"):
        swept = await store.sweep()

    assert swept.deleted == 1
    assert "is not overwritten yet" in caplog.text


def _without_vacuum(action: int, name: str | None, *_: object) -> int:
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK
