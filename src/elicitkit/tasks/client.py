"""`TasksClient`: the Tasks extension for the SDK's client. `client.call_tool` gives the finished result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

import anyio
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ElicitResult, Result

from ..asking.road import seconds_of
from ..errors import TaskOutOfReach
from .client_reach import OUTAGE, Reach, Unreached
from .client_waiting import ENDS, Told, Waiting
from .messages import EXTENSION, CancelTask, CreatedTask, GetTask, TaskParams, TaskState, UpdateParams, UpdateTask

POLL: Final = 1.0
"""How often a task is asked for, in seconds, where the server says nothing."""

GOODBYE_SECONDS: Final = 5.0
"""How long a call that ends before its task may take to cancel it."""


class TaskHandle:
    """One task at a server: what it is doing, its answers, its end.

    It holds nothing but the id: with that, another process makes a handle of its own (`TasksClient.attach`).

    Args:
        session: The connection to the server.
        task_id: The task.
        poll_interval: How often to ask, in seconds, until the server says something else.
    """

    def __init__(self, session: ClientSession, task_id: str, *, poll_interval: float = POLL) -> None:
        self.id = task_id
        self.is_over: bool = False
        """Whether the task has ended, or is not there, as far as this handle was told."""
        self.is_cancelled: bool = False
        """Whether its server has taken a request of this handle's to end it."""
        self._session = session
        self._poll_interval = poll_interval

    async def state(self) -> TaskState:
        """Ask for the task as it is now (`tasks/get`).

        Raises:
            MCPError: -32602, if there is no such task, or no longer.
        """
        try:
            state = await self._session.send_request(GetTask(params=TaskParams(task_id=self.id)), TaskState)
        except MCPError as error:
            self.is_over = self.is_over or error.code == INVALID_PARAMS
            raise
        if state.poll_interval_ms and state.poll_interval_ms > 0:
            self._poll_interval = state.poll_interval_ms / 1000
        self.is_over = state.status in ENDS
        return state

    async def answer(self, key: str, answer: ElicitResult) -> None:
        """Answer one question (`tasks/update`). The first answer wins; one to a question that is gone is ignored.

        Raises:
            MCPError: -32602, if there is no such task, or no longer.
        """
        response = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        if answer.content is not None:  # There, `null` says something: the person cleared the field.
            response["content"] = dict(answer.content)
        await self.respond(key, response)

    async def respond(self, key: str, response: Mapping[str, Any]) -> None:
        """Give the result of any request of the task's, as it is on the wire.

        Raises:
            MCPError: As for `answer`.
        """
        params = UpdateParams(task_id=self.id, input_responses={key: dict(response)})
        await self._session.send_request(UpdateTask(params=params), Result)

    async def cancel(self) -> None:
        """Ask to end the task (`tasks/cancel`). One that has ended stays as it is.

        Raises:
            MCPError: -32602, if there is no such task, or no longer.
        """
        await self._session.send_request(CancelTask(params=TaskParams(task_id=self.id)), Result)
        self.is_cancelled = True

    async def wait(
        self,
        told: Told | None = None,
        *,
        patience: timedelta | float | None = None,
        outage: timedelta | float | None = OUTAGE,
        unreached: Unreached | None = None,
    ) -> CallToolResult:
        """Wait for the end, and let the client's `elicitation_callback` answer what is asked, each question once.

        A question that is answered elsewhere, or over, is withdrawn: its callback is cancelled. The task itself is left
        alone when this is cancelled. Requests that fail with what passes are made again, answers too: the way to the
        server, an internal error of its, a status of HTTP such as 503.

        Args:
            told: Hears of each state that is new.
            patience: How long a task may work without any change before it is given up, in seconds or as a
                `timedelta`; `None` for ever. The time in which it waits for a person does not count.
            outage: How long requests may fail before the task is left alone; `None` for ever.
            unreached: Hears of each request that failed, and is made again.

        Raises:
            MCPError: The error the task failed with; or one of the client's own callback.
            ProtocolError: If it ended with something the protocol does not allow.
            TaskOutOfReach: If it cannot be waited for, and goes on: its server failed for too long, refused the
                request, does not know it, or broke the protocol.
            TaskStuck: If it is given up.
        """
        reach = Reach(self.id, outage=outage, unreached=unreached)
        limit = seconds_of(patience, what="patience")
        return await Waiting(self, self._session, reach, told, limit).until_the_end()

    @property
    def poll_interval(self) -> float:
        """How often the server wants to be asked, in seconds."""
        return self._poll_interval


class TasksClient(ClientExtension):
    """Lets a server run calls as tasks, and waits for them: `call_tool` gives what the call would have given.

        client = Client(server, extensions=[TasksClient()], elicitation_callback=answer)
        result = await client.call_tool("order", {"cart": "42"})

    What a task asks goes to the `elicitation_callback`. A task is cancelled where its call is, where a callback fails,
    and where it is given up for lack of `patience`. When its server cannot be reached any longer, it goes on: the call
    raises `TaskOutOfReach`, which has the id to `attach` by.

    Args:
        created: Called with the handle of each new task, before it is waited for: the place to keep its id, so that
            another process can `attach` to it.
        told: Hears of each state of a task that is new.
        patience: As for `TaskHandle.wait`, and the next two also.
        outage: How long requests about a task may fail.
        unreached: Hears of each that failed, and is made again.
    """

    identifier = EXTENSION

    def __init__(
        self,
        *,
        created: Callable[[TaskHandle], Awaitable[None] | None] | None = None,
        told: Told | None = None,
        patience: timedelta | float | None = None,
        outage: timedelta | float | None = OUTAGE,
        unreached: Unreached | None = None,
    ) -> None:
        self._created = created
        self._told = told
        self._patience = seconds_of(patience, what="patience")
        self._outage = seconds_of(outage, what="outage")
        self._unreached = unreached

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """The result of a call that became a task."""
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self._resolve)]

    @staticmethod
    def attach(session: ClientSession, task_id: str) -> TaskHandle:
        """A handle for a task that is known by its id, from this process or another."""
        return TaskHandle(session, task_id)

    async def _resolve(self, task: CreatedTask, ctx: ClaimContext) -> CallToolResult:
        interval = task.poll_interval_ms / 1000 if task.poll_interval_ms and task.poll_interval_ms > 0 else POLL
        handle = TaskHandle(ctx.session, task.task_id, poll_interval=interval)
        try:
            if self._created is not None and (keeping := self._created(handle)) is not None:
                await keeping
            return await handle.wait(
                self._told, patience=self._patience, outage=self._outage, unreached=self._unreached
            )
        except BaseException as error:
            is_left = isinstance(error, TaskOutOfReach) and error.task_id == handle.id
            if not (handle.is_over or is_left):
                await _cancel_quietly(handle)
            raise


async def _cancel_quietly(handle: TaskHandle) -> None:
    with anyio.CancelScope(shield=True), anyio.move_on_after(GOODBYE_SECONDS), suppress(Exception):
        await Reach(handle.id, outage=GOODBYE_SECONDS).through(handle.cancel)
