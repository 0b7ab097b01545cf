"""Tasks as rows: the `Transaction` of the SQLite store, inside a transaction that its caller has begun."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ... import _json
from ...errors import TaskKeyError
from ...journal import Reply
from ..changes import Change, key_used
from ..record import History, TaskInput, TaskRecord, to_json

_FIXED: Final = ("id", "owner", "created_at", "ttl", "poll_interval_ms", "call")
_CHANGING: Final = (
    *("status", "status_message", "updated_at", "last_activity", "revision", "wake", "fence", "worker", "lease_until"),
    *("open", "waits", "due", "result", "error"),
)
_INPUT: Final = (
    *("key", "name", "shape", "request", "until", "message", "attempt", "tries", "state", "reply"),
    *("parked_at", "settled_at"),
)


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT_TASK: Final = _insert("tasks", [*_FIXED, *_CHANGING])
_UPDATE_TASK: Final = f"UPDATE tasks SET {', '.join(f'{name} = ?' for name in _CHANGING)} WHERE id = ?"
_SELECT_TASK: Final = f"SELECT {', '.join([*_FIXED, *_CHANGING])} FROM tasks WHERE id = ?"
_INSERT_INPUT: Final = _insert("inputs", ["task_id", *_INPUT])
_UPDATE_INPUT: Final = "UPDATE inputs SET state = ?, reply = ?, settled_at = ? WHERE task_id = ? AND key = ?"
_SELECT_INPUTS: Final = f"SELECT {', '.join(_INPUT)} FROM inputs WHERE task_id = ?"
_OPEN: Final = f"{_SELECT_INPUTS} AND state = 'open' ORDER BY number"
_READY: Final = """
    SELECT id FROM tasks
    WHERE waits = 1 AND lease_until <= ? AND (open > 0 OR due IS NULL OR due > ?)
    ORDER BY lease_until, revision LIMIT ?
"""


class Tables:
    """The `Transaction` of the SQLite store.

    Args:
        connection: One that is inside a transaction.
        revision: The newest revision there is; of no meaning to who only reads.
    """

    def __init__(self, connection: sqlite3.Connection, revision: int = 0) -> None:
        self.revision = revision
        """The newest revision, with what was done here."""
        self.changed: dict[str, int | None] = {}
        """The tasks that changed here, each with its revision; `None` for those that were deleted."""
        self._connection = connection

    def load(self, task_id: str) -> TaskRecord | None:
        """See `Transaction.load`."""
        if not task_id.isascii():  # No id of ours is; and SQLite takes no half characters.
            return None
        row = self._connection.execute(_SELECT_TASK, (task_id,)).fetchone()
        if row is None:
            return None
        is_asking = row[_OPEN_AT] > 0
        return _record(row, map(_input, self._connection.execute(_OPEN, (task_id,))) if is_asking else ())

    def load_history(self, task_id: str) -> History | None:
        """See `Transaction.load_history`."""
        if (record := self.load(task_id)) is None:
            return None
        inputs = self._connection.execute(f"{_SELECT_INPUTS} ORDER BY number", (task_id,))
        steps = self._connection.execute("SELECT name, given FROM steps WHERE task_id = ?", (task_id,))
        return History(record, tuple(map(_input, inputs)), dict(steps))

    def insert(self, record: TaskRecord) -> TaskRecord:
        """See `Transaction.insert`."""
        record = self._stamped(Change(record))
        fixed = (record.id, record.owner, record.created_at, record.ttl, record.poll_interval_ms, record.call_json)
        try:
            self._connection.execute(_INSERT_TASK, (*fixed, *_changing(record)))
        except sqlite3.IntegrityError:
            raise TaskKeyError("There is a task of that id already.") from None
        return record

    def save(self, change: Change) -> TaskRecord:
        """See `Transaction.save`."""
        record, execute = self._stamped(change), self._connection.execute
        try:
            for asked in change.parked:
                execute(_INSERT_INPUT, (record.id, *_input_row(asked)))
        except sqlite3.IntegrityError:
            raise key_used() from None
        for asked in change.settled:
            execute(_UPDATE_INPUT, (asked.state, _reply_json(asked.reply), asked.settled_at, record.id, asked.key))
        execute(_UPDATE_TASK, (*_changing(record), record.id))
        return record

    def keep_step(self, task_id: str, name: str, given: str) -> None:
        """See `Transaction.keep_step`."""
        self._connection.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", (task_id, name, given))

    def open_of(self, owner: str) -> int:
        """See `Transaction.open_of`."""
        row = self._connection.execute(
            "SELECT total(open) FROM tasks WHERE owner = ? AND open > 0", (owner,)
        ).fetchone()
        return int(row[0])

    def ready(self, limit: int, now: float) -> list[str]:
        """See `Transaction.ready`."""
        return [task_id for (task_id,) in self._connection.execute(_READY, (now, now, limit))]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`."""
        due = "SELECT id FROM tasks WHERE due <= ? ORDER BY due LIMIT ?"
        return [task_id for (task_id,) in self._connection.execute(due, (now, limit))]

    def delete(self, task_id: str) -> None:
        """See `Transaction.delete`."""
        for table, column in (("inputs", "task_id"), ("steps", "task_id"), ("tasks", "id")):
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (task_id,))
        self.changed[task_id] = None

    def _stamped(self, change: Change) -> TaskRecord:
        if not change.is_visible:
            return change.record
        self.revision += 1
        self.changed[change.record.id] = self.revision
        return change.stamped(self.revision).record


