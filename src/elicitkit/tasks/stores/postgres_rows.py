"""`Rows`: what a kind of store is to the connections to PostgreSQL that it shares with others."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import psycopg
from psycopg.errors import UniqueViolation

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

    changed: Mapping[str, int]
    """The revisions of what can be seen to have changed, by id; some of them the scan before has, too."""

    since: int
    """The oldest transaction that was not finished: all before it are in this scan, or in one before."""


class Rows(ABC):
    """What works are given, inside a transaction and a pipeline that the lane has begun.

    A kind of store says in `_changed` how what changed is found in its table.

    Args:
        connection: One that is in a transaction.
        pipeline: What it is in.
        place: Where the tables are, and where others hear of changes.
        is_reading: Whether nothing is written, so that nothing has to be locked.
    """

    _changed: ClassVar[bytes]

    def __init__(self, connection: Connection, pipeline: psycopg.Pipeline, place: Place, *, is_reading: bool) -> None:
        self.changed: dict[str, int] = {}
        """What was changed here so that it can be seen, each with its newest revision."""
        self.deleted: list[str] = []
        """The ids of what was deleted here."""
        self.has_waited: bool = False
        """Whether the transaction is under way for certain: nothing is written before."""
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
        return Scan(dict(found), int(since))

    def _next(self, id: str) -> int:
        """The next revision, which is that of something from now on."""
        if not self._revisions:
            self._look_ahead()
        revision = self.changed[id] = self._revisions.pop()
        return revision

    def _telling(self, id: str) -> tuple[str, str]:
        """What others hear of a change, and where."""
        return self._place.channel, f"{id} {self.changed[id]} {self._place.origin}"

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
        if not self._is_reading:
            self._pipeline.sync()
            self.has_waited = True

    def _lock_of(self, what: str) -> int:
        """The number of a lock of the database for something of these tables."""
        digest = hashlib.sha256(f"elicitkit {self._place.schema} {what}".encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8], signed=True)
