"""What the runner does when a store fails, a client leaves, or everything stops at a bad moment."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from elicitkit import MemoryTaskStore, Tasks, call_id, elicit, elicit_all, elicit_sync, step
from elicitkit.errors import StoreError, TaskKeyError
from elicitkit.tasks import errands, runner
from elicitkit.tasks.answers import judge
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.troubles import Troubles
from elicitkit.testing.store_contract import Clock
from tests.tasks.desk import Desk, accept, desk, eventually, form, quick, server, text_of, until

pytestmark = pytest.mark.anyio

FLAKY = (
    *("create", "get", "settle", "cancel", "complete", "history", "keep_step", "park", "progress", "renew"),
    *("put_down", "sweep", "ready", "release", "take", "answer", "withdraw"),
)


class FlakyStore(MemoryTaskStore):
    """A store whose disk is full for a while: each method of a name in `fails` fails so often."""

    def __init__(self) -> None:
        super().__init__()
        self.fails: dict[str, int] = {}
        for name in FLAKY:
            setattr(self, name, self._failing(name, getattr(self, name)))

    def _failing(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*given: Any, **named: Any) -> Any:
            if self.fails.get(name, 0) > 0:
                self.fails[name] -= 1
                raise StoreError("The disk is full.")
            return await method(*given, **named)

        return call


@pytest.fixture
def store() -> FlakyStore:
    return FlakyStore()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errands, "_PAUSE", 0.01)


class Order:
    """A tool with a step, a question, a step; and how often it ran."""

    def __init__(self) -> None:
        self.runs = 0
        self.did: list[str] = []

    def served(self, store: FlakyStore, **more: Any) -> tuple[Any, Tasks]:
        tasks = quick(store, tools={"order"}, **more)
        mcp = server(tasks)
        mcp.tool(name="order")(self.order)
        return mcp, tasks

    async def order(self, ctx: Context) -> str:
        self.runs += 1
        await step(ctx, "price", self.did.append, "price")
        await ctx.report_progress(1, 2, "priced")
        outcome = await elicit(ctx, form())
        await step(ctx, "pay", self.did.append, "pay")
        return f"{outcome.content['size'] if outcome else ''}"


# --- a store that fails -----------------------------------------------------------------------------------------------


async def test_a_result_that_cannot_be_kept_yet_is_kept_later_and_the_tool_not_run_again(store: FlakyStore) -> None:
    order = Order()
    async with desk(*order.served(store)) as at:
        task_id = await at.start("order")
        await at.key(task_id)
        store.fails["complete"] = 3
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "XL"
    assert order.runs == 1
    assert order.did == ["price", "pay"]


@pytest.mark.parametrize("method", ["create", "get", "settle", "cancel"])
async def test_a_client_is_told_what_is_the_matter_with_the_store(
    store: FlakyStore, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 7: clear errors. The SDK would make "Internal server error" of them."""
    order = Order()
    async with desk(*order.served(store)) as at:
        task_id = await at.start("order")
        key = await at.key(task_id)
        store.fails[method] = 1
        if method == "create":
            told = text_of({"status": "completed", "result": await at.send("order")})
            assert told == "error: The disk is full."
        else:
            with pytest.raises(MCPError, match=r"^The disk is full\.$") as caught:
                await {
                    "cancel": lambda: at.cancel(task_id),
                    "get": lambda: at.get(task_id),
                    "settle": lambda: at.update(task_id, **{key: accept(size="S")}),
                }[method]()
            assert caught.value.error.code == INTERNAL_ERROR
            assert "The disk is full." in caplog.text
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "XL"


async def test_an_answer_from_elsewhere_is_seen_though_the_store_cannot_be_read_for_a_while(store: FlakyStore) -> None:
    order = Order()
    async with desk(*order.served(store)) as at:
        task_id = await at.start("order")
        key = await at.key(task_id)
        asked = (await store.history(task_id)).latest(key)
        assert asked is not None
        store.fails["history"] = 3
        await store.settle(task_id, [judge(asked, accept(size="XL"))])
        await eventually(lambda: not store.fails["history"])

        assert await at.said(task_id) == "XL"


@pytest.mark.parametrize("method", ["park", "keep_step"])
async def test_a_run_that_could_not_be_kept_is_dropped_and_made_again(store: FlakyStore, method: str) -> None:
    order, store.fails[method] = Order(), 1
    async with desk(*order.served(store)) as at:
        task_id = await at.start("order")
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "XL"
    assert order.runs == 2


