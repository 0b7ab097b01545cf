"""Tasks as rows: the `Transaction` of the SQLite store, inside a transaction that its caller has begun."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from ...errors import TaskKeyError
from ..changes import Change, key_used
from ..listing import Listing
from ..record import History, News, TaskRecord
from . import rows
from .sqlite_listing import listing_query


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT_TASK: Final = _insert("tasks", rows.TASK)
_UPDATE_TASK: Final = f"UPDATE tasks SET {', '.join(f'{name} = ?' for name in rows.CHANGING)} WHERE id = ?"
# What nobody sees is written without touching the indexes of the rest.
_UPDATE_UNSEEN: Final = f"UPDATE tasks SET {', '.join(f'{name} = ?' for name in rows.UNSEEN)} WHERE id = ?"
_TASK: Final = ", ".join(rows.TASK)
_SELECT_TASK: Final = f"SELECT {_TASK} FROM tasks WHERE id = ?"
_INSERT_INPUT: Final = _insert("inputs", ["task_id", *rows.INPUT])
_UPDATE_INPUT: Final = "UPDATE inputs SET state = ?, reply = ?, settled_at = ? WHERE task_id = ? AND key = ?"
_SELECT_INPUTS: Final = f"SELECT {', '.join(rows.INPUT)} FROM inputs WHERE task_id = ?"
_OPEN: Final = f"{_SELECT_INPUTS} AND state = 'open' ORDER BY number"
_READY: Final = """
    SELECT id FROM tasks
    WHERE waits = 1 AND lease_until <= ? AND (open > 0 OR due IS NULL OR due > ?)
    ORDER BY lease_until, revision LIMIT ?
"""
_STEPS: Final = "SELECT name, given FROM steps WHERE task_id = ? ORDER BY number"
_KEEP_STEP: Final = """
    INSERT OR IGNORE INTO steps (task_id, name, given, number)
    VALUES (?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM steps WHERE task_id = ?))
"""
_CHANGED: Final = """
    SELECT id, revision, CASE WHEN waits THEN lease_until ELSE 9e999 END FROM tasks WHERE revision > ? ORDER BY revision
"""


class Tables:
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

    def load(self, task_id: str) -> TaskRecord | None:
        """See `Transaction.load`."""
        if not task_id.isascii():  # No id of ours is; and SQLite takes no half characters.
            return None
        row = self._connection.execute(_SELECT_TASK, (task_id,)).fetchone()
        return None if row is None else self._record(row)

    def load_history(self, task_id: str) -> History | None:
        """See `Transaction.load_history`."""
        if (record := self.load(task_id)) is None:
            return None
        inputs = self._connection.execute(f"{_SELECT_INPUTS} ORDER BY number", (task_id,))
        steps = self._connection.execute(_STEPS, (task_id,))
        return History(record, tuple(map(rows.to_input, inputs)), dict(steps))

    def insert(self, record: TaskRecord) -> TaskRecord:
        """See `Transaction.insert`."""
        record = self._stamped(Change(record))
        try:
            self._connection.execute(_INSERT_TASK, (*rows.fixed(record), *rows.changing(record)))
        except sqlite3.IntegrityError:
            raise TaskKeyError("There is a task of that id already.") from None
        return record

    def save(self, change: Change) -> TaskRecord:
        """See `Transaction.save`."""
        record, execute = self._stamped(change), self._connection.execute
        try:
            for asked in change.parked:
                execute(_INSERT_INPUT, (record.id, *rows.from_input(asked)))
        except sqlite3.IntegrityError:
            raise key_used() from None
        for asked in change.settled:
            execute(_UPDATE_INPUT, (asked.state, rows.reply_json(asked.reply), asked.settled_at, record.id, asked.key))
        if change.is_visible:
            execute(_UPDATE_TASK, (*rows.changing(record), record.id))
        else:
            execute(_UPDATE_UNSEEN, (*rows.unseen(record), record.id))
        return record

    def keep_step(self, task_id: str, name: str, given: str) -> None:
        """See `Transaction.keep_step`."""
        self._connection.execute(_KEEP_STEP, (task_id, name, given, task_id))

    def open_of(self, owner: str) -> int:
        """See `Transaction.open_of`."""
        row = self._connection.execute(
            "SELECT total(open) FROM tasks WHERE owner = ? AND open > 0", (owner,)
        ).fetchone()
        return int(row[0])

    def ready(self, limit: int, now: float) -> list[str]:
        """See `Transaction.ready`."""
        return [task_id for (task_id,) in self._connection.execute(_READY, (now, now, limit))]

    def page(self, listing: Listing, limit: int) -> list[TaskRecord]:
        """See `Transaction.page`."""
        query, given = listing_query(_TASK, listing, limit)
        return [self._record(row) for row in self._connection.execute(query, given).fetchall()]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`."""
        due = "SELECT id FROM tasks WHERE due <= ? ORDER BY due LIMIT ?"
        return [task_id for (task_id,) in self._connection.execute(due, (now, limit))]

    def delete(self, task_id: str) -> None:
        """See `Transaction.delete`."""
        for table, column in (("inputs", "task_id"), ("steps", "task_id"), ("tasks", "id")):
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (task_id,))
        self.changed[task_id] = None

    def _record(self, row: tuple[Any, ...]) -> TaskRecord:
        is_asking = row[rows.OPEN_AT] > 0
        return rows.to_record(row, map(rows.to_input, self._connection.execute(_OPEN, (row[0],))) if is_asking else ())

    def keep_revision(self) -> None:
        """See `Rows.keep_revision`."""
        self._connection.execute("UPDATE revisions SET newest = ?", (self.revision,))

    @staticmethod
    def newest(connection: sqlite3.Connection) -> int:
        """See `Rows.newest`."""
        (newest,) = connection.execute("SELECT newest FROM revisions").fetchone()
        return int(newest)

    @staticmethod
    def changed_since(connection: sqlite3.Connection, revision: int) -> tuple[dict[str, News], int]:
        """See `Rows.changed_since`."""
        found = connection.execute(_CHANGED, (revision,)).fetchall()
        return {id: News(at, ready_at) for id, at, ready_at in found}, found[-1][1] if found else revision

    def _stamped(self, change: Change) -> TaskRecord:
        if not change.is_visible:
            return change.record
        self.revision += 1
        record = change.stamped(self.revision).record
        self.changed[record.id] = News.of(record)
        return record
