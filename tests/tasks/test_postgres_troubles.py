"""Troubles of a database of tasks (issue 8): clear errors, nothing done twice or acknowledged wrongly, recovery."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, nullcontext, suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import anyio
import psycopg
import pytest

from elicitkit import StoreError, Tasks
from elicitkit.tasks.changes import progressed
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.stores import postgres_connections
from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.tasks.stores.postgres_connections import Line
from elicitkit.tasks.stores.postgres_jobs import Job
from elicitkit.tasks.stores.postgres_pooling import require_session
from elicitkit.tasks.stores.transaction import Transaction, known
from elicitkit.testing.store_contract.base import accepting, parked
from elicitkit.testing.store_contract.listening import Ear
from tests.services import postgres, proxy
from tests.services.postgres_server import needs_postgres, postgres_server
from tests.services.proxy import Proxy
from tests.tasks.desk import desk, server, until

pytestmark = pytest.mark.anyio

NOTHING = "Nothing was stored."


@pytest.fixture
def schema(empty_schema: str) -> str:
    """A schema with nothing in it but what the store makes."""
    return empty_schema


@pytest.fixture
async def network(schema: str) -> AsyncIterator[tuple[PostgresTaskStore, Proxy]]:
    """A store with one connection, and the network between it and PostgreSQL; it is short of patience."""
    async with proxy.before(postgres.ADDRESS) as (address, between):
        options: Any = {"schema": schema, "pool_size": 1, "timeout": 0.6, "rescan": 0.2}
        async with PostgresTaskStore(address, **options) as store:
            yield store, between
            between.refuses, between.cut_after, between.cut_before = False, None, None
            between.thaw()


@pytest.fixture
async def direct(schema: str) -> AsyncIterator[PostgresTaskStore]:
    """A store that has no trouble."""
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=60) as store:
        yield store


# --- waiting ----------------------------------------------------------------------------------------------------------


async def test_who_waits_too_long_for_a_connection_is_told_so(schema: str) -> None:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, pool_size=1, timeout=0.4) as store:
        made = await store.create({})
        with RowLocked(schema, made.id):
            holding = [store.progress(made.id, "waits for the lock") for _ in range(4)]
            with anyio.fail_after(20):
                done = await asyncio.gather(*holding, *(store.create({}) for _ in range(3)), return_exceptions=True)

        held, *_, waited = map(str, done)
        assert waited.startswith("The store cannot be used: no connection to PostgreSQL was free for 0.4 s")
        assert held == f"The store cannot be used: another process keeps it locked. {NOTHING}"
        assert len({id(one) for one in done}) == 7
        assert await store.ready() == [made.id]


class RowLocked:
    """Keep the row of a task locked inside the block."""

    def __init__(self, schema: str, task_id: str) -> None:
        self._statement = f"SELECT 1 FROM {schema}.tasks WHERE id = '{task_id}' FOR UPDATE".encode()

    def __enter__(self) -> None:
        self._connection = psycopg.connect(postgres.ADDRESS)
        self._connection.execute(self._statement)

    def __exit__(self, *_: object) -> None:
        self._connection.close()


async def test_a_database_that_falls_silent_is_an_error_and_what_comes_later_changes_nothing(
    network: tuple[PostgresTaskStore, Proxy],
) -> None:
    store, between = network
    made = await store.create({})
    between.freeze()

    with anyio.fail_after(10), pytest.raises(StoreError, match=r"PostgreSQL did not answer within 0\.6 seconds"):
        await store.progress(made.id, "never said")
    between.thaw()

    assert (await store.get(made.id, owner=None)).status_message is None


async def test_a_database_that_cannot_be_reached_is_an_error_when_a_store_is_opened() -> None:
    with anyio.fail_after(10), pytest.raises(StoreError, match=r"cannot be used: .*refused") as caught:
        await PostgresTaskStore("postgresql://who:swordfish@127.0.0.1:1/what").open()

    assert "swordfish" not in str(caught.value)


# --- poolers ----------------------------------------------------------------------------------------------------------


class Pooled:
    """A connection through a pooler, which has a few of its own: each transaction gets the one that is free.

    As PgBouncer in transaction mode does it: of those that are free, the one that was used last.
    """

    def __init__(self, sessions: list[psycopg.Connection[Any]], *, keeps_sessions: bool) -> None:
        self._free = sessions
        self._held = sessions.pop() if keeps_sessions else None
        self._is_kept = keeps_sessions
        self.info = SimpleNamespace(backend_pid=0)
        self.prepare_threshold = 0

    def execute(self, query: bytes, given: Any = None) -> psycopg.Cursor[Any]:
        session = self._held or self._free.pop()
        cursor = session.execute(query, given)
        is_free = session.info.transaction_status == psycopg.pq.TransactionStatus.IDLE and not self._is_kept
        self._held = None if is_free else session
        if is_free:
            self._free.append(session)
        return cursor

    def close(self) -> None:
        if self._held is not None:
            self._free.append(self._held)


@pytest.mark.parametrize("keeps_sessions", [True, False])
def test_a_pooler_that_gives_each_transaction_another_session_is_told_apart(keeps_sessions: bool) -> None:
    """Issue 8: what listens and what is set up belongs to a session. PgBouncer itself was tried by hand."""
    postgres.require()
    with ExitStack() as stack:
        connect = partial(psycopg.connect, postgres.ADDRESS, autocommit=True)
        sessions = [stack.enter_context(connect()) for _ in range(3)]
        pooled: Any = partial(Pooled, sessions, keeps_sessions=keeps_sessions)
        with nullcontext() if keeps_sessions else pytest.raises(StoreError, match="pool_mode=session"):
            require_session(pooled(), pooled, 5)


def test_postgresql_itself_is_asked_no_more_than_its_number() -> None:
    postgres.require()
    with psycopg.connect(postgres.ADDRESS, autocommit=True) as connection:
        require_session(connection, lambda: pytest.fail("there is no need to"), 5)


# --- connections that are lost ----------------------------------------------------------------------------------------


async def test_a_connection_that_was_lost_between_two_works_is_not_noticed(
    network: tuple[PostgresTaskStore, Proxy],
) -> None:
    store, between = network
    made = await store.create({})
    between.cut()

    assert await store.get(made.id, owner=None) == made
    between.cut()
    await store.progress(made.id, "still here")

    assert (await store.get(made.id, owner=None)).status_message == "still here"


async def test_a_work_that_certainly_did_not_happen_is_done_again(network: tuple[PostgresTaskStore, Proxy]) -> None:
    store, between = network
    between.cut_before = b"COMMIT"
    creating = asyncio.ensure_future(store.create({}))
    with anyio.fail_after(20):
        while not between.cuts:  # noqa: ASYNC110  # the network tells nobody
            await asyncio.sleep(0)
    between.cut_before = None

    made = await creating

    assert await store.ready() == [made.id]


async def test_a_commit_whose_answer_was_lost_is_found_out_about_and_not_done_twice(
    network: tuple[PostgresTaskStore, Proxy],
) -> None:
    store, between = network
    ear = Ear(store)
    between.cut_after = b"COMMIT\x00"
    creating = asyncio.ensure_future(store.create({"n": 1}))
    with anyio.fail_after(20):
        while not between.cuts:  # noqa: ASYNC110
            await asyncio.sleep(0)
    between.cut_after = None

    made = await creating

    assert await store.ready() == [made.id]
    assert await store.get(made.id, owner=None) == made
    await ear.hears(made.id)


@pytest.mark.parametrize("is_committed", [True, False])
async def test_what_is_still_being_committed_is_waited_for(
    direct: PostgresTaskStore, schema: str, is_committed: bool
) -> None:
    """Who asked too early would take a transaction that is under way for one that did not happen."""
    assert direct._lanes
    job = Job(lambda within: None, is_reading=False, timeout=5)
    with psycopg.connect(postgres.ADDRESS) as slow:
        lost = Line(slow, turn=7)
        slow.execute(f"INSERT INTO {schema}.lines VALUES ('{lost.id}', {lost.turn}, 0)".encode())
        finding = asyncio.ensure_future(asyncio.to_thread(direct._lanes._was_committed, job, lost))
        waiting = f"SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = '{xid_of(slow)}'"
        with anyio.fail_after(20):
            while not postgres.sql(waiting):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            assert not finding.done()
            (slow.commit if is_committed else slow.rollback)()

            assert await finding == is_committed
    job.deliver(None, {}, [], lambda *_: None)


def xid_of(connection: psycopg.Connection[Any]) -> int:
    found = connection.execute("SELECT pg_current_xact_id()::xid::text").fetchone()
    assert found
    return int(found[0])


async def test_what_nobody_can_find_out_is_told_as_unknown(
    network: tuple[PostgresTaskStore, Proxy], direct: PostgresTaskStore
) -> None:
    store, between = network
    made = await parked(direct, "a")
    between.cut()  # So that the next connection is new, and says what it does in words.
    between.cut_after = b"COMMIT\x00"
    settling = asyncio.ensure_future(store.settle(made.id, [accepting("a")]))
    with anyio.fail_after(20):
        while not between.cuts:  # noqa: ASYNC110
            await asyncio.sleep(0)
    between.refuses = True

    with anyio.fail_after(10), pytest.raises(StoreError, match="It is not known whether this was stored"):
        await settling
    between.refuses, between.cut_after = False, None

    assert await store.settle(made.id, [accepting("a")]) == frozenset()
    assert (await store.history(made.id)).inputs[0].state == "answered"


async def test_a_task_of_which_nobody_knows_whether_it_was_made_is_run_by_nobody(
    network: tuple[PostgresTaskStore, Proxy], direct: PostgresTaskStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 8: the client has no id to ask with, or to cancel by; its id was chosen before, so it can be found."""
    store, between = network
    runs = list[str]()
    tasks = Tasks(store, tools={"work"}, engine=LocalEngine(look=0.05))
    mcp = server(tasks)

    @mcp.tool()
    async def work() -> None:
        runs.append("run")

    async with desk(mcp, tasks, seconds=30) as at:
        between.cut_after = b"COMMIT\x00"
        calling = asyncio.ensure_future(at.send("work"))
        with anyio.fail_after(20):
            while not between.cuts:  # noqa: ASYNC110
                await asyncio.sleep(0)
        between.refuses = True
        assert "It is not known whether this was stored" in str(await calling)
        (lost,) = (await direct.list_tasks()).records
        assert lost.status == "working"
        between.refuses, between.cut_after = False, None

        await until(direct, lost.id, lambda record: record.status == "cancelled")

    assert runs == []
    assert f"it is not known whether the task {lost.id[:8]} was made" in caplog.text
    assert (await direct.list_tasks()).records[0].id == lost.id


