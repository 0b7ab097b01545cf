"""The requests of the Tasks extension, as the SDK reads them (`io.modelcontextprotocol/tasks`, 2026-07-28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from mcp_types import Request, RequestParams, Result
from pydantic import model_validator

EXTENSION: Final = "io.modelcontextprotocol/tasks"
"""The identifier under which both sides declare it."""


class TaskParams(RequestParams):
    """What `tasks/get` and `tasks/cancel` name."""

    task_id: str


class UpdateParams(TaskParams):
    """Answers, by the keys of the questions. What is no answer is not refused here: unknown keys are ignored."""

    input_responses: dict[str, Any]


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    """Asks for a task."""

    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param: ClassVar[str | None] = "taskId"


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    """Answers questions of a task."""

    method: Literal["tasks/update"] = "tasks/update"
    params: UpdateParams
    name_param: ClassVar[str | None] = "taskId"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    """Asks to end a task."""

    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param: ClassVar[str | None] = "taskId"


class _Task(Result):
    """A result about a task. Some servers put the task under `task`, as revision 2025-11-25 did; it is read alike."""

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and "taskId" not in given and isinstance(given.get("task"), Mapping):
            return {**given, **given["task"]}
        return given


class CreatedTask(_Task):
    """What a call gives that became a task (`CreateTaskResult`)."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None


class TaskState(_Task):
    """What `tasks/get` gives (`GetTaskResult`). What it asks, and how it ended, are plain JSON."""

    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None
    input_requests: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
