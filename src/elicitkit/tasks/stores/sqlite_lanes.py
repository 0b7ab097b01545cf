"""Two threads with a connection each: a `Writer`, which lets many writes share a commit, and a `Reader`.

SQLite blocks, and a commit waits for the disk; neither may stop the event loop. What was asked for while one commit
runs goes into the next, each work behind a savepoint of its own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from ...errors import StoreError
from ..record import News

T = TypeVar("T")

AT_ONCE: Final = 256
"""How many works share one transaction."""

Changed: TypeAlias = Mapping[str, News | None]
"""What changed, each with what is new; `None` for what is gone."""

POLL: Final = 0.02
"""How often the writer looks whether another process changed something, in seconds, while somebody listens."""

QUIET_POLL: Final = 0.04
"""How often it does where nothing has happened for a while: a look costs little, and 50 a second half a percent of a
core. Still a change is noticed within 50 ms."""

QUIET_AFTER: Final = 1.0
"""After how many seconds without a change it looks less often."""

_UNUSABLE: Final = ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_READONLY")
"""After these a connection is given up, and the next work gets a new one."""

_CAUSES: Final = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "its file, or the folder of it, is read-only",
    "SQLITE_BUSY": "another process keeps it locked",
    "SQLITE_LOCKED": "another process keeps it locked",
    "SQLITE_CANTOPEN": "its file cannot be opened",
    "SQLITE_IOERR": "the disk failed, or is full",
    "SQLITE_NOTADB": "its file is no database",
    "SQLITE_CORRUPT": "its file is damaged",
    "SQLITE_PERM": "its file may not be opened",
}


class Rows(Protocol):
    """What works are given: the rows of one kind of store, inside a transaction that the lane has begun."""

    revision: int
    """The newest revision, with what was done here."""

    changed: dict[str, News | None]
    """What changed here, each with what is new; `None` for what was deleted."""

    def __init__(self, connection: sqlite3.Connection, revision: int = 0) -> None: ...

    def keep_revision(self) -> None:
        """Write the newest revision."""
        ...

    @staticmethod
    def newest(connection: sqlite3.Connection) -> int:
        """The newest revision there is."""
        ...

    @staticmethod
    def changed_since(connection: sqlite3.Connection, revision: int) -> tuple[dict[str, News], int]:
        """What changed after a revision, each with what is new, and the newest revision among them."""
        ...


class _Job(Generic[T]):
    """A work, and what it came to."""

    __slots__ = ("_context", "_future", "_work", "error", "value")

    def __init__(self, work: Callable[[Any], T], future: asyncio.Future[T]) -> None:
        self.value: T | None = None
        self.error: BaseException | None = None
        self._context: Context = copy_context()  # So that whoever watches for errors hears of those made here.
        self._future = future
        self._work = work

    def run(self, on: Rows | sqlite3.Connection) -> None:
        """Do it.

        Raises:
            Exception: What the work raises.
        """
        self.value = self._context.run(self._work, on)

    def fail(self, error: BaseException) -> None:
        """It did not happen."""
        self.value, self.error = None, self._context.run(_ours, error)

    def deliver(self) -> None:
        """Tell who waits, on the event loop; it may have given up."""
        if self._future.done():
            return
        if self.error is None:
            self._future.set_result(self.value)  # type: ignore[arg-type]  # It is what the work gave.
        else:
            self._future.set_exception(self.error)


class Lane:
    """A thread with a connection that does works, as many at once as are waiting."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], rows: type[Rows], name: str) -> None:
        self._connect = connect
        self._rows = rows
        self._connection: sqlite3.Connection | None = None
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        """`None` is a nudge: whoever waits looks around."""
        self._is_stopping = False
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._main, name=f"elicitkit {name}", daemon=True)

    async def start(self) -> None:
        """Start the thread.

        Raises:
            StoreError: If it gets no connection.
        """
        self._thread.start()
        await self._opened

    async def run(self, work: Callable[[Any], T]) -> T:
        """Have a work done.

        Raises:
            StoreError: If the store cannot be read or written. Nothing was stored.
            Exception: What the work raises.
        """
        return await self._queued(work, self._jobs)

    async def _queued(self, work: Callable[[Any], T], queue: SimpleQueue[_Job[Any] | None]) -> T:
        if self._is_stopping:
            raise StoreError("The store is closed.")
        future: asyncio.Future[T] = self._loop.create_future()
        queue.put(_Job(work, future))
        if queue is not self._jobs:
            self.nudge()
        return await future

    async def stop(self) -> None:
        """Finish what is waiting, and end the thread."""
        self._is_stopping = True
        self.nudge()
        while self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def nudge(self) -> None:
        """Make the thread look around."""
        self._jobs.put(None)

    # --- in the thread -----------------------------------------------------------------------------------------------

    def _main(self) -> None:
        try:
            self._connection = self._connect()
            self._begin(self._connection)
        except BaseException as error:
            self._give_up()
            self._call(_fail, self._opened, _ours(error))
            return
        self._call(_succeed, self._opened)
        while True:
            jobs = self._next()
            if jobs:
                self._call(self._deliver, jobs, self._serve(jobs))
            self._look()
            if self._is_stopping and self._jobs.empty():
                break
        self._give_up()

    def _next(self) -> list[_Job[Any]]:
        """All works that are waiting, or none after a nudge or for the time of one look."""
        jobs: list[_Job[Any]] = []
        try:
            job = self._jobs.get(timeout=self._pause())
            while True:
                if job is not None:
                    jobs.append(job)
                if len(jobs) >= AT_ONCE:
                    break
                job = self._jobs.get_nowait()
        except Empty:
            pass
        return jobs

    def _serve(self, jobs: list[_Job[Any]]) -> Changed:
        try:
            if self._connection is None:
                self._connection = self._connect()
            return self._do(self._connection, jobs)
        except Exception as error:
            for job in jobs:
                job.fail(error)
            self._after(error)
            return {}

    def _after(self, error: Exception) -> None:
        """Be ready for the next works after a failure."""
        if isinstance(error, sqlite3.Error) and _name(error).startswith(_UNUSABLE):
            self._give_up()
        elif self._connection is not None and self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                self._give_up()

    def _give_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):  # There is nothing left to save.
                connection.close()

    def _call(self, function: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # The loop was closed: nobody waits any more.
            self._loop.call_soon_threadsafe(function, *args)

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Get ready, on the first connection."""

    def _pause(self) -> float | None:
        """How long to wait for works before a look, in seconds."""
        return None

    def _look(self) -> None:
        """Look around, between works."""

    def _do(self, connection: sqlite3.Connection, jobs: Sequence[_Job[Any]]) -> Changed:
        """Do works in one transaction, and give what is to be told of it.

        Raises:
            sqlite3.Error: If none of them happened.
        """
        raise NotImplementedError

    # --- on the event loop -------------------------------------------------------------------------------------------

    def _deliver(self, jobs: Sequence[_Job[Any]], changed: Changed) -> None:
        for job in jobs:
            job.deliver()


class Reader(Lane):
    """Reads. Nothing that is being written keeps it waiting."""

    def _do(self, connection: sqlite3.Connection, jobs: Sequence[_Job[Any]]) -> Changed:
        connection.execute("BEGIN")
        rows = self._rows(connection)
        for job in jobs:
            try:
                job.run(rows)
            except sqlite3.Error:
                raise
            except Exception as error:
                job.fail(error)
        connection.execute("COMMIT")
        return {}


class Writer(Lane):
    """Writes, one transaction for all that waits; and tells what changed, in this process and in others.

    Args:
        connect: What gives a connection.
        rows: What works are given.
        tell: What is called on the event loop, with what changed.
        is_listening: Whether anybody wants to hear of changes.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        rows: type[Rows],
        *,
        tell: Callable[[Changed], None],
        is_listening: Callable[[], bool],
    ) -> None:
        super().__init__(connect, rows, "writer")
        self._tell = tell
        self._is_listening = is_listening
        self._seen = 0
        """The newest revision whose changes were told, or that came before anybody listened."""
        self._version = -1
        """What tells the commits of others."""
        self._chores: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._changed_at = time.monotonic()

    async def run_alone(self, chore: Callable[[sqlite3.Connection], T]) -> T:
        """Have something done between transactions.

        Raises:
            StoreError: If SQLite refuses it.
            Exception: What the chore raises.
        """
        return await self._queued(chore, self._chores)

    def _begin(self, connection: sqlite3.Connection) -> None:
        self._seen = self._rows.newest(connection)

    def _do(self, connection: sqlite3.Connection, jobs: Sequence[_Job[Any]]) -> Changed:
        self._changed_at = time.monotonic()
        connection.execute("BEGIN IMMEDIATE")
        newest = self._rows.newest(connection)
        rows = self._rows(connection, newest)
        if len(jobs) == 1:
            jobs[0].run(rows)
        else:
            for job in jobs:
                self._do_one(connection, job, rows)
        if rows.revision != newest:
            rows.keep_revision()
        connection.execute("COMMIT")
        if self._seen == newest or not self._is_listening():  # Else another process did something, which is looked for.
            self._seen = rows.revision
        return rows.changed

    def _deliver(self, jobs: Sequence[_Job[Any]], changed: Changed) -> None:
        super()._deliver(jobs, changed)
        if changed:
            self._tell(changed)

    def _do_one(self, connection: sqlite3.Connection, job: _Job[Any], rows: Rows) -> None:
        """Do one of several works, so that its failure spoils no other.

        Raises:
            sqlite3.Error: If the whole transaction is lost.
        """
        connection.execute("SAVEPOINT work")
        try:
            job.run(rows)
        except Exception as error:
            job.fail(error)
            if not connection.in_transaction:  # SQLite rolled all of it back: a full disk does that.
                raise
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def _pause(self) -> float | None:
        if not self._is_listening():
            return None
        return POLL if time.monotonic() - self._changed_at < QUIET_AFTER else QUIET_POLL

    def _look(self) -> None:
        """Do the chores, and find out whether another process changed something."""
        while not self._chores.empty():
            self._do_chore(self._chores.get())
        connection = self._connection
        if connection is None or not self._is_listening():
            return
        try:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
            if version != self._version:
                changed, self._seen = self._rows.changed_since(connection, self._seen)
                self._call(self._tell, changed)
                self._version, self._changed_at = version, time.monotonic()
        except sqlite3.Error as error:
            self._after(error)  # The next look may do better.

    def _do_chore(self, chore: _Job[Any] | None) -> None:
        if chore is None:
            return
        try:
            if self._connection is None:
                self._connection = self._connect()
            chore.run(self._connection)
        except Exception as error:
            chore.fail(error)
            self._after(error)
        self._call(self._deliver, [chore], {})


def _ours(error: BaseException) -> BaseException:
    """What is told of an error: a `StoreError` in place of SQLite's own, made anew for each who waits."""
    if isinstance(error, sqlite3.Error):
        name = _name(error)
        cause = next((cause for start, cause in _CAUSES.items() if name.startswith(start)), str(error))
        made: BaseException = StoreError(f"The store cannot be used: {cause}. Nothing was stored.")
        made.__cause__ = error
        return made
    return error


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "") or ""


def _succeed(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _fail(future: asyncio.Future[None], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
