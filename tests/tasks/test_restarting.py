"""A task whose process is gone is brought back: nothing is asked, answered or done twice (issue 7)."""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ClientCapabilities, ElicitationCapability, FormElicitationCapability

from elicitkit import (
    MemoryTaskStore,
    SqliteTaskStore,
    Tasks,
    confirm,
    elicit,
    elicit_all,
    elicit_sync,
    elicit_url,
    step,
)
from elicitkit.errors import StoreError
from elicitkit.tasks import errands, leftovers
from elicitkit.tasks.answers import judge
from elicitkit.tasks.record import History, Settlement
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import DECLINE, accept, desk, eventually, form, quick, server

pytestmark = pytest.mark.anyio


class Process:
    """A server on a store, which may die: then it gives nothing back, as one that was killed does not."""

    def __init__(self, store: TaskStore, *tools: Any, **more: Any) -> None:
        self.tasks = quick(store, **more)
        self.mcp: MCPServer[Any] = server(self.tasks)
        for tool in tools:
            self.mcp.tool()(self.tasks.task()(tool))

    def dies(self) -> None:
        async def nothing(*_: Any) -> None: ...

        self.tasks._runner._release = nothing  # type: ignore[assignment,method-assign]

    def desk(self, **more: Any) -> Any:
        return desk(self.mcp, self.tasks, **more)


async def order(ctx: Context) -> str:
    price = await step(ctx, "price", did, "price")
    size = await elicit(ctx, form())
    await step(ctx, "reserve", did, "reserve")
    colour = await elicit(ctx, form("Which colour?", "colour"))
    await step(ctx, "pay", did, "pay")
    return f"{price} {size.content['size'] if size else ''} {colour.content['colour'] if colour else ''}"


DID: list[str] = []


def did(what: str) -> int:
    DID.append(what)
    return len(DID)


@pytest.fixture(autouse=True)
def nothing_done_yet() -> None:
    DID.clear()


@pytest.mark.parametrize("ends", ["gracefully", "by death"])
async def test_what_was_answered_and_done_is_not_asked_or_done_again(store: TaskStore, ends: str) -> None:
    first, second = Process(store, order), Process(store, order)
    async with first.desk() as at:
        task_id = await at.start("order")
        answered = await at.answer(task_id, size="XL")
        await at.when(task_id, lambda record: bool(record.inputs) and answered not in record.inputs)
        key = await at.key(task_id)
        if ends == "by death":
            first.dies()
    async with second.desk() as at:
        assert await at.key(task_id) == key
        await at.update(task_id, **{key: accept(colour="red")})

        assert await at.said(task_id) == "1 XL red"
    assert DID == ["price", "reserve", "pay"]


async def test_an_answer_that_came_while_nobody_ran_wakes_the_task_at_the_start(store: TaskStore) -> None:
    first, second = Process(store, order), Process(store, order)
    async with first.desk() as at:
        task_id = await at.start("order")
        key = await at.key(task_id)
    async with store:
        asked = (await store.history(task_id)).record.inputs[key]
        await store.settle(task_id, [judge(asked, accept(size="XL"))])
    async with second.desk() as at:
        await at.when(task_id, lambda record: bool(record.inputs))
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "1 XL red"


async def test_a_task_that_was_working_is_run_again(store: TaskStore) -> None:
    is_first = [True]
    started = asyncio.Event()

    async def work() -> str:
        if is_first.pop() if is_first else False:
            started.set()
            await asyncio.sleep(3600)
        return "done"

    first, second = Process(store, work), Process(store, work)
    async with first.desk() as at:
        task_id = await at.start("work")
        await started.wait()
    async with second.desk() as at:
        assert await at.said(task_id) == "done"


async def test_an_answer_in_time_counts_after_its_time_is_over(store: TaskStore) -> None:
    async def ask(ctx: Context) -> str:
        first = await elicit(ctx, form(), timeout=30)
        second = await elicit(ctx, form("Sure?", "sure"))
        return f"{first.content['size'] if first else first.reason} {bool(second)}"

    first, second = Process(store, ask), Process(store, ask)
    async with first.desk() as at:
        task_id = await at.start("ask")
        answered = await at.answer(task_id, size="XL")
        await at.when(task_id, lambda record: bool(record.inputs) and answered not in record.inputs)
    now = store.clock
    store.clock = lambda: now() + 60
    async with second.desk() as at:
        await at.answer(task_id, sure="yes")

        assert await at.said(task_id) == "XL True"


