"""A task that kills its process whenever it is run is given up in the end, and takes no other along (design, 8)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after
from mcp.server.mcpserver import Context

from elicitkit import DocketEngine, MemoryTaskStore, SqliteTaskStore, Tasks, elicit, elicit_all, step
from elicitkit.errors import StoreError
from elicitkit.limits import LOST_RUNS
from elicitkit.tasks import last_runs
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.last_runs import LastRuns
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.releasing import take
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import Desk, eventually, form, until
from tests.tasks.test_restarting import Process

pytestmark = pytest.mark.anyio

LIMIT = 3


class Killer:
    """A tool that kills its process: here it says that it is about to, and never ends."""

    def __init__(self) -> None:
        self.runs = 0
        self._struck = asyncio.Event()

    async def strike(self) -> None:
        self.runs += 1
        self._struck.set()
        await asyncio.sleep(3600)

    async def has_struck(self) -> None:
        await self._struck.wait()
        self._struck.clear()

    async def kill(self) -> None:
        await self.strike()


class Worker:
    """A tool that works until it may end, and counts how many of it do so at once."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.working = self.most = 0

    async def work(self) -> str:
        self.working += 1
        self.most = max(self.most, self.working)
        try:
            await self.gate.wait()
            for _ in range(20):  # Others that were begun with it are at work, too.
                await asyncio.sleep(0)
        finally:
            self.working -= 1
        return "done"


Life = Callable[[Desk], Awaitable[None]]


async def live(store: TaskStore, life: Life, *tools: Any, **more: Any) -> None:
    """One process, which is dead at the end of its life."""
    process = Process(store, *tools, **{"lost_runs": LIMIT, **more})
    process.tasks._runner.renew = nothing  # type: ignore[method-assign]  # It dies before it would.
    async with process.desk() as at:
        await life(at)
        process.dies()


async def nothing() -> None: ...


async def record_of(store: TaskStore, task_id: str) -> TaskRecord:
    async with store:
        return (await store.history(task_id)).record


async def test_a_task_whose_runs_are_all_lost_ends_with_an_error_that_says_so(
    store: TaskStore, caplog: pytest.LogCaptureFixture
) -> None:
    killer, ids = Killer(), list[str]()

    async def first(at: Desk) -> None:
        ids.append(await at.start("kill"))
        await killer.has_struck()

    await live(store, first, killer.kill)
    for _ in range(LIMIT - 1):
        await live(store, lambda _: killer.has_struck(), killer.kill)
    with caplog.at_level(logging.INFO, "elicitkit"):
        async with Process(store, killer.kill, lost_runs=LIMIT).desk() as at:
            said = await at.said(ids[0])

    assert said == (
        "error: The call was given up, and is not run again: 3 times in a row, "
        "the process that ran it died or hung before it got any further."
    )
    assert killer.runs == LIMIT
    assert (await record_of(store, ids[0])).status_message == said.removeprefix("error: ")
    told = [line.getMessage() for line in caplog.records if "given up" in line.getMessage()]
    assert told == [
        f"the task {ids[0][:8]} is given up: 3 runs of the tool 'kill' in a row were lost with their process"
    ]


async def test_what_is_asked_answered_or_done_begins_the_count_again(store: TaskStore) -> None:
    """The run that was given an answer, and the one that kept a step, got further: those after them did not."""
    killer, ids, steps = Killer(), list[str](), list[int]()

    async def ask(ctx: Context) -> None:
        await elicit(ctx, form())
        if killer.runs:
            await step(ctx, "pay", lambda: steps.append(killer.runs))
        await killer.strike()

    async def first(at: Desk) -> None:
        ids.append(await at.start("ask"))
        await at.answer(ids[0], size="XL")
        await killer.has_struck()

    await live(store, first, ask)
    for _ in range(LIMIT + 1):
        await live(store, lambda _: killer.has_struck(), ask)
    async with Process(store, ask, lost_runs=LIMIT).desk() as at:
        assert "given up" in await at.said(ids[0])

    assert killer.runs == 2 + LIMIT
    assert steps == [1]


