"""Tasks and their questions as rows: what the stores that speak SQL have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from ... import _json
from ...journal import Reply
from ..record import TaskInput, TaskRecord, to_json

FIXED: Final = ("id", "owner", "created_at", "ttl", "poll_interval_ms", "call")
"""The columns of a task that stay as they are."""

CHANGING: Final = (
    *("status", "status_message", "updated_at", "last_activity", "revision", "wake", "fence", "worker", "lease_until"),
    *("begun", "open", "waits", "due", "result", "error"),
)
"""The columns of a task that do not."""

UNSEEN: Final = ("last_activity", "wake", "fence", "worker", "lease_until", "begun", "waits", "due")
"""What a change that nobody sees writes."""

TASK: Final = (*FIXED, *CHANGING)
OPEN_AT: Final = TASK.index("open")
"""Where a row says how many questions are open."""

INPUT: Final = (
    *("key", "name", "shape", "request", "until", "message", "attempt", "tries", "state", "reply"),
    *("parked_at", "settled_at"),
)
"""The columns of a question."""


def fixed(record: TaskRecord) -> tuple[Any, ...]:
    """The values of `FIXED`."""
    return record.id, record.owner, record.created_at, record.ttl, record.poll_interval_ms, record.call_json


def changing(record: TaskRecord) -> tuple[Any, ...]:
    """The values of `CHANGING`."""
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
        record.begun,
        len(record.inputs),
        record.is_waiting_to_run,
        record.due,
        record.result_json,
        record.error_json,
    )


def unseen(record: TaskRecord) -> tuple[Any, ...]:
    """The values of `UNSEEN`."""
    return (
        record.last_activity,
        record.wake,
        record.fence,
        record.worker,
        record.lease_until,
        record.begun,
        record.is_waiting_to_run,
        record.due,
    )


def to_record(row: tuple[Any, ...], inputs: Iterable[TaskInput]) -> TaskRecord:
    """The task of a row of `TASK`, with its open questions."""
    id, owner, created_at, ttl, poll_interval_ms, call = row[: len(FIXED)]
    status, message, updated_at, active, revision, wake, fence, worker, lease, begun, _, _, _, result, error = row[
        len(FIXED) :
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
        begun=begun,
    )


def from_input(asked: TaskInput) -> tuple[Any, ...]:
    """The values of `INPUT`."""
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
        reply_json(asked.reply),
        asked.parked_at,
        asked.settled_at,
    )


def to_input(row: tuple[Any, ...]) -> TaskInput:
    """The question of a row of `INPUT`."""
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


def reply_json(reply: Reply | None) -> str | None:
    """What came, as JSON text in ASCII."""
    if reply is None:
        return None
    return to_json("the answer", [reply.action, reply.content, reply.problem, reply.is_expired, reply.tries])


def _reply(text: str) -> Reply:
    action, content, problem, is_expired, tries = json.loads(text)
    return Reply(action, content, problem, is_expired=is_expired, tries=tries)
