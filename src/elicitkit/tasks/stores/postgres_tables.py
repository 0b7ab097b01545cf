"""Tasks as rows: the `Transaction` of the PostgreSQL store, in two round trips.

All is sent through a pipeline. With the first question about a task goes what the rest will need: the lock of its row,
its open questions, and a revision. What is written after that is not waited for one by one, but with the commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg.errors import UniqueViolation

from ...errors import TaskKeyError
from ..changes import Change, key_used
from ..listing import Listing
from ..record import History, News, TaskInput, TaskRecord
from . import rows
from .postgres_listing import listing_query
from .postgres_rows import Rows
from .postgres_text import given, kept

_TASK: Final = ", ".join(rows.TASK)
_SETS: Final = ", ".join(f"{name} = %s" for name in rows.CHANGING)
_SELECT_INPUTS: Final = f"SELECT {', '.join(rows.INPUT)} FROM inputs WHERE task_id = %s"


def _insert(table: str, columns: Sequence[str], also: str = "", value: str = "") -> bytes:
    places = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}{also}) VALUES ({places}{value})".encode()


def _within(table: str, columns: Sequence[str], also: str = "") -> str:
    """The rows of a task as one value: JSON text, or nothing."""
    of_row = f"json_build_array({', '.join(columns)})"
    return f"(SELECT json_agg({of_row} ORDER BY number)::text FROM {table} WHERE task_id = tasks.id{also})"


_TELLING: Final = b" RETURNING pg_notify(%s, %s)"  # Others hear of it when it is committed.
INSERT_TASK: Final = _insert("tasks", rows.TASK, ", changed", ", pg_current_xact_id()")
INSERT_READY: Final = INSERT_TASK + _TELLING
UPDATE_TASK: Final = f"UPDATE tasks SET {_SETS} WHERE id = %s".encode()
UPDATE_VISIBLY: Final = f"UPDATE tasks SET {_SETS}, changed = pg_current_xact_id() WHERE id = %s".encode() + _TELLING
SELECT_TASK: Final = f"SELECT {_TASK} FROM tasks WHERE id = %s".encode()
LOCK_TASK: Final = SELECT_TASK + b" FOR UPDATE"
INSERT_INPUT: Final = _insert("inputs", ["task_id", *rows.INPUT])
UPDATE_INPUT: Final = b"UPDATE inputs SET state = %s, reply = %s, settled_at = %s WHERE task_id = %s AND key = %s"
OPEN_INPUTS: Final = f"{_SELECT_INPUTS} AND state = 'open' ORDER BY number".encode()
EVERY_INPUT: Final = f"{_SELECT_INPUTS} ORDER BY number".encode()
_OPEN_WITHIN: Final = _within("inputs", rows.INPUT, " AND state = 'open'")
_INPUTS_WITHIN: Final = _within("inputs", rows.INPUT)
_STEPS_WITHIN: Final = _within("steps", ("name", "given"))
# In one statement, which is one round trip, and one state of the store.
READ_TASK: Final = f"SELECT {_TASK}, {_OPEN_WITHIN} FROM tasks WHERE id = %s".encode()
READ_HISTORY: Final = f"SELECT {_TASK}, {_INPUTS_WITHIN}, {_STEPS_WITHIN} FROM tasks WHERE id = %s".encode()
STEPS: Final = b"SELECT name, given FROM steps WHERE task_id = %s ORDER BY number"
KEEP_STEP: Final = b"INSERT INTO steps (task_id, name, given) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
LOCK_OWNER: Final = b"SELECT pg_advisory_xact_lock(%s)"
OPEN_OF: Final = b"SELECT coalesce(sum(open), 0)::bigint FROM tasks WHERE owner = %s AND open > 0"
READY: Final = b"""
    SELECT id FROM tasks
    WHERE waits AND lease_until <= %s AND (open > 0 OR due IS NULL OR due > %s)
    ORDER BY lease_until, revision LIMIT %s
"""
DUE: Final = b"SELECT id FROM tasks WHERE due <= %s ORDER BY due LIMIT %s"
CHANGED: Final = b"""
    SELECT id, revision, CASE WHEN waits THEN lease_until ELSE 'infinity' END FROM tasks
    WHERE changed >= %s::xid8 AND changed < pg_snapshot_xmax(pg_current_snapshot())