async def test_a_thread_and_links_are_brought_back_too(store: TaskStore) -> None:
    def threaded(ctx: Context) -> str:
        outcome = elicit_sync(ctx, form())
        return outcome.content["size"] if outcome else ""

    async def linked(ctx: Context) -> str:
        return "opened" if await elicit_url(ctx, "Pay", "https://pay.example") else ""

    first, second = Process(store, threaded, linked), Process(store, threaded, linked)
    async with first.desk() as at:
        ids = [await at.start("threaded"), await at.start("linked")]
        keys = [await at.key(task_id) for task_id in ids]
    async with second.desk() as at:
        for task_id, key, answer in zip(ids, keys, [accept(size="XL"), {"action": "accept"}], strict=True):
            await at.update(task_id, **{key: answer})

        assert [await at.said(task_id) for task_id in ids] == ["XL", "opened"]


async def test_a_question_that_changed_is_asked_anew_and_has_no_old_answer(
    store: TaskStore, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask_name(ctx: Context) -> str:
        one = await elicit(ctx, form("Who?", "name"), key="who")
        two = await elicit(ctx, form("Sure?", "sure"))
        return f"{one} {two}"

    async def ask_age(ctx: Context) -> str:
        one = await elicit(ctx, form("Who?", "age"), key="who")
        two = await elicit(ctx, form("Sure?", "sure"))
        return f"{one.content['age'] if one else ''} {bool(two)}"

    ask_name.__name__ = ask_age.__name__ = "ask"
    first, second = Process(store, ask_name), Process(store, ask_age)
    async with first.desk() as at:
        task_id = await at.start("ask")
        answered = await at.answer(task_id, name="Ann")
        await at.when(task_id, lambda record: bool(record.inputs) and answered not in record.inputs)
        sure = await at.key(task_id)
    with caplog.at_level(logging.WARNING, "elicitkit"):
        async with second.desk() as at:
            await at.update(task_id, **{sure: accept(sure="yes")})
            await at.when(task_id, lambda record: "age" in str(record.inputs))
            await at.answer(task_id, age="42")

            assert await at.said(task_id) == "42 True"
    assert "is another one since it was asked" in caplog.text
    assert "Ann" not in caplog.text


FILE, DISK = "Delete file A?", "Delete the whole disk?"


def deleting(message: str, kind: str) -> Any:
    """A tool that asks under a key, and then something else."""

    async def ask(ctx: Context) -> str:
        is_form = kind == "a form"
        first: Any = await (elicit(ctx, form(message, "x"), key="k") if is_form else confirm(ctx, message, key="k"))
        await elicit(ctx, form("Second?"))
        return type(first).__name__

    return ask


@pytest.mark.parametrize("is_answered", [True, False], ids=["answered", "open"])
@pytest.mark.parametrize("kind", ["a yes/no question", "a form"])
async def test_a_yes_is_none_to_another_message_under_its_key_and_any_other_answer_is_used_and_that_logged(
    store: TaskStore, caplog: pytest.LogCaptureFixture, kind: str, is_answered: bool
) -> None:
    """Issue 7, 1: never an old answer to a new question; it is only with a key that nobody but the author can tell."""
    first, second = Process(store, deleting(FILE, kind)), Process(store, deleting(DISK, kind))
    agreed = accept(**({"x": "secret"} if kind == "a form" else {"confirm": True}))
    async with first.desk() as at:
        task_id = await at.start("ask")
        key = await at.key(task_id)
        if is_answered:
            await at.update(task_id, **{key: agreed})
            await at.when(task_id, lambda record: bool(record.inputs) and key not in record.inputs)
            key = await at.key(task_id)
    async with second.desk() as at:
        await at.update(task_id, **{key: accept(size="XL") if is_answered else agreed})
        if kind == "a yes/no question":
            asked = await at.when(task_id, lambda record: DISK in str(record.inputs))
            (again,) = (k for k, one in asked["inputRequests"].items() if one["params"]["message"] == DISK)
            await at.update(task_id, **{again: DECLINE})
        if not is_answered:
            await at.answer(task_id, size="XL")

        assert await at.said(task_id) == ("Accepted" if kind == "a form" else "Declined")
    told = [line for line in caplog.messages if "'k' is used, though its message is another one" in line]
    assert len(told) == (1 if kind == "a form" else 0)
    assert not any("secret" in line or "Delete" in line for line in told)


async def test_a_tool_that_takes_other_arguments_now_ends_with_an_error_that_says_so(store: TaskStore) -> None:
    async def ask(ctx: Context, size: str = "") -> None:
        await elicit(ctx, form())

    async def changed(ctx: Context, size: int) -> None:
        await elicit(ctx, form())

    changed.__name__ = "ask"
    first, second = Process(store, ask), Process(store, changed)
    async with first.desk() as at:
        task_id = await at.start("ask", size="XL")
        await at.key(task_id)
    async with second.desk() as at:
        await at.answer(task_id, size="XL")
        ended = await at.ended(task_id)

    assert "ask" in str(ended.get("error") or ended["result"])
    assert ended.get("error") or ended["result"]["isError"]


async def test_what_the_protocol_puts_into_a_request_is_not_kept(store: TaskStore) -> None:
    process = Process(store, order)
    async with process.desk() as at:
        task = await at.send("order", {"trace": "abc"})
        kept = (await store.history(task["taskId"])).record.call

    assert kept["meta"] == {"trace": "abc"}


class LateStore(MemoryTaskStore):
    """A store that takes an answer right after its history was read for a run that is about to start."""

    late: Settlement | None = None

    async def history(self, task_id: str) -> History:
        found = await super().history(task_id)
        if self.late is not None and found.record.worker is not None:
            late, self.late = self.late, None
            await self.settle(task_id, [late])
            for _ in range(3):  # Until the listeners were told, of a run that they do not know yet.
                await asyncio.sleep(0)
        return found


async def test_an_answer_that_comes_before_the_run_has_started_is_seen() -> None:
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, a=form("A?", "x"), b=form("B?", "x"))
        return "".join(one.content["x"] for one in found.values() if one)

    store = LateStore()
    async with Process(store, ask).desk() as at:
        task_id = await at.start("ask")
        await at.asked(task_id, 2)
    first, second = (judge(one, accept(x="!")) for one in (await store.history(task_id)).inputs)
    store.late = second
    await store.settle(task_id, [first])

    async with Process(store, ask).desk(seconds=5) as at:
        assert await at.said(task_id) == "!!"


