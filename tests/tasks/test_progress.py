"""What a task says it is doing, in few commits (Tasks extension, `statusMessage`; clients ask about once a second)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.server.mcpserver import Context

from elicitkit import MemoryTaskStore, StoreError, elicit
from elicitkit.limits import STATUS_CHARACTERS
from elicitkit.tasks import progress
from elicitkit.tasks.claim import Claim
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.progress import Progress
from elicitkit.testing.store_contract import Clock
from tests.tasks.desk import desk, form, quick, server
from tests.tasks.test_road import turns

pytestmark = pytest.mark.anyio

AN_HOUR = 3_600.0


@pytest.fixture(autouse=True)
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing written by itself, however slow the machine is: the clock of these tests stands still."""
    monkeypatch.setattr(progress, "SECONDS", AN_HOUR)


class Told(MemoryTaskStore):
    """A store that keeps each message it is told, and may fail."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock=clock)
        self.told: list[str | None] = []
        self.fails = 0

    async def progress(self, task_id: str, status_message: str | None, **named: Any) -> None:
        if self.fails:
            self.fails -= 1
            raise StoreError("The disk is full.")
        await super().progress(task_id, status_message, **named)
        self.told.append(status_message)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Told:
    return Told(clock)


async def of_a_task(store: Told) -> Progress:
    record = await store.create({}, worker="w")
    return Progress(Claim(store, record.id, record.fence, 30.0, record.lease_until))


# --- the messages of one run ------------------------------------------------------------------------------------------


async def test_the_first_is_written_at_once_and_of_the_next_ones_the_last(store: Told, clock: Clock) -> None:
    telling = await of_a_task(store)
    for number in range(1_000):
        await telling.tell(str(number))
    assert store.told == ["0"]

    await telling.write()
    assert store.told == ["0", "999"]
    clock.advance(AN_HOUR)
    await telling.tell("later")
    await telling.write()

    assert store.told == ["0", "999", "later"]


async def test_a_tool_that_tells_slowly_is_heard_each_time(store: Told, clock: Clock) -> None:
    telling = await of_a_task(store)
    for number in range(3):
        await telling.tell(str(number))
        clock.advance(AN_HOUR)

    assert store.told == ["0", "1", "2"]


async def test_a_clock_that_is_set_back_silences_nobody(store: Told, clock: Clock) -> None:
    telling = await of_a_task(store)
    await telling.tell("before")
    clock.advance(-2 * AN_HOUR)
    await telling.tell("after")

    assert store.told == ["before", "after"]


async def test_a_tool_that_tells_and_then_works_on_in_silence_is_heard(
    store: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS", 0.001)
    telling, is_told = await of_a_task(store), asyncio.Event()
    store.subscribe(lambda _: is_told.set())
    await telling.tell("first")
    await telling.tell("last")
    await turns()
    is_told.clear()
    async with asyncio.timeout(5):
        await is_told.wait()

    assert store.told == ["first", "last"]


async def test_what_cannot_be_written_is_written_with_the_next(store: Told, clock: Clock) -> None:
    telling, store.fails = await of_a_task(store), 1
    await telling.tell("lost for a while")
    assert store.told == []
    await telling.write()
    clock.advance(AN_HOUR)
    store.fails = 1
    await telling.tell("old")
    await telling.tell("new")
    await telling.write()

    assert store.told == ["lost for a while", "new"]


async def test_of_a_task_that_was_overtaken_nothing_is_written(store: Told) -> None:
    telling = await of_a_task(store)
    await telling.tell("mine")
    await telling.tell("late")
    task_id = telling._claim.task_id
    await store.release(task_id, fence=1)
    await telling.write()

    assert store.told == ["mine"]
    assert (await store.history(task_id)).record.status_message == "mine"


async def test_once_it_is_stopped_nothing_is_left_that_would_write_by_itself(store: Told) -> None:
    telling = await of_a_task(store)
    await telling.tell("first")
    await telling.tell("second")
    assert telling._timer is not None
    telling.stop()

    assert telling._timer is None
    await telling.tell("from a tool that clears up")
    assert telling._timer is None
    assert store.told == ["first", "from a tool that clears up"]


async def test_a_message_is_cut_as_it_always_was(store: Told) -> None:
    telling = await of_a_task(store)
    await telling.tell("x" * (STATUS_CHARACTERS + 1))

    assert store.told == ["x" * STATUS_CHARACTERS]


# --- the last one, before the task does something that is seen --------------------------------------------------------


async def say(ctx: Context, *messages: str) -> None:
    for message in messages:
        await ctx.report_progress(1, 3, message)


async def ask(ctx: Context) -> str:
    await say(ctx, "one", "two", "three")
    return str(await elicit(ctx, form()))


async def give(ctx: Context) -> str:
    await say(ctx, "one", "two", "three")
    return "done"


async def fail(ctx: Context) -> str:
    await say(ctx, "one", "two", "three")
    raise ValueError("no")


@pytest.mark.parametrize(
    ("tool", "status"), [(ask, "input_required"), (give, "completed"), (fail, "completed")], ids=["ask", "give", "fail"]
)
async def test_the_last_message_is_there_when_the_task_parks_or_ends(
    store: Told, tool: Callable[[Context], Awaitable[str]], status: str
) -> None:
    tasks = quick(store, tools={"work"}, lease=30.0)
    mcp = server(tasks)
    mcp.tool(name="work")(tool)
    async with desk(mcp, tasks) as at:
        task_id = await at.start("work")
        await at.when(task_id, lambda record: record.status == status)

        assert (await at.get(task_id))["statusMessage"] == "three"
        assert store.told == ["one", "three"]


@pytest.mark.parametrize("how", ["put down", "given back"])
async def test_the_last_message_is_there_when_the_task_is_put_down_or_given_back(store: Told, how: str) -> None:
    """A tool may ask and tell at once: what it told beside its question is not lost with its memory."""
    may_rest = asyncio.Event()

    async def work(ctx: Context) -> str:
        async def beside() -> None:
            await say(ctx, "one")
            await may_rest.wait()
            await say(ctx, "two", "three")

        await asyncio.gather(elicit(ctx, form()), beside())
        return "done"

    tasks = quick(store, tools={"work"}, lease=30.0, engine=LocalEngine(look=30.0))
    mcp = server(tasks)
    mcp.tool(name="work")(work)
    async with desk(mcp, tasks) as at:
        task_id = await at.start("work")
        await at.key(task_id)
        may_rest.set()
        await turns()
        assert store.told == ["one"]
        if how == "put down":
            (run,) = tasks._runner._runs.values()
            tasks._runner._resting._max_live = 0
            tasks._runner._resting.trim_soon()
            await asyncio.wait([run.task] if run.task else [])
            assert store.told == ["one", "three"]

    assert store.told == ["one", "three"]
    assert (await store.history(task_id)).record.status_message == "three"