"""
DELETE: Final = (
    b"DELETE FROM inputs WHERE task_id = %s",
    b"DELETE FROM steps WHERE task_id = %s",
    b"DELETE FROM tasks WHERE id = %s",
)


class Tables(Rows):
    """The `Transaction` of the PostgreSQL store."""

    _changed = CHANGED

    def load(self, task_id: str) -> TaskRecord | None:
        """See `Transaction.load`."""
        if not _is_id(task_id):
            return None
        if self._is_reading:
            row = self._execute(READ_TASK, (task_id,)).fetchone()
            return None if row is None else _record(row[:-1], _written(row[-1]))
        found = self._execute(LOCK_TASK, (task_id,))
        # A statement of its own: it sees what was committed while the one before waited for the lock.
        inputs = self._execute(OPEN_INPUTS, (task_id,))
        self._look_ahead()
        row = found.fetchone()
        return None if row is None else _record(row, inputs)

    def load_history(self, task_id: str) -> History | None:
        """See `Transaction.load_history`."""
        if not _is_id(task_id):
            return None
        if self._is_reading:
            row = self._execute(READ_HISTORY, (task_id,)).fetchone()
            return None if row is None else _history(row[:-2], _written(row[-2]), _written(row[-1]))
        found = self._execute(LOCK_TASK, (task_id,))
        inputs, steps = self._execute(EVERY_INPUT, (task_id,)), self._execute(STEPS, (task_id,))
        self._look_ahead()
        row = found.fetchone()
        return None if row is None else _history(row, inputs, steps)

    def insert(self, record: TaskRecord) -> TaskRecord:
        """See `Transaction.insert`. Nobody elsewhere waits for a task that its maker has: it is found by a scan."""
        record = self._stamped(Change(record))
        made = _kept((*rows.fixed(record), *rows.changing(record)))
        if record.worker is None:
            self._write(INSERT_READY, (*made, *self._telling(record.id)))
        else:
            self._write(INSERT_TASK, made)
        return record

    def save(self, change: Change) -> TaskRecord:
        """See `Transaction.save`. That a key was used is found when all is committed."""
        record = self._stamped(change)
        for asked in change.parked:
            self._write(INSERT_INPUT, _kept((record.id, *rows.from_input(asked))))
        for asked in change.settled:
            settled = (asked.state, rows.reply_json(asked.reply), asked.settled_at, record.id, asked.key)
            self._write(UPDATE_INPUT, _kept(settled))
        updated = _kept((*rows.changing(record), record.id))
        if change.is_visible:
            self._write(UPDATE_VISIBLY, (*updated, *self._telling(record.id)))
        else:
            self._write(UPDATE_TASK, updated)
        return record

    def keep_step(self, task_id: str, name: str, given: str) -> None:
        """See `Transaction.keep_step`."""
        self._write(KEEP_STEP, _kept((task_id, name, given)))

    def open_of(self, owner: str) -> int:
        """See `Transaction.open_of`. Nobody else may ask this principal before the transaction ends."""
        self._execute(LOCK_OWNER, (self._lock_of(f"asks {owner}"),))
        found = self._execute(OPEN_OF, (kept(owner),))
        self._wait()
        (count,) = found.fetchone() or (0,)
        return int(count)

    def ready(self, limit: int, now: float) -> list[str]:
        """See `Transaction.ready`."""
        return [task_id for (task_id,) in self._execute(READY, (now, now, limit))]

    def page(self, listing: Listing, limit: int) -> list[TaskRecord]:
        """See `Transaction.page`."""
        query, wanted = listing_query(_TASK, listing, limit)
        found = self._execute(query.encode(), _kept(wanted)).fetchall()
        inputs = [self._execute(OPEN_INPUTS, (row[0],)) if row[rows.OPEN_AT] else () for row in found]
        return [_record(row, asked) for row, asked in zip(found, inputs, strict=True)]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`. They are in an order in which two sweeps do not wait for each other in turn."""
        return sorted(task_id for (task_id,) in self._execute(DUE, (now, limit)))

    def delete(self, task_id: str) -> None:
        """See `Transaction.delete`."""
        for statement in DELETE:
            self._write(statement, (task_id,))
        self.changed.pop(task_id, None)
        self.deleted.append(task_id)

    @staticmethod
    def refused(error: UniqueViolation) -> TaskKeyError:
        """What it means that something is there already."""
        if error.diag.constraint_name == "tasks_by_id":
            return TaskKeyError("There is a task of that id already.")
        return key_used()

    def _stamped(self, change: Change) -> TaskRecord:
        if not change.is_visible:
            return change.record
        record = change.stamped(self._next(change.record.id)).record
        self.changed[record.id] = News.of(record)
        return record


def _is_id(task_id: str) -> bool:
    """Whether a task may have it: PostgreSQL does not take every text."""
    return task_id.isascii() and task_id.isalnum()


def _record(row: tuple[Any, ...], inputs: Iterable[tuple[Any, ...]]) -> TaskRecord:
    return rows.to_record(_given(row), map(_input, inputs))


def _history(row: tuple[Any, ...], inputs: Iterable[tuple[Any, ...]], steps: Iterable[tuple[Any, ...]]) -> History:
    every = tuple(map(_input, inputs))
    record = rows.to_record(_given(row), [asked for asked in every if asked.state == "open"])
    return History(record, every, dict(map(_given, steps)))


def _input(row: tuple[Any, ...]) -> TaskInput:
    return rows.to_input(_given(row))


def _written(text: str | None) -> list[tuple[Any, ...]]:
    """Rows that came in one value, as JSON; there may be none."""
    return [] if text is None else [tuple(row) for row in json.loads(text)]


def _kept(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(kept, values))


def _given(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(given, row))