async def test_capabilities_arguments_and_call_come_from_the_record(store: TaskStore) -> None:
    seen: list[Any] = []
    forms = ClientCapabilities(elicitation=ElicitationCapability(form=FormElicitationCapability()))

    async def ask(ctx: Context, cart: dict[str, Any]) -> str:
        session: Any = ctx.session
        meta: Any = ctx.request_context.meta
        seen.append(
            (cart, ctx.client_capabilities, session.check_client_capability(forms), dict(meta or {}).get("trace"))
        )
        return str(bool(await elicit(ctx, form())))

    first, second = Process(store, ask), Process(store, ask)
    async with first.desk() as at:
        task = await at.send("ask", {"trace": "abc"}, cart={"eggs": 6, "nested": [1.5, None]})
        await at.key(task["taskId"])
    async with second.desk() as at:
        await at.answer(task["taskId"], size="XL")
        assert await at.said(task["taskId"]) == "True"

    assert seen[0] == seen[1]
    assert seen[0][1].elicitation is not None
    assert seen[0][2:] == (True, "abc")


async def test_a_call_that_cannot_be_read_fails_and_stops_nobody(store: TaskStore) -> None:
    process = Process(store, order)
    async with store:
        odd = await store.create({"from": "another version"})
    async with process.desk() as at:
        assert (await at.ended(odd.id))["error"]["message"] == "The call of this task cannot be read."
        await at.answer(await at.start("order"), size="XL")


