"""A process leaves alone the tasks of tools that it does not have (docs/operations.md, "What to watch")."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import DocketEngine, Elicitation, MemoryTaskStore, SqliteTaskStore, Tasks, elicit
from elicitkit.tasks import tools_here
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.store import TaskStore
from elicitkit.tasks.tools_here import ToolsHere
from tests.tasks.desk import accept, desk, eventually, form, quick, server, until
from tests.tasks.test_restarting import Process
from tests.tasks.test_road import turns

pytestmark = pytest.mark.anyio

RARE: Any = {"engine": LocalEngine(look=3600)}
"""A process that hears of what becomes ready by notices alone."""


async def ask(ctx: Context) -> str:
    outcome = await elicit(ctx, form())
    return f"asked {outcome.content['size']}" if outcome else ""


async def other() -> str:
    return "other"


def told_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line for line in caplog.messages if "does not have the tool" in line]


def call_of(tool: str) -> dict[str, Any]:
    return TaskCall(tool, "a" * 32).to_dict()


@pytest.fixture
def short_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools_here, "PAUSE", 0.02)


# --- one process after another ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dies", [True, False], ids=["killed", "stopped in order"])
async def test_a_process_without_the_tool_leaves_its_tasks_to_one_that_has_it(
    store: TaskStore, caplog: pytest.LogCaptureFixture, dies: bool
) -> None:
    first, without, again = Process(store, ask), Process(store, other), Process(store, ask)
    async with first.desk() as at:
        ids = [await at.start("ask") for _ in range(2)]
        keys = [await at.key(task_id) for task_id in ids]
        if dies:
            first.dies()
    async with without.desk() as at:
        for task_id, key in zip(ids, keys, strict=True):
            await at.update(task_id, **{key: accept(size="XL")})
        await eventually(lambda: without.tasks._runner.set_aside == 2)
        assert [(await at.get(task_id))["status"] for task_id in ids] == ["working"] * 2
        assert await at.said(await at.start("other")) == "other"
        await at.cancel(ids[1])
        assert (await at.get(ids[1]))["status"] == "cancelled"
    async with again.desk() as at:
        assert await at.said(ids[0]) == "asked XL"

    (line,) = told_of(caplog)
    assert "'ask'" in line
    assert ids[0][:8] in line or ids[1][:8] in line
    assert ids[0] not in line


async def test_a_task_that_only_works_is_left_alone_too(store: TaskStore) -> None:
    async with store:
        left = await store.create(call_of("ask"))
    without = Process(store, other)
    async with without.desk() as at:
        await eventually(lambda: without.tasks._runner.set_aside == 1)
        found = await at.get(left.id)
        assert found["status"] == "working"
    async with store:
        record = (await store.history(left.id)).record
    assert (record.fence, record.worker, record.revision) == (0, None, left.revision)


# --- side by side -----------------------------------------------------------------------------------------------------


async def test_one_that_has_the_tool_takes_the_task_at_once_by_the_notice(tmp_path: Path) -> None:
    """Neither looks into the store for an hour: the answer that one without the tool takes is news for the other."""
    stores = [SqliteTaskStore(tmp_path / "tasks.db") for _ in range(3)]
    first, without, again = Process(stores[0], ask), Process(stores[1], other, **RARE), Process(stores[2], ask, **RARE)
    async with without.desk() as at, again.desk():
        async with first.desk() as served:
            task_id = await served.start("ask")
            await served.key(task_id)
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "asked XL"


async def test_a_dead_one_is_followed_by_one_that_has_the_tool_when_its_claim_ends(tmp_path: Path) -> None:
    stores = [SqliteTaskStore(tmp_path / "tasks.db") for _ in range(2)]
    without, again = Process(stores[0], other, **RARE), Process(stores[1], ask, **RARE)
    async with without.desk() as at, again.desk():
        dead = await stores[0].create(
            TaskCall("ask", "a" * 32, capabilities={"elicitation": {"form": {}}}).to_dict(), worker="dead", lease=0.1
        )
        await at.answer(dead.id, size="XL")

        assert await at.said(dead.id) == "asked XL"


# --- without a busy loop ----------------------------------------------------------------------------------------------


class Counting(MemoryTaskStore):
    """A store that counts what is done about a task, and how often it is looked through."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.done: list[str] = []

    async def ready(self, limit: int) -> Any:
        self.looks += 1
        return await super().ready(limit)

    async def take(self, *given: Any, **more: Any) -> Any:
        self.done.append("take")
        return await super().take(*given, **more)

    async def history(self, *given: Any) -> Any:
        self.done.append("read")
        return await super().history(*given)


