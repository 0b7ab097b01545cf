"""`Lanes`: some threads, each of which does one work at a time in a transaction on a connection.

PostgreSQL's side of a transaction is a conversation, and one that blocks is the simplest to get right: what a caller
gives up is finished nevertheless, and nothing is half sent. A work may be done again, since it changes nothing but by
its transaction; and it is, where it is certain that the transaction did not happen, and what kept it from happening
passes: a deadlock, a lost connection, a restart. Where a connection is lost while it commits, it is looked up what
became of the transaction: each one writes its number behind the name of its line, where nobody else writes. (Its id
would not do: after a crash PostgreSQL gives ids again that no transaction before was kept of.)
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

import psycopg
from psycopg.errors import PipelineAborted, UniqueViolation

from ...errors import StoreError
from .postgres_connections import Connector, Idle, Line, close, is_lost, passes, told
from .postgres_jobs import Job, Tell
from .postgres_rows import Place, Rows

T = TypeVar("T")

_LAST_TURN: Final = b"""
    INSERT INTO lines (id, turn, used_at) VALUES (%s, 0, 0)
    ON CONFLICT (id) DO UPDATE SET turn = lines.turn RETURNING turn
"""
"""What a line committed last. It writes, so that it waits for a transaction of that line which is still under way."""

_CHANCE: Final = random.Random()
"""A source of its own: that of the program, which may be seeded, is left alone."""

_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
"""The first and the longest pause between two tries, in seconds."""


class _Again(Exception):
    """A transaction certainly did not happen, and may the next time."""


class _Unknown(Exception):
    """A connection was lost while a transaction was being committed."""


class Lanes:
    """Does works, some at once.

    Args:
        connector: What gives connections.
        place: Where the tables are.
        rows: What works are given.
        size: How many works are done at once, each on a connection.
        timeout: How long a work may wait for a connection, and then how long it may take, in seconds.
        tell: What is told of changes.
    """

    def __init__(
        self,
        connector: Connector,
        *,
        place: Place,
        rows: type[Rows],
        size: int,
        timeout: float,
        tell: Tell,
    ) -> None:
        self._idle = Idle(connector)
        self._place = place
        self._rows = rows
        self._timeout = timeout
        self._tell = tell
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="elicitkit postgres")
        self._pending: set[Future[None]] = set()
        self._is_stopping = False

    async def run(self, work: Callable[[Any], T], *, is_reading: bool, is_once: bool = False) -> T:
        """Have a work done.

        Args:
            work: What is to be done.
            is_reading: Whether it writes nothing.
            is_once: Whether it asks one thing with one statement, so that it needs nothing around that.

        Raises:
            StoreError: If the store cannot be read or written.
            Exception: What the work raises.
        """
        if self._is_stopping:
            raise StoreError("The store is closed.")
        job = Job(work, is_reading=is_reading, is_once=is_once, timeout=self._timeout)
        begun = self._threads.submit(self._do, job)
        self._pending.add(begun)
        begun.add_done_callback(self._pending.discard)
        return await job.outcome()

    async def stop(self) -> None:
        """Finish what is waiting, and close every connection."""
        self._is_stopping = True
        await asyncio.gather(*map(asyncio.wrap_future, [*self._pending]))
        self._threads.shutdown(wait=False)
        await asyncio.to_thread(self._idle.close)

    # --- in a thread -------------------------------------------------------------------------------------------------

    def _do(self, job: Job[Any]) -> None:
        if not job.begin():
            return
        try:
            value, tables = job.context.run(self._until_done, job)
        except BaseException as error:
            job.fail(error)
        else:
            job.deliver(value, tables.changed, tables.deleted, self._tell)

    def _until_done(self, job: Job[T]) -> tuple[T, Rows]:
        pause = _PAUSE
        while True:
            try:
                return self._once(job)
            except _Again as again:
                if job.left < pause:
                    raise _ours(again, is_late=job.is_cut, seconds=self._timeout) from again.__cause__
            time.sleep(_CHANCE.uniform(pause / 2, pause))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(self, job: Job[T]) -> tuple[T, Rows]:
        """Do a work in one transaction.

        Raises:
            _Again: If it did not happen, and may the next time.
            StoreError: If it did not happen, or nobody knows.
            Exception: What the work raises.
        """
        line = self._take()
        attempt = Attempt(line, self._place, self._rows)
        try:
            with job.waiting_on(line.connection):
                return attempt.run(job), attempt.tables
        except _Unknown as unknown:
            if self._was_committed(job, line):
                return attempt.value, attempt.tables
            raise _Again from unknown.__cause__
        finally:
            self._idle.give_back(line)

    def _take(self) -> Line:
        try:
            return self._idle.take()
        except psycopg.Error as error:
            raise _Again from error

    def _was_committed(self, job: Job[Any], lost: Line) -> bool:
        """What became of a transaction whose connection was lost while it was being committed.

        Raises:
            StoreError: If it cannot be found out.
        """
        job.prolong()
        pause = _PAUSE
        while True:
            try:
                return self._last_turn(job, lost) == lost.turn
            except (psycopg.Error, _Again) as error:
                cause = error if isinstance(error, psycopg.Error) else error.__cause__
                if job.left < pause or not isinstance(cause, psycopg.Error):
                    raise told(_lost(cause), is_unknown=True) from error
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _last_turn(self, job: Job[Any], lost: Line) -> int:
        line = self._take()
        try:
            with job.waiting_on(line.connection):
                (turn,) = line.connection.execute(_LAST_TURN, (lost.id,)).fetchone() or (0,)
                return int(turn)
        finally:
            self._idle.give_back(line)


class Attempt:
    """One try at a work, on one connection."""

    def __init__(self, line: Line, place: Place, rows: type[Rows]) -> None:
        self._line = line
        self._connection = line.connection
        self._place = place
        self._rows = rows
        self._is_committing = False
        self.tables: Rows
        self.value: Any = None
        """What the work gave."""

    def run(self, job: Job[T]) -> T:
        """Do it, and commit.

        Raises:
            _Again, _Unknown: If PostgreSQL failed, as their texts say.
            StoreError: If it failed, and would again. Nothing was stored.
            Exception: What the work raises.
        """
        try:
            if job.is_once:
                self.tables = self._rows(self._connection, None, self._place, is_reading=True)
                return job.work(self.tables)
            with self._connection.pipeline() as pipeline:
                self.tables = self._rows(self._connection, pipeline, self._place, is_reading=job.is_reading)
                if job.is_reading:  # All of a pipeline is one transaction, by itself.
                    return job.work(self.tables)
                self._connection.execute(b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
                self.tables.take_turn(self._line)
                self.value = job.work(self.tables)
                if not self.tables.has_written:  # The turn alone is no reason to wait for the disk.
                    self._connection.execute(b"SET LOCAL synchronous_commit = off")
                self._is_committing = True
                self._connection.execute(b"COMMIT")
            return self.value  # type: ignore[no-any-return]  # It is what the work gave.
        except psycopg.Error as error:
            cause = _first(error)
            self._roll_back()
            raise self._meaning(cause) from cause
        except BaseException:
            self._roll_back()
            raise

    def _meaning(self, error: psycopg.Error) -> Exception:
        if is_lost(error, self._connection):
            close(self._connection)
            # Who only looked, or was not let, can look again.
            is_unknown = self._is_committing and self.tables.has_waited
            return _Unknown() if is_unknown else _Again()
        if passes(error):
            return _Again()
        if isinstance(error, UniqueViolation):
            return self._rows.refused(error)
        return told(error)

    def _roll_back(self) -> None:
        try:
            if self._connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                self._connection.execute(b"ROLLBACK")
        except psycopg.Error:
            self._connection.close()


def _first(error: psycopg.Error) -> psycopg.Error:
    """What made the others of a pipeline fail."""
    while isinstance(error, PipelineAborted) and isinstance(error.__context__, psycopg.Error):
        error = error.__context__
    return error


def _ours(again: _Again, *, is_late: bool, seconds: float) -> StoreError:
    if is_late:
        return told(psycopg.OperationalError(f"PostgreSQL did not answer within {seconds:g} seconds"))
    return told(_lost(again.__cause__))


def _lost(cause: BaseException | None) -> psycopg.Error:
    return cause if isinstance(cause, psycopg.Error) else psycopg.OperationalError("the connection was lost")