# --- put down and picked up -------------------------------------------------------------------------------------------


async def test_beyond_max_live_those_that_wait_longest_are_put_down_and_picked_up_again(store: TaskStore) -> None:
    runs: list[int] = []

    async def ask(ctx: Context, number: int) -> str:
        runs.append(number)
        found = await elicit_all(ctx, a=form("A?", "x"), b=form("B?", "x"))
        return f"{number} {''.join(one.content['x'] for one in found.values() if one)}"

    process = Process(store, ask, max_live=2)
    async with process.desk() as at:
        ids = [await at.start("ask", number=number) for number in range(6)]
        for task_id in ids:
            await at.asked(task_id, 2)
        await eventually(lambda: process.tasks._runner.live == 2)
        for task_id in ids:
            for key in (await at.get(task_id))["inputRequests"]:
                await at.update(task_id, **{key: accept(x=key[0])})

        said = [await at.said(task_id) for task_id in ids]
    assert [int(one.split()[0]) for one in said] == [*range(6)]
    assert sorted(set(runs)) == [*range(6)]
    assert len(runs) > 6


async def test_no_answer_is_lost_while_a_call_is_put_down(tmp_path: Path) -> None:
    """An answer that comes between the decision to put a call down and the end of that: the race of that moment."""
    after: list[int] = []

    async def ask(ctx: Context, number: int) -> int:
        await elicit(ctx, form())
        after.append(number)
        return number

    store = SqliteTaskStore(tmp_path / "tasks.db")
    process = Process(store, ask, max_live=1)
    async with process.desk() as at:
        ids: list[str] = []
        for number in range(40):
            ids.append(await at.start("ask", number=number))
            await at.answer(ids[-1], size="XL")

        assert [await at.said(task_id) for task_id in ids] == [str(number) for number in range(40)]
    assert sorted(set(after)) == [*range(40)]


async def test_a_graceful_end_gives_every_task_back(store: TaskStore) -> None:
    process = Process(store, order)
    async with process.desk() as at:
        ids = [await at.start("order") for _ in range(5)]
        for task_id in ids:
            await at.key(task_id)
    async with store:
        records = [(await store.history(task_id)).record for task_id in ids]

    assert [record.worker for record in records] == [None] * 5


async def test_nothing_runs_on_when_the_server_has_ended(store: TaskStore) -> None:
    def threaded(ctx: Context) -> None:
        elicit_sync(ctx, form())

    async def shielded(ctx: Context) -> None:
        await asyncio.shield(asyncio.ensure_future(elicit(ctx, form())))

    before = asyncio.all_tasks()
    process = Process(store, order, threaded, shielded)
    async with process.desk() as at:
        for tool in ("order", "threaded", "shielded"):
            await at.key(await at.start(tool))
    await asyncio.sleep(0)

    assert asyncio.all_tasks() == before


async def test_the_lifespan_is_entered_and_left_many_times(store: TaskStore) -> None:
    process = Process(store, order)
    before = asyncio.all_tasks()
    async with process.desk() as at:
        task_id = await at.start("order")
        key = await at.key(task_id)
    for _ in range(20):
        async with process.desk() as at:
            assert await at.key(task_id) == key

    assert asyncio.all_tasks() == before


async def test_two_servers_share_a_file_and_an_answer_at_one_wakes_the_other(tmp_path: Path) -> None:
    first = Process(SqliteTaskStore(tmp_path / "tasks.db"), order, lease=30)
    second = Process(SqliteTaskStore(tmp_path / "tasks.db"), order, lease=30)
    async with first.desk() as here, second.desk() as there:
        task_id = await here.start("order")
        await there.answer(task_id, size="XL")
        await there.when(task_id, lambda record: bool(record.inputs))
        await there.answer(task_id, colour="red")

        assert await here.said(task_id) == await there.said(task_id) == "1 XL red"
    assert DID == ["price", "reserve", "pay"]


