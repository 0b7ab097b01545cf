"""A server with tasks, and a client that speaks their wire: what the tests of this folder work at."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from anyio import fail_after
from mcp import Client
from mcp.client.extension import ClientExtension
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolRequest, CallToolRequestParams, ElicitResult, ErrorData, Result
from pydantic import ConfigDict

from elicitkit import Elicitation, FormElicitation, Tasks
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.messages import EXTENSION, CancelTask, GetTask, TaskParams, UpdateParams, UpdateTask
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.store import TaskStore
from elicitkit.testing import connected

OVER = frozenset({"completed", "failed", "cancelled"})


class Raw(Result):
    """A result as it came, with whatever is in it."""

    model_config = ConfigDict(extra="allow")

    @property
    def wire(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, mode="json", exclude_unset=True)


class KnowsTasks(ClientExtension):
    """Declares the extension, and does nothing about it."""

    identifier = EXTENSION


def server(tasks: Tasks, mine: Any = None, **more: Any) -> MCPServer[Any]:
    return MCPServer("desk", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan(mine), **more)


def quick(store: TaskStore, **more: Any) -> Tasks:
    """Tasks whose claims and looks are short, for tests that bring them back."""
    return Tasks(store, **{"engine": LocalEngine(look=0.02), "lease": 0.15, **more})


def form(message: str = "Which size?", name: str = "size") -> FormElicitation[Any]:
    return FormElicitation.create(message).string(name).required()


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


DECLINE, CANCEL = {"action": "decline"}, {"action": "cancel"}


async def nobody(*_: Any) -> ElicitResult | ErrorData:
    """A callback that is there to declare forms and links, and is never called: answers go by `tasks/update`."""
    raise AssertionError("the client was asked itself")


class Desk:
    """What a client does with tasks, one request at a time; and the store, to wait for what happens in it."""

    def __init__(self, client: Client, store: TaskStore) -> None:
        self.client = client
        self.store = store

    async def send(self, tool: str, meta: Any = None, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and give the result as it is on the wire."""
        params = CallToolRequestParams(name=tool, arguments=arguments, _meta=meta)
        return (await self.client.session.send_request(CallToolRequest(params=params), Raw)).wire

    async def retry(self, tool: str, asked: Mapping[str, Any], **responses: Any) -> dict[str, Any]:
        """Call a tool again with answers to what it asked by round trip."""
        results = {key: ElicitResult.model_validate(one) for key, one in responses.items()}
        params = CallToolRequestParams(
            name=tool, arguments={}, input_responses=results, request_state=asked["requestState"]
        )
        return (await self.client.session.send_request(CallToolRequest(params=params), Raw)).wire

    async def start(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that becomes a task, and give its id."""
        result = await self.send(tool, **arguments)
        assert result["resultType"] == "task", result
        task_id: str = result["taskId"]
        return task_id

    async def get(self, task_id: str) -> dict[str, Any]:
        return (await self.client.session.send_request(GetTask(params=TaskParams(task_id=task_id)), Raw)).wire

    async def update(self, task_id: str, **responses: Any) -> dict[str, Any]:
        params = UpdateParams(task_id=task_id, input_responses=responses)
        return (await self.client.session.send_request(UpdateTask(params=params), Raw)).wire

    async def cancel(self, task_id: str) -> dict[str, Any]:
        return (await self.client.session.send_request(CancelTask(params=TaskParams(task_id=task_id)), Raw)).wire

    # --- waiting for what happens ------------------------------------------------------------------------------------

    async def when(self, task_id: str, is_so: Callable[[TaskRecord], bool]) -> dict[str, Any]:
        """Wait until something is true of a task, and ask for it then."""
        await until(self.store, task_id, is_so)
        return await self.get(task_id)

    async def ended(self, task_id: str) -> dict[str, Any]:
        return await self.when(task_id, lambda record: record.is_over)

    async def asked(self, task_id: str, count: int = 1) -> dict[str, Any]:
        """Wait until so many questions are open, and give them by key."""
        found = await self.when(task_id, lambda record: len(record.inputs) == count or record.is_over)
        assert "inputRequests" in found, found
        requests: dict[str, Any] = found["inputRequests"]
        return requests

    async def key(self, task_id: str) -> str:
        """Wait for the one open question, and give its key."""
        (key,) = await self.asked(task_id)
        return key

    async def answer(self, task_id: str, **content: Any) -> str:
        """Accept the one question that is open, or will be, and give its key."""
        key = await self.key(task_id)
        await self.update(task_id, **{key: accept(**content)})
        return key

    async def said(self, task_id: str) -> str:
        """Wait for the end, and give what the tool said."""
        return text_of(await self.ended(task_id))


async def until(store: TaskStore, task_id: str, is_so: Callable[[TaskRecord], bool], *, seconds: float = 20) -> None:
    changed = asyncio.Event()
    unsubscribe = store.subscribe(lambda _: changed.set())
    try:
        with fail_after(seconds):
            while not is_so((await store.history(task_id)).record):
                await changed.wait()
                changed.clear()
    finally:
        unsubscribe()


async def eventually(is_so: Callable[[], bool]) -> None:
    """Wait for what nobody tells."""
    with fail_after(20):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def text_of(task: Mapping[str, Any]) -> str:
    """What a completed task said; one whose tool failed is marked."""
    assert task["status"] == "completed", task
    text = "".join(part["text"] for part in task["result"]["content"])
    return f"error: {text}" if task["result"].get("isError") else text


@asynccontextmanager
async def desk(
    mcp: MCPServer[Any], tasks: Tasks, callback: Any = nobody, *, seconds: float = 15, **more: Any
) -> AsyncIterator[Desk]:
    """A client in memory that knows tasks and does nothing about them."""
    async with connected(mcp, callback, extensions=[KnowsTasks()], seconds=seconds, **more) as client:
        yield Desk(client, tasks.store)
