"""`Waiting`: waits for the end of one task at a server, and has its questions answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias

from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, ElicitResult, ErrorData, InputRequest, TextContent
from pydantic import TypeAdapter, ValidationError

from ..errors import ProtocolError, TaskOutOfReach, TaskStuck
from .client_reach import Reach
from .messages import TaskState

Told: TypeAlias = Callable[[TaskState], None]
"""What hears of each state of a task that is new."""

FIRST_POLL: Final = 0.05
"""When a new task is asked for first, in seconds; from then on in steps that double, up to what the server says."""

_INPUT_REQUEST: TypeAdapter[InputRequest] = TypeAdapter(InputRequest)


class Awaited(Protocol):
    """A task at a server, as it is waited for."""

    id: str

    @property
    def poll_interval(self) -> float:
        """How often the server wants to be asked, in seconds."""
        ...

    async def state(self) -> TaskState:
        """Ask for the task as it is now."""
        ...

    async def answer(self, key: str, answer: ElicitResult) -> None:
        """Answer one question."""
        ...

    async def respond(self, key: str, response: Mapping[str, Any]) -> None:
        """Give the result of any request of the task's, as it is on the wire."""
        ...


class Waiting:
    """Waits for the end of one task, and has its questions answered.

    Args:
        task: The task.
        session: The connection that has the callbacks for what it asks.
        reach: What makes its requests.
        told: Hears of each state that is new.
        patience: How long it may work without any change before it is given up, in seconds.
    """

    def __init__(
        self, task: Awaited, session: ClientSession, reach: Reach, told: Told | None, patience: float | None
    ) -> None:
        self._task = task
        self._session = session
        self._reach = reach
        self._told = told
        self._patience = patience
        self._shown: set[str] = set()
        self._prompts: dict[str, asyncio.Task[None]] = {}
        self._last: tuple[str, str | None, str] | None = None
        self._changed_at = 0.0

    async def until_the_end(self) -> CallToolResult:
        """Its result.

        Raises:
            MCPError: The error it failed with; or one of the client's own callback.
            ProtocolError: If it ended with what the protocol does not allow.
            TaskOutOfReach: If it cannot be waited for, and goes on.
            TaskStuck: If it is given up.
        """
        self._changed_at = asyncio.get_running_loop().time()
        pause = FIRST_POLL
        try:
            while True:
                state = await self._state()
                self._note(state)
                if (result := end_of(state)) is not None:
                    return result
                self._ask(state.input_requests or {})
                self._raise_failures()
                pause = min(pause, self._task.poll_interval)
                pause = FIRST_POLL if await self._has_answered(pause) else 2 * pause
        finally:
            for prompt in self._prompts.values():
                prompt.cancel()
            await asyncio.gather(*self._prompts.values(), return_exceptions=True)

    async def _state(self) -> TaskState:
        before = self._reach.failures
        state = await self._reach.through(self._task.state)
        if self._reach.failures != before:  # Nobody could see it change; whoever listens hears of it anew.
            self._last = None
        return state

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
        try:
            wanted = input_request(request)
        except ProtocolError as error:
            raise TaskOutOfReach(self._task.id, str(error)) from error
        answer = await self._session.dispatch_input_request(context, wanted)
        if isinstance(answer, ErrorData):
            raise MCPError.from_error_data(answer)
        if isinstance(answer, ElicitResult):
            await self._reach.deliver(lambda: self._task.answer(key, answer))
        else:
            response = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
            await self._reach.deliver(lambda: self._task.respond(key, response))

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


def end_of(state: TaskState) -> CallToolResult | None:
    """What a task has come to; `None` while it goes on.

    Raises:
        MCPError: The error it failed with.
        ProtocolError: If it ended with what the protocol does not allow.
        TaskOutOfReach: If its status is none that there is.
    """
    if state.status in ENDS:
        return ENDS[state.status](state)
    if state.status not in _GOING_ON:
        raise TaskOutOfReach(state.task_id, "its server gave it a status that the protocol does not have")
    return None


def input_request(request: object) -> InputRequest:
    """What a task asks its client for.

    Raises:
        ProtocolError: If it is nothing that the protocol has.
    """
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
ENDS: Final[dict[str, Callable[[TaskState], CallToolResult]]] = {
    "completed": _completed,
    "failed": _failed,
    "cancelled": _cancelled,
}
"""How a task may end, and what each end gives or raises."""
