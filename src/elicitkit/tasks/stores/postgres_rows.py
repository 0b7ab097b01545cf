"""`Rows`: what a kind of store is to the connections to PostgreSQL that it shares with others."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import psycopg
from psycopg.errors import UniqueViolation

from ..record import News
from .postgres_connections import Connection, Line

NEXT: Final = b"SELECT nextval('revisions')"
TURN: Final = b"""
    INSERT INTO lines (id, turn, used_at) VALUES (%s, %s, extract(epoch FROM now()))
    ON CONFLICT (id) DO UPDATE SET turn = EXCLUDED.turn, used_at = EXCLUDED.used_at
"""
FINISHED: Final = b"SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
PING: Final = b"SELECT pg_notify(%s, %s)"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rows of a store are, and who it is."""

    schema: str

    origin: str
    """What tells its notifications from those of others."""

    suffix: str = ""
    """What tells the channel of its kind from those of other kinds in the schema."""

    @property
    def channel(self) -> str:
        """Where changes are notified."""
        return f"elicitkit_{self.schema}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What changed since another scan."""

    changed: Mapping[str, News]
    """What can be seen to have changed, by id, with what is new; some of it the scan before has, too."""

    since: int
    """The oldest transaction that was not finished: all before it are in this scan, or in one before."""


def written(id: str, news: News, origin: str) -> str:
    """What is notified of a change: no more than what it is of, for who listens may not be let to read.

    What came later stands behind the origin, where who knows nothing of it takes it for a part of that.
    """
    return f"{id} {news.revision} {origin}" + ("" if news.ready_at is None else f":{news.ready_at}")


def read(payload: str) -> tuple[str, News, str] | None:
    """What was written so: the id, what is new, and the origin; `None` for anything else, since anybody may notify."""
    words = payload.split(" ")
    if len(words) != 3 or not (words[1].isascii() and words[1].isdecimal()):
        return None
    origin, _, ready_at = words[2].partition(":")
    try:
        return words[0], News(int(words[1]), float(ready_at) if ready_at else None), origin
    except ValueError:
        return None


class Rows(ABC):
    """What works are given, inside a transaction and a pipeline that the lane has begun.

    A kind of store says in `_changed` how what changed is found in its table.

    Args:
        connection: One that is in a transaction.
        pipeline: What it is in; `None` for a work that is one statement.
        place: Where the tables are, and where others hear of changes.
        is_reading: Whether nothing is written, so that nothing has to be locked.
    """

    _changed: ClassVar[bytes]
    """Gives the id, the revision and, where there is one, the `ready_at` of each."""

    def __init__(
        self, connection: Connection, pipeline: psycopg.Pipeline | None, place: Place, *, is_reading: bool
    ) -> None:
        self.changed: dict[str, News] = {}
        """What was changed here so that it can be seen, each with what is new."""
        self.deleted: list[str] = []
        """The ids of what was deleted here."""
        self.has_waited: bool = False
        """Whether the transaction is under way for certain: nothing is written before."""
        self.has_written: bool = False
        """Whether there is anything to keep."""
        self._execute = connection.execute
        self._pipeline = pipeline
        self._place = place
        self._is_reading = is_reading
        self._revisions: list[int] = []

    @staticmethod
    @abstractmethod
    def refused(error: UniqueViolation) -> Exception:
        """What it means that something is there already."""

    def take_turn(self, line: Line) -> None:
        """Write which transaction this is, for whoever has to find out whether it was committed."""
        line.turn += 1
        self._execute(TURN, (line.id, line.turn))

    def changes_since(self, transaction: int | None) -> Scan:
        """What was changed by a transaction and those after it; and a sign of life for whoever listens.

        Transactions that are not there yet may be in rows of a database that was copied.
        """
        oldest = self._execute(FINISHED)
        found = () if transaction is None else self._execute(self._changed, (str(transaction),))
        self._execute(PING, (self._place.channel, self._place.origin))
        (since,) = oldest.fetchone() or (0,)
        return Scan({id: News(revision, ready_at) for id, revision, ready_at in found}, int(since))

    def _write(self, statement: bytes, given: tuple[Any, ...]) -> psycopg.Cursor[tuple[Any, ...]]:
        self.has_written = True
        return self._execute(statement, given)

    def _next(self, id: str) -> int:
        """The next revision, which is that of something from now on."""
        if not self._revisions:
            self._look_ahead()
        revision = self._revisions.pop()
        self.changed[id] = News(revision, is_own=True)
        return revision

    def _telling(self, id: str) -> tuple[str, str]:
        """What others hear of a change, and where."""
        return self._place.channel, written(id, self.changed[id], self._place.origin)

    def _look_ahead(self) -> None:
        """Get what will be needed if something is written, with what was asked before, and wait for both."""
        if self._is_reading:
            return
        ahead = None if self._revisions else self._execute(NEXT)
        self._wait()
        if ahead is not None:
            (revision,) = ahead.fetchone() or (0,)
            self._revisions.append(revision)

    def _wait(self) -> None:
        """Wait for what was asked. When all is answered the clock begins for a process that does nothing then."""
        if not self._is_reading and self._pipeline is not None:
            self._pipeline.sync()
            self.has_waited = True

    def _lock_of(self, what: str) -> int:
        """The number of a lock of the database for something of these tables."""
        digest = hashlib.sha256(f"elicitkit {self._place.schema} {what}".encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8], signed=True)
