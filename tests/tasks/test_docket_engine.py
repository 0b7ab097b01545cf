"""`DocketEngine`: any process takes up what is ready; what Redis loses comes again (issue 8, 3; design, section 8)."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from anyio import fail_after
from docket import Docket
from mcp.server.mcpserver import Context, MCPServer
from redis.asyncio import Redis

from elicitkit import DocketEngine, SqliteTaskStore, Tasks, elicit, step
from elicitkit.tasks.answers import judge
from elicitkit.tasks.engines import docket as engine
from elicitkit.tasks.engines.background import beside
from elicitkit.tasks.engines.outage import Outage
from elicitkit.tasks.working import working
from tests.services.proxy import Proxy, before
from tests.services.redis_server import RedisServer, needs_redis, redis_server
from tests.tasks.desk import Desk, accept, desk, eventually, form, server, until

if TYPE_CHECKING:
    from elicitkit.tasks.engines.feed import Feed

pytestmark = [pytest.mark.anyio, needs_redis]


@pytest.fixture
async def redis(tmp_path: Path) -> AsyncIterator[RedisServer]:
    async with redis_server(tmp_path) as started:
        yield started


class Fleet:
    """A server and workers on one file, each as in a process of its own: with a store, tasks and an engine."""

    def __init__(self, folder: Path, redis: RedisServer) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.redis = redis
        self.started: list[str] = []
        """Who ran the tool, in order."""
        self.most = 0
        """How many calls worked at once, at most."""
        self.gate = asyncio.Event()
        """What a slow call waits for."""
        self._working = 0

    def store(self) -> SqliteTaskStore:
        return SqliteTaskStore(self.folder / "tasks.db")

    def made(self, who: str, /, *, lease: float = 10, **more: Any) -> tuple[MCPServer[Any], Tasks]:
        engine = DocketEngine(self.redis.url, **{"look": 0.3, **more})
        tasks = Tasks(self.store(), engine=engine, lease=lease)
        mcp = server(tasks)

        async def order(ctx: Context, slow: bool = False, questions: int = 1) -> str:
            self.started.append(who)
            await step(ctx, "reserve", lambda: None)
            if slow:
                await self._work()
            said = [(await elicit(ctx, form(name=f"size{number}"))).content for number in range(questions)]
            if slow:
                await self._work()
            return f"{who} {' '.join(str(one and next(iter(one.values()))) for one in said)}".strip()

        mcp.tool()(tasks.task()(order))
        return mcp, tasks

    async def _work(self) -> None:
        self._working += 1
        self.most = max(self.most, self._working)
        try:
            await self.gate.wait()
        finally:
            self._working -= 1

    @asynccontextmanager
    async def serving(self, **more: Any) -> AsyncIterator[Desk]:
        """A client at a server that leaves its tools to the workers, unless told otherwise."""
        async with desk(*self.made("server", **{"runs_here": False, **more}), seconds=40) as at:
            yield at

    @asynccontextmanager
    async def worker(self, who: str = "worker", /, **more: Any) -> AsyncIterator[Tasks]:
        mcp, tasks = self.made(who, **more)
        async with working(mcp, tasks.engine):
            yield tasks


@pytest.fixture
def fleet(tmp_path: Path, redis: RedisServer) -> Fleet:
    return Fleet(tmp_path, redis)


async def test_a_server_that_runs_no_tools_leaves_them_to_a_worker(fleet: Fleet) -> None:
    async with fleet.serving() as at, fleet.worker():
        task_id = await at.start("order")
        await at.answer(task_id, size0="M")

        assert await at.said(task_id) == "worker M"
    assert fleet.started == ["worker"]


async def test_a_task_waits_for_a_worker_that_comes_later(fleet: Fleet) -> None:
    async with fleet.serving() as at:
        task_id = await at.start("order", questions=0)
        assert (await at.get(task_id))["status"] == "working"
        async with fleet.worker():
            assert await at.said(task_id) == "worker"


async def test_a_server_that_runs_tools_goes_on_with_its_own_calls(fleet: Fleet) -> None:
    async with fleet.serving(runs_here=True) as at, fleet.worker():
        task_id = await at.start("order")
        await at.answer(task_id, size0="M")

        assert await at.said(task_id) == "server M"
    assert fleet.started == ["server"]


async def test_a_call_that_becomes_a_task_on_its_way_goes_over_to_a_worker(fleet: Fleet) -> None:
    """The tool ends where it begins the task, and a worker runs it from the top, with what was done before."""
    stepped: list[str] = []
    ran: list[str] = []

    def tool(who: str, tasks: Tasks) -> Any:
        async def later(ctx: Context) -> str:
            ran.append(who)
            price = await step(ctx, "price", lambda: stepped.append(who) or len(stepped))
            try:
                await tasks.begin(ctx)
                return f"{who} {price} {(await elicit(ctx, form())).content}"
            finally:
                ran.append(f"{who} ends")

        return later

    made = {who: fleet.made(who, runs_here=who == "worker") for who in ("server", "worker")}
    for who, (mcp, tasks) in made.items():
        mcp.tool()(tasks.task(begins="later")(tool(who, tasks)))
    async with desk(*made["server"]) as at:
        task_id = await at.start("later")
        assert ran == ["server", "server ends"]
        async with working(made["worker"][0], made["worker"][1].engine):
            await at.answer(task_id, size="M")
            assert await at.said(task_id) == "worker 1 {'size': 'M'}"
    assert stepped == ["server"]


async def test_what_a_worker_puts_down_when_it_ends_others_take_at_once(fleet: Fleet) -> None:
    async with fleet.serving(look=30) as at:
        async with fleet.worker("first", look=30):
            ids = [await at.start("order", slow=True) for _ in range(3)]
            await eventually(lambda: len(fleet.started) == 3)
        fleet.gate.set()
        async with fleet.worker("second", look=30):
            for task_id in ids:
                await at.answer(task_id, size0="M")

            assert {await at.said(task_id) for task_id in ids} == {"second M"}
    assert fleet.started == ["first"] * 3 + ["second"] * 3


async def test_what_a_dead_worker_had_is_taken_over(fleet: Fleet) -> None:
    async with fleet.serving() as at:
        async with fleet.worker("dead", lease=0.5) as tasks:
            ids = [await at.start("order", slow=True) for _ in range(2)]
            await eventually(lambda: len(fleet.started) == 2)
            dies(tasks)
        async with fleet.worker("living"):
            fleet.gate.set()
            for task_id in ids:
                await at.answer(task_id, size0="M")

            assert {await at.said(task_id) for task_id in ids} == {"living M"}


async def test_a_job_that_died_with_its_worker_comes_to_another(fleet: Fleet) -> None:
    """Until then Docket knows the id, and drops it whenever it is added."""
    async with fleet.serving(look=0.1) as at:
        task_id = await at.start("order", questions=0)
        async with Redis.from_url(fleet.redis.url) as redis:
            stream, group = "elicitkit:stream", "docket-workers"
            await redis.xgroup_create(stream, group, id="0", mkstream=True)
            ((_, (taken,)),) = await redis.xreadgroup(group, "dead", {stream: ">"}, block=5_000)
            assert taken[1][b"key"].decode() == task_id
        async with fleet.worker(lease=1):
            assert await at.said(task_id) == "worker"


def dies(tasks: Tasks) -> None:
    """Let nothing be given back when it ends, as by one that is killed."""
    tasks._runner._release = nothing  # type: ignore[assignment,method-assign]


async def test_each_task_is_taken_by_one_of_many_workers(fleet: Fleet) -> None:
    async with AsyncExitStack() as stack:
        at = await stack.enter_async_context(fleet.serving())
        for name in ("first", "second", "third"):
            await stack.enter_async_context(fleet.worker(name, concurrency=3))
        ids = await asyncio.gather(*(at.start("order", questions=0) for _ in range(30)))
        for task_id in ids:
            await at.said(task_id)

    assert len(fleet.started) == 30
    assert len(set(fleet.started)) > 1


async def test_an_answer_that_only_the_store_knows_wakes_its_task(fleet: Fleet) -> None:
    """The process that takes an answer needs the store alone (design, section 8)."""
    async with fleet.serving() as at, fleet.worker(), fleet.store() as alone:
        task_id = await at.start("order")
        key = await at.key(task_id)
        (asked,) = (await alone.history(task_id)).record.inputs.values()
        await alone.settle(task_id, [judge(asked, accept(size0="M"))])

        assert key == asked.key
        assert await at.said(task_id) == "worker M"


async def test_no_more_calls_work_at_once_than_may(fleet: Fleet) -> None:
    async with fleet.serving() as at, fleet.worker(concurrency=2):
        ids = await asyncio.gather(*(at.start("order", slow=True, questions=0) for _ in range(6)))
        await eventually(lambda: len(fleet.started) == 2)
        await asyncio.sleep(0.2)
        assert len(fleet.started) == 2
        fleet.gate.set()
        for task_id in ids:
            await at.said(task_id)

    assert fleet.most == 2


async def test_who_is_answered_while_too_many_work_is_given_to_another_process(fleet: Fleet) -> None:
    async with fleet.serving() as at, fleet.worker("busy", concurrency=1):
        parked = await at.start("order")
        await at.key(parked)
        slow = await at.start("order", slow=True, questions=0)
        await eventually(lambda: len(fleet.started) == 2)
        async with fleet.worker("idle", concurrency=1):
            await at.answer(parked, size0="M")
            assert await at.said(parked) == "idle M"
        fleet.gate.set()

        assert await at.said(slow) == "busy"
    assert fleet.started == ["busy", "busy", "idle"]


# --- Redis is lost ----------------------------------------------------------------------------------------------------


async def test_what_a_flushed_redis_forgot_comes_again(fleet: Fleet) -> None:
    async with fleet.serving() as at:
        ids = [await at.start("order", questions=0) for _ in range(5)]
        with fail_after(20):
            while not any("stream" in key for key in await fleet.redis.keys()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await fleet.redis.flush()
        async with fleet.worker():
            for task_id in ids:
                await at.said(task_id)

    assert fleet.started == ["worker"] * 5


async def test_a_flush_under_way_loses_nothing(fleet: Fleet) -> None:
    async with fleet.serving() as at, fleet.worker("first"), fleet.worker("second"):
        ids = []
        for number in range(20):
            ids.append(await at.start("order"))
            if number % 5 == 4:
                await fleet.redis.flush()
        for task_id in ids:
            await at.answer(task_id, size0="M")

        assert {(await at.said(task_id)).split()[1] for task_id in ids} == {"M"}
    assert len(fleet.started) == 20


async def test_redis_that_comes_back_empty_is_told_what_is_ready(
    fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told once that it cannot be reached, and once that it can."""
    async with fleet.serving(look=30) as at, fleet.worker(look=30):
        first = await at.start("order")
        await at.key(first)
        await fleet.redis.stop()
        later = await at.start("order")
        await at.answer(first, size0="S")
        assert await at.said(first) == "worker S"
        await eventually(lambda: sum("cannot be reached" in line for line in caplog.messages) == 2)
        await fleet.redis.start()
        # What Docket read while Redis went away it delivers again after a third of the lease.
        await until(at.store, later, lambda record: bool(record.inputs))
        await at.answer(later, size0="M")

        assert await at.said(later) == "worker M"
        await eventually(lambda: sum("again" in line for line in caplog.messages) == 2)
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert {record.name for record in told} == {"elicitkit.tasks.engines.outage"}
    assert ["cannot be reached" in record.message for record in told] == [True, True, False, False]


