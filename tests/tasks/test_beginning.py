"""A call that asks by round trip first, and becomes a task on its way (Tasks extension, "Input before the task")."""

import asyncio
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import ElicitResult
from pydantic import BaseModel

from elicitkit import Tasks, elicit, step
from elicitkit import task_id as id_of
from elicitkit.tasks.store import TaskStore
from tests import eras
from tests.tasks.desk import DECLINE, Desk, accept, desk, form, quick, server

pytestmark = pytest.mark.anyio

LATER: Any = {"begins": "later", "mode": "optional"}


@pytest.fixture
def tasks(store: TaskStore) -> Tasks:
    return Tasks(store)


class Begins:
    """A tool that asks, does a step, becomes a task, asks again; and what it did, for the tests to look at."""

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.did: list[str] = []

    def add_to(self, mcp: MCPServer[Any]) -> None:
        @mcp.tool()
        @self.tasks.task(**LATER)
        async def order(ctx: Context) -> str:
            self.did.append("run")
            size = await elicit(ctx, form())
            if not size:
                return "no size, no task"
            price = await step(ctx, "price", self.price)
            await self.tasks.begin(ctx)
            await self.tasks.begin(ctx)
            colour = await elicit(ctx, form("Which colour?", "colour"))
            paid = await step(ctx, "pay", self.pay)
            return f"{size.content['size']} {colour.content['colour'] if colour else ''} {price} {paid}"

    def price(self) -> int:
        self.did.append("price")
        return 42

    def pay(self) -> str:
        self.did.append("pay")
        return "paid"


async def first_round(at: Desk) -> tuple[dict[str, Any], str]:
    asked = await at.send("order")
    assert asked["resultType"] == "input_required", asked
    (key,) = asked["inputRequests"]
    return asked, key


async def begun(at: Desk, asked: dict[str, Any], key: str) -> str:
    """Answer the first round, with which the call becomes a task; give its id."""
    task = await at.retry("order", asked, **{key: accept(size="XL")})
    assert task["resultType"] == "task", task
    task_id: str = task["taskId"]
    return task_id


class Size(BaseModel):
    size: str


async def test_what_was_asked_before_is_taken_along(tasks: Tasks) -> None:
    mcp, begins = server(tasks), Begins(tasks)
    begins.add_to(mcp)

    async with desk(mcp, tasks) as at:
        asked, key = await first_round(at)
        task_id = await begun(at, asked, key)
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "XL red 42 paid"
    assert begins.did == ["run", "run", "price", "pay"]


async def test_a_tool_learns_the_id_of_its_task_once_it_is_one(tasks: Tasks) -> None:
    mcp, seen = server(tasks), list[str | None]()

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(ctx: Context) -> str:
        seen.append(id_of(ctx))
        await tasks.begin(ctx)
        seen.append(id_of(ctx))
        return "done"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        assert await at.said(task_id) == "done"

    assert seen == [None, task_id]


async def test_a_call_that_ends_before_it_begins_is_a_plain_result(tasks: Tasks) -> None:
    mcp = server(tasks)
    Begins(tasks).add_to(mcp)

    async with desk(mcp, tasks) as at:
        asked, key = await first_round(at)
        result = await at.retry("order", asked, **{key: DECLINE})

        assert result["content"][0]["text"] == "no size, no task"
        assert await at.store.ready() == []


async def test_for_a_client_without_tasks_begin_does_nothing(tasks: Tasks) -> None:
    mcp = server(tasks)
    Begins(tasks).add_to(mcp)

    async def answer(_: Any, params: Any) -> ElicitResult:
        (name,) = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={name: name})

    async with eras.connected(mcp, "2026-07-28", answer) as client:
        assert await eras.said(client, "order") == "size colour 42 paid"


async def test_a_restart_asks_and_does_nothing_twice(store: TaskStore) -> None:
    tasks = quick(store)
    mcp, begins = server(tasks), Begins(tasks)
    begins.add_to(mcp)

    async with desk(mcp, tasks) as at:
        asked, first = await first_round(at)
        task_id = await begun(at, asked, first)
        key = await at.key(task_id)
    async with desk(mcp, tasks) as at:
        assert await at.key(task_id) == key
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "XL red 42 paid"
    assert begins.did == ["run", "run", "price", "run", "pay"]


async def test_resolved_parameters_are_taken_along_and_not_asked_after_a_restart(store: TaskStore) -> None:
    tasks = quick(store)
    mcp = server(tasks)

    async def ask_size() -> Elicit[Size]:
        return Elicit("Which size?", Size)

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(size: Annotated[Size, Resolve(ask_size)], ctx: Context) -> str:
        await tasks.begin(ctx)
        colour = await elicit(ctx, form("Which colour?", "colour"))
        return f"{size.size} {colour.content['colour'] if colour else ''}"

    async with desk(mcp, tasks) as at:
        asked, key = await first_round(at)
        task_id = await begun(at, asked, key)
        open_before = await at.asked(task_id)
    async with desk(mcp, tasks) as at:
        assert await at.asked(task_id) == open_before
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "XL red"


async def test_a_question_beside_begin_is_sent_first(tasks: Tasks) -> None:
    """Tasks extension: rounds before the task SHOULD be finished before it is created."""
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(ctx: Context) -> str:
        size, _ = await asyncio.gather(elicit(ctx, form()), tasks.begin(ctx))
        return size.content["size"] if size else ""

    async with desk(mcp, tasks) as at:
        asked, key = await first_round(at)
        assert await at.store.ready() == []
        task_id = await begun(at, asked, key)

        assert await at.said(task_id) == "XL"


async def test_a_step_beside_begin_is_taken_along(tasks: Tasks) -> None:
    mcp, go = server(tasks), asyncio.Event()

    async def price() -> int:
        await go.wait()
        return 42

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(ctx: Context) -> str:
        paid, _ = await asyncio.gather(step(ctx, "price", price), tasks.begin(ctx))
        return str(paid)

    async with desk(mcp, tasks) as at:
        asyncio.get_running_loop().call_later(0.01, go.set)
        task_id = await at.start("order")

        assert '\\"price\\":42' in (await at.store.history(task_id)).record.call_json
        assert await at.said(task_id) == "42"


async def test_a_tool_that_fails_before_it_begins_fails_as_it_always_does(tasks: Tasks) -> None:
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(ctx: Context) -> str:
        raise RuntimeError("broken")

    async with desk(mcp, tasks) as at:
        assert (await at.send("order"))["isError"]
        assert await at.store.ready() == []


async def test_one_that_fails_behind_it_has_a_task_that_says_so(tasks: Tasks) -> None:
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task(**LATER)
    async def order(ctx: Context) -> str:
        await tasks.begin(ctx)
        raise RuntimeError("broken")

    async with desk(mcp, tasks) as at:
        assert await at.said(await at.start("order")) == "error: Error executing tool order"