async def test_it_is_not_looked_at_again_for_a_while(caplog: pytest.LogCaptureFixture) -> None:
    store = Counting()
    await store.create(call_of("ask"))
    async with Process(store, other, engine=LocalEngine(look=0.001)).desk():
        await eventually(lambda: store.looks > 50)

    assert store.done == ["take", "read"]
    assert len(told_of(caplog)) == 1


@pytest.mark.usefixtures("short_looks")
async def test_after_that_it_is(caplog: pytest.LogCaptureFixture) -> None:
    store = Counting()
    await store.create(call_of("ask"))
    async with Process(store, other, engine=LocalEngine(look=0.001)).desk():
        await eventually(lambda: len(store.done) > 4)

    assert len(told_of(caplog)) == 1


async def test_it_keeps_no_other_from_the_looks() -> None:
    """They are ready for longer, and a look has room for one."""
    store = MemoryTaskStore()
    for _ in range(3):
        await store.create(call_of("ask"))
    made = await store.create(call_of("other"))
    async with Process(store, other, engine=LocalEngine(look=0.001, at_once=1)).desk() as at:
        assert await at.said(made.id) == "other"


async def test_all_of_them_are_found_at_one_look_so_that_none_waits_behind_them_for_the_next() -> None:
    """However many: those that were left alone first are looked at again before the last would have been reached."""
    store = MemoryTaskStore()
    for _ in range(3):
        await store.create(call_of("ask"))
    made = await store.create(call_of("other"))
    async with Process(store, other, engine=LocalEngine(look=3600, at_once=1)).desk() as at:
        assert await at.said(made.id) == "other"


# --- which tools there are --------------------------------------------------------------------------------------------


async def test_a_tool_that_is_added_while_the_server_runs_has_its_tasks() -> None:
    store = MemoryTaskStore()
    made = await store.create(call_of("late"))
    process = Process(store, other)
    async with process.desk() as at:
        await eventually(lambda: process.tasks._runner.set_aside == 1)

        @process.mcp.tool()
        async def late() -> str:
            return "late"

        assert await at.said(made.id) == "late"
        assert process.tasks._runner.set_aside == 0


