"""`subscriptions/listen` with `taskIds` (Tasks extension, "Task Status Notifications"), in memory and over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from anyio import fail_after
from mcp import Client
from mcp.client.extension import NotificationBinding
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY, NotificationParams
from pydantic import ConfigDict

from elicitkit import MemoryTaskStore, Tasks, elicit
from elicitkit.errors import StoreError
from elicitkit.tasks import listening as listening_
from elicitkit.tasks.record import TaskRecord
from tests import eras
from tests.host.serving import served
from tests.tasks.desk import Desk, KnowsTasks, form, nobody, server

pytestmark = pytest.mark.anyio


class Told(NotificationParams):
    model_config = ConfigDict(extra="allow")


class Ear(KnowsTasks):
    """A client's extension that hears `notifications/tasks`, and the acknowledgement before them."""

    def __init__(self) -> None:
        self.acknowledged: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.tasks: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.changes: asyncio.Queue[Any] = asyncio.Queue()
        self.heard: list[str] = []

    def notifications(self) -> list[NotificationBinding[Any]]:
        return [NotificationBinding(method="notifications/tasks", params_type=Told, handler=self._hear)]

    async def _hear(self, told: Told) -> None:
        self.heard.append("task")
        self.tasks.put_nowait(told.model_dump(by_alias=True, mode="json", exclude_unset=True))

    async def other(self, message: Any) -> None:
        match message:
            case types.SubscriptionsAcknowledgedNotification(params=params):
                self.heard.append("acknowledgement")
                self.acknowledged.put_nowait(params.model_dump(by_alias=True, mode="json", exclude_none=True))
            case types.ToolListChangedNotification(params=params):
                self.changes.put_nowait(params)

    async def status(self, wanted: str) -> dict[str, Any]:
        """Wait for a notification with a status."""
        while True:
            told = await self.tasks.get()
            if told["status"] == wanted:
                return told


@asynccontextmanager
async def listening(client: Client, ids: list[str], **more: Any) -> AsyncIterator[None]:
    wanted = types.SubscriptionFilter.model_validate({"taskIds": ids, **more})
    request = types.SubscriptionsListenRequest(params=types.SubscriptionsListenRequestParams(notifications=wanted))
    held = asyncio.create_task(client.session.send_request(request, types.SubscriptionsListenResult))
    try:
        yield
    finally:
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)


async def order(ctx: Context) -> str:
    await ctx.report_progress(1, 2, "looking")
    outcome = await elicit(ctx, form())
    return outcome.content["size"] if outcome else "nothing"


@pytest.fixture
def tasks() -> Tasks:
    return Tasks(MemoryTaskStore())


@pytest.fixture
def mcp(tasks: Tasks) -> MCPServer[Any]:
    mcp = server(tasks)
    mcp.tool()(tasks.task()(order))

    @mcp.tool()
    async def touch(ctx: Context) -> None:
        await ctx.notify_tools_changed()

    return mcp


@asynccontextmanager
async def connected(mcp: MCPServer[Any], way: str) -> AsyncIterator[tuple[Client, Ear]]:
    ear = Ear()
    options: Any = {"extensions": [ear], "message_handler": ear.other, "elicitation_callback": nobody}
    with fail_after(15):
        if way == "memory":
            async with Client(mcp, **options) as client:
                yield client, ear
        else:
            app = mcp.streamable_http_app(json_response=way == "http with json")
            async with served(app) as address, Client(f"{address}/mcp", **options) as client:
                yield client, ear


every_way = pytest.mark.parametrize("way", ["memory", "http", "http with json"])


@every_way
async def test_a_subscriber_hears_of_every_state_until_the_end(mcp: MCPServer[Any], tasks: Tasks, way: str) -> None:
    async with connected(mcp, way) as (client, ear):
        at = Desk(client, tasks.store)
        task_id = await at.start("order")
        async with listening(client, [task_id]):
            acknowledged = await ear.acknowledged.get()
            key = await at.key(task_id)
            await at.update(task_id, **{key: {"action": "accept", "content": {"size": "XL"}}})
            completed = await ear.status("completed")

    assert acknowledged["notifications"]["taskIds"] == [task_id]
    assert completed["taskId"] == task_id
    assert completed["result"]["content"][0]["text"] == "XL"
    assert completed["_meta"][SUBSCRIPTION_ID_META_KEY] == acknowledged["_meta"][SUBSCRIPTION_ID_META_KEY]


@every_way
async def test_it_carries_the_whole_task_as_get_would(mcp: MCPServer[Any], tasks: Tasks, way: str) -> None:
    async with connected(mcp, way) as (client, ear):
        at = Desk(client, tasks.store)
        task_id = await at.start("order")
        await at.key(task_id)
        async with listening(client, [task_id]):
            await ear.acknowledged.get()
            await tasks.store.set_input_requests(task_id, form("And which colour?", "colour"))
            told = await ear.status("input_required")
            asked = await at.get(task_id)

    unlike = ("_meta", "resultType")
    assert {key: told[key] for key in told if key not in unlike} == {
        key: asked[key] for key in asked if key not in unlike
    }
    assert len(told["inputRequests"]) == 2


