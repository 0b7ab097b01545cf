"""A task that is cancelled while nobody runs it clears up as a live one does (docs/tasks.md, "Cancelling")."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context

from elicitkit import MemoryTaskStore, SqliteTaskStore, confirm, elicit, elicit_all, elicit_sync, step
from elicitkit.errors import StoreError
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.questions import input_of
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import Desk, accept, eventually, form
from tests.tasks.test_restarting import Process
from tests.tasks.test_road import question

pytestmark = pytest.mark.anyio


class Shop:
    """Tools that hold something, ask, and let it go when they are cancelled; and what they did, over all processes."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.gate = asyncio.Event()
        self.is_clearing = asyncio.Event()
        self.is_slow = True

    async def buy(self, ctx: Context) -> str:
        await step(ctx, "hold", self.did.append, "hold")
        try:
            size = await elicit(ctx, form("Which size?"))
            sure = await confirm(ctx, "Sure?")
        except asyncio.CancelledError:
            self.did.append("cancelled")
            raise
        else:
            await step(ctx, "pay", self.did.append, "pay")
            return f"{size} {sure}"
        finally:
            await step(ctx, "undo", self.did.append, "undo")

    async def side_by_side(self, ctx: Context) -> str:
        async with self.held(ctx):
            await elicit_all(ctx, a=form("A?"), b=form("B?"))
        return "done"

    async def shielded(self, ctx: Context) -> str:
        """Nothing but its question can tell a task of its own that the call is cancelled."""
        asking = asyncio.create_task(self.buy(ctx))
        try:
            return await asyncio.shield(asking)
        finally:
            await asyncio.wait([asking])

    def threaded(self, ctx: Context) -> str:
        anyio.from_thread.run(step, ctx, "hold", self.did.append, "hold")
        try:
            return str(elicit_sync(ctx, form()))
        finally:
            self.did.append("undo")  # No step: the call of a thread is over by then.

    async def stock(self, ctx: Context) -> str:
        await step(ctx, "hold", self.did.append, "hold")
        try:
            return str(await ctx.session.elicit_form("Which size?", form().build().schema()))
        finally:
            await step(ctx, "undo", self.did.append, "undo")

    async def work(self, ctx: Context) -> str:
        await step(ctx, "hold", self.did.append, "hold")
        try:
            self.did.append("work")
            await self.gate.wait()
            self.did.append("more work")
        finally:
            await step(ctx, "undo", self.did.append, "undo")
        return "done"

    async def swallow(self, ctx: Context) -> str:
        with suppress(BaseException):
            await elicit(ctx, form())
        self.did.append("went on")
        await step(ctx, "pay", self.did.append, "pay")
        await elicit(ctx, form("Really?"))
        return "bought"

    async def slow(self, ctx: Context) -> None:
        try:
            await elicit(ctx, form())
        finally:
            if self.is_slow:
                self.is_clearing.set()
                await self.gate.wait()
            await step(ctx, "undo", self.did.append, "undo")

    @asynccontextmanager
    async def held(self, ctx: Context) -> AsyncIterator[None]:
        await step(ctx, "hold", self.did.append, "hold")
        try:
            yield
        finally:
            await step(ctx, "undo", self.did.append, "undo")

    def process(self, store: TaskStore, **more: Any) -> Process:
        tools = (self.buy, self.side_by_side, self.shielded, self.threaded, self.stock, self.work, self.swallow)
        return Process(store, *tools, self.slow, **more)

    async def parked(self, store: TaskStore, tool: str, questions: int = 1, *, dies: bool = False) -> str:
        """A call of a tool whose process is gone; its id."""
        process, self.is_slow = self.process(store), False
        async with process.desk() as at:
            task_id = await at.start(tool)
            await at.asked(task_id, questions)
            if dies:
                process.dies()
        if tool == "threaded":  # Nobody waits for a thread.
            await eventually(lambda: "undo" in self.did)
        self.is_slow = True
        self.did.clear()
        return task_id


async def cleared(at: Desk, task_id: str) -> TaskRecord:
    """Wait until a task has nothing more to clear up."""
    await eventually_so(at.store, task_id, lambda record: record.is_over and not record.is_to_clear_up)
    return (await at.store.history(task_id)).record


async def eventually_so(store: TaskStore, task_id: str, is_so: Any) -> None:
    """Wait for what no store tells of."""
    with anyio.fail_after(15):
        while not is_so((await store.history(task_id)).record):  # noqa: ASYNC110
            await asyncio.sleep(0.005)


ROWS: dict[str, tuple[int, list[str]]] = {
    "buy": (1, ["cancelled", "undo"]),
    "side_by_side": (2, ["undo"]),
    "shielded": (1, ["cancelled", "undo"]),
    "threaded": (1, ["undo"]),
    "stock": (1, ["undo"]),
}


