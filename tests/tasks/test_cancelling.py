"""`tasks/cancel` reaches the tool and the question, and what has ended stays (Tasks extension, "Cancellation")."""

import asyncio
import contextlib
import threading
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import MemoryTaskStore, Tasks, elicit, elicit_sync, step
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import accept, desk, eventually, form, quick, server
from tests.tasks.test_road import turns

pytestmark = pytest.mark.anyio


@pytest.fixture
def tasks(store: TaskStore) -> Tasks:
    return Tasks(store, tools=lambda name, arguments: True)


@pytest.fixture
def mcp(tasks: Tasks) -> MCPServer[Any]:
    return server(tasks)


class Tidy:
    """A tool that asks, and tells how it ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.is_over = asyncio.Event()

    async def ask(self, ctx: Context) -> str:
        try:
            await elicit(ctx, form())
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            await asyncio.sleep(0)
            await step(ctx, "tidy", lambda: self.ended.append("step"))
            await ctx.report_progress(1, 1, "tidied")
            raise
        finally:
            self.ended.append("finally")
            self.is_over.set()
        return "answered"


async def test_it_reaches_the_tool_and_the_question(mcp: MCPServer[Any], tasks: Tasks) -> None:
    tidy = Tidy()
    mcp.tool(name="ask")(tidy.ask)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        key = await at.key(task_id)
        assert (await at.cancel(task_id))["resultType"] == "complete"
        cancelled = await at.get(task_id)
        await tidy.is_over.wait()

        assert cancelled["status"] == "cancelled"
        assert "inputRequests" not in cancelled
        assert tidy.ended == ["cancelled", "step", "finally"]
        assert (await at.update(task_id, **{key: accept(size="XL")}))["resultType"] == "complete"
        assert await at.get(task_id) == cancelled


async def test_it_reaches_a_tool_that_was_brought_back(store: TaskStore) -> None:
    tasks, tidy = quick(store, tools={"ask"}), Tidy()
    mcp = server(tasks)

    async def ask_twice(ctx: Context) -> str:
        await elicit(ctx, form("First?", "x"))
        return await tidy.ask(ctx)

    mcp.tool(name="ask")(ask_twice)
    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
    async with desk(mcp, tasks) as at:
        first = await at.answer(task_id, x="1")
        await at.when(task_id, lambda record: bool(record.inputs) and first not in record.inputs)
        await at.cancel(task_id)
        await tidy.is_over.wait()

        assert tidy.ended == ["cancelled", "step", "finally"]
        assert (await at.get(task_id))["status"] == "cancelled"


async def test_it_reaches_a_tool_that_works(mcp: MCPServer[Any], tasks: Tasks) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    @mcp.tool()
    async def work() -> None:
        try:
            started.set()
            await asyncio.sleep(3600)
        finally:
            ended.set()

    async with desk(mcp, tasks) as at:
        task_id = await at.start("work")
        await started.wait()
        await at.cancel(task_id)

        await ended.wait()
        assert (await at.get(task_id))["status"] == "cancelled"


async def test_it_reaches_a_tool_that_waits_in_a_thread(mcp: MCPServer[Any], tasks: Tasks) -> None:
    ended = threading.Event()

    @mcp.tool()
    def ask(ctx: Context) -> str:
        try:
            elicit_sync(ctx, form())
        finally:
            ended.set()
        return "answered"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
        await at.cancel(task_id)

        assert await asyncio.to_thread(ended.wait, 5)


class SlowToPark(MemoryTaskStore):
    """A store that takes its time to say that it has a question."""

    def __init__(self) -> None:
        super().__init__()
        self.is_parked, self.may_say_so = asyncio.Event(), asyncio.Event()

    async def park(self, *given: Any, **named: Any) -> Any:
        record = await super().park(*given, **named)
        self.is_parked.set()
        await self.may_say_so.wait()
        return record


async def test_it_reaches_a_thread_whose_question_is_on_its_way() -> None:
    store, ended = SlowToPark(), threading.Event()
    tasks = Tasks(store, tools=lambda name, arguments: True)
    mcp = server(tasks)

    @mcp.tool()
    def ask(ctx: Context) -> str:
        try:
            return str(elicit_sync(ctx, form()))
        finally:
            ended.set()

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await store.is_parked.wait()
        (run,) = tasks._runner._runs.values()
        await at.cancel(task_id)
        await eventually(lambda: run.is_stopped)
        await turns()
        store.may_say_so.set()

        assert await asyncio.to_thread(ended.wait, 5)


async def test_a_tool_that_goes_on_regardless_changes_nothing(mcp: MCPServer[Any], tasks: Tasks) -> None:
    asked: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await elicit(ctx, form())
        asked.append("again")
        await elicit(ctx, form("Really not?"))
        asked.append("never")
        return "answered"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
        await at.cancel(task_id)
        assert (await at.ended(task_id))["status"] == "cancelled"

    assert asked == ["again"]


async def test_twice_is_once(mcp: MCPServer[Any], tasks: Tasks) -> None:
    tidy = Tidy()
    mcp.tool(name="ask")(tidy.ask)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
        first, second = await at.cancel(task_id), await at.cancel(task_id)
        await tidy.is_over.wait()

        assert first["resultType"] == second["resultType"] == "complete"
        assert tidy.ended.count("cancelled") == 1


async def test_after_the_end_it_is_acknowledged_and_changes_nothing(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def work() -> str:
        return "done"

    async with desk(mcp, tasks) as at:
        ended = await at.ended(task_id := await at.start("work"))
        acknowledged = await at.cancel(task_id)

        assert acknowledged["resultType"] == "complete"
        assert await at.get(task_id) == ended
        assert await at.said(task_id) == "done"


async def test_a_tool_that_cancels_itself_fails_and_is_not_run_again(store: TaskStore) -> None:
    tasks, runs = quick(store, tools={"work"}), []
    mcp = server(tasks)

    @mcp.tool()
    async def work() -> None:
        runs.append("run")
        raise asyncio.CancelledError

    async with desk(mcp, tasks) as at:
        ended = await at.ended(await at.start("work"))

    assert ended["error"]["message"] == "The tool cancelled itself."
    assert runs == ["run"]


async def test_a_task_that_its_author_completes_stops_the_tool(mcp: MCPServer[Any], tasks: Tasks) -> None:
    tidy = Tidy()
    mcp.tool(name="ask")(tidy.ask)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
        await tasks.store.complete(task_id, {"content": [{"type": "text", "text": "by other means"}]})
        await tidy.is_over.wait()

        assert await at.said(task_id) == "by other means"
