"""A task as the wire has it (Tasks extension, 2026-07-28): results and notifications, made of a record.

Nothing is copied: what is made shares the requests of the record, and is to be written, not changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from .record import TaskRecord


def create_task_result(record: TaskRecord) -> dict[str, Any]:
    """The answer to the `tools/call` that became a task (`CreateTaskResult`)."""
    return {"resultType": "task", **_task(record)}


def get_task_result(record: TaskRecord) -> dict[str, Any]:
    """The answer to `tasks/get` (`GetTaskResult`)."""
    return {"resultType": "complete", **_task(record), **_outcome(record)}


def task_notification(record: TaskRecord) -> dict[str, Any]:
    """The params of `notifications/tasks`: the whole task, as `tasks/get` would give it."""
    return {**_task(record), **_outcome(record)}


def write_moment(moment: float) -> str:
    """A moment as the wire has it: ISO 8601, UTC, to the millisecond.

    >>> write_moment(1785240000.25)
    '2026-07-28T12:00:00.250Z'
    """
    second, microseconds = divmod(round(moment * 1_000_000), 1_000_000)
    return f"{_write_second(second)}.{microseconds // 1000:03}Z"


@lru_cache(maxsize=256)
def _write_second(second: int) -> str:
    """The whole seconds of a moment; most that are written lie in the same few."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _task(record: TaskRecord) -> dict[str, Any]:
    """What every message about a task has."""
    task: dict[str, Any] = {
        "taskId": record.id,
        "status": record.status,
        "createdAt": write_moment(record.created_at),
        "lastUpdatedAt": write_moment(record.updated_at),
        "ttlMs": record.ttl_ms,
    }
    if record.poll_interval_ms is not None:
        task["pollIntervalMs"] = record.poll_interval_ms
    if record.status_message is not None:
        task["statusMessage"] = record.status_message
    return task


def _outcome(record: TaskRecord) -> dict[str, Any]:
    """The one member that a status has of its own."""
    match record.status:
        case "input_required":
            return {"inputRequests": {key: asked.request for key, asked in record.inputs.items()}}
        case "completed":
            return {"result": record.result}
        case "failed":
            return {"error": record.error}
        case _:
            return {}
