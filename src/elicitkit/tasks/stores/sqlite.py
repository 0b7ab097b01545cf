"""`SqliteTaskStore`: tasks in one file, on the standard library's `sqlite3`. The default."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...errors import StoreError
from ..store import Listener
from .sqlite_lanes import Lane, Reader, Writer
from .sqlite_schema import MIGRATIONS, Migration, migrate, require_ours
from .transaction import Transaction
from .transactional import TransactionalStore

T = TypeVar("T")


class SqliteTaskStore(TransactionalStore):
    """A `TaskStore` in one file, which several processes of one machine may share. What is stored survives a crash.

    The file is made when the store is opened, for its owner alone (mode 0600); a file of an older version is brought up
    to date. Beside it are two that belong to it, with `-wal` and `-shm` behind the name: copy it with SQLite's backup,
    or all three while nothing runs. It may not lie on a network file system.

        async with SqliteTaskStore("tasks.db") as store:
            ...

    Args:
        path: The file.
        busy_timeout: How long to wait for another process that writes, in seconds.
        must_exist: Make no file: one that is not there, or is empty, is a `StoreError` when the store is opened.
        options: As for `TaskStore`.
    """

    _migrations: ClassVar[Sequence[Migration]] = MIGRATIONS

    def __init__(
        self, path: str | Path, *, busy_timeout: float = 5.0, must_exist: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        if str(path) == ":memory:":
            raise ValueError("a store that is not kept is a MemoryTaskStore()")
        self._path = Path(path).absolute()
        self._busy_timeout = busy_timeout
        self._must_exist = must_exist
        self._writer: Writer | None = None
        self._reader: Reader | None = None

    async def open(self) -> None:
        """See `TaskStore.open`.

        Raises:
            StoreError: If the file cannot be made, read or written, is no store of tasks, or is of a newer version.
        """
        if self._must_exist:
            _require(self._path)
        else:
            _make(self._path)
        writer = Writer(self._connect_and_migrate, tell=self._tell, is_listening=self._is_listening)
        reader = Reader(self._connect, "reader")
        await writer.start()
        try:
            await reader.start()
        except BaseException:
            await writer.stop()
            raise
        self._writer, self._reader = writer, reader

    async def close(self) -> None:
        """See `TaskStore.close`."""
        writer, reader, self._writer, self._reader = self._writer, self._reader, None, None
        if reader is not None:
            await reader.stop()
        if writer is not None:
            await writer.stop()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """See `TaskStore.subscribe`."""
        unsubscribe = super().subscribe(listener)
        if self._writer is not None:
            self._writer.nudge()
        return unsubscribe

    async def _write(self, work: Callable[[Transaction], T]) -> T:
        return await self._opened(self._writer).run(work)

    async def _read(self, work: Callable[[Transaction], T]) -> T:
        return await self._opened(self._reader).run(work)

    def _opened(self, lane: Lane | None) -> Lane:
        if lane is None:
            raise StoreError("The store of tasks is not open: use it as in `async with store:`.")
        return lane

    def _is_listening(self) -> bool:
        return bool(self._listeners)

    # --- connections: made in the thread that uses them --------------------------------------------------------------

    def _connect_and_migrate(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            require_ours(connection, len(self._migrations), may_be_empty=not self._must_exist)
            _use_wal(connection, self._busy_timeout)
            migrate(connection, self._migrations)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        # `mode=rw`: a file that is gone is not made anew. `isolation_level=None`: only we begin and end transactions.
        place = f"{self._path.as_uri()}?mode=rw"
        connection = sqlite3.connect(place, uri=True, timeout=self._busy_timeout, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # What is forgotten is overwritten, not only unlinked.
            connection.execute("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
        return connection


def _make(path: Path) -> None:
    """Make the file, for its owner alone, if it is not there.

    A file that is there is not touched: closing it would end the locks that this process holds on it.

    Raises:
        StoreError: If it cannot be made.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StoreError(f"The file of tasks cannot be made: {error.strerror}: {str(path)!r}") from error


def _require(path: Path) -> None:
    """Make sure that a file is there.

    Raises:
        StoreError: If it is not.
    """
    if not path.exists():
        raise StoreError(f"There is no file of tasks at {str(path)!r}.")
    if not path.is_file():
        raise StoreError(f"What is at {str(path)!r} is no file.")


def _use_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Have the file in the mode in which readers and the writer do not wait for each other.

    Raises:
        sqlite3.OperationalError: If somebody else keeps it locked for longer than *patience*, in seconds.
    """
    deadline = time.monotonic() + patience
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:  # Two processes that make a file at once do not wait by themselves.
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
