"""`SqliteTaskStore`, the default: tasks in one file, by the standard library's `sqlite3`; and what files share."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ...errors import StoreError
from ..record import Swept
from ..store import Listener
from .sqlite_erasure import Erasure
from .sqlite_lanes import Lane, Reader, Rows, Writer
from .sqlite_schema import MIGRATIONS, Migration, migrate, require_ours
from .sqlite_tables import Tables
from .telling import Telling
from .transactional import TransactionalStore

logger: logging.Logger = logging.getLogger(__name__)

T = TypeVar("T")
L = TypeVar("L", bound=Lane)


class SqliteFile(Telling):
    """What stores in a file share: all about the file. Stores of several kinds and processes may have one together.

    A store inherits from this first, and then from what it is a store of; see `SqliteTaskStore`.

    Args:
        path: The file.
        busy_timeout: How long to wait for another process that writes, in seconds.
        must_exist: Make no file and bring none up to date: one that is not there, empty or of an older version is a
            `StoreError` when the store is opened.
        options: What the store it is takes.
    """

    _migrations: ClassVar[Sequence[Migration]] = MIGRATIONS
    _rows: ClassVar[type[Rows]]
    """What its works are given."""
    _in_memory: ClassVar[str]
    """The store of its kind that is not kept."""
    _holds: ClassVar[str]
    """What somebody looks for in it."""

    def __init__(
        self, path: str | Path, *, busy_timeout: float = 5.0, must_exist: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        if str(path) == ":memory:":
            raise ValueError(f"a store that is not kept is a {self._in_memory}()")
        self._path = Path(path).absolute()
        self._busy_timeout = busy_timeout
        self.must_exist = must_exist
        self._erasure = Erasure(self._path)
        self._writer: Writer | None = None
        self._reader: Reader | None = None

    @property
    def place(self) -> str:
        """Where the file is."""
        return str(self._path)

    async def open(self) -> None:
        """Make the store ready.

        Raises:
            StoreError: If the file cannot be made, read or written, is no store of tasks, or is of a newer version.
        """
        if self.must_exist:
            _require(self._path, self._holds)
        else:
            _make(self._path)
        writer = Writer(self._connect_and_migrate, self._rows, tell=self._tell, is_listening=self._is_listening)
        reader = Reader(self._connect, self._rows, "reader")
        await writer.start()
        try:
            await reader.start()
        except BaseException:
            await writer.stop()
            raise
        self._writer, self._reader = writer, reader

    async def close(self) -> None:
        """Finish what was begun, and let go of the file."""
        writer, reader, self._writer, self._reader = self._writer, self._reader, None, None
        if reader is not None:
            await reader.stop()
        if writer is not None:
            await writer.stop()

    async def erase(self) -> bool:
        """Rewrite the file, without whatever was forgotten; false if somebody reads in it and it has to be done again.

        It takes about a second for 100 MB, while nobody can write, and as much room on the disk again.

        Raises:
            StoreError: If somebody else writes, or there is no room.
        """
        return await self._writing.run_alone(partial(self._erasure.run, all_of_it=True))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """See the store's port."""
        unsubscribe = super().subscribe(listener)
        if self._writer is not None:
            self._writer.nudge()
        return unsubscribe

    async def _overwrite(self, forgotten: int) -> None:
        """Overwrite what was forgotten, as a part of every sweep.

        In the file it is at once, in the `-wal` as soon as nobody reads there. Copies that SQLite has made of a row in
        rearranging its pages, which is rare, go within a minute or two in a file of up to 32 MiB; in a larger one they
        go with `erase`.
        """
        if forgotten:
            self._erasure.add()
        if self._erasure.is_due:
            try:
                await self._writing.run_alone(self._erasure.run)
            except StoreError as error:  # It did not sweep less for that, and is tried again.
                logger.info("what was forgotten is not overwritten yet: %s", error)

    async def _write(self, work: Callable[[Any], T]) -> T:
        return await self._writing.run(work)

    async def _read(self, work: Callable[[Any], T]) -> T:
        return await self._opened(self._reader).run(work)

    @property
    def _writing(self) -> Writer:
        return self._opened(self._writer)

    def _opened(self, lane: L | None) -> L:
        if lane is None:
            raise StoreError("The store is not open: use it as in `async with store:`.")
        return lane

    def _is_listening(self) -> bool:
        return bool(self._listeners)

    # --- connections: made in the thread that uses them --------------------------------------------------------------

    def _connect_and_migrate(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            require_ours(connection, len(self._migrations), may_migrate=not self.must_exist)
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


class SqliteTaskStore(SqliteFile, TransactionalStore):
    """A `TaskStore` in one file, which several processes of one machine may share. What is stored survives a crash.

    The file is made when the store is opened, for its owner alone (mode 0600); a file of an older version is brought up
    to date. Beside it are two that belong to it, with `-wal` and `-shm` behind the name: copy it with SQLite's backup,
    or all three while nothing runs. It may not lie on a network file system.

        async with SqliteTaskStore("tasks.db") as store:
            ...

    Args:
        path: The file.
        busy_timeout: How long to wait for another process that writes, in seconds.
        must_exist: Make no file and bring none up to date: one that is not there, empty or of an older version is a
            `StoreError` when the store is opened.
        options: As for `TaskStore`.
    """

    _rows = Tables
    _in_memory = "MemoryTaskStore"
    _holds = "tasks"

    async def sweep(self, *, now: float | None = None) -> Swept:
        """See `TaskStore.sweep`. What is forgotten is overwritten, at the latest with `erase`."""
        swept = await super().sweep(now=now)
        await self._overwrite(swept.deleted)
        return swept


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
        raise StoreError(f"The file cannot be made: {error.strerror}: {str(path)!r}") from error


def _require(path: Path, kept: str) -> None:
    """Make sure that a file is there.

    Raises:
        StoreError: If it is not.
    """
    if not path.exists():
        raise StoreError(f"There is no file of {kept} at {str(path)!r}.")
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
