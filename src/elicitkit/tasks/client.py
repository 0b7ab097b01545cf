"""`TasksClient`: the Tasks extension for the SDK's client. `client.call_tool` gives the finished result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, TypeAlias, TypeVar

import anyio
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    REQUEST_TIMEOUT,
    CallToolResult,
    ElicitResult,
    ErrorData,
    InputRequest,
    Result,
    TextContent,
)
from pydantic import TypeAdapter, ValidationError

from ..errors import ProtocolError, TaskStuck
from .messages import EXTENSION, CancelTask, CreatedTask, GetTask, TaskParams, TaskState, UpdateParams, UpdateTask

T = TypeVar("T")

Told: TypeAlias = Callable[[TaskState], None]
"""What hears of each state of a task that is new."""

FIRST_POLL: Final = 0.05
"""When a new task is asked for first, in seconds; from then on in steps that double, up to what the server says."""

POLL: Final = 1.0
"""How often a task is asked for, in seconds, where the server says nothing."""

_ON_THE_WAY = frozenset({CONNECTION_CLOSED, REQUEST_TIMEOUT})
"""The errors that say nothing about a task, but about the way to it."""

_INPUT_REQUEST: TypeAdapter[InputRequest] = TypeAdapter(InputRequest)

_FAILURES = 5
"""How many requests may fail in a row before a task is given up."""


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
        """Whether the task has ended, as far as this handle was told."""
        self._session = session
        self._poll_interval = poll_interval

    async def state(self) -> TaskState:
        """Ask for the task as it is now (`tasks/get`).

        Raises:
            MCPError: -32602, if there is no such task, or no longer.
        """
        state = await self._session.send_request(GetTask(params=TaskParams(task_id=self.id)), TaskState)
        if state.poll_interval_ms and state.poll_interval_ms > 0:
            self._poll_interval = state.poll_interval_ms / 1000
        self.is_over = state.status in _ENDS
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

    async def wait(self, told: Told | None = None, *, patience: timedelta | float | None = None) -> CallToolResult:
        """Wait for the end, and let the client's `elicitation_callback` answer what is asked, each question once.

        A question that is answered elsewhere, or over, is withdrawn: its callback is cancelled. The task itself is left
        alone when this is cancelled.

        Args:
            told: Hears of each state that is new.
            patience: How long a task may work without any change before it is given up, in seconds or as a
                `timedelta`; `None` for ever. The time in which it waits for a person does not count.

        Raises:
            MCPError: The error the task failed with; one of the client's own callback; -32602 if the task is gone.
            ProtocolError: If the server asks or ends with something the protocol does not allow.
            TaskStuck: If it is given up.
        """
        limit = patience.total_seconds() if isinstance(patience, timedelta) else patience
        return await _Waiting(self, self._session, told, limit).until_the_end()

    @property
    def poll_interval(self) -> float:
        """How often the server wants to be asked, in seconds."""
        return self._poll_interval


class TasksClient(ClientExtension):
    """Lets a server run calls as tasks, and waits for them: `call_tool` gives what the call would have given.

        client = Client(server, extensions=[TasksClient()], elicitation_callback=answer)
        result = await client.call_tool("order", {"cart": "42"})

    What a task asks goes to the `elicitation_callback`. A call that is cancelled cancels its task.

    Args:
        created: Called with the handle of each new task, before it is waited for: the place to keep its id, so that
            another process can `attach` to it.
        told: Hears of each state of a task that is new.
        patience: As for `TaskHandle.wait`.
    """

    identifier = EXTENSION

    def __init__(
        self,
        *,
        created: Callable[[TaskHandle], Awaitable[None] | None] | None = None,
        told: Told | None = None,
        patience: timedelta | float | None = None,
    ) -> None:
        self._created = created
        self._told = told
        self._patience = patience

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
            return await handle.wait(self._told, patience=self._patience)
        except BaseException as error:
            is_lost = isinstance(error, MCPError) and error.code in _ON_THE_WAY
            if not (handle.is_over or is_lost):  # A task that is only out of reach can be attached to again.
                await _cancel_quietly(handle)
            raise


async def _cancel_quietly(handle: TaskHandle) -> None:
    with anyio.CancelScope(shield=True), anyio.move_on_after(5), suppress(Exception):
        await handle.cancel()


class _Waiting:
    """Waits for the end of one task, and has its questions answered."""

    def __init__(self, handle: TaskHandle, session: ClientSession, told: Told | None, patience: float | None) -> None:
        self._handle = handle
        self._session = session
        self._told = told
        self._patience = patience
        self._shown: set[str] = set()
        self._prompts: dict[str, asyncio.Task[None]] = {}
        self._last: tuple[str, str | None, str] | None = None
        self._changed_at = 0.0

    async def until_the_end(self) -> CallToolResult:
        self._changed_at = asyncio.get_running_loop().time()
        pause = FIRST_POLL
        try:
            while True:
                state = await self._state()
                self._note(state)
                if state.status in _ENDS:
                    return _ENDS[state.status](state)
                if state.status not in _GOING_ON:
                    raise ProtocolError("the server gave a task a status that the protocol does not have")
                self._ask(state.input_requests or {})
                self._raise_failures()
                pause = min(pause, self._handle.poll_interval)
                pause = FIRST_POLL if await self._has_answered(pause) else 2 * pause
        finally:
            for prompt in self._prompts.values():
                prompt.cancel()
            await asyncio.gather(*self._prompts.values(), return_exceptions=True)

    async def _state(self) -> TaskState:
        return await _through(self._handle.state)

    def _note(self, state: TaskState) -> None:
        now = asyncio.get_running_loop().time()
        seen = (state.status, state.status_message, state.last_updated_at)
        if seen != self._last:
            self._last, self._changed_at = seen, now
            if self._told is not None:
                self._told(state)
        elif self._patience is not None and state.status == "working" and now - self._changed_at > self._patience:
            raise TaskStuck(f"The task did not change for {self._patience:g} seconds, and was given up.")

    def _ask(self, requests: dict[str, Any]) -> None:
        """Put what is new to the person, and withdraw what is gone."""
        for key, request in requests.items():
            if key not in self._shown:
                self._shown.add(key)
                self._prompts[key] = asyncio.create_task(self._prompt(key, request))
        for key in self._prompts.keys() - requests.keys():
            prompt = self._prompts[key]
            if not prompt.done():
                prompt.cancel()

    async def _prompt(self, key: str, request: Any) -> None:
        context = ClientRequestContext(session=self._session, request_id=key)
        answer = await self._session.dispatch_input_request(context, _input_request(request))
        if isinstance(answer, ErrorData):
            raise MCPError.from_error_data(answer)
        if isinstance(answer, ElicitResult):
            await _through(lambda: self._handle.answer(key, answer))
        else:
            response = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
            await _through(lambda: self._handle.respond(key, response))

    def _raise_failures(self) -> None:
        for key, prompt in [*self._prompts.items()]:
            if prompt.done():
                del self._prompts[key]
                if not prompt.cancelled() and (error := prompt.exception()) is not None:
                    raise error

    async def _has_answered(self, seconds: float) -> bool:
        """Wait a while, or until a person has answered, and tell whether one has."""
        if not self._prompts:
            await asyncio.sleep(seconds)
            return False
        prompts = self._prompts.values()
        done, _ = await asyncio.wait(prompts, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)


async def _through(request: Callable[[], Awaitable[T]]) -> T:
    """Make a request that may be repeated, however often the way there fails for a while.

    Raises:
        MCPError: What the server says about the task itself; or, after some tries, the failure on the way.
    """
    for failed in range(1, _FAILURES + 1):
        try:
            return await request()
        except MCPError as error:
            if failed == _FAILURES or error.code not in _ON_THE_WAY:
                raise
        await asyncio.sleep(failed * FIRST_POLL)
    raise AssertionError("the last try returns or raises")


def _input_request(request: object) -> InputRequest:
    with suppress(ValidationError):
        if isinstance(request, Mapping) and "method" in request:  # One of the models would do without.
            return _INPUT_REQUEST.validate_python(request, by_name=False)
    raise ProtocolError("the server asks in a task for something the protocol does not allow")


def _completed(state: TaskState) -> CallToolResult:
    try:
        return CallToolResult.model_validate(state.result, by_name=False)
    except ValidationError:
        raise ProtocolError("the server completed a task with something that is no result of a tool") from None


def _failed(state: TaskState) -> CallToolResult:
    try:
        error = ErrorData.model_validate(state.error or {"code": INTERNAL_ERROR, "message": "The task failed."})
    except ValidationError:
        raise ProtocolError("the server failed a task with something that is no error") from None
    raise MCPError.from_error_data(error)


def _cancelled(state: TaskState) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="The task was cancelled.")], is_error=True)


_GOING_ON = frozenset({"working", "input_required"})
_ENDS: dict[str, Callable[[TaskState], CallToolResult]] = {
    "completed": _completed,
    "failed": _failed,
    "cancelled": _cancelled,
}
