"""Entries in PostgreSQL: the `Transaction` of its store, inside a transaction that its caller has begun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from psycopg.errors import UniqueViolation

from ...errors import StoreError
from ...tasks.listing import EVERYBODY
from ...tasks.stores.postgres_rows import Rows
from ...tasks.stores.postgres_text import given, kept
from .entry import Entry, Mark, Viewer
from .rows import CHANGING, FIXED, OF_ENTRY, OF_KEPT, changing, entry_of, fixed, kept_of
from .store import Kept

_COLUMNS: Final = (*FIXED, *CHANGING)
_PLACES: Final = ", ".join(["%s"] * len(_COLUMNS))
_ENTRIES: Final = f"SELECT {', '.join(OF_ENTRY)} FROM inbox"
_KEPT: Final = f"SELECT {', '.join(OF_KEPT)} FROM inbox"
_TELLING: Final = "pg_notify(%s, %s)"  # Others hear of it when it is committed.

INSERT: Final = (
    f"INSERT INTO inbox ({', '.join(_COLUMNS)}, changed) VALUES ({_PLACES}, pg_current_xact_id()) "
    f"RETURNING number, {_TELLING}"
).encode()
UPDATE: Final = (
    f"UPDATE inbox SET {', '.join(f'{name} = %s' for name in CHANGING)}, changed = pg_current_xact_id() "
    f"WHERE id = %s RETURNING {_TELLING}"
).encode()
SELECT: Final = f"{_KEPT} WHERE id = %s".encode()
LOCK: Final = SELECT + b" FOR UPDATE"
LOCK_KEY: Final = b"SELECT pg_advisory_xact_lock(%s)"
OF_KEY: Final = f"{_KEPT} WHERE key = %s AND joinable ORDER BY number".encode()
RENEW: Final = b"""
    UPDATE inbox SET waited_until = %s, due = least(until, %s) WHERE id = ANY(%s) AND open AND holder = %s
"""
DUE: Final = b"SELECT id FROM inbox WHERE due <= %s ORDER BY due LIMIT %s"
DELETE: Final = b"DELETE FROM inbox WHERE id = %s"
CHANGED: Final = b"""
    SELECT id, revision, NULL FROM inbox
    WHERE changed >= %s::xid8 AND changed < pg_snapshot_xmax(pg_current_snapshot())
"""


class InboxTables(Rows):
    """The `Transaction` of the PostgreSQL store."""

    _changed = CHANGED

    def load(self, id: str) -> Kept | None:
        """See `Transaction.load`."""
        if not (id.isascii() and id.isalnum()):  # PostgreSQL does not take every text.
            return None
        found = self._execute(SELECT if self._is_reading else LOCK, (id,))
        self._look_ahead()
        row = found.fetchone()
        return None if row is None else kept_of(_given(row))

    def of_key(self, key: str) -> Sequence[Kept]:
        """See `Transaction.of_key`. Nobody else may ask the same before the transaction ends."""
        self._execute(LOCK_KEY, (self._lock_of(f"inbox {key}"),))
        # A statement of its own: it sees what was committed while the one before waited for the lock.
        found = self._execute(OF_KEY, (key,))
        self._look_ahead()
        return [kept_of(_given(row)) for row in found]

    def insert(self, new: Kept, due: float) -> Kept:
        """See `Transaction.insert`."""
        revision = self._next(new.entry.id)
        row = self._write(INSERT, (*_kept((*fixed(new), *changing(new, revision, due))), *self._telling(new.entry.id)))
        (number, _) = row.fetchone() or (0, None)
        return replace(new, entry=replace(new.entry, number=number, revision=revision))

    def save(self, changed: Kept, due: float) -> Kept:
        """See `Transaction.save`."""
        revision, id = self._next(changed.entry.id), changed.entry.id
        self._write(UPDATE, (*_kept(changing(changed, revision, due)), id, *self._telling(id)))
        return replace(changed, entry=replace(changed.entry, revision=revision))

    def renew(self, ids: Iterable[str], holder: str, waited_until: float, due: float) -> None:
        """See `Transaction.renew`."""
        self._look_ahead()
        self._write(RENEW, (waited_until, due, list(ids), holder))

    def count(self, *, is_open: bool, viewer: Viewer) -> int:
        """See `Transaction.count`."""
        seen, wanted = _seen_by(viewer)
        query = f"SELECT count(*) FROM inbox WHERE {_are(is_open)} AND {seen}".encode()
        (found,) = self._execute(query, wanted).fetchone() or (0,)
        return int(found)

    def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: Mark | None) -> list[Entry]:
        """See `Transaction.page`."""
        seen, wanted = _seen_by(viewer)
        behind, mark = _behind(after, is_open=is_open)
        order = "number" if is_open else "closed_at DESC, number DESC"
        query = f"{_ENTRIES} WHERE {_are(is_open)} AND {seen} AND {behind} ORDER BY {order} LIMIT %s"
        return [entry_of(_given(row)) for row in self._execute(query.encode(), (*wanted, *mark, limit))]

    def ready(self, limit: int, host: str | None) -> list[Entry]:
        """See `Transaction.ready`."""
        of_host, wanted = ("TRUE", ()) if host is None else ("host = %s", (kept(host),))
        query = f"{_ENTRIES} WHERE ready AND {of_host} ORDER BY number LIMIT %s"
        return [entry_of(_given(row)) for row in self._execute(query.encode(), (*wanted, limit))]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`. They are in an order in which two sweeps do not wait for each other in turn."""
        return sorted(id for (id,) in self._execute(DUE, (now, limit)))

    def delete(self, id: str) -> None:
        """See `Transaction.delete`."""
        self._write(DELETE, (id,))
        self.changed.pop(id, None)
        self.deleted.append(id)

    @staticmethod
    def refused(error: UniqueViolation) -> StoreError:
        """Ids are random: there is none twice, unless somebody else writes into the table."""
        return StoreError(f"The store of the inbox cannot be used: there is such a row already: {error.sqlstate}.")


def _are(is_open: bool) -> str:
    return "open" if is_open else "NOT open"


def _behind(after: Mark | None, *, is_open: bool) -> tuple[str, tuple[Any, ...]]:
    if after is None:
        return "TRUE", ()
    return ("number > %s", (after[1],)) if is_open else ("(closed_at, number) < (%s, %s)", after)


def _seen_by(viewer: Viewer) -> tuple[str, tuple[Any, ...]]:
    if viewer is EVERYBODY:
        return "TRUE", ()
    return ("owner IS NULL", ()) if viewer is None else ("(owner IS NULL OR owner = %s)", (kept(viewer),))


def _kept(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(kept, values))


def _given(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(given, row))