async def test_only_tasks_that_are_there_are_acknowledged(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with connected(mcp, "memory") as (client, ear):
        task_id = await Desk(client, tasks.store).start("order")
        foreign = (await tasks.store.create({}, owner="somebody else")).id
        async with listening(client, ["0" * 32, task_id, foreign, task_id]):
            acknowledged = await ear.acknowledged.get()
            await tasks.store.cancel(foreign, owner="somebody else")
            await tasks.store.cancel(task_id, owner=None)
            told = await ear.status("cancelled")

        assert acknowledged["notifications"]["taskIds"] == [task_id]
        assert told["taskId"] == task_id
        assert ear.tasks.empty()


async def test_tasks_are_told_beside_what_the_sdk_tells(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with connected(mcp, "memory") as (client, ear):
        at = Desk(client, tasks.store)
        task_id = await at.start("order")
        async with listening(client, [task_id], toolsListChanged=True):
            acknowledged = await ear.acknowledged.get()
            await at.send("touch")
            await ear.changes.get()
            await at.cancel(task_id)
            await ear.status("cancelled")

    assert acknowledged["notifications"] == {"toolsListChanged": True, "taskIds": [task_id]}


async def test_without_task_ids_the_sdk_serves_alone(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with connected(mcp, "memory") as (client, ear), listening(client, [], toolsListChanged=True):
        assert (await ear.acknowledged.get())["notifications"] == {"toolsListChanged": True}


class ChangingStore(MemoryTaskStore):
    """A store in which a task changes while a subscriber looks for it."""

    is_changing = False

    async def get(self, task_id: str, *, owner: str | None) -> Any:
        if self.is_changing:
            self.is_changing = False
            await self.progress(task_id, "looking")
            for _ in range(5):
                await asyncio.sleep(0)
        return await super().get(task_id, owner=owner)


async def test_the_acknowledgement_comes_before_what_changed_meanwhile() -> None:
    """Specification 2026-07-28, "Subscriptions": the acknowledgement is the first message of one."""
    store = ChangingStore()
    tasks = Tasks(store)
    mcp = server(tasks)
    mcp.tool()(tasks.task()(order))
    async with connected(mcp, "memory") as (client, ear):
        at = Desk(client, store)
        task_id = await at.start("order")
        await at.key(task_id)
        store.is_changing = True
        async with listening(client, [task_id]):
            await ear.tasks.get()

    assert ear.heard == ["acknowledgement", "task"]


async def test_what_cannot_be_read_for_a_while_is_told_later(
    tasks: Tasks, mcp: MCPServer[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 8: nothing is lost, only later. The end of a task is the last thing that its subscriber would be told."""
    monkeypatch.setattr(listening_, "_PAUSE", 0.001)
    get, fails = tasks.store.get, [StoreError("gone")] * 3

    async def failing(task_id: str, *, owner: str | None) -> TaskRecord:
        if fails and not ear.acknowledged.empty():
            raise fails.pop()
        return await get(task_id, owner=owner)

    monkeypatch.setattr(tasks.store, "get", failing)
    async with connected(mcp, "memory") as (client, ear):
        task_id = await Desk(client, tasks.store).start("order")
        async with listening(client, [task_id]):
            while ear.acknowledged.empty():  # noqa: ASYNC110  # it is not to be taken
                await asyncio.sleep(0.001)
            await tasks.store.cancel(task_id, owner=None)
            await ear.status("cancelled")

    assert not fails
    assert len(caplog.messages) == 2, caplog.messages  # That it is gone, and that it is back.


async def test_without_the_extension_declared_it_is_an_error(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with connected(mcp, "memory") as (client, _), eras.connected(mcp, "2026-07-28") as stranger:
        task_id = await Desk(client, tasks.store).start("order")
        wanted = types.SubscriptionFilter.model_validate({"taskIds": [task_id]})
        request = types.SubscriptionsListenRequest(params=types.SubscriptionsListenRequestParams(notifications=wanted))
        with pytest.raises(MCPError) as caught:
            await stranger.session.send_request(request, types.SubscriptionsListenResult)

    assert caught.value.error.code == MISSING_REQUIRED_CLIENT_CAPABILITY


async def test_a_subscription_that_ended_listens_no_more(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with connected(mcp, "memory") as (client, ear):
        at = Desk(client, tasks.store)
        task_id = await at.start("order")
        await at.key(task_id)
        before = asyncio.all_tasks()
        async with listening(client, [task_id]):
            await ear.acknowledged.get()
        await at.cancel(task_id)

        assert ear.tasks.empty()
        assert {task for task in asyncio.all_tasks() if "forward" in repr(task)} <= before