async def test_a_worker_that_was_overtaken_changes_nothing(tmp_path: Path) -> None:
    """One that slept for longer than its claim, and wakes: its claim is gone (design, "The engine")."""
    go, woken = asyncio.Event(), asyncio.Event()
    runs: list[int] = []

    async def work(ctx: Context) -> str:
        runs.append(number := len(runs))
        if number == 0:
            try:
                await go.wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0)
            woken.set()
        return f"run {number}"

    sleeper = Process(SqliteTaskStore(tmp_path / "tasks.db"), work)

    async def asleep() -> None: ...

    sleeper.tasks._runner.renew = asleep  # type: ignore[method-assign]
    other = Process(SqliteTaskStore(tmp_path / "tasks.db"), work)
    async with sleeper.desk() as here, other.desk() as there:
        task_id = await here.start("work")
        assert await there.said(task_id) == "run 1"
        go.set()
        await woken.wait()

        assert await here.said(task_id) == "run 1"


async def test_a_worker_that_slept_past_its_claim_does_no_step_that_another_has_done(tmp_path: Path) -> None:
    """It looks whether the task is still its own before a step, not only when it keeps what the step gave."""
    go, woken, runs = asyncio.Event(), asyncio.Event(), list[int]()

    async def work(ctx: Context) -> str:
        runs.append(number := len(runs))
        while number == 0 and not go.is_set():  # Whatever it is told meanwhile: it sleeps.
            with suppress(asyncio.CancelledError):
                await go.wait()
        try:
            return str(await step(ctx, "pay", did, f"run {number}"))
        finally:
            if number == 0:
                woken.set()

    async def asleep(*_: Any) -> None: ...

    sleeper = Process(SqliteTaskStore(tmp_path / "tasks.db"), work)
    sleeper.tasks._runner.renew = asleep  # type: ignore[method-assign]
    sleeper.tasks._runner._changed = lambda *_: None  # type: ignore[method-assign]  # Nor does it hear anything.
    other = Process(SqliteTaskStore(tmp_path / "tasks.db"), work)
    async with sleeper.desk() as here, other.desk() as there:
        task_id = await here.start("work")
        assert await there.said(task_id) == "1"
        go.set()
        await woken.wait()

    assert DID == ["run 1"]


def test_tasks_need_no_event_loop_to_be_made(tmp_path: Path) -> None:
    assert Tasks(SqliteTaskStore(tmp_path / "tasks.db"))
    assert not (tmp_path / "tasks.db").exists()


# --- questions that a changed tool does not come to any more ----------------------------------------------------------


def changed(*messages: str) -> Any:
    """A version of a tool that asks these, side by side."""

    async def order(ctx: Context) -> str:
        asked = await asyncio.gather(*(elicit(ctx, form(message, message)) for message in messages))
        return " ".join(one.content[message] for one, message in zip(asked, messages, strict=True) if one.content)

    return order


def messages_of(record: Any) -> set[str]:
    return {asked.request["params"]["message"] for asked in record.inputs.values()}


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "SECONDS", 0)


async def left_by(store: TaskStore, *before: str) -> str:
    """A task with these questions open, one more answered, and nobody who runs it; what is not answered is `old …`."""
    async with Process(store, changed("first", *before)).desk() as at:
        task_id = await at.start("order")
        asked = await at.asked(task_id, 1 + len(before))
        (first,) = [key for key, one in asked.items() if one["params"]["message"] == "first"]
    async with store:
        record = (await store.history(task_id)).record
        await store.settle(task_id, [judge(record.inputs[first], accept(first="yes"))])
    return task_id


async def test_what_a_changed_tool_asks_no_longer_is_withdrawn_while_it_goes_on(
    store: TaskStore, at_once: None
) -> None:
    """Issue 7, point 1: a changed tool asks anew where that is safe; what it left is a question nobody waits for."""
    task_id = await left_by(store, "old", "kept")
    async with Process(store, changed("first", "kept", "new")).desk() as at:
        await at.when(task_id, lambda record: messages_of(record) == {"kept", "new"})
        keys = {one["params"]["message"]: key for key, one in (await at.asked(task_id, 2)).items()}
        await at.update(task_id, **{keys["kept"]: accept(kept="2"), keys["new"]: accept(new="3")})

        assert await at.said(task_id) == "yes 2 3"