async def test_a_process_that_sleeps_inside_a_transaction_holds_up_nobody_and_does_it_again(
    direct: PostgresTaskStore, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is stopped, or cut off: PostgreSQL ends its transaction, and it starts anew with what is true then."""
    monkeypatch.setattr(postgres_connections, "_ABANDONED", 0.1)
    made = await direct.create({})
    tries: list[TaskRecord] = []
    is_asleep, may_wake = threading.Event(), threading.Event()

    def sleeping(within: Transaction) -> TaskRecord:
        tries.append(record := known(within, made.id, direct.clock()))
        is_asleep.set()
        may_wake.wait(5)
        return within.save(progressed(record, f"after {record.status_message}", direct.clock()))

    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as sleeper:
        with anyio.fail_after(10):
            writing = asyncio.ensure_future(sleeper._write(sleeping))
            await asyncio.to_thread(is_asleep.wait)
            await direct.progress(made.id, "another")
            may_wake.set()
            written = await writing

    assert [record.status_message for record in tries] == [None, "another"]
    assert (written.status_message, written) == ("after another", await direct.get(made.id, owner=None))


@pytest.mark.slow
async def test_two_that_wait_for_each_other_in_turn_both_come_to_their_end(direct: PostgresTaskStore) -> None:
    """PostgreSQL ends one of them, which is done again."""
    made = [await direct.create({}), await direct.create({})]
    both_have_one = threading.Barrier(2)

    def writing(within: Transaction, order: list[TaskRecord]) -> None:
        for task in order:
            record = known(within, task.id, direct.clock())
            within.save(progressed(record, f"{record.status_message or ''}x", direct.clock()))
            with suppress(threading.BrokenBarrierError):
                both_have_one.wait(1)
                both_have_one.abort()

    with anyio.fail_after(10):
        await asyncio.gather(*(direct._write(partial(writing, order=order)) for order in (made, made[::-1])))

    assert [(await direct.get(task.id, owner=None)).status_message for task in made] == ["xx", "xx"]


# --- changes that are not heard ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["", "a", "a b c", "a 1 b c", "a -1 b"])
async def test_what_others_send_is_no_trouble(direct: PostgresTaskStore, words: str) -> None:
    ear, place = Ear(direct), direct._listening._place  # type: ignore[union-attr]  # It is open.
    postgres.sql(f"NOTIFY {place.channel}, '{words}'")
    postgres.sql(f"NOTIFY {place.channel}, 'last 1 them'")

    await ear.hears("last")
    assert ear.heard == ["last"]


async def test_on_a_loop_that_watches_no_sockets_a_thread_hears(
    direct: PostgresTaskStore, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has such a loop."""
    tried: list[object] = []

    def adding(*given: object) -> None:
        tried.append(given)
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", adding)
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=3600) as store:
        ear = Ear(store)
        for _ in range(3):
            await ear.hears((await direct.create({})).id)
    assert tried