@pytest.mark.parametrize("method", ["progress", "renew", "sweep", "ready"])
async def test_what_is_not_worth_a_failure_is_logged(
    store: FlakyStore, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    order, store.fails[method] = Order(), 2
    async with desk(*order.served(store)) as at:
        task_id = await at.start("order")
        await at.key(task_id)
        await eventually(lambda: method == "progress" or not store.fails[method])
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "XL"
    assert order.runs == 1
    assert "The disk is full." in caplog.text


async def test_a_store_that_is_gone_for_a_while_is_told_of_in_one_line_and_so_is_that_it_is_back(
    store: FlakyStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 8: not a trace for each task at each renewal."""
    gate = asyncio.Event()
    tasks = quick(store, tools={"wait"})
    mcp = server(tasks)
    mcp.tool(name="wait")(gate.wait)
    async with desk(mcp, tasks) as at:
        ids = [await at.start("wait") for _ in range(5)]
        store.fails = dict.fromkeys(("renew", "sweep", "ready", "history"), 40)
        await eventually(lambda: store.fails["renew"] < 25 and store.fails["sweep"] < 38)
        assert len(caplog.messages) == 1
        store.fails.clear()
        await eventually(lambda: len(caplog.messages) == 2)
        gate.set()
        for task_id in ids:
            await at.ended(task_id)

    assert caplog.messages == [
        "the store of tasks fails, and what needs it is tried again until it does not: The disk is full.",
        "the store of tasks can be used again",
    ]


async def test_a_disk_that_is_full_is_told_of_once_though_it_can_be_read(
    store: FlakyStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 8: what is ready cannot be taken, at each look anew, while every client is told how its task stands."""
    order = Order()
    task_id = (await store.create(TaskCall("order", "a call", capabilities={"elicitation": {"form": {}}}).to_dict())).id
    store.fails["take"] = 40
    async with desk(*order.served(store)) as at:
        await eventually(lambda: store.fails["take"] < 40)
        while store.fails["take"] > 30:
            await at.get(task_id)
            await asyncio.sleep(0.001)
        assert len(caplog.messages) == 1
        store.fails.clear()
        await at.answer(task_id, size="XL")
        assert await at.said(task_id) == "XL"

    assert caplog.messages == [
        "the store of tasks fails, and what needs it is tried again until it does not: The disk is full.",
        "the store of tasks can be used again",
    ]


async def test_what_is_read_is_no_sign_that_a_store_can_be_written(caplog: pytest.LogCaptureFixture) -> None:
    """A full disk can be read: each look would tell that all is well, and each renewal that it is not."""
    troubles, full = Troubles(), StoreError("the disk is full")
    for _ in range(3):
        troubles.begin("write", full, "a renewal")
        troubles.end("read")
    troubles.begin("read", full, "a look")
    troubles.end("write")
    troubles.end("write")

    assert len(caplog.messages) == 2


async def test_a_call_that_cannot_be_put_down_stays(store: FlakyStore) -> None:
    order, store.fails["put_down"] = Order(), 1
    mcp, tasks = order.served(store, max_live=1)
    async with desk(mcp, tasks) as at:
        first, second = await at.start("order"), await at.start("order")
        await at.key(first)
        await at.key(second)
        await eventually(lambda: not store.fails["put_down"])
        await at.answer(first, size="S")
        await at.answer(second, size="L")

        assert [await at.said(first), await at.said(second)] == ["S", "L"]


async def test_a_store_that_fails_at_the_end_lets_the_server_end(store: FlakyStore) -> None:
    order = Order()
    async with desk(*order.served(store)) as at:
        await at.key(await at.start("order"))
        store.fails["release"] = 10


# --- a client that leaves ---------------------------------------------------------------------------------------------


class SlowStore(MemoryTaskStore):
    """A store that makes its first task late, whoever waits for it still: as a database may that is told too late."""

    def __init__(self, *, is_made_first: bool) -> None:
        super().__init__()
        self.is_creating, self.go = asyncio.Event(), asyncio.Event()
        self.ids: list[str] = []
        self.making: asyncio.Task[Any] | None = None
        if is_made_first:
            self.go.set()

    async def create(self, *given: Any, **named: Any) -> Any:
        self.ids.append(named["task_id"])
        if self.making is not None:
            return await super().create(*given, **named)
        self.making = asyncio.create_task(self._make(*given, **named))
        if self.go.is_set():
            await asyncio.wait({self.making})
        self.is_creating.set()
        await asyncio.Event().wait()

    async def _make(self, *given: Any, **named: Any) -> Any:
        await self.go.wait()
        return await super().create(*given, **named)


@pytest.mark.parametrize("is_made_first", [True, False])
async def test_a_call_that_is_cancelled_while_its_task_is_made_leaves_none_to_run(is_made_first: bool) -> None:
    slow, runs = SlowStore(is_made_first=is_made_first), list[str]()
    tasks = quick(slow, tools={"work"})
    mcp = server(tasks)

    @mcp.tool()
    async def work() -> None:
        runs.append("run")

    async with desk(mcp, tasks) as at:
        calling = asyncio.create_task(at.send("work"))
        await slow.is_creating.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        await eventually(lambda: len(slow.ids) == 2)
        slow.go.set()
        assert slow.making is not None
        await asyncio.wait({slow.making})
        await until(slow, slow.ids[0], lambda record: record.status == "cancelled")

    assert slow.ids[0] == slow.ids[1]
    assert isinstance(slow.making.exception(), TaskKeyError if not is_made_first else type(None))
    assert runs == []


# --- other bad moments ------------------------------------------------------------------------------------------------


async def test_a_tool_that_does_not_end_is_given_up_in_time_and_after_those_that_do(
    store: FlakyStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 8: a server that is asked to end does so, and others have its tasks."""
    monkeypatch.setattr(runner, "_QUICKLY", 0.05)
    tasks = quick(store, tools={"stubborn", "willing"}, grace=0.1, lease=60)
    mcp, go, released = server(tasks), asyncio.Event(), list[str]()

    async def releasing(task_id: str, *, fence: int) -> None:
        released.append(task_id)
        await MemoryTaskStore.release(store, task_id, fence=fence)

    monkeypatch.setattr(store, "release", releasing)

    @mcp.tool()
    async def stubborn() -> None:
        while not go.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await go.wait()

    mcp.tool(name="willing")(asyncio.Event().wait)

    async with desk(mcp, tasks) as at:
        ids = [await at.start("stubborn"), await at.start("willing")]
        await asyncio.sleep(0)
        assert tasks.left_behind == ()
    left = tasks.left_behind
    go.set()

    assert left == (ids[0],)
    assert released == [ids[1], ids[0]]
    assert set(await store.ready()) == set(ids)
    assert f"elicitkit task {ids[0][:8]} was cancelled, and does not end" in caplog.text
    assert ids[1][:8] not in caplog.text


async def test_a_result_that_is_no_json_is_an_error_of_the_server(store: FlakyStore) -> None:
    tasks = quick(store, tools={"work"})
    mcp = server(tasks)
    mcp.tool(name="work")(asyncio.Event().wait)

    async def odd(ctx: Any, call_next: Any) -> Any:
        return {"content": [{"type": "text", "text": {1, 2}}]} if ctx.method == "tools/call" else await call_next(ctx)

    async with desk(mcp, tasks) as at:
        record = await store.create({"tool": "work", "call_id": "0" * 32})
        mcp.middleware.append(odd)
        failed = await at.ended(record.id)

    assert failed["status"] == "failed"


async def test_the_call_id_is_the_same_in_every_run(store: FlakyStore) -> None:
    ids: list[str] = []
    tasks = quick(store, tools={"ask"})
    mcp = server(tasks)

    @mcp.tool()
    async def ask(ctx: Context) -> None:
        ids.append(call_id(ctx))
        await elicit(ctx, form())

    for _ in range(2):
        async with desk(mcp, tasks) as at:
            if not ids:
                task_id = await at.start("ask")
            await at.key(task_id)
    async with desk(mcp, tasks) as at:
        await at.answer(task_id, size="XL")
        await at.ended(task_id)

    assert len(ids) > 1
    assert len({*ids}) == 1


async def test_work_beside_a_question_is_done_before_the_call_is_put_down(store: FlakyStore) -> None:
    go, did = asyncio.Event(), list[int]()
    tasks = quick(store, tools={"ask"}, max_live=1)
    mcp = server(tasks)

    @mcp.tool()
    async def ask(ctx: Context, number: int) -> str:
        async def slow() -> int:
            await go.wait()
            did.append(number)
            return number

        outcome, done = await asyncio.gather(elicit(ctx, form()), step(ctx, "slow", slow))
        return f"{outcome.content['size'] if outcome else ''} {done}"

    async with desk(mcp, tasks) as at:
        ids = [await at.start("ask", number=number) for number in range(4)]
        for task_id in ids:
            await at.key(task_id)
        assert tasks._runner.live == 4
        go.set()
        for task_id in ids:
            await at.answer(task_id, size="XL")

        assert [await at.said(task_id) for task_id in ids] == [f"XL {number}" for number in range(4)]
    assert sorted(did) == [0, 1, 2, 3]


async def test_tools_that_wait_in_threads_leave_some_for_others(store: FlakyStore) -> None:
    """The framework has 40 threads for all tools that are no coroutines."""
    tasks = quick(store, tools={"ask"})
    mcp = server(tasks)

    @mcp.tool()
    def ask(ctx: Context, number: int) -> str:
        outcome = elicit_sync(ctx, form())
        return f"{number} {outcome.content['size'] if outcome else ''}"

    @mcp.tool()
    def plain() -> str:
        return "here"

    async with desk(mcp, tasks) as at:
        ids = [await at.start("ask", number=number) for number in range(60)]
        for task_id in ids:
            await at.key(task_id)
        assert (await at.send("plain"))["content"][0]["text"] == "here"
        for task_id in ids:
            await at.answer(task_id, size="XL")

        assert [await at.said(task_id) for task_id in ids] == [f"{number} XL" for number in range(60)]


async def test_more_than_one_look_is_ready_and_all_are_taken_up_at_once(store: FlakyStore) -> None:
    tasks = Tasks(store, tools={"work"}, engine=LocalEngine(look=3600, at_once=3))
    mcp = server(tasks)

    @mcp.tool()
    async def work() -> str:
        return "done"

    records = [await store.create({"tool": "work", "call_id": "0" * 32}) for _ in range(20)]
    async with desk(mcp, tasks) as at:
        assert [await at.said(record.id) for record in records] == ["done"] * 20


async def test_questions_of_an_author_stand_beside_those_of_the_tool(store: FlakyStore) -> None:
    """`store.set_input_requests` parks from a background worker while the tool asks, too."""
    tasks = quick(store, tools={"ask"})
    mcp = server(tasks)

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, size=form())
        return str(found["size"].content["size"] if found["size"] else "")

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
        key = await store.set_input_requests(task_id, form("Who?", "name"), key="who")
        outcome = asyncio.create_task(store.input_response(task_id, key))
        await answer_everything(at, task_id)

        assert (await outcome).content == {"name": "x"}
        assert await at.said(task_id) == "x"


async def answer_everything(at: Desk, task_id: str) -> None:
    for key, request in (await at.get(task_id))["inputRequests"].items():
        (name,) = request["params"]["requestedSchema"]["properties"]
        await at.update(task_id, **{key: accept(**{name: "x"})})


@pytest.fixture(autouse=True)
def everything_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "elicitkit")


# --- claims -----------------------------------------------------------------------------------------------------------


async def test_the_claim_of_a_call_that_waits_on_is_renewed_at_every_other_look() -> None:
    """Issue 7: a server with many parked tasks is idle. One look is after a third of the lease."""
    clock = Clock()
    store = RenewalsCounted(clock=clock)
    tasks = Tasks(store, tools={"order"}, lease=30, engine=LocalEngine(look=100))
    mcp = server(tasks)
    mcp.tool(name="order")(Order().order)
    counts = []
    async with desk(mcp, tasks) as at:
        await at.key(task_id := await at.start("order"))
        for _ in range(6):
            await tasks._runner.renew()
            counts.append(store.renewals)
            clock.advance(10)
            assert (await store.history(task_id)).record.is_leased(clock() - 1)

    assert counts == [1, 1, 2, 2, 3, 3]


class RenewalsCounted(MemoryTaskStore):
    """A store that counts the renewals of claims."""

    renewals = 0

    async def renew(self, *given: Any, **named: Any) -> None:
        self.renewals += 1
        await super().renew(*given, **named)