@pytest.mark.parametrize("dies", [False, True], ids=["stopped in order", "killed"])
@pytest.mark.parametrize("tool", ROWS)
async def test_a_task_that_is_a_row_clears_up_once(store: TaskStore, tool: str, dies: bool) -> None:
    shop, (questions, expected) = Shop(), ROWS[tool]
    task_id = await shop.parked(store, tool, questions, dies=dies)

    async with shop.process(store).desk() as at:
        keys = await at.asked(task_id, questions)
        await at.cancel(task_id)
        cancelled = await at.get(task_id)
        record = await cleared(at, task_id)
        await at.update(task_id, **{key: accept(size="XL") for key in keys})

        await eventually(lambda: shop.did == expected)
        assert cancelled["status"] == "cancelled"
        assert "inputRequests" not in cancelled
        assert {**await at.get(task_id), "ttlMs": 0} == {**cancelled, "ttlMs": 0}
        assert (record.worker, await at.store.ready()) == (None, [])
    async with shop.process(store).desk() as at:
        assert shop.did == expected


async def test_what_was_answered_before_is_given_again(store: TaskStore) -> None:
    shop = Shop()
    process = shop.process(store)
    async with process.desk() as at:
        task_id = await at.start("buy")
        key = await at.answer(task_id, size="XL")
        await at.when(task_id, lambda record: bool(record.inputs) and key not in record.inputs)
    shop.did.clear()

    async with shop.process(store).desk() as at:
        await at.cancel(task_id)
        await cleared(at, task_id)

    assert shop.did == ["cancelled", "undo"]


async def test_one_that_was_put_down_clears_up_where_it_is_cancelled(store: TaskStore) -> None:
    shop = Shop()
    async with shop.process(store, max_live=1).desk() as at:
        first = await at.start("buy")
        await at.key(first)
        await at.key(await at.start("buy"))
        await eventually_so(at.store, first, lambda record: record.worker is None)
        await eventually(lambda: "cancelled" in shop.did)  # Its run ends after the store has it.
        shop.did.clear()
        await at.cancel(first)
        await cleared(at, first)

        assert shop.did == ["cancelled", "undo"]