async def test_what_was_changed_while_the_connection_was_down_is_heard_of(
    network: tuple[PostgresTaskStore, Proxy], direct: PostgresTaskStore
) -> None:
    store, between = network
    ear = Ear(store)
    between.refuses = True
    between.cut()

    made = await direct.create({})
    between.refuses = False

    await ear.hears(made.id)


async def test_a_connection_that_is_dead_without_anybody_knowing_is_replaced(
    network: tuple[PostgresTaskStore, Proxy], direct: PostgresTaskStore
) -> None:
    store, between = network
    ear = Ear(store)
    assert store._listening
    dead = store._listening._connection
    between.forget()

    missed = await direct.create({})

    await ear.hears(missed.id)
    with anyio.fail_after(10):
        while store._listening._connection in (dead, None):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await ear.hears((await direct.create({})).id)


async def test_a_transaction_that_commits_late_is_heard_of(direct: PostgresTaskStore, schema: str) -> None:
    """Revisions are drawn before a commit: a scan for those behind the newest would miss what commits late."""
    early, late = await direct.create({}), await direct.create({})
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=0.02) as store:
        scans = Scans(store)
        ear = Ear(store)
        with psycopg.connect(postgres.ADDRESS) as slow:  # Nobody is notified of what it does.
            slow.execute(
                f"UPDATE {schema}.tasks SET revision = nextval('{schema}.revisions'), changed = pg_current_xact_id() "
                f"WHERE id = '{late.id}'".encode()
            )
            await direct.progress(early.id, "drawn later, committed sooner")
            await ear.hears(early.id)
            await scans.pass_by(3)
            assert late.id not in ear.heard
            slow.commit()

        await ear.hears(late.id)
        await scans.pass_by(3)
        assert ear.heard.count(late.id) == ear.heard.count(early.id) == 1


