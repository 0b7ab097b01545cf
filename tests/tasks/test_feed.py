"""`Feed`: what the store calls ready is given to a queue that drops, forgets and goes (design, section 8)."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from anyio import fail_after

from elicitkit import MemoryTaskStore, StoreError
from elicitkit.tasks.engines.background import beside
from elicitkit.tasks.engines.feed import AT_ONCE, Feed
from elicitkit.tasks.engines.outage import Outage
from tests.tasks.desk import eventually

pytestmark = pytest.mark.anyio


class Queue:
    """Remembers what it was given, and drops what it is told to."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.drops: set[str] = set()
        self.outage = Outage("the queue")

    async def add(self, ids: Sequence[str]) -> Collection[str] | None:
        self.given += ids
        return None if self.outage.is_on else self.drops & set(ids)


@pytest.fixture
async def store() -> AsyncIterator[MemoryTaskStore]:
    async with MemoryTaskStore() as store:
        yield store


@pytest.fixture
def queue() -> Queue:
    return Queue()


@asynccontextmanager
async def fed(store: MemoryTaskStore, queue: Queue, look: float = 60, **more: Any) -> AsyncIterator[Feed]:
    feed = Feed(store, queue.add, queue.outage, look=look, **more)
    unsubscribe = store.subscribe(lambda task_id: feed.nudge(task_id, False))
    with fail_after(20):
        async with beside(feeding=feed.keep_feeding(), adding=feed.keep_adding()):
            yield feed
    unsubscribe()


async def test_what_is_ready_is_added_once(store: MemoryTaskStore, queue: Queue) -> None:
    early = await store.create({})
    async with fed(store, queue):
        await eventually(lambda: queue.given == [early.id])
        late = await store.create({})
        await eventually(lambda: queue.given == [early.id, late.id])
        await asyncio.sleep(0.1)

    assert queue.given == [early.id, late.id]


async def test_what_waits_in_this_process_keeps_no_other_from_being_added(store: MemoryTaskStore, queue: Queue) -> None:
    made = [(await store.create({})).id for _ in range(AT_ONCE + 2)]
    async with fed(store, queue, set_aside=lambda: 1):
        await eventually(lambda: queue.given == made[: AT_ONCE + 1])


