"""The contract's sixth part: whoever listens hears of every change that a client can see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
import pytest

from ...tasks.record import News, new_key
from ...tasks.store import TaskStore
from ..clock import Clock
from .base import StoreTests, accepting, current, parked, question

VISIBLE: dict[str, Callable[[TaskStore, str], Awaitable[object]]] = {
    "park": lambda store, task_id: store.park(task_id, [question(store, "b")]),
    "settle": lambda store, task_id: store.settle(task_id, [accepting("a")]),
    "withdraw": lambda store, task_id: store.withdraw(task_id, ["a"]),
    "progress": lambda store, task_id: store.progress(task_id, "Half of it"),
    "complete": lambda store, task_id: store.complete(task_id, {}),
    "fail": lambda store, task_id: store.fail(task_id, {"code": 1, "message": "m"}),
    "cancel": lambda store, task_id: store.cancel(task_id, owner=None),
    "release": lambda store, task_id: store.release(task_id, fence=1),
}


class Telling(Protocol):
    """What has listeners: a store of tasks, or of an inbox."""

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """See `TaskStore.subscribe`."""
        ...


class Ear:
    """A listener that can be waited for."""

    def __init__(self, store: Telling) -> None:
        self.heard: list[str] = []
        self._event = anyio.Event()
        self.unsubscribe: Callable[[], None] = store.subscribe(self._hear)

    def _hear(self, task_id: str) -> None:
        self.heard.append(task_id)
        self._event.set()

    async def hears(self, task_id: str) -> None:
        """Wait until it heard of a task, or an entry."""
        with anyio.fail_after(5):
            while task_id not in self.heard:
                self._event = anyio.Event()
                await self._event.wait()


class ListeningContract(StoreTests):
    """Changes that are told."""

    @pytest.mark.parametrize("name", VISIBLE)
    async def test_every_visible_change_is_heard_here_and_elsewhere(
        self, store: TaskStore, other: TaskStore, name: str
    ) -> None:
        made = await parked(store, "a", worker="first")
        here, elsewhere = Ear(store), Ear(other)

        await VISIBLE[name](store, made.id)

        await here.hears(made.id)
        await elsewhere.hears(made.id)

    @pytest.mark.parametrize("name", VISIBLE)
    async def test_what_followers_are_told_of_a_change_is_so(
        self, store: TaskStore, other: TaskStore, name: str
    ) -> None:
        """Who does not run the task needs no look at the store then."""
        made, told = await parked(store, "a", worker="first"), dict[str, list[News | None]](here=[], elsewhere=[])
        changed = anyio.Event()

        def follower(where: str) -> Callable[[str, News | None], None]:
            def hear(task_id: str, news: News | None) -> None:
                told[where].append(news)
                changed.set()

            return hear

        store.follow(follower("here"))
        other.follow(follower("elsewhere"))

        await VISIBLE[name](store, made.id)

        record = await current(store, made.id)
        for where in told:
            with anyio.fail_after(5):
                while not (known := [news for news in told[where] if news is None or news.revision == record.revision]):
                    changed = anyio.Event()
                    await changed.wait()
            assert {news.ready_at for news in known if news is not None} <= {None, record.ready_at}

    async def test_a_new_task_is_heard_of(self, store: TaskStore, other: TaskStore) -> None:
        here, elsewhere = Ear(store), Ear(other)

        made = await store.create({})

        await here.hears(made.id)
        await elsewhere.hears(made.id)

    async def test_what_a_sweep_does_is_heard(self, store: TaskStore, clock: Clock) -> None:
        expiring, deleted = await parked(store, "a", wait=10), await store.create({}, ttl=10)
        ear = Ear(store)
        clock.advance(10)

        await store.sweep()

        await ear.hears(expiring.id)
        await ear.hears(deleted.id)

    async def test_a_change_can_be_read_when_it_is_heard(self, store: TaskStore, other: TaskStore) -> None:
        ear = Ear(other)

        for _ in range(20):
            made = await store.create({}, task_id=new_key())
            await ear.hears(made.id)
            assert await other.get(made.id, owner=None) == made

    async def test_who_unsubscribed_hears_nothing_more(self, store: TaskStore) -> None:
        ear, witness = Ear(store), Ear(store)
        first = await store.create({})
        await ear.hears(first.id)

        ear.unsubscribe()
        ear.unsubscribe()
        second = await store.create({})
        await witness.hears(second.id)

        assert second.id not in ear.heard