class WordlessStore(MemoryTaskStore):
    """A store that loses the answer of a database which has put a task down, the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.has_failed = asyncio.Event()

    async def put_down(self, *given: Any, **named: Any) -> bool:
        is_done = await super().put_down(*given, **named)
        if not self.has_failed.is_set():
            self.has_failed.set()
            raise StoreError("It is not known whether this was stored.")
        return is_done


async def test_one_of_which_nobody_knew_whether_it_was_put_down_clears_up_once() -> None:
    shop, store = Shop(), WordlessStore()
    async with shop.process(store, max_live=1, lease=30.0).desk() as at:
        first = await at.start("buy")
        await at.key(first)
        await at.key(await at.start("buy"))
        await store.has_failed.wait()
        await at.cancel(first)
        await cleared(at, first)

    assert shop.did.count("undo") == 1


async def test_what_a_changed_tool_asks_no_longer_keeps_it_from_its_end(store: TaskStore) -> None:
    """No run comes to that question, and one that waited for it would work on, as if nobody had cancelled it."""
    shop = Shop()
    process = shop.process(store)
    async with process.desk() as at:
        task_id = await at.start("work")
        await eventually(lambda: "work" in shop.did)
        fence = (await store.history(task_id)).record.fence
        await store.park(task_id, [input_of(question("gone", "x"), store)], fence=fence)
        await store.withdraw(task_id, [await at.key(task_id)], fence=fence, have_passed=True)
        process.dies()
    shop.did.clear()

    async with shop.process(store).desk() as at:
        await at.cancel(task_id)
        await cleared(at, task_id)

    assert shop.did == ["work", "undo"]


async def test_one_that_worked_when_its_process_died_is_cancelled_as_far_as_it_is_known_to_have_come(
    store: TaskStore,
) -> None:
    shop = Shop()
    process = shop.process(store)
    async with process.desk() as at:
        task_id = await at.start("work")
        await eventually(lambda: "work" in shop.did)
        process.dies()
    async with store:
        await store.cancel(task_id, owner=None)
    shop.did.clear()

    async with shop.process(store).desk() as at:
        await cleared(at, task_id)

    assert shop.did == ["work", "undo"]


async def test_a_tool_that_swallows_it_does_nothing_more(store: TaskStore) -> None:
    shop = Shop()
    task_id = await shop.parked(store, "swallow")

    async with shop.process(store).desk() as at:
        await at.cancel(task_id)
        record = await cleared(at, task_id)

        assert shop.did == ["went on"]
        assert len((await at.store.history(task_id)).inputs) == 1
        assert record.result is None


async def test_a_live_one_has_cleared_up_when_it_has_ended(store: TaskStore) -> None:
    shop = Shop()
    async with shop.process(store).desk() as at:
        task_id = await at.start("buy")
        await at.key(task_id)
        await at.cancel(task_id)
        await cleared(at, task_id)

        assert shop.did == ["hold", "cancelled", "undo"]
        assert await at.store.ready() == []


async def test_a_task_that_nobody_ever_ran_has_nothing_to_clear_up(store: TaskStore) -> None:
    shop = Shop()
    async with store:
        call = TaskCall("buy", "a" * 32).to_dict()
        never, begun = await store.create(call), await store.create(call, worker="dead", lease=0.01)
        for made in (never, begun):
            await store.cancel(made.id, owner=None)
        assert not (await store.history(never.id)).record.is_to_clear_up

    async with shop.process(store).desk() as at:
        await cleared(at, begun.id)
    assert shop.did == []


# --- processes that end meanwhile -------------------------------------------------------------------------------------


async def test_a_process_that_dies_while_it_clears_up_is_followed_by_another(store: TaskStore) -> None:
    """At least once, and not at most: what clears up is to be done again without harm."""
    shop = Shop()
    process = shop.process(store, grace=0.05)
    async with process.desk() as at:
        task_id = await at.start("slow")
        await at.key(task_id)
        await at.cancel(task_id)
        await shop.is_clearing.wait()
        process.dies()
    shop.gate.set()

    async with shop.process(store).desk() as at:
        await cleared(at, task_id)
    assert "undo" in shop.did


async def test_one_that_stops_in_order_gives_back_what_it_has_not_cleared_up(store: TaskStore) -> None:
    shop = Shop()
    task_id = await shop.parked(store, "slow")
    async with shop.process(store, grace=0.05).desk() as at:
        await at.cancel(task_id)
        await shop.is_clearing.wait()
    async with store:
        assert await store.ready() == [task_id]
    shop.gate.set()

    async with shop.process(store).desk() as at:
        await cleared(at, task_id)
    assert "undo" in shop.did


@pytest.mark.parametrize("is_row", [True, False], ids=["row", "live"])
async def test_what_takes_longer_than_a_claim_is_not_overtaken(tmp_path: Path, is_row: bool) -> None:
    stores = [SqliteTaskStore(tmp_path / "tasks.db") for _ in range(2)]
    shop, another = Shop(), Shop()
    task_id = await shop.parked(stores[0], "slow") if is_row else ""
    async with shop.process(stores[0]).desk() as at:
        if not is_row:
            task_id = await at.start("slow")
            await at.key(task_id)
        await at.cancel(task_id)
        await shop.is_clearing.wait()
        async with another.process(stores[1], engine=LocalEngine(look=0.02)).desk():
            before = (await at.store.history(task_id)).record
            await eventually_so(at.store, task_id, lambda record: record.lease_until > before.lease_until + 0.15)
            shop.gate.set()
            await cleared(at, task_id)

    assert shop.did == ["undo"]
    assert not another.is_clearing.is_set()


async def test_a_cancellation_from_elsewhere_is_cleared_up_behind_by_whoever_runs_tasks(tmp_path: Path) -> None:
    """`elicitkit tasks cancel`, or a server that runs no tools: the notice says that there is something to do."""
    stores = [SqliteTaskStore(tmp_path / "tasks.db") for _ in range(2)]
    shop = Shop()
    task_id = await shop.parked(stores[0], "buy")
    async with shop.process(stores[0], engine=LocalEngine(look=3600)).desk() as at, stores[1]:
        await stores[1].cancel(task_id, owner=None)
        await cleared(at, task_id)

    assert shop.did == ["cancelled", "undo"]


async def test_a_process_without_the_tool_leaves_it_alone(store: TaskStore) -> None:
    shop = Shop()
    task_id = await shop.parked(store, "buy")

    async def other() -> None: ...

    without = Process(store, other)
    async with without.desk() as at:
        await at.cancel(task_id)
        await eventually(lambda: without.tasks._runner.set_aside == 1)
    async with shop.process(store).desk() as at:
        await cleared(at, task_id)
    assert shop.did == ["cancelled", "undo"]


async def test_a_tool_that_kills_its_process_while_it_clears_up_is_given_up() -> None:
    store, shop = MemoryTaskStore(), Shop()
    async with store:
        task_id = await shop.parked(store, "buy")
        await store.cancel(task_id, owner=None)
        for _ in range(3):
            assert await store.take(task_id, "dying", 0.001)
            await asyncio.sleep(0.002)
    async with shop.process(store, lost_runs=3).desk() as at:
        await cleared(at, task_id)

    assert shop.did == []


async def test_a_tool_that_ends_as_it_is_cancelled_is_not_run_again(store: TaskStore) -> None:
    """It returned before it heard of it: there is nothing to clear up."""
    shop = Shop()
    process = shop.process(store)
    async with process.desk() as at:
        task_id = await at.start("work")
        await eventually(lambda: "work" in shop.did)
        process.tasks._runner._refresh = not_heard  # type: ignore[method-assign]
        await at.cancel(task_id)
        shop.gate.set()
        await cleared(at, task_id)

    assert shop.did == ["hold", "work", "more work", "undo"]


async def not_heard(*_: Any) -> None: ...
