"""What a run makes of news that cross what it does itself (design, section 8: no old answer to a new question)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from elicitkit import FormElicitation, MemoryTaskStore
from elicitkit.errors import StoreError
from elicitkit.journal import Question, Reply
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.claim import Claim
from elicitkit.tasks.detached import detached_session
from elicitkit.tasks.questions import question_of
from elicitkit.tasks.record import History, Settlement
from elicitkit.tasks.requests import request_of
from elicitkit.tasks.road import ParkedRoad

pytestmark = pytest.mark.anyio


def question(name: str, field: str) -> Question:
    return question_of(request_of(FormElicitation.create("Who?").string(field)), name)


def a_road(store: MemoryTaskStore, history: History, **more: Any) -> ParkedRoad:
    record = history.record
    claim = Claim(store, record.id, record.fence, 30.0, record.lease_until)
    return ParkedRoad(claim, detached_session(TaskCall("ask", "0" * 32)), call_id="0" * 32, history=history, **more)


async def turns() -> None:
    """Let everything happen that waits for nothing but its turn of the loop."""
    for _ in range(20):
        await asyncio.sleep(0)


async def parked(store: MemoryTaskStore, task_id: str, name: str) -> str:
    """The key of the question of a name that is open."""
    await turns()
    (key,) = [key for key, asked in (await store.history(task_id)).record.inputs.items() if asked.name == name]
    return key


async def test_news_from_before_a_question_was_parked_never_answer_it_with_what_its_name_was_answered_before() -> None:
    store = MemoryTaskStore()
    task_id = (await store.create({}, worker="first")).id
    first = a_road(store, await store.history(task_id))
    asking = [asyncio.create_task(first.ask(question(*one))) for one in (("who", "name"), ("sure", "sure"))]
    who, sure = [await parked(store, task_id, name) for name in ("who", "sure")]
    await store.settle(task_id, [Settlement(who, Reply("accept", {"name": "Ann"}))])
    first.stop()
    await asyncio.wait(asking)

    changed = a_road(store, await store.history(task_id))  # `sure` is still open, as far as it knows.
    await store.settle(task_id, [Settlement(sure, Reply("accept", {"sure": "yes"}))])
    on_their_way = await store.history(task_id)
    answer = asyncio.create_task(changed.ask(question("who", "age")))
    age = await parked(store, task_id, "who")
    assert changed.is_parked
    changed.refresh(on_their_way)
    await turns()
    assert not answer.done()
    assert list((await store.history(task_id)).record.inputs) == [age]

    await store.settle(task_id, [Settlement(age, Reply("accept", {"age": "42"}))])
    changed.refresh(await store.history(task_id))

    assert (await answer).content == {"age": "42"}


class Crossed(MemoryTaskStore):
    """A store that takes its time to renew a claim, and may fail to withdraw."""

    def __init__(self) -> None:
        super().__init__()
        self.may_renew, self.failures = asyncio.Event(), 0

    async def renew(self, *given: Any, **named: Any) -> None:
        await super().renew(*given, **named)
        await self.may_renew.wait()

    async def withdraw(self, *given: Any, **named: Any) -> Any:
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is full.")
        return await super().withdraw(*given, **named)


async def two_asked(store: Crossed, **more: Any) -> tuple[str, ParkedRoad, list[asyncio.Task[Reply]]]:
    """A road on which one question waits that stays, and one that its tool may give up."""
    task_id = (await store.create({}, worker="w")).id
    road = a_road(store, await store.history(task_id), **more)
    asking = [asyncio.create_task(road.ask(question(name, "x"))) for name in ("stays", "goes")]
    await turns()
    return task_id, road, asking


async def names(store: Crossed, task_id: str) -> list[str]:
    return [asked.name for asked in (await store.history(task_id)).record.inputs.values()]


async def end(road: ParkedRoad, *asking: asyncio.Task[Any]) -> None:
    road.stop()
    await asyncio.wait(asking)


async def test_a_question_that_is_given_up_while_the_road_is_held_is_withdrawn_when_it_goes_on() -> None:
    store = Crossed()
    task_id, road, asking = await two_asked(store)
    road.hold()
    asking[1].cancel()
    await turns()
    assert await names(store, task_id) == ["stays", "goes"]

    road.go_on()
    await turns()

    assert await names(store, task_id) == ["stays"]
    await end(road, *asking)


async def test_a_withdrawal_that_fails_is_tried_again() -> None:
    store, helped = Crossed(), list[Coroutine[Any, Any, object]]()
    task_id, road, asking = await two_asked(store, help=helped.append)
    store.failures = 1
    asking[1].cancel()
    await turns()
    assert await names(store, task_id) == ["stays", "goes"]

    await helped.pop()

    assert await names(store, task_id) == ["stays"]
    await end(road, *asking)


async def test_a_run_that_makes_sure_of_its_claim_for_a_step_does_not_count_as_parked() -> None:
    """Else it could be put down meanwhile, and would do the step all the same."""
    store, done = Crossed(), list[str]()
    _, road, asking = await two_asked(store)
    assert road.is_parked
    paying = begin_to_pay(road, done)
    await turns()

    assert not road.is_parked
    store.may_renew.set()
    assert await paying == "paid"
    assert road.is_parked
    await end(road, *asking)


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_a_step_is_not_done_if_its_run_was_stopped_while_it_made_sure_of_its_claim(is_cancelled: bool) -> None:
    store, done = Crossed(), list[str]()
    _, road, asking = await two_asked(store)
    paying = begin_to_pay(road, done)
    await turns()
    road.stop(is_cancelled=is_cancelled)
    store.may_renew.set()
    await asyncio.wait([paying, *asking])

    assert paying.cancelled()
    assert done == []


def begin_to_pay(road: ParkedRoad, done: list[str]) -> asyncio.Task[str]:
    """A step of a process that has slept for longer than its claim."""

    async def pay() -> str:
        done.append("paid")
        return "paid"

    road.claimed_until = 0.0
    return asyncio.create_task(road.step("pay", pay))
