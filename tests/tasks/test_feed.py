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
from elicitkit.tasks.engines.untaken import SECONDS, Untaken
from elicitkit.testing.store_contract import Clock
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


# --- what nobody takes ------------------------------------------------------------------------------------------------


def untaken_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name.endswith(".untaken")]


def test_what_nobody_takes_for_a_minute_is_told_once_for_each_outage(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    untaken = Untaken(clock)
    untaken.look(["a" * 32])
    clock.advance(SECONDS - 1)
    untaken.look(["a" * 32, "b" * 32])
    assert untaken_of(caplog) == []

    clock.advance(1)
    untaken.look(["a" * 32, "b" * 32])
    clock.advance(SECONDS)
    untaken.look(["b" * 32])  # The first was taken, and the next one waits as long.
    (told,) = untaken_of(caplog)
    assert "the task aaaaaaaa, which has been ready for 60 s" in told
    assert "a" * 9 not in told  # An id is as good as a key where nobody is authenticated.

    untaken.look([])
    untaken.look(["c" * 32])
    clock.advance(SECONDS)
    untaken.look(["c" * 32])
    assert len(untaken_of(caplog)) == 2


def test_what_is_taken_in_time_is_not_told_however_much_there_is(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    untaken = Untaken(clock)
    for number in range(100):
        untaken.look([str(number), str(number + 1)])
        clock.advance(SECONDS / 3)

    assert untaken_of(caplog) == []


@pytest.mark.parametrize("is_reached", [True, False])
async def test_the_looks_that_are_done_anyway_find_it_unless_the_queue_is_away(
    store: MemoryTaskStore, queue: Queue, caplog: pytest.LogCaptureFixture, is_reached: bool
) -> None:
    """An outage of the queue is told by itself."""
    clock = Clock()
    if not is_reached:
        queue.outage.begin("gone")
    feed = Feed(store, queue.add, queue.outage, look=60, untaken=Untaken(clock))
    await store.create({})
    await feed._feed()
    clock.advance(SECONDS)
    await feed._feed()

    assert len(untaken_of(caplog)) == is_reached