@pytest.mark.parametrize("engine", ["local", "docket"])
async def test_what_runs_beside_it_is_not_given_up_with_it(tmp_path: Path, engine: str) -> None:
    """Each process takes up all that the last one left; and a process that dies tells nobody whose fault it was."""
    store, killer, worker = SqliteTaskStore(tmp_path / "tasks.db"), Killer(), Worker()
    ids: dict[str, str] = {}

    def options() -> dict[str, Any]:
        return {} if engine == "local" else {"engine": DocketEngine("memory://", look=0.02)}

    async def all_at_work(at: Desk) -> None:
        for name in ("kill", "work1", "work2", "work3"):
            ids.setdefault(name, ids.get(name) or await at.start(name))
        await eventually(lambda: worker.working == 3)
        await killer.has_struck()

    async def kill(ctx: Context) -> None:
        await eventually(lambda: worker.working == 3 or worker.gate.is_set())
        await killer.strike()

    tools = [kill, *(_named(f"work{number}", worker.work) for number in (1, 2, 3))]
    for _ in range(LIMIT - 1):
        await live(store, all_at_work, *tools, **options())
    worker.most = 0
    worker.gate.set()
    await live(store, lambda _: killer.has_struck(), *tools, **options())
    async with Process(store, *tools, lost_runs=LIMIT, **options()).desk() as at:
        said = {name: await at.said(task_id) for name, task_id in ids.items()}

    assert "given up" in said.pop("kill")
    assert said == {"work1": "done", "work2": "done", "work3": "done"}
    assert worker.most == 1
    assert killer.runs == LIMIT


def _named(name: str, run: Callable[[], Awaitable[str]]) -> Callable[[], Awaitable[str]]:
    async def tool() -> str:
        return await run()

    tool.__name__ = name
    return tool


async def test_a_process_that_dies_while_people_are_asked_loses_nothing(store: TaskStore) -> None:
    """However often: the question may be one of several, whose others were answered, so that it is replayed."""
    runs: list[int] = []

    async def ask(ctx: Context) -> str:
        runs.append(1)
        found = await elicit_all(ctx, a=form("A?", "x"), b=form("B?", "x"))
        return "".join(one.content["x"] for one in found.values() if one)

    ids: list[str] = []

    async def first(at: Desk) -> None:
        ids.append(await at.start("ask"))
        await at.asked(ids[0], 2)
        key, _ = (await at.get(ids[0]))["inputRequests"]
        await at.update(ids[0], **{key: {"action": "accept", "content": {"x": "1"}}})

    async def replayed(at: Desk) -> None:
        process_runs = len(runs)
        await eventually(lambda: len(runs) > process_runs)
        await at.asked(ids[0], 1)

    async def last(at: Desk) -> None:
        await replayed(at)
        await reads(store, ids[0], lambda record: record.begun == 0)

    await live(store, first, ask)
    for _ in range(LIMIT - 1):
        await live(store, replayed, ask)
    await live(store, last, ask)
    assert (await record_of(store, ids[0])).wake == 0
    async with Process(store, ask, lost_runs=LIMIT).desk() as at:
        await at.answer(ids[0], x="2")

        assert await at.said(ids[0]) == "12"


async def reads(store: TaskStore, task_id: str, is_so: Callable[[TaskRecord], bool]) -> None:
    """Wait for what no store tells."""
    with fail_after(20):
        while not is_so((await store.history(task_id)).record):  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_a_process_that_ends_in_order_loses_nothing(store: TaskStore) -> None:
    worker = Worker()
    async with Process(store, worker.work, lost_runs=2).desk() as at:
        task_id = await at.start("work")
        await eventually(lambda: worker.working == 1)
    for _ in range(5):
        async with Process(store, worker.work, lost_runs=2).desk():
            await eventually(lambda: worker.working == 1)
    worker.gate.set()
    async with Process(store, worker.work, lost_runs=2).desk() as at:
        assert await at.said(task_id) == "done"

    assert (await record_of(store, task_id)).begun == 1


class FailingStore(MemoryTaskStore):
    """A store that cannot keep the first questions."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    async def park(self, *given: Any, **named: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is full.")
        return await super().park(*given, **named)


async def ask(ctx: Context) -> str:
    return str(await elicit(ctx, form()))


async def test_a_run_that_the_store_failed_is_not_lost_with_its_process() -> None:
    async with Process(FailingStore(2), ask, lost_runs=2).desk() as at:
        assert await at.key(await at.start("ask"))


async def test_it_is_not_either_if_the_server_stops_just_after() -> None:
    store = FailingStore(1)
    process = Process(store, ask, lease=30.0)
    async with process.desk() as at:
        task_id = await at.start("ask")
        await eventually(lambda: not (store.failures or process.tasks._runner.live))

    record = await record_of(store, task_id)
    assert (record.worker, record.begun) == (None, 0)


class WordlessStore(MemoryTaskStore):
    """A store that takes its time to say that it has given a task to a worker, the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.is_taken, self.may_say_so = asyncio.Event(), asyncio.Event()

    async def take(self, *given: Any, **named: Any) -> Any:
        if self.is_taken.is_set():
            return None
        found = await super().take(*given, **named)
        self.is_taken.set()
        await self.may_say_so.wait()
        return found