async def test_what_is_known_to_be_ready_is_added_without_a_look_at_the_store(
    store: MemoryTaskStore, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look may be an hour away, or fail."""
    async with fed(store, queue, look=3600) as feed:
        feed.nudge("a", True)
        await eventually(lambda: queue.given == ["a"])
        with monkeypatch.context() as patch:
            patch.setattr(store, "ready", None)
            for number in range(AT_ONCE + 1):
                feed.nudge(f"b{number}", True)
            await eventually(lambda: len(queue.given) == AT_ONCE + 2)


async def test_what_is_known_to_be_ready_and_dropped_is_added_again_by_a_look(
    store: MemoryTaskStore, queue: Queue
) -> None:
    async with fed(store, queue, look=3600) as feed:
        await asyncio.sleep(0)
        record = await store.create({})
        queue.drops = {record.id}
        feed.nudge(record.id, True)
        await eventually(lambda: len(queue.given) >= 2)
        queue.drops = set()
        await eventually(lambda: len(queue.given) >= 3)

    assert set(queue.given) == {record.id}


async def test_what_is_known_to_be_ready_while_the_queue_is_gone_waits_for_it(
    store: MemoryTaskStore, queue: Queue
) -> None:
    async with fed(store, queue, look=3600) as feed:
        queue.outage.begin("gone")
        record = await store.create({})
        feed.nudge(record.id, True)
        await asyncio.sleep(0.05)
        queue.outage.end()
        await eventually(lambda id=record.id: id in queue.given)


async def test_what_somebody_has_is_not_added(store: MemoryTaskStore, queue: Queue) -> None:
    await store.create({}, worker="somebody")
    async with fed(store, queue):
        await asyncio.sleep(0.05)

    assert queue.given == []


async def test_what_was_dropped_is_added_again_soon_for_its_job_may_be_about_to_end(
    store: MemoryTaskStore, queue: Queue
) -> None:
    record = await store.create({})
    queue.drops = {record.id}
    async with fed(store, queue):
        await eventually(lambda: len(queue.given) == 3)
        queue.drops = set()
        await eventually(lambda: len(queue.given) == 4)
        await asyncio.sleep(0.3)

    assert queue.given == [record.id] * 4


async def test_what_the_queue_lost_without_a_word_is_added_after_a_while(store: MemoryTaskStore, queue: Queue) -> None:
    record = await store.create({})
    async with fed(store, queue, look=0.05):
        await eventually(lambda: len(queue.given) == 3)

    assert set(queue.given) == {record.id}


async def test_a_queue_that_may_have_lost_all_is_given_all_at_once(store: MemoryTaskStore, queue: Queue) -> None:
    ids = {(await store.create({})).id for _ in range(3)}
    async with fed(store, queue) as feed:
        await eventually(lambda: len(queue.given) == 3)
        feed.forget()
        await eventually(lambda: len(queue.given) == 6)

    assert set(queue.given[3:]) == ids


async def test_what_a_queue_that_is_gone_was_not_given_waits_for_it(store: MemoryTaskStore, queue: Queue) -> None:
    queue.outage.begin("gone")
    record = await store.create({})
    async with fed(store, queue):
        await eventually(lambda: len(queue.given) == 1)
        await store.create({})
        await asyncio.sleep(0.05)
        assert queue.given == [record.id]
        queue.outage.end()
        await eventually(lambda: len(queue.given) == 3)

    assert queue.given[1] == record.id


async def test_more_than_is_read_at_once_follows_when_the_first_are_taken(store: MemoryTaskStore, queue: Queue) -> None:
    ids = [(await store.create({})).id for _ in range(AT_ONCE + 5)]
    async with fed(store, queue):
        await eventually(lambda: len(queue.given) == AT_ONCE)
        for task_id in ids[:5]:
            await store.claim(task_id, "worker", 30)
        await eventually(lambda: len(queue.given) == AT_ONCE + 5)

    assert sorted(queue.given) == sorted(ids)


async def test_a_store_that_fails_is_looked_through_later(
    store: MemoryTaskStore, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    behind = OSError("swordfish")

    async def failing(*_: object) -> list[str]:
        raise StoreError("the store is gone") from behind

    with monkeypatch.context() as patch:
        patch.setattr(store, "ready", failing)
        async with fed(store, queue, look=0.05):
            await eventually(lambda: "the store of tasks fails" in caplog.text)
            patch.undo()
            record = await store.create({})
            await eventually(lambda: queue.given[:1] == [record.id])

    assert caplog.messages == [
        "the store of tasks fails, and what needs it is tried again until it does not: the store is gone",
        "the store of tasks can be used again",
    ]


async def test_what_is_ready_is_given_though_what_is_over_cannot_be_ended_which_is_told_once(
    store: MemoryTaskStore, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk can be read; each look between two sweeps would tell that all is well."""
    swept: list[None] = []

    async def failing(*_: object) -> None:
        swept.append(None)
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "sweep", failing)
        async with fed(store, queue, look=0.1):
            while len(swept) < 3:
                record = await store.create({})
                await eventually(lambda id=record.id: id in queue.given)
            patch.undo()
            await eventually(lambda: "can be used again" in caplog.text)

    assert caplog.messages == [
        "the store of tasks fails, and what needs it is tried again until it does not: the disk is full",
        "the store of tasks can be used again",
    ]


async def test_an_outage_is_told_once_when_it_begins_and_once_when_it_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outage = Outage("Redis at redis://there")
    for error in ("refused", "reset"):
        outage.begin(error)
    outage.doubt()
    for _ in range(2):
        outage.end()

    assert caplog.messages == [
        "Redis at redis://there cannot be reached (refused): tasks wait until it can, and none is lost",
        "Redis at redis://there can be reached again",
    ]
