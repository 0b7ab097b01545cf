"""However a tool of a task ends, it ends once, and nothing is asked that nobody waits for (design, 8)."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context

from elicitkit import MemoryTaskStore, ProtocolError, TaskHandle, Tasks, elicit
from elicitkit.errors import StoreError
from elicitkit.tasks import errands
from elicitkit.tasks.endings import ending_of
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.listening import wanted_tasks
from tests.tasks.desk import desk, form, quick, server
from tests.tasks.test_restarting import Process

pytestmark = pytest.mark.anyio


class Boom(BaseException):
    """No `Exception`."""


async def raising(error: BaseException) -> None:
    raise error


async def in_a_group(error: BaseException) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(raising, error)


async def in_a_thread(error: BaseException) -> None:
    def work() -> None:
        raise error

    await anyio.to_thread.run_sync(work)


async def in_a_generator(error: BaseException) -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 1
        raise error

    async with contextlib.aclosing(numbers()) as every:
        async for _ in every:
            pass


class Left(GeneratorExit):
    """One of somebody's own."""


# A `SystemExit` in a task of the tool's own is not ours to stop: asyncio ends the loop with it.
@pytest.mark.parametrize(
    ("raised", "how"),
    [
        (Boom("bang"), raising),
        (Boom("bang"), in_a_group),
        (Boom("bang"), in_a_thread),
        (SystemExit(2), raising),
        (GeneratorExit(), raising),
        (GeneratorExit(), in_a_group),
        (GeneratorExit(), in_a_thread),
        (GeneratorExit(), in_a_generator),
        (Left(), raising),
        (StopAsyncIteration(), raising),
    ],
)
@pytest.mark.parametrize("is_brought_back", [False, True], ids=["live", "replayed"])
async def test_whatever_a_tool_raises_its_task_has_failed_and_is_not_run_again(
    raised: BaseException, how: Callable[[BaseException], Any], is_brought_back: bool
) -> None:
    store, runs = MemoryTaskStore(), list[int]()
    tasks = quick(store, tools={"work"})
    mcp = server(tasks)

    @mcp.tool()
    async def work() -> None:
        runs.append(1)
        await how(raised)

    async with desk(mcp, tasks) as at:
        if is_brought_back:
            task_id = (await store.create({"tool": "work", "call_id": "0" * 32})).id
        else:
            task_id = await at.start("work")
        ended = await at.ended(task_id)
        await asyncio.sleep(0.3)  # Two claims long.

    assert is_failure(ended)
    assert runs == [1]


def is_failure(ended: dict[str, Any]) -> bool:
    return ended["status"] == "failed" or bool(ended["result"]["isError"])


async def test_a_call_that_is_thrown_away_with_its_loop_has_not_failed() -> None:
    """What a killed event loop leaves is closed, which looks like an error of the tool's; its task is run again."""
    ends = [GeneratorExit(), RuntimeError("in a finally, while it is closed")]
    elsewhere = asyncio.ensure_future(asyncio.sleep(3600))
    for end in ends:
        for task in (elsewhere, None):
            with pytest.raises(type(end)):
                ending_of(end, task)
    elsewhere.cancel()


async def test_a_question_that_its_tool_waits_for_no_longer_is_withdrawn() -> None:
    tasks = quick(MemoryTaskStore(), tools={"hurry"})
    mcp = server(tasks)

    @mcp.tool()
    async def hurry(ctx: Context) -> str:
        for _ in range(3):
            try:
                await asyncio.wait_for(elicit(ctx, form("Quick?")), 0.02)
            except TimeoutError:
                continue
        await elicit(ctx, form("Now?"))
        return "done"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("hurry")
        record = await at.when(task_id, lambda one: any("Now?" in str(asked.request) for asked in one.inputs.values()))
        messages = [one["params"]["message"] for one in record["inputRequests"].values()]
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "done"
    assert messages == ["Now?"]


class FailingStore(MemoryTaskStore):
    """A store that withdraws no question the first two times."""

    failures = 2

    async def withdraw(self, *given: Any, **named: Any) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is full.")
        await super().withdraw(*given, **named)


@pytest.mark.parametrize("is_again", [False, True], ids=["its first run", "a later run"])
async def test_it_is_withdrawn_though_the_store_fails_for_a_while(
    monkeypatch: pytest.MonkeyPatch, is_again: bool
) -> None:
    """Else it could be answered, and a task whose process died would count as one that waits for people."""
    monkeypatch.setattr(errands, "_PAUSE", 0.001)
    store, gives_up = FailingStore(), asyncio.Event()

    async def hurry(ctx: Context) -> None:
        if is_again:
            await elicit(ctx, form("First?"))
        asking = asyncio.ensure_future(elicit(ctx, form("Quick?")))
        await gives_up.wait()
        asking.cancel()
        await asyncio.sleep(3600)

    async with Process(store, hurry).desk() as at:
        task_id = await at.start("hurry")
        await at.key(task_id)
    async with Process(store, hurry).desk() as at:
        if is_again:
            await at.answer(task_id, size="XL")
        else:
            task_id = await at.start("hurry")
        await at.when(task_id, lambda record: "Quick?" in str(record.inputs))
        gives_up.set()

        assert (await at.when(task_id, lambda record: not record.inputs))["status"] == "working"