async def test_what_a_tool_that_is_what_it_was_has_open_keeps_its_key(store: TaskStore, at_once: None) -> None:
    task_id = await left_by(store, "kept")
    async with Process(store, changed("first", "kept")).desk() as at:
        key = await at.key(task_id)
        await at.update(task_id, **{key: accept(kept="2")})

        assert await at.said(task_id) == "yes 2"
        assert key in {asked.key for asked in (await store.history(task_id)).inputs}


async def test_a_tool_that_comes_to_it_after_all_asks_it_anew(store: TaskStore, at_once: None) -> None:
    may_ask = asyncio.Event()

    async def order(ctx: Context) -> str:
        async def late() -> Any:
            await may_ask.wait()
            return await elicit(ctx, form("old", "old"))

        new, old = await asyncio.gather(elicit(ctx, form("new", "new")), late())
        return f"{new.content['new']} {old.content['old']}" if new and old else "nothing"

    task_id = await left_by(store, "old")
    async with Process(store, order).desk() as at:
        await at.when(task_id, lambda record: messages_of(record) == {"new"})
        may_ask.set()
        keys = {one["params"]["message"]: key for key, one in (await at.asked(task_id, 2)).items()}
        await at.update(task_id, **{keys["new"]: accept(new="1"), keys["old"]: accept(old="2")})

        assert await at.said(task_id) == "1 2"


async def test_what_others_ask_of_a_task_stays(store: TaskStore, at_once: None) -> None:
    task_id = await left_by(store, "old")
    async with store:
        await store.set_input_requests(task_id, form("of a worker"), key="theirs")
    async with Process(store, changed("new")).desk() as at:
        await at.when(task_id, lambda record: messages_of(record) == {"new", "of a worker"})


async def test_what_is_left_is_withdrawn_when_the_task_ends(store: TaskStore) -> None:
    task_id = await left_by(store, "old")
    async with Process(store, changed("first")).desk() as at:
        assert await at.said(task_id) == "yes"
        assert {asked.state for asked in (await store.history(task_id)).inputs} == {"answered", "withdrawn"}


async def test_what_is_asked_no_longer_is_withdrawn_though_the_store_fails_for_a_while(
    store: TaskStore, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool is not at fault: what it comes to is kept, and it is not run once more."""
    failed: list[str] = []
    withdraw = store.withdraw

    async def failing(task_id: str, *given: Any, **more: Any) -> None:
        if len(failed) < 3:
            failed.append(task_id)
            raise StoreError("The disk is full.")
        await withdraw(task_id, *given, **more)

    monkeypatch.setattr(store, "withdraw", failing)
    monkeypatch.setattr(errands, "_PAUSE", 0.001)
    runs: list[None] = []

    async def order(ctx: Context) -> str:
        runs.append(None)
        first, new = await elicit(ctx, form("first", "first")), await elicit(ctx, form("new", "new"))
        return f"{first.content['first']} {new.content['new']}" if first and new else "nothing"

    task_id = await left_by(store, "old")
    async with Process(store, order).desk() as at:
        await at.when(task_id, lambda record: messages_of(record) == {"new"})
        await at.answer(task_id, new="2")

        assert await at.said(task_id) == "yes 2"
    assert len(failed) == 3
    assert len(runs) == 1


async def test_what_is_asked_no_longer_is_withdrawn_though_the_call_was_about_to_be_put_down(
    store: TaskStore, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That may be refused, and the call goes on: nobody would look for what it left any more."""
    task_id = await left_by(store, "old")
    process, looked = Process(store, changed("first", "new")), asyncio.Event()
    look = leftovers.Leftovers._look

    def noted(self: Any, *given: Any) -> None:
        if not looked.is_set():
            (run,) = process.tasks._runner._runs.values()
            run.road.hold()
            asyncio.get_running_loop().call_later(0.01, run.road.go_on)
            looked.set()
        look(self, *given)

    monkeypatch.setattr(leftovers.Leftovers, "_look", noted)
    async with process.desk() as at:
        await looked.wait()
        await at.when(task_id, lambda record: messages_of(record) == {"new"})
        await at.answer(task_id, new="2")

        assert await at.said(task_id) == "yes 2"
