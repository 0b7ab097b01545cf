"""What is known of a change spares a look at the store; a claim that ends is looked after all the same (issue 8)."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from anyio import fail_after
from mcp.server.mcpserver import Context

from elicitkit import MemoryTaskStore, PostgresTaskStore, Tasks, elicit
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.looks import Looks
from elicitkit.testing.store_contract.listening import Ear
from tests.services import postgres
from tests.tasks.desk import desk, eventually, form, server, until

pytestmark = pytest.mark.anyio


class Planned:
    """Looks on a clock that stands still, and what they looked at."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.looks = Looks(lambda: 100.0, self.seen.append)

    async def after(self, *plans: tuple[float, int]) -> int:
        """How often one task was looked at within a moment after it was planned so: when, at which revision."""
        for moment, revision in plans:
            self.looks.plan("a", moment, revision)
        await asyncio.sleep(0.08)
        self.looks.clear()
        return len(self.seen)


@pytest.mark.parametrize(
    ("plans", "times"),
    [
        ([(100.01, 1)], 1),
        ([(99.0, 1)], 1),
        ([(200.0, 1)], 0),
        ([(100.01, 1), (200.0, 2)], 1),  # It is looked soon enough, and finds out.
        ([(200.0, 1), (100.01, 2)], 1),
        ([(200.0, 2), (100.01, 1)], 0),  # What is older is no news.
        ([(100.01, 1), (math.inf, 2)], 0),
        ([(100.01, 2), (math.inf, 1)], 1),
        ([(math.inf, 1)], 0),
        ([(100.01, 1), (math.inf, 2), (100.01, 3)], 1),
    ],
)
async def test_a_look_is_planned_by_the_newest_that_is_known(plans: list[tuple[float, int]], times: int) -> None:
    assert await Planned().after(*plans) == times


class Counting(PostgresTaskStore):
    """Counts what is asked of it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.asked: Counter[str] = Counter()
        for name in ("get", "history", "claim", "take", "settle", "answer"):
            setattr(self, name, self._counting(name, getattr(self, name)))

    def _counting(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*given: Any, **named: Any) -> Any:
            self.asked[name] += 1
            return await method(*given, **named)

        return call


def served(store: PostgresTaskStore, **more: Any) -> Any:
    tasks = Tasks(store, tools={"order"}, engine=LocalEngine(look=3600), **more)
    mcp = server(tasks)

    @mcp.tool()
    async def order(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return str(outcome.content["size"]) if outcome else "none"

    return desk(mcp, tasks, seconds=30)


async def test_a_server_reads_nothing_of_what_others_do_with_their_tasks(empty_schema: str) -> None:
    """Each change is told to every process; it would be a read for each of them."""
    store, bystander = (Counting(postgres.ADDRESS, schema=empty_schema, rescan=3600, pool_size=2) for _ in range(2))
    async with served(store) as at, served(bystander):
        ear = Ear(bystander)
        bystander.asked.clear()
        task_id = await at.start("order")
        await at.answer(task_id, size="M")
        assert await at.said(task_id) == "M"
        ear.heard.clear()
        await ear.hears((await store.create({}, worker="w")).id)  # All before was told by now.

    assert not bystander.asked, bystander.asked


async def test_an_answer_at_another_server_is_one_transaction_there(empty_schema: str) -> None:
    store, other = (Counting(postgres.ADDRESS, schema=empty_schema, rescan=3600, pool_size=2) for _ in range(2))
    async with served(store) as at, served(other) as there:
        task_id = await at.start("order")
        key = await at.key(task_id)
        other.asked.clear()
        await there.update(task_id, **{key: {"action": "accept", "content": {"size": "L"}}})
        assert other.asked == {"answer": 1}
        await until(store, task_id, lambda record: record.is_over)


async def test_what_was_put_down_is_taken_where_it_is_answered_in_one_transaction(empty_schema: str) -> None:
    store, other = (Counting(postgres.ADDRESS, schema=empty_schema, rescan=3600, pool_size=2) for _ in range(2))
    async with served(store, max_live=0) as at, served(other, max_live=0) as there:
        task_id = await at.start("order")
        key = await at.key(task_id)
        with fail_after(10):  # That it was put down is told to nobody.
            while (await store.history(task_id)).record.worker is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        other.asked.clear()
        await there.update(task_id, **{key: {"action": "accept", "content": {"size": "L"}}})
        await until(store, task_id, lambda record: record.is_over)

        assert (other.asked["answer"], other.asked["take"], other.asked["claim"]) == (1, 1, 0)
        assert (await store.history(task_id)).record.fence == 2


async def test_what_is_told_while_a_task_is_being_taken_is_not_lost() -> None:
    """Whoever had it may give it back just then, and nobody would look for it before the next look."""
    store = SlowToTake()
    tasks = Tasks(store, tools={"order"}, engine=LocalEngine(look=3600))
    mcp, runs = server(tasks), list[str]()

    @mcp.tool()
    async def order() -> str:
        runs.append("run")
        return "done"

    async with desk(mcp, tasks):
        made = await store.create({"tool": "order", "call_id": "0" * 32}, worker="somebody")
        tasks._runner.help(tasks._runner.advance(made.id))
        with fail_after(10):
            await store.is_taking.wait()
        await store.release(made.id, fence=1)
        store.may_take.set()
        await eventually(lambda: bool(runs))

    assert runs == ["run"]


class SlowToTake(MemoryTaskStore):
    """Looks at a task that is to be taken, and says what it saw later."""

    def __init__(self) -> None:
        super().__init__()
        self.is_taking, self.may_take = asyncio.Event(), asyncio.Event()

    async def take(self, task_id: str, worker: str, seconds: float, **more: Any) -> Any:
        taken = await super().take(task_id, worker, seconds, **more)
        self.is_taking.set()
        await self.may_take.wait()
        return taken
