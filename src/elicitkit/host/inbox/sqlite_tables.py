"""Entries in SQLite: the `Transaction` of its store, inside a transaction that its caller has begun."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from ...tasks.listing import EVERYBODY
from ...tasks.record import News
from .entry import Entry, Mark, Viewer
from .rows import CHANGING, FIXED, OF_ENTRY, OF_KEPT, changing, entry_of, fixed, kept_of
from .store import Kept

_COLUMNS: Final = (*FIXED, *CHANGING)
_INSERT: Final = f"INSERT INTO inbox ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_UPDATE: Final = f"UPDATE inbox SET {', '.join(f'{name} = ?' for name in CHANGING)} WHERE id = ?"
_ENTRIES: Final = f"SELECT {', '.join(OF_ENTRY)} FROM inbox"
_KEPT: Final = f"SELECT {', '.join(OF_KEPT)} FROM inbox"
_RENEW: Final = """
    UPDATE inbox SET waited_until = ?, due = min(until, ?) WHERE id = ? AND open = 1 AND holder = ?
"""


class InboxTables:
    """The `Transaction` of the SQLite store.

    Args:
        connection: One that is inside a transaction.
        revision: The newest revision there is; of no meaning to who only reads.
    """

    def __init__(self, connection: sqlite3.Connection, revision: int = 0) -> None:
        self.revision: int = revision
        """The newest revision, with what was done here."""
        self.changed: dict[str, News | None] = {}
        """What changed here, each with what is new; `None` for what was deleted."""
        self._connection = connection

    def load(self, id: str) -> Kept | None:
        """See `Transaction.load`."""
        if not id.isascii():  # No id of ours is; and SQLite takes no half characters.
            return None
        row = self._connection.execute(f"{_KEPT} WHERE id = ?", (id,)).fetchone()
        return None if row is None else kept_of(row)

    def of_key(self, key: str) -> Sequence[Kept]:
        """See `Transaction.of_key`."""
        found = self._connection.execute(f"{_KEPT} WHERE key = ? AND joinable = 1 ORDER BY number", (key,))
        return [kept_of(row) for row in found]

    def insert(self, kept: Kept, due: float) -> Kept:
        """See `Transaction.insert`."""
        revision = self._next(kept.entry.id)
        number = self._connection.execute(_INSERT, (*fixed(kept), *changing(kept, revision, due))).lastrowid
        return replace(kept, entry=replace(kept.entry, number=number or 0, revision=revision))

    def save(self, kept: Kept, due: float) -> Kept:
        """See `Transaction.save`."""
        revision = self._next(kept.entry.id)
        self._connection.execute(_UPDATE, (*changing(kept, revision, due), kept.entry.id))
        return replace(kept, entry=replace(kept.entry, revision=revision))

    def renew(self, ids: Iterable[str], holder: str, waited_until: float, due: float) -> None:
        """See `Transaction.renew`."""
        self._connection.executemany(_RENEW, [(waited_until, due, id, holder) for id in ids])

    def count(self, *, is_open: bool, viewer: Viewer) -> int:
        """See `Transaction.count`."""
        seen, given = _seen_by(viewer)
        row = self._connection.execute(f"SELECT count(*) FROM inbox WHERE open = {is_open:d} AND {seen}", given)
        return int(row.fetchone()[0])

    def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: Mark | None) -> list[Entry]:
        """See `Transaction.page`."""
        seen, given = _seen_by(viewer)
        behind, mark = _behind(after, is_open=is_open)
        order = "number" if is_open else "closed_at DESC, number DESC"
        query = f"{_ENTRIES} WHERE open = {is_open:d} AND {seen} AND {behind} ORDER BY {order} LIMIT ?"
        return [entry_of(row) for row in self._connection.execute(query, (*given, *mark, limit))]

    def ready(self, limit: int, host: str | None) -> list[Entry]:
        """See `Transaction.ready`."""
        of_host, given = ("TRUE", ()) if host is None else ("host = ?", (host,))
        query = f"{_ENTRIES} WHERE ready = 1 AND {of_host} ORDER BY number LIMIT ?"
        return [entry_of(row) for row in self._connection.execute(query, (*given, limit))]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`."""
        found = self._connection.execute("SELECT id FROM inbox WHERE due <= ? ORDER BY due LIMIT ?", (now, limit))
        return [id for (id,) in found]

    def delete(self, id: str) -> None:
        """See `Transaction.delete`."""
        self._connection.execute("DELETE FROM inbox WHERE id = ?", (id,))
        self.changed[id] = None

    def _next(self, id: str) -> int:
        """The next revision, which is that of an entry from now on."""
        self.revision += 1
        self.changed[id] = News(self.revision, is_own=True)
        return self.revision

    def keep_revision(self) -> None:
        """See `Rows.keep_revision`."""
        self._connection.execute("UPDATE inbox_revisions SET newest = ?", (self.revision,))

    @staticmethod
    def newest(connection: sqlite3.Connection) -> int:
        """See `Rows.newest`."""
        (newest,) = connection.execute("SELECT newest FROM inbox_revisions").fetchone()
        return int(newest)

    @staticmethod
    def changed_since(connection: sqlite3.Connection, revision: int) -> tuple[dict[str, News], int]:
        """See `Rows.changed_since`."""
        changed = "SELECT id, revision FROM inbox WHERE revision > ? ORDER BY revision"
        found = connection.execute(changed, (revision,)).fetchall()
        return {id: News(at) for id, at in found}, found[-1][1] if found else revision


def _behind(after: Mark | None, *, is_open: bool) -> tuple[str, tuple[Any, ...]]:
    if after is None:
        return "TRUE", ()
    return ("number > ?", (after[1],)) if is_open else ("(closed_at, number) < (?, ?)", after)


def _seen_by(viewer: Viewer) -> tuple[str, tuple[Any, ...]]:
    if viewer is EVERYBODY:
        return "TRUE", ()
    return ("owner IS NULL", ()) if viewer is None else ("(owner IS NULL OR owner = ?)", (viewer,))