class Watched:
    """What an engine does with Redis, but for the store: ids that are added, and somebody who watches."""

    def __init__(self, there: Docket) -> None:
        there.register(nothing, names=["elicitkit.advance"])
        self.there = there
        self.outage = Outage("Redis")
        self.forgotten = 0

    def forget(self) -> None:
        self.forgotten += 1

    async def add(self, *ids: str) -> list[list[str] | None]:
        """Add ids side by side, each on a connection of its own."""
        return await asyncio.gather(*(engine._add(self.there, self.outage, [task_id]) for task_id in ids))

    def watching(self) -> AbstractAsyncContextManager[None]:
        return beside(watching=engine._keep_watching(self.there, self.outage, cast("Feed", self)))


async def nothing(*_: Any) -> None: ...


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of outages; Docket, which is not hushed here, says more."""
    return [record.message for record in caplog.records if record.name == "elicitkit.tasks.engines.outage"]


@asynccontextmanager
async def watched(redis: RedisServer) -> AsyncIterator[tuple[Watched, Proxy]]:
    with fail_after(20):
        async with before(redis.url) as (url, proxy), Docket("watched", url) as there:
            yield Watched(there), proxy


async def test_connections_that_died_in_an_outage_are_no_outage_when_it_is_over(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """They are found when they are used, and that may be much later."""
    async with watched(redis) as (at, proxy):
        assert await at.add("a", "b", "c") == [[], [], []]
        proxy.forget()
        at.outage.doubt()
        async with at.watching():
            await eventually(lambda: at.forgotten == 1)
            assert await at.add("d", "e", "f") == [[], [], []]

    assert told(caplog) == []


async def test_what_was_tried_on_a_connection_that_dies_is_no_outage_when_redis_is_reached(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """It is under way when another finds that Redis is there, and fails after that."""
    async with watched(redis) as (at, proxy):
        await at.add("a")
        proxy.forget()
        late = asyncio.create_task(at.add("b"))
        await eventually(lambda: proxy.lost > 0)
        at.outage.doubt()
        async with at.watching():
            await eventually(lambda: at.forgotten == 1)
            proxy.cut()
            assert await late == [None]
            await eventually(lambda: at.forgotten == 2)

    assert told(caplog) == []


async def test_a_second_outage_is_told_however_soon_it_comes(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(redis) as (at, proxy), at.watching():
        for outages in (1, 2):
            proxy.refuses = True
            proxy.cut()
            await at.add("a", "b")
            proxy.refuses = False
            await eventually(lambda outages=outages: at.forgotten == outages)

    assert ["cannot be reached" in line for line in told(caplog)] == [True, False, True, False]


async def test_a_fleet_starts_before_redis_does(fleet: Fleet) -> None:
    await fleet.redis.stop()
    async with fleet.serving() as at, fleet.worker():
        task_id = await at.start("order", questions=0)
        assert (await at.get(task_id))["status"] == "working"
        await fleet.redis.start()

        assert await at.said(task_id) == "worker"


@pytest.mark.slow
async def test_a_worker_ends_in_time_though_redis_does_not_answer(fleet: Fleet) -> None:
    async with fleet.serving() as at, AsyncExitStack() as stack:
        await stack.enter_async_context(fleet.worker("first"))
        task_id = await at.start("order", slow=True)
        await eventually(lambda: len(fleet.started) == 1)
        fleet.redis.freeze()
        with fail_after(14):
            await stack.aclose()
        fleet.redis.thaw()
        fleet.gate.set()
        async with fleet.worker("second"):
            await at.answer(task_id, size0="M")
            assert await at.said(task_id) == "second M"


async def test_redis_holds_ids_and_nothing_else(fleet: Fleet) -> None:
    async with fleet.serving() as at, fleet.worker():
        task_id = await at.start("order")
        await at.answer(task_id, size0="a private answer")
        await at.said(task_id)
        held = await fleet.redis.texts()

    assert task_id in held
    for private in ("a private answer", "size0", "order", "desk"):
        assert private not in held


async def test_no_log_has_a_whole_id(fleet: Fleet, caplog: pytest.LogCaptureFixture) -> None:
    """Where nobody is authenticated, a task belongs to whoever holds its id."""
    caplog.set_level(logging.INFO)
    async with fleet.serving() as at, fleet.worker():
        task_id = await at.start("order")
        await at.answer(task_id, size0="M")
        await at.said(task_id)

    assert task_id not in caplog.text


async def test_servers_of_other_names_share_a_redis(tmp_path: Path, redis: RedisServer) -> None:
    """A worker of another server would not know the task, and the id would be lost until the next look."""
    shop, bank = (Fleet(tmp_path / name, redis) for name in ("shop", "bank"))
    async with bank.worker("bank", name="bank"), shop.serving(name="shop", look=30) as at:
        ids = [await at.start("order", questions=0) for _ in range(5)]
        async with shop.worker("shop", name="shop", look=30):
            assert {await at.said(task_id) for task_id in ids} == {"shop"}


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", [{"url": "localhost:6379"}, {"concurrency": 0}, {"look": 0}, {"name": " "}, {"url": "http://there"}]
)
def test_what_cannot_work_is_refused_when_the_engine_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is"):
        DocketEngine(**{"url": "redis://localhost", **wrong})


@pytest.mark.parametrize("url", ["redis://there:port/0", "redis://:tuna/fish@there:6379/0", "rediss://:tuna#fish@x"])
def test_an_address_that_cannot_be_read_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match="that is no address of Redis") as caught:
        DocketEngine(url)

    assert "tuna" not in repr(caught.value)


@pytest.mark.parametrize("url", ["redis+cluster://one:7000,two:7001", "redis+sentinel://one:26379,two:26379/main/0"])
def test_an_address_may_have_several_hosts(url: str) -> None:
    assert DocketEngine(url).url == url


def test_the_address_in_logs_has_no_password() -> None:
    assert DocketEngine("redis://me:secret@there:6379/0?password=secret").address == "redis://there:6379/0"
