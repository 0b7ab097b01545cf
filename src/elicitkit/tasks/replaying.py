"""Running the call of a record again: through a client of our own in the same process, as a real call would run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp.server.context import HandlerResult
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

from .call import TaskCall
from .endings import is_running
from .execution import Execution
from .identity import acting_as
from .record import History
from .road import ParkedRoad
from .run import Run

_whose: ContextVar[object] = ContextVar("_whose", default=None)
"""For whose client a server's lifespan is entered, in this process."""


@asynccontextmanager
async def own_client(server: MCPServer[Any], whose: object) -> AsyncIterator[Client]:
    """A client of the server in this process; while it enters the server's lifespan, `is_own_client` says so."""
    async with AsyncExitStack() as stack:
        held = _whose.set(whose)
        try:
            client = await stack.enter_async_context(Client(server))
        finally:
            _whose.reset(held)
        yield client


def is_own_client(whose: object) -> bool:
    """Whether it is for the client of `own_client` that a lifespan is entered."""
    return _whose.get() is whose


@dataclass(frozen=True, slots=True)
class Replay:
    """A call that is run again, on its way through the server in this process."""

    call: TaskCall
    road: ParkedRoad
    given: asyncio.Future[dict[str, Any]]
    """What it gives, as the wire has it, or the error it ended with."""


_next: ContextVar[Replay | None] = ContextVar("_next", default=None)
"""The replay that the next `tools/call` in this context is; what that calls itself is none any more."""


async def replay(client: Client, run: Run, history: History) -> dict[str, Any]:
    """Run the call of a record again, and give its result as the wire has it.

    Raises:
        MCPError: What the tool raises for the protocol.
    """
    call = TaskCall.from_dict(history.record.call)
    given: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    meta: Any = dict(call.meta)
    params = CallToolRequestParams(name=call.tool, arguments=dict(call.arguments), _meta=meta)
    with acting_as(call.identity):
        _next.set(Replay(call, run.road, given))
        result = await client.session.send_request(CallToolRequest(params=params), CallToolResult)
    if not given.done():  # It never came to the tool: there is none of that name, or middleware refused it.
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return given.result()


def take_replay() -> Replay | None:
    """The replay that the running `tools/call` is, once; `None` for any other call."""
    if (found := _next.get()) is not None:
        _next.set(None)
    return found


async def replay_through(replay: Replay, execution: Execution) -> HandlerResult:
    """Run a call again. What it gives goes to the replay; the client in this process, which waits, learns nothing."""
    execution.resume(replay.call.rounds)
    task = asyncio.current_task()
    try:
        replay.given.set_result(await execution.detached(replay.road))
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if not is_running(task):
            raise
        replay.given.set_exception(error)
    return {"resultType": "complete", "content": []}