def changed_since(connection: sqlite3.Connection, revision: int) -> tuple[dict[str, int], int]:
    """The tasks that changed after a revision, each with its own, and the newest revision among them."""
    changed = "SELECT id, revision FROM tasks WHERE revision > ? ORDER BY revision"
    rows = connection.execute(changed, (revision,)).fetchall()
    return dict(rows), rows[-1][1] if rows else revision


# --- rows -------------------------------------------------------------------------------------------------------------

_OPEN_AT: Final = len(_FIXED) + _CHANGING.index("open")


def _changing(record: TaskRecord) -> tuple[Any, ...]:
    return (
        record.status,
        record.status_message,
        record.updated_at,
        record.last_activity,
        record.revision,
        record.wake,
        record.fence,
        record.worker,
        record.lease_until,
        len(record.inputs),
        record.is_waiting_to_run,
        record.due,
        record.result_json,
        record.error_json,
    )


def _record(row: tuple[Any, ...], inputs: Iterable[TaskInput]) -> TaskRecord:
    id, owner, created_at, ttl, poll_interval_ms, call = row[: len(_FIXED)]
    status, message, updated_at, active, revision, wake, fence, worker, lease, _, _, _, result, error = row[
        len(_FIXED) :
    ]
    return TaskRecord(
        id,
        owner,
        call,
        created_at,
        updated_at,
        active,
        status=status,
        status_message=message,
        ttl=ttl,
        poll_interval_ms=poll_interval_ms,
        inputs={asked.key: asked for asked in inputs},
        result_json=result,
        error_json=error,
        revision=revision,
        wake=wake,
        fence=fence,
        worker=worker,
        lease_until=lease,
    )


def _input_row(asked: TaskInput) -> tuple[Any, ...]:
    return (
        asked.key,
        asked.name,
        asked.shape,
        _json.dumps(asked.request).decode(),
        asked.until,
        asked.message,
        asked.attempt,
        asked.tries,
        asked.state,
        _reply_json(asked.reply),
        asked.parked_at,
        asked.settled_at,
    )


def _input(row: tuple[Any, ...]) -> TaskInput:
    key, name, shape, request, until, message, attempt, tries, state, reply, parked_at, settled_at = row
    return TaskInput(
        key,
        name,
        shape,
        _json.loads(request),
        until,
        message=message,
        attempt=attempt,
        tries=tries,
        state=state,
        reply=None if reply is None else _reply(reply),
        parked_at=parked_at,
        settled_at=settled_at,
    )


def _reply_json(reply: Reply | None) -> str | None:
    if reply is None:
        return None
    return to_json("the answer", [reply.action, reply.content, reply.problem, reply.is_expired, reply.tries])


def _reply(text: str) -> Reply:
    action, content, problem, is_expired, tries = json.loads(text)
    return Reply(action, content, problem, is_expired=is_expired, tries=tries)
