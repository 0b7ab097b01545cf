"""A call that is being put down: until that is decided nothing reaches it, and what comes meanwhile is not lost."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable
from typing import Any

import pytest
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import MemoryTaskStore, StoreError, elicit, step
from elicitkit.tasks.answers import judge
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.record import History
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import accept, desk, form, quick, server

pytestmark = pytest.mark.anyio


class GatedStore(MemoryTaskStore):
    """A store that takes its time: to say that a task was put down, and to read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down, self.may_say_so = asyncio.Event(), asyncio.Event()
        self.is_reading, self.may_read = asyncio.Event(), asyncio.Event()
        self.may_read.set()

    async def put_down(self, task_id: str, **named: Any) -> bool:
        is_done = await super().put_down(task_id, **named)
        self.is_down.set()
        await self.may_say_so.wait()
        return is_done

    async def history(self, task_id: str) -> History:
        self.is_reading.set()
        await self.may_read.wait()
        return await super().history(task_id)


class WordlessStore(MemoryTaskStore):
    """A store that loses the answer of a database which has put a task down."""

    def __init__(self) -> None:
        super().__init__()
        self.has_failed = asyncio.Event()

    async def put_down(self, task_id: str, **named: Any) -> bool:
        assert await super().put_down(task_id, **named)
        self.has_failed.set()
        raise StoreError("It is not known whether this was stored.")


class Shop:
    """A tool that asks, and pays once it is answered."""

    def __init__(self, store: TaskStore, **more: Any) -> None:
        # No look would bring a task back.
        self.tasks = quick(store, tools={"order"}, lease=30.0, engine=LocalEngine(look=30.0), **more)
        self.mcp: MCPServer[Any] = server(self.tasks)
        self.paid: list[int] = []

        @self.mcp.tool()
        async def order(ctx: Context, number: int) -> None:
            await elicit(ctx, form())
            self.paid.append(number)

    def desk(self) -> Any:
        return desk(self.mcp, self.tasks)


@pytest.fixture
async def store() -> GatedStore:
    return GatedStore()