async def test_a_task_that_is_being_taken_when_the_server_stops_is_given_back() -> None:
    store, worker = WordlessStore(), Worker()
    process = Process(store, worker.work, engine=LocalEngine(look=3600))
    async with process.desk():
        made = await store.create(TaskCall("work", "a" * 32).to_dict())
        await store.is_taken.wait()
        stopping = asyncio.create_task(process.tasks._runner._errands.stop())
        await asyncio.sleep(0)
        store.may_say_so.set()
        await stopping

        record = (await store.history(made.id)).record
        assert (record.fence, record.worker, record.begun) == (1, None, 0)


async def test_who_stops_to_take_a_task_has_given_it_back_whatever_the_store_was_at(store: TaskStore) -> None:
    async with store:
        made = await store.create({})
        taking = asyncio.create_task(take(store, made.id, "stopped", 30.0, wanted=lambda _: True))
        await asyncio.sleep(0)
        taking.cancel()
        await asyncio.wait([taking])

    assert taking.cancelled()
    record = await record_of(store, made.id)
    assert (record.worker, record.begun) == (None, 0)


async def test_those_that_wait_for_their_last_run_keep_no_other_from_the_looks(tmp_path: Path) -> None:
    """They are ready in the store for as long as they wait, and before those that became ready later."""
    store, worker, ids = SqliteTaskStore(tmp_path / "tasks.db"), Worker(), list[str]()
    async with store:
        for _ in range(3):
            ids.append(await left_by_the_dead(store, "work"))
        later = await left_by_the_dead(store, "fresh", step="done")

    async def fresh() -> str:
        return "fresh"

    async def life(at: Desk) -> None:
        await eventually(lambda: worker.working == 1)
        assert await at.said(later) == "fresh"
        worker.gate.set()
        assert [await at.said(task_id) for task_id in ids] == ["done"] * 3
        assert worker.most == 1

    await live(store, life, worker.work, fresh, lost_runs=2, engine=LocalEngine(look=0.02, at_once=1))


@pytest.mark.parametrize("shows", ["a step", "a long life"])
async def test_a_last_run_that_shows_that_it_kills_nothing_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shows: str
) -> None:
    """One that works for hours must not have the others wait for as long."""
    store, worker = SqliteTaskStore(tmp_path / "tasks.db"), Worker()
    monkeypatch.setattr(last_runs, "APART", 3600.0 if shows == "a step" else 0.0)

    async def work(ctx: Context) -> str:
        if shows == "a step":
            await step(ctx, "begun", lambda: None)
        return await worker.work()

    async with store:
        ids = [await left_by_the_dead(store, "work") for _ in range(3)]
    async with Process(store, work, lost_runs=2).desk() as at:
        await eventually(lambda: worker.working == 3)
        worker.gate.set()

        assert [await at.said(task_id) for task_id in ids] == ["done"] * 3


async def left_by_the_dead(store: TaskStore, tool: str, *, step: str | None = None) -> str:
    """A task whose first run was lost, with a step that it kept or without any."""
    made = await store.create(TaskCall(tool, "a" * 32).to_dict(), worker="dead", lease=0.01)
    if step is not None:
        await store.keep_step(made.id, step, "1", fence=1)
    await reads(store, made.id, lambda record: record.ready_at <= store.clock())
    return made.id


async def test_a_store_that_fails_leaves_those_that_wait_to_the_next_look() -> None:
    ran: list[str] = []
    helped: list[Any] = []

    async def run(task_id: str) -> None:
        ran.append(task_id)
        if task_id == "bad":
            raise RuntimeError("the store fails")

    last = LastRuns(LIMIT, run=run, help=helped.append)
    last.add("bad")
    last.add("left")
    assert (len(last), len(helped)) == (2, 1)
    with pytest.raises(RuntimeError):
        await helped.pop()
    assert len(last) == 0

    last.add("left")
    last.add("next")
    await helped.pop()

    assert ran == ["bad", "left", "next"]


def test_the_limit_is_that_of_the_module_and_at_least_two() -> None:
    """One lost run says nothing: a machine may fail."""
    assert LOST_RUNS == 5
    with pytest.raises(ValueError, match="lost_runs is at least 2"):
        Tasks(MemoryTaskStore(), lost_runs=1)


async def test_a_task_that_was_cancelled_stays_so(store: TaskStore) -> None:
    killer, ids = Killer(), list[str]()

    async def first(at: Desk) -> None:
        ids.append(await at.start("kill"))
        await killer.has_struck()

    await live(store, first, killer.kill, lost_runs=2)
    await live(store, lambda _: killer.has_struck(), killer.kill, lost_runs=2)
    async with store:
        await store.cancel(ids[0], owner=None)
    async with Process(store, killer.kill, lost_runs=2).desk() as at:
        await until(store, ids[0], lambda record: record.is_over)

        assert (await at.get(ids[0]))["status"] == "cancelled"
    assert killer.runs == 2
