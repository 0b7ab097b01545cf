"""The requests of the Tasks extension, as the SDK reads them (`io.modelcontextprotocol/tasks`, 2026-07-28)."""

from __future__ import annotations

from typing import Any, Final, Literal

from mcp_types import NotificationParams, Request, RequestParams, Result

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
    name_param = "taskId"


class UpdateTask(Request[UpdateParams, Literal["tasks/update"]]):
    """Answers questions of a task."""

    method: Literal["tasks/update"] = "tasks/update"
    params: UpdateParams
    name_param = "taskId"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    """Asks to end a task."""

    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class CreatedTask(Result):
    """What a call gives that became a task (`CreateTaskResult`)."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int | None = None


class TaskState(Result):
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


class TaskNotificationParams(NotificationParams):
    """The params of `notifications/tasks`: the whole task."""

    task_id: str