class Scans:
    """Counts the scans of a store."""

    def __init__(self, store: PostgresTaskStore) -> None:
        assert store._listening
        self._count, self._scan = 0, store._listening._scan
        self._changed = asyncio.Event()
        store._listening._scan = self._counted  # type: ignore[method-assign]

    async def _counted(self) -> None:
        await self._scan()
        self._count += 1
        self._changed.set()

    async def pass_by(self, scans: int) -> None:
        until = self._count + scans
        with anyio.fail_after(20):
            while self._count < until:
                self._changed.clear()
                await self._changed.wait()


async def test_rows_of_a_database_that_was_copied_are_not_told_again_and_again(
    direct: PostgresTaskStore, schema: str
) -> None:
    """They may have the ids of transactions that this database has not come to yet."""
    made = await direct.create({})
    postgres.sql(f"UPDATE {schema}.tasks SET changed = '9000000000000000'")
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema, rescan=0.02) as store:
        scans, ear = Scans(store), Ear(store)
        await scans.pass_by(3)

        assert ear.heard == []
        await direct.progress(made.id, "changed here")
        await ear.hears(made.id)


# --- a restart of PostgreSQL ------------------------------------------------------------------------------------------


@needs_postgres
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "fallen over"])
async def test_a_restart_of_postgresql_is_survived(how: signal.Signals) -> None:
    """Work goes on all the time; what was acknowledged is there, and nothing is there twice."""
    async with postgres_server() as server, PostgresTaskStore(server.address, timeout=20, pool_size=4) as store:
        acknowledged: list[str] = []
        stop = asyncio.Event()
        working = [asyncio.ensure_future(work(store, acknowledged, stop)) for _ in range(6)]
        ear = Ear(store)

        with anyio.fail_after(60):
            await until_more(acknowledged, 20)
            await server.stop(how)
            await asyncio.sleep(0.3)
            await server.start()
            await until_more(acknowledged, 20)
            stop.set()
            await asyncio.gather(*working)

        await assert_kept(store, acknowledged)
        async with PostgresTaskStore(server.address) as other:
            made = await other.create({})
            await ear.hears(made.id)


async def work(store: PostgresTaskStore, acknowledged: list[str], stop: asyncio.Event) -> None:
    while not stop.is_set():
        made = await parked(store, "a")
        assert await store.settle(made.id, [accepting("a")]) == {"a"}
        await store.keep_step(made.id, "charge", "1")
        acknowledged.append(made.id)


async def until_more(acknowledged: list[str], more: int) -> None:
    wanted = len(acknowledged) + more
    while len(acknowledged) < wanted:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def assert_kept(store: PostgresTaskStore, acknowledged: list[str]) -> None:
    assert sorted(await store.ready(100_000)) == sorted(acknowledged)
    for task_id in acknowledged:
        history = await store.history(task_id)
        assert ([asked.state for asked in history.inputs], dict(history.steps)) == (["answered"], {"charge": "1"})


@needs_postgres
@pytest.mark.slow
async def test_a_database_that_is_away_for_too_long_is_an_error_until_it_is_back() -> None:
    async with postgres_server() as server, PostgresTaskStore(server.address, timeout=0.5) as store:
        made = await store.create({})
        await server.stop()

        with anyio.fail_after(10):
            for trying in (store.create({}), store.get(made.id, owner=None), store.ready()):
                with pytest.raises(StoreError, match=NOTHING):
                    await trying
        await server.start()

        assert await store.get(made.id, owner=None) == made
        assert await store.ready() == [made.id]