async def test_a_tool_that_is_removed_has_none_any_more(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryTaskStore()
    process = Process(store, other)
    async with process.desk() as at:
        process.mcp.remove_tool("other")
        made = await store.create(call_of("other"))
        await eventually(lambda: process.tasks._runner.set_aside == 1)

        assert (await at.get(made.id))["status"] == "working"
    assert len(told_of(caplog)) == 1


class OfItsOwn(MCPServer[Any]):
    """A server that makes tools of its own, as one that stands for others does."""

    async def list_tools(self) -> Any:
        found = await super().list_tools()
        return [*found, found[0].model_copy(update={"name": "elsewhere"})]

    async def call_tool(self, name: str, *given: Any) -> Any:
        return await super().call_tool("other" if name == "elsewhere" else name, *given)


async def test_a_tool_that_the_server_lists_otherwise_is_there() -> None:
    store = MemoryTaskStore()
    made = [await store.create(call_of("elsewhere")) for _ in range(2)]
    tasks = quick(store, tools={"elsewhere"})
    mcp = OfItsOwn("desk", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())
    mcp.tool()(other)
    async with desk(mcp, tasks) as at:
        assert [await at.said(one.id) for one in made] == ["other"] * 2


# --- fleets -----------------------------------------------------------------------------------------------------------


async def test_of_workers_that_share_a_queue_one_that_has_the_tool_gets_the_task(tmp_path: Path) -> None:
    """Docket may hand it to the other one, which gives it back."""
    path = tmp_path / "tasks.db"
    more: Any = {"lease": 10}

    def engine() -> DocketEngine:
        return DocketEngine("memory://strange", look=0.5)

    ids = list[str]()
    async with SqliteTaskStore(path) as store:
        for tool in ("ask", "other", "nobodys") * 4:
            ids.append((await store.create(call_of(tool))).id)
    one = Process(SqliteTaskStore(path), other, engine=engine(), **more)
    two = Process(SqliteTaskStore(path), works, engine=engine(), **more)
    async with one.desk(seconds=40) as at:
        await eventually(lambda: one.tasks._runner.set_aside == 8)
        async with SqliteTaskStore(path) as store:
            late = [(await store.create(call_of("works"))).id for _ in range(4)]
        async with two.desk(seconds=40):
            assert [await at.said(task_id) for task_id in late] == ["works"] * 4
        assert [await at.said(task_id) for task_id in ids[1::3]] == ["other"] * 4
        assert {(await at.get(task_id))["status"] for task_id in ids[2::3]} == {"working"}


async def works() -> str:
    return "works"


async def test_a_server_that_runs_no_tools_makes_no_task_of_a_call_of_none() -> None:
    """It would wait for a worker that has the tool for ever."""
    tasks = Tasks(
        MemoryTaskStore(), tools=lambda name, arguments: True, engine=DocketEngine("memory://typo", runs_here=False)
    )
    mcp = server(tasks)
    mcp.tool()(other)
    async with desk(mcp, tasks) as at:
        refused = await at.send("othre")
        made = await at.send("other")

    assert refused["isError"]
    assert "othre" in str(refused["content"])
    assert made["resultType"] == "task"


async def test_what_is_heard_while_it_is_found_strange_is_not_lost(store: TaskStore) -> None:
    """A cancellation by its client ends it here as anywhere."""
    async with store:
        left = await store.create(call_of("ask"))
    process = Process(store, other)
    async with process.desk() as at, asyncio.TaskGroup() as group:
        group.create_task(at.cancel(left.id))
        with fail_after(10):
            await until(process.tasks.store, left.id, lambda record: record.is_over)


class PlayedTools:
    """The tools of a process, of which a list of them may take its time, or fail."""

    def __init__(self, *has: str, lists: Sequence[str] = ()) -> None:
        self.mine, self.lists = set(has), lists
        self.may_list, self.asked = asyncio.Event(), 0
        self.may_list.set()
        self.error: Exception | None = None

    def has(self, name: str) -> bool:
        return name in self.mine

    async def names(self) -> list[str]:
        self.asked += 1
        await self.may_list.wait()
        if self.error is not None:
            raise self.error
        return [*self.mine, *self.lists]


def record_of(tool: str) -> TaskRecord:
    return TaskRecord("a" * 32, None, json.dumps(call_of(tool)), 0.0, 0.0, 0.0)


async def test_a_tool_that_was_listed_once_and_is_gone_since_is_not_there() -> None:
    tools = PlayedTools("brief", "lasting", lists=["elsewhere"])
    here = ToolsHere(tools)
    assert not await here.find_that_of(record_of("unknown"))

    tools.mine.remove("brief")

    has = {tool: here.have_that_of(record_of(tool)) for tool in ("brief", "lasting", "elsewhere")}
    assert has == {"brief": False, "lasting": True, "elsewhere": True}


async def test_those_that_ask_at_once_share_one_list() -> None:
    tools = PlayedTools(lists=["elsewhere"])
    here = ToolsHere(tools)  # Its list comes at once: it is shared all the same.

    found = await asyncio.gather(*(here.find_that_of(record_of("elsewhere")) for _ in range(100)))

    assert found == [True] * 100
    assert tools.asked == 1
    await here.find_that_of(record_of("later"))
    assert tools.asked == 2


async def test_one_that_is_stopped_while_it_asks_for_the_list_leaves_it_to_the_others() -> None:
    tools = PlayedTools(lists=["elsewhere"])
    tools.may_list.clear()
    here = ToolsHere(tools)
    asking = [asyncio.create_task(here.find_that_of(record_of("elsewhere"))) for _ in range(3)]
    await turns()
    asking[0].cancel()
    await asyncio.wait(asking[:1])
    tools.may_list.set()

    assert await asyncio.gather(*asking[1:]) == [True] * 2
    assert tools.asked == 2


async def test_a_list_that_fails_is_told_once_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    tools = PlayedTools(lists=["elsewhere"])
    here = ToolsHere(tools)
    await here.find_that_of(record_of("unknown"))
    tools.error = RuntimeError("upstream is down")

    for _ in range(2):
        assert not await here.find_that_of(record_of("unknown"))
        assert here.have_that_of(record_of("elsewhere"))

    (line,) = caplog.messages
    assert line.startswith("the list of the tools of this server failed")


async def test_a_task_is_left_alone_where_the_list_fails(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As that of a server that stands for others may; and the store, which does well, is not blamed for it."""

    async def fails() -> Any:
        raise RuntimeError("upstream is down")

    store = MemoryTaskStore()
    process = Process(store, other)
    async with process.desk() as at:
        monkeypatch.setattr(process.mcp, "list_tools", fails)
        left = await store.create(call_of("ask"))
        await eventually(lambda: process.tasks._runner.set_aside == 1)

        assert (await at.get(left.id))["status"] == "working"
    assert "the list of the tools of this server failed" in caplog.text
    assert "the store" not in caplog.text


@pytest.mark.parametrize(
    ("call", "is_strange"),
    [('{"from": "another version"}', False), ("[]", False), ('{"tool": 5}', False), ('{"tool": "x"}', True)],
)
def test_a_call_that_cannot_be_read_is_no_matter_of_tools(call: str, is_strange: bool) -> None:
    """Whoever runs it ends it with an error that says so."""
    here = ToolsHere(PlayedTools())

    assert here.have_that_of(TaskRecord("a" * 32, None, call, 0.0, 0.0, 0.0)) is not is_strange
