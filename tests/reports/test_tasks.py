"""Tasks that lost their questions, their answers, or themselves."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitResult

from elicitkit import (
    Elicitation,
    FormElicitation,
    MemoryTaskStore,
    TaskHandle,
    TaskKeyError,
    Tasks,
    TasksClient,
    confirm,
    elicit,
)
from elicitkit.tasks.messages import CreatedTask, TaskState
from elicitkit.tasks.store import TaskStore
from elicitkit.testing import Clock, RandomAnswers, Restarts, ScriptedAnswers, TaskStoreContract, accept
from elicitkit.testing.store_contract.base import accepting, form, question
from tests import eras
from tests.host.hosting import hosting, text

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


def make(store: TaskStore) -> MCPServer[Any]:
    tasks = Tasks(store, poll_interval=0.02)
    mcp: MCPServer[Any] = MCPServer("t", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task()
    async def two(ctx: Context) -> str:
        name = await elicit(ctx, NAME)
        sure = await confirm(ctx, "Sure?")
        return f"{name.content['name'] if name else name.reason} {bool(sure)}"

    @mcp.tool()
    @tasks.task()
    async def same(ctx: Context) -> str:
        return str([(await elicit(ctx, NAME)).action for _ in range(3)])

    return mcp


MOMENT = "2026-07-28T12:00:00Z"
STATE: dict[str, Any] = {"taskId": "1", "createdAt": MOMENT, "lastUpdatedAt": MOMENT, "ttlMs": None}


class Played:
    """The connection to a server whose task goes through given states."""

    def __init__(self, *states: dict[str, Any]) -> None:
        self._states = iter(states)
        self.answered: list[Any] = []
        self.asked = 0

    async def send_request(self, request: Any, result_type: Any) -> Any:
        if hasattr(request.params, "input_responses"):
            self.answered.append(request.params.input_responses)
            return None
        return TaskState.model_validate({**STATE, **next(self._states)}, by_name=False)

    async def dispatch_input_request(self, context: Any, request: Any) -> ElicitResult:
        self.asked += 1
        return accept(name="Ada")


async def test_r129_a_client_that_waits_reads_what_is_asked_and_shows_it_once() -> None:
    asking = {"status": "input_required", "inputRequests": {"k": NAME.to_input_request()}}
    done = {"status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}}
    session: Any = Played({"status": "working"}, asking, asking, {"status": "working"}, done)

    with anyio.fail_after(5):
        result = await TaskHandle(session, "1", poll_interval=0.001).wait()

    assert text(result) == "done"
    assert session.asked == 1
    assert session.answered == [{"k": {"action": "accept", "content": {"name": "Ada"}}}]


async def test_r131_an_answer_to_a_task_is_applied_and_one_to_an_ended_task_changes_nothing() -> None:
    restarts = Restarts(make)
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "two")
        handle = TasksClient.attach(client.session, task_id)
        await restarts.until_asked(task_id)
        (first,) = (await handle.state()).input_requests or {}
        await handle.answer(first, accept(name="Ada"))
        await restarts.until_asked(task_id)
        while first in (await handle.state()).input_requests or {}:
            await anyio.lowlevel.checkpoint()
        (second,) = (await handle.state()).input_requests or {}
        await handle.answer(second, accept(confirm=True))
        ended = text(await handle.wait())
        await handle.answer(second, accept(confirm=False))

        assert ended == "Ada True"
        assert (await handle.state()).status == "completed"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_r131_where_there_are_no_tasks_the_same_tool_is_a_plain_call(revision: str) -> None:
    with ScriptedAnswers([accept(name="Ada"), accept(confirm=True)]) as answers:
        async with eras.connected(make(MemoryTaskStore()), revision, answers) as client:
            assert await eras.said(client, "two") == "Ada True"


async def test_r133_the_same_question_has_a_new_key_each_time() -> None:
    keys: list[str] = []

    async def answer(context: Any, _: Any) -> ElicitResult:
        keys.append(context.request_id)
        return accept(name="Ada")

    async with eras.connected(make(MemoryTaskStore()), "2026-07-28", answer, tasks=True) as client:
        assert await eras.said(client, "same") == str(["accept"] * 3)

    assert len(set(keys)) == 3


async def test_r133_a_key_that_was_used_is_refused_for_the_rest_of_the_life_of_its_task() -> None:
    async with MemoryTaskStore() as store:
        record = await store.create({"tool": "t"})
        await store.set_input_requests(record.id, NAME, key="k")
        with pytest.raises(TaskKeyError):
            await store.set_input_requests(record.id, NAME, key="k")
        await store.settle(record.id, [accepting("k")])
        with pytest.raises(TaskKeyError):
            await store.set_input_requests(record.id, NAME, key="k")


async def test_r135_a_task_asks_with_the_line_that_any_tool_asks_with() -> None:
    with ScriptedAnswers([accept(name="Ada"), accept(confirm=True)]) as answers:
        async with eras.connected(make(MemoryTaskStore()), "2026-07-28", answers, tasks=True) as client:
            assert await eras.said(client, "two") == "Ada True"


async def test_r135_so_can_a_worker_that_has_nothing_but_its_id() -> None:
    async with MemoryTaskStore() as store:
        record = await store.create({"tool": "t"})
        key = await store.set_input_requests(record.id, form())
        waiting = asyncio.create_task(store.input_response(record.id, key))
        await store.settle(record.id, [accepting(key, "L")])

        outcome = await waiting

    assert outcome
    assert outcome.content == {"size": "L", "count": 1}


@pytest.mark.parametrize("is_killed", [True, False])
async def test_r137_work_in_flight_survives_a_restart_and_a_wrong_id_is_unknown(is_killed: bool) -> None:
    restarts = Restarts(make)
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "two")
        await restarts.until_asked(task_id)
        if is_killed:
            restarts.kill()
    async with restarts.running(RandomAnswers(1)) as client:
        typo = TasksClient.attach(client.session, task_id[:-1] + ("0" if task_id[-1] != "0" else "1"))
        with pytest.raises(MCPError) as unknown:
            await typo.state()
        result = await restarts.result(client, task_id)

    assert unknown.value.error.code == -32602
    assert not result.is_error


# --- a store of somebody else's ---------------------------------------------------------------------------------------

READS = ("get", "list_tasks", "ready", "history")
WRITES = (
    *("create", "settle", "cancel", "park", "withdraw", "keep_step", "progress", "complete", "fail"),
    *("claim", "renew", "release", "put_down", "sweep"),
)


def _read(name: str) -> Any:
    async def method(self: Any, *given: Any, **named: Any) -> Any:
        return await getattr(self.state, name)(*given, **named)

    return method


def _write(name: str) -> Any:
    async def method(self: Any, *given: Any, **named: Any) -> Any:
        given = tuple([*one] if hasattr(one, "__next__") else one for one in given)
        result = await getattr(self.state, name)(*given, **named)
        if name == "create":
            named = {**named, "task_id": result.id}
        self.log.append((self.clock(), name, given, named))
        return result

    return method


class _EventLog(TaskStore):
    """A store that keeps nothing but what was done, in order; its state is what comes of that."""

    def __init__(self, log: list[Any], **options: Any) -> None:
        super().__init__(**options)
        self.log = log
        self.state = MemoryTaskStore(**options)

    async def open(self) -> None:
        if self.is_read:
            return
        self.is_read, clock, passed = True, self.state.clock, Clock()
        self.state.clock = passed
        for passed.now, name, given, named in [*self.log]:
            await getattr(self.state, name)(*given, **named)
        self.state.clock = clock

    is_read = False

    async def close(self) -> None: ...

    def subscribe(self, listener: Any) -> Any:
        return self.state.subscribe(listener)


EventLog: Any = type(
    "EventLog", (_EventLog,), {name: _read(name) for name in READS} | {name: _write(name) for name in WRITES}
)


class TestR139AStoreOverAnEventLog(TaskStoreContract):
    """The port is small enough for anybody, and its contract a class to inherit from."""

    is_shared = False

    def make_store(self, folder: Path, **options: Any) -> TaskStore:
        store: TaskStore = EventLog([], **options)
        return store


async def test_r139_what_the_log_says_is_what_there_is() -> None:
    log: list[Any] = []
    clock = Clock()
    async with EventLog(log, clock=clock) as store:
        record = await store.create({"tool": "t"})
        await store.park(record.id, [question(store, "k")])
        clock.advance(5)
        await store.settle(record.id, [accepting("k")])
        before = await store.history(record.id)
    async with EventLog(log, clock=clock) as again:
        assert await again.history(record.id) == before


# --- shapes -----------------------------------------------------------------------------------------------------------

TASK: dict[str, Any] = {**STATE, "status": "working", "pollIntervalMs": 5}


@pytest.mark.parametrize("given", [{**TASK}, {"task": TASK}], ids=["flat", "nested"])
def test_r141_a_task_is_read_flat_and_nested(given: dict[str, Any]) -> None:
    created = CreatedTask.model_validate({"resultType": "task", **given}, by_name=False)
    state = TaskState.model_validate({"resultType": "complete", **given}, by_name=False)

    assert (created.task_id, created.status, created.poll_interval_ms) == ("1", "working", 5)
    assert (state.task_id, state.status) == ("1", "working")


class Nesting:
    """A middleware for a server that nests the task it creates, and the states it gives."""

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        given = await call_next(ctx)
        if ctx.method in ("tools/call", "tasks/get") and isinstance(given, dict) and "taskId" in given:
            kind = given.pop("resultType")
            return {"resultType": kind, "task": given}
        return given


async def test_r141_a_server_that_nests_its_tasks_is_served_the_same() -> None:
    mcp = make(MemoryTaskStore())
    mcp.middleware.insert(0, Nesting())  # type: ignore[arg-type]  # it is one
    with ScriptedAnswers([accept(name="Ada"), accept(confirm=True)]) as answers:
        async with eras.connected(mcp, "2026-07-28", answers, tasks=True) as client:
            assert await eras.said(client, "two") == "Ada True"


async def test_r143_a_prompt_ends_when_its_task_is_cancelled() -> None:
    shown, withdrawn = asyncio.Event(), asyncio.Event()
    store = MemoryTaskStore()

    async def wait_for(_: Any) -> Any:
        shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            withdrawn.set()

    ids: list[str] = []
    create = store.create

    async def noting(*given: Any, **named: Any) -> Any:
        record = await create(*given, **named)
        ids.append(record.id)
        return record

    store.create = noting  # type: ignore[method-assign]
    async with hosting(make(store), "2026-07-28", wait_for=wait_for) as source:
        call = asyncio.create_task(source.call("a_two"))
        await shown.wait()
        await store.cancel(ids[0], owner=None)
        await withdrawn.wait()
        found = text(await call)

    assert found == "error: The task was cancelled."
