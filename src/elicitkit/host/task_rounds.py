"""A call that its server runs as a task, for a host that does not wait for people: from one question to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.client.extension import ClientExtension
from mcp_types import CallToolResult, ElicitResult, InputRequiredResult

from ..tasks.client import TaskHandle, TasksClient
from ..tasks.client_waiting import FIRST_POLL
from ..tasks.messages import EXTENSION


@dataclass(frozen=True, slots=True)
class TaskAsked:
    """A task that waits for answers."""

    task_id: str
    round: InputRequiredResult
    """Its open questions, as those of a round."""


def with_tasks(extensions: Iterable[ClientExtension]) -> tuple[ClientExtension, ...]:
    """The extensions of a client, and that for tasks, unless there is one."""
    given = tuple(extensions)
    return given if any(one.identifier == EXTENSION for one in given) else (*given, TasksClient())


async def next_of(handle: TaskHandle, answers: Mapping[str, Any]) -> CallToolResult | TaskAsked:
    """Give answers to a task, and wait until it asks something else or has ended.

    Raises:
        MCPError: The error the task failed with; -32602 if it is gone.
    """
    for key, answer in answers.items():
        await handle.answer(key, ElicitResult.model_validate(answer))
    pause = FIRST_POLL
    while True:
        state = await handle.state()
        if state.status not in ("working", "input_required"):
            return await handle.wait()  # It has ended, and this is what it came to.
        asked = {key: request for key, request in (state.input_requests or {}).items() if key not in answers}
        if asked:
            return TaskAsked(handle.id, InputRequiredResult.model_validate({"inputRequests": asked}))
        await asyncio.sleep(pause)
        pause = min(2 * pause, handle.poll_interval)