async def turns(count: int = 20) -> None:
    """Let everything that can go on do so."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_client_that_answers_meanwhile_wakes_the_next_run_alone(store: GatedStore) -> None:
    shop = Shop(store, max_live=1)
    async with shop.desk() as at:
        first = await at.start("order", number=1)
        key = await at.key(first)
        await at.start("order", number=2)
        await store.is_down.wait()
        await at.update(first, **{key: accept(size="XL")})
        await turns()
        assert shop.paid == []
        store.may_say_so.set()
        await at.ended(first)

    assert shop.paid == [1]


async def test_what_was_being_read_wakes_the_next_run_alone(store: GatedStore) -> None:
    shop = Shop(store, max_live=1)
    async with shop.desk() as at:
        first = await at.start("order", number=1)
        await at.key(first)
        store.is_reading.clear()
        store.may_read.clear()
        await store.progress(first, "something changed")
        await store.is_reading.wait()
        await at.start("order", number=2)
        await store.is_down.wait()
        (asked,) = (await MemoryTaskStore.history(store, first)).inputs
        await store.settle(first, [judge(asked, accept(size="XL"))])
        store.may_read.set()
        await turns()
        assert shop.paid == []
        store.may_say_so.set()
        await at.ended(first)

    assert shop.paid == [1]


async def test_a_call_of_which_nobody_knows_whether_it_was_put_down_does_no_step_that_the_next_run_does() -> None:
    store = WordlessStore()
    tasks = quick(store, tools={"order"}, lease=30.0, engine=LocalEngine(look=0.05), max_live=1)
    mcp, paid = server(tasks), list[int]()

    @mcp.tool()
    async def order(ctx: Context, number: int) -> None:
        await elicit(ctx, form())
        await step(ctx, "pay", paid.append, number)

    async with desk(mcp, tasks) as at:
        first = await at.start("order", number=1)
        await at.key(first)
        await at.start("order", number=2)
        await store.has_failed.wait()
        await turns()
        await at.answer(first, size="XL")
        await at.ended(first)

    assert paid == [1]


async def test_a_claim_that_is_being_given_back_is_not_renewed(
    store: GatedStore, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Shop(store, max_live=1)
    async with shop.desk() as at:
        first = await at.start("order", number=1)
        await at.key(first)
        await at.start("order", number=2)
        await store.is_down.wait()
        await shop.tasks._runner.renew()
        store.may_say_so.set()
        await at.answer(first, size="XL")
        await at.ended(first)

    assert "was taken over" not in caplog.text


# --- what a call that waits does not do -------------------------------------------------------------------------------


async def test_a_call_that_waits_keeps_nothing_of_the_connection_of_its_request() -> None:
    kept: list[weakref.ref[Any]] = []

    async def noting(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call":
            kept.extend(map(weakref.ref, (ctx.session, ctx.session.elicitkit_road)))  # type: ignore[attr-defined]
        return await call_next(ctx)

    shop = Shop(MemoryTaskStore())
    shop.mcp.middleware.append(noting)  # Behind ours: it sees the session with the road of the request.
    async with shop.desk() as at:
        await at.key(await at.start("order", number=1))
        await turns()
        gc.collect()

        assert kept
        assert [one() for one in kept] == [None, None]


async def test_what_a_run_did_itself_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryTaskStore()
    shop, read, looked = Shop(store), list[str](), list[str]()
    history = store.history

    async def reading(task_id: str) -> History:
        read.append(task_id)
        return await history(task_id)

    async def looking(task_id: str) -> bool:
        looked.append(task_id)
        return False

    async with shop.desk() as at:
        monkeypatch.setattr(store, "history", reading)
        monkeypatch.setattr(shop.tasks._runner, "advance", looking)
        asked = asyncio.Event()
        store.subscribe(lambda _: asked.set())
        await at.start("order", number=1)
        await asked.wait()
        await turns()

        assert (read, looked) == ([], [])


async def a_little_later(asking: Awaitable[Any]) -> Any:
    """Ask when what was asked just before is parked: what is asked in the same turn of the loop goes with it."""
    await turns()
    return await asking


class CrossingStore(MemoryTaskStore):
    """A store that takes answers to all that is open just before something more is asked."""

    async def park(self, task_id: str, *given: Any, **named: Any) -> Any:
        every = (await self.history(task_id)).record.inputs.values()
        await self.settle(task_id, [judge(asked, accept(x="!")) for asked in every])
        return await super().park(task_id, *given, **named)


async def test_an_answer_that_crosses_a_question_is_seen() -> None:
    store, is_seen = CrossingStore(), asyncio.Event()
    tasks = quick(store, tools={"ask"}, engine=LocalEngine(look=30.0), lease=30.0)
    mcp = server(tasks)

    @mcp.tool()
    async def ask(ctx: Context) -> None:
        async def first() -> None:
            await elicit(ctx, form("A?", "x"))
            is_seen.set()

        await asyncio.gather(first(), a_little_later(elicit(ctx, form("B?", "x"))))

    async with desk(mcp, tasks, seconds=5) as at:
        task_id = await at.start("ask")
        await is_seen.wait()
        await at.cancel(task_id)


async def test_a_live_task_is_answered_without_being_read_first(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryTaskStore()
    shop = Shop(store)
    async with shop.desk() as at:
        task_id = await at.start("order", number=1)
        key = await at.key(task_id)

        async def unread(*_: Any, **__: Any) -> Any:
            raise AssertionError("it was read")

        monkeypatch.setattr(store, "get", unread)
        await at.update(task_id, **{key: accept(size="XL")})
        monkeypatch.undo()
        await at.ended(task_id)

    assert shop.paid == [1]


class SlowToPark(MemoryTaskStore):
    """A store that takes its time to keep every second question."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun, self.is_parking, self.may_park = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def park(self, task_id: str, inputs: Any, **named: Any) -> Any:
        self.has_begun.set()
        await turns()
        if "B?" in str(inputs):
            self.is_parking.set()
            await self.may_park.wait()
        return await super().park(task_id, inputs, **named)


async def test_a_call_is_not_put_down_while_a_question_of_it_is_on_its_way_into_the_store() -> None:
    """Else it would be asked only after the one beside it was answered, and a client that shows both would wait."""
    store = SlowToPark()
    tasks = quick(store, tools={"ask"}, lease=30.0, engine=LocalEngine(look=30.0), max_live=0)
    mcp = server(tasks)

    @mcp.tool()
    async def ask(ctx: Context) -> None:
        async def second() -> None:
            await store.has_begun.wait()
            await elicit(ctx, form("B?", "x"))

        await asyncio.gather(elicit(ctx, form("A?", "x")), second())

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await store.is_parking.wait()
        await at.asked(task_id, 1)
        await turns()
        store.may_park.set()

        assert len(await at.asked(task_id, 2)) == 2
