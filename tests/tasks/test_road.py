"""What a run makes of news that cross what it does itself (design, section 8: no old answer to a new question)."""

import asyncio
from typing import Any

import pytest

from elicitkit import FormElicitation, MemoryTaskStore
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