async def test_what_a_tool_left_behind_waits_no_longer_than_its_task() -> None:
    tasks, left = quick(MemoryTaskStore(), tools={"leave"}), list[asyncio.Task[Any]]()
    mcp = server(tasks)

    @mcp.tool()
    async def leave(ctx: Context) -> str:
        left.append(asyncio.ensure_future(elicit(ctx, form())))
        await asyncio.sleep(0.02)
        return "left"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("leave")
        assert await at.said(task_id) == "left"
        with anyio.fail_after(5):
            await asyncio.wait(left)
    assert left[0].cancelled()


async def test_a_dead_worker_is_followed_when_its_claim_ends_without_waiting_for_a_look() -> None:
    store = MemoryTaskStore()
    tasks = Tasks(store, tools={"work"}, engine=LocalEngine(look=3600), lease=0.2)
    mcp = server(tasks)

    @mcp.tool()
    async def work(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return str(outcome.content["size"]) if outcome else "no"

    async with desk(mcp, tasks) as at:
        call = {"tool": "work", "call_id": "0" * 32, "capabilities": {"elicitation": {"form": {}}}}
        dead = await store.create(call, worker="dead", lease=0.2)
        key = await store.set_input_requests(dead.id, form())
        await at.update(dead.id, **{key: {"action": "decline"}})

        await at.answer(dead.id, size="XL")
        assert await at.said(dead.id) == "XL"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"lease": 0}, "lease is a positive time"),
        ({"lease": "30"}, "lease is a number of seconds"),
        ({"ttl": math.inf}, "ttl is a positive time"),
        ({"ttl": True}, "ttl is a number of seconds"),
        ({"ttl": "1d"}, "ttl is a number of seconds"),
        ({"ttl": timedelta(seconds=1)}, "ttl is at least the lease"),
        ({"poll_interval": -1}, "poll_interval is a positive time"),
    ],
)
def test_a_setting_that_is_none_is_refused_at_once(options: dict[str, Any], problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        Tasks(MemoryTaskStore(), **options)


class Fake:
    """A session that answers every request alike, and counts them."""

    def __init__(self, **state: Any) -> None:
        self.count = 0
        self._state = {"taskId": "t", "createdAt": "x", "lastUpdatedAt": "x", "ttlMs": None, **state}

    async def send_request(self, request: Any, model: Any) -> Any:
        self.count += 1
        return model.model_validate(self._state)


async def test_a_server_that_wants_to_be_asked_all_the_time_is_not() -> None:
    fake: Any = Fake(status="working", pollIntervalMs=0)

    with anyio.move_on_after(0.3):
        await TaskHandle(fake, "t", poll_interval=0.05).wait()

    assert fake.count < 10


async def test_a_status_that_there_is_not_is_an_error_of_the_server() -> None:
    fake: Any = Fake(status="paused")

    with anyio.fail_after(5), pytest.raises(ProtocolError, match="status"):
        await TaskHandle(fake, "t").wait()


async def test_an_error_that_is_none_is_an_error_of_the_server() -> None:
    fake: Any = Fake(status="failed", error={"code": "no number"})

    with anyio.fail_after(5), pytest.raises(ProtocolError, match="failed a task"):
        await TaskHandle(fake, "t").wait()


async def test_what_a_task_is_doing_is_told_in_a_line_or_two() -> None:
    tasks = quick(MemoryTaskStore(), tools={"tell"})
    mcp = server(tasks)

    @mcp.tool()
    async def tell(ctx: Context) -> str:
        await ctx.report_progress(1, message="x" * 1_000_000)
        return "told"

    async with desk(mcp, tasks) as at:
        ended = await at.ended(await at.start("tell"))

    assert ended["statusMessage"] == "x" * 1_000


@pytest.mark.parametrize("wanted", [[f"{number}" for number in range(5_000)], "all", [1, None], {"a": 1}])
def test_a_subscription_hears_of_no_more_tasks_than_there_may_be(wanted: Any) -> None:
    ctx: Any = SimpleNamespace(method="subscriptions/listen", params={"notifications": {"taskIds": wanted}})

    assert len(wanted_tasks(ctx)) == (1_000 if len(wanted) == 5_000 else 0)


@pytest.mark.parametrize("notifications", [[1], "x", 5, None])
def test_a_subscription_to_nothing_that_there_is_hears_of_no_task(notifications: Any) -> None:
    ctx: Any = SimpleNamespace(method="subscriptions/listen", params={"notifications": notifications})

    assert wanted_tasks(ctx) == []
