"""A call that its server runs as a task, for a host that does not wait for people: from one question to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp import MCPError
from mcp.client.extension import ClientExtension
from mcp_types import INVALID_PARAMS, CallToolResult, ElicitResult, InputRequiredResult
from pydantic import ValidationError

from ..errors import TaskOutOfReach
from ..suspension import Request, new_id
from ..tasks.client import TaskHandle, TasksClient
from ..tasks.client_reach import Reach
from ..tasks.client_waiting import FIRST_POLL, end_of
from ..tasks.messages import EXTENSION
from .origins import Origin
from .troubles import first_fault


@dataclass(frozen=True, slots=True)
class TaskAsked:
    """A task that waits for answers."""

    task_id: str
    round: InputRequiredResult
    """Its open questions, as those of a round."""


def with_tasks(extensions: Iterable[ClientExtension], outage: float | None) -> tuple[ClientExtension, ...]:
    """The extensions of a client, and that for tasks, unless there is one."""
    given = tuple(extensions)
    return given if any(one.identifier == EXTENSION for one in given) else (*given, TasksClient(outage=outage))


async def next_of(handle: TaskHandle, reach: Reach, answers: Mapping[str, Any]) -> CallToolResult | TaskAsked:
    """Give answers to a task, and wait until it asks something else or has ended.

    An answer to a question that is not open any more is left out: it may have been given before.

    Raises:
        MCPError: The error the task failed with.
        TaskOutOfReach: If it cannot be waited for, and goes on.
    """
    pause, unsent = FIRST_POLL, dict(answers)
    while True:
        state = await reach.through(handle.state)
        if (result := end_of(state)) is not None:
            return result
        requests = state.input_requests or {}
        for key in [key for key in unsent if key in requests]:
            answer = ElicitResult.model_validate(unsent.pop(key))
            await reach.deliver(partial(handle.answer, key, answer))
        if asked := {key: request for key, request in requests.items() if key not in answers}:
            return TaskAsked(handle.id, _round(handle.id, asked))
        await asyncio.sleep(pause)
        pause = min(2 * pause, handle.poll_interval)


def may_come_back(error: TaskOutOfReach) -> bool:
    """Whether a task may be waited for later, when its server is there again or lets this host in."""
    cause = error.__cause__
    return isinstance(cause, TimeoutError) or (isinstance(cause, MCPError) and cause.code != INVALID_PARAMS)


def asked_again(why: str, origin: Origin) -> Request:
    """The question whether to go on with a task that is out of reach; whoever says yes asks its server again."""
    prompt = f"{why}. Its task {origin.task} was left as it is. Ask for it again?"
    return origin.noted_in(Request(new_id("task"), "approval", prompt))


def _round(task_id: str, asked: Mapping[str, Any]) -> InputRequiredResult:
    try:
        return InputRequiredResult.model_validate({"inputRequests": asked})
    except ValidationError as error:
        raise TaskOutOfReach(task_id, f"it broke the protocol: {first_fault(error)}") from error
