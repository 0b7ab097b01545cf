"""The contract's fifth part: a TTL that counts from the last activity, and stands still while a person is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from ...errors import UnknownTask
from ...tasks.record import Swept
from ...tasks.store import MAX_WAIT, TaskStore
from ..clock import Clock
from .base import StoreTests, accepting, current, form, parked, question

ACTIVITIES: dict[str, Callable[[TaskStore, str], Awaitable[object]]] = {
    "park": lambda store, task_id: store.park(task_id, [question(store, "b", wait=1)], fence=1),
    "keep_step": lambda store, task_id: store.keep_step(task_id, "price", "1", fence=1),
    "progress": lambda store, task_id: store.progress(task_id, "Half of it", fence=1),
    "renew": lambda store, task_id: store.renew(task_id, 30, fence=1),
    "complete": lambda store, task_id: store.complete(task_id, {}, fence=1),
}


class TimingContract(StoreTests):
    """TTL, waiting, sweeping."""

    @pytest.mark.parametrize("name", ACTIVITIES)
    async def test_the_ttl_counts_from_the_last_activity(self, store: TaskStore, clock: Clock, name: str) -> None:
        """Design, section 8; and the wire's `ttlMs` is true: expiry minus creation."""
        made = await store.create({}, ttl=60, worker="first")
        clock.advance(50)

        await ACTIVITIES[name](store, made.id)

        assert made.ttl_ms == 60_000
        assert (await current(store, made.id)).ttl_ms == (111_000 if name == "park" else 110_000)
        clock.advance(59)
        assert await store.get(made.id, owner=None)

    async def test_looking_at_a_task_is_no_activity(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({}, ttl=60)
        clock.advance(59)

        await store.get(made.id, owner=None)
        clock.advance(1)

        with pytest.raises(UnknownTask):
            await store.get(made.id, owner=None)

    async def test_a_task_that_waits_for_a_person_does_not_expire(self, store: TaskStore, clock: Clock) -> None:
        """Design, section 8: until the last of its open questions ends, and the TTL after that."""
        made = await parked(store, "a", wait=1_000, ttl=60)
        await store.park(made.id, [question(store, "b", wait=500)])

        assert (await current(store, made.id)).ttl_ms == 1_060_000
        clock.advance(1_059)
        assert (await store.get(made.id, owner=None)).ttl_ms == 1_060_000
        clock.advance(1)
        with pytest.raises(UnknownTask):
            await store.get(made.id, owner=None)

    async def test_when_all_is_answered_the_ttl_counts_from_the_answer(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", ttl=60)
        clock.advance(100)

        await store.settle(made.id, [accepting("a")])

        assert (await current(store, made.id)).ttl_ms == 160_000

    async def test_without_a_ttl_a_task_is_kept_for_ever(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({})
        await store.complete(made.id, {})
        clock.advance(1e9)

        assert await store.sweep() == Swept(0, 0)
        assert (await store.get(made.id, owner=None)).ttl_ms is None

    async def test_a_question_from_outside_waits_for_seven_days(self, store: TaskStore, clock: Clock) -> None:
        """Design, section 8: `max_wait` from the parking of a form."""
        made = await store.create({})
        key = await store.set_input_requests(made.id, form())
        short = await store.set_input_requests(made.id, form(), max_wait=60)

        inputs = (await current(store, made.id)).inputs
        assert MAX_WAIT == 7 * 24 * 3600
        assert inputs[key].until == clock.now + MAX_WAIT
        assert inputs[short].until == clock.now + 60

    # --- sweeping ----------------------------------------------------------------------------------------------------

    async def test_a_sweep_ends_questions_whose_time_is_over(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", wait=10)
        await store.park(made.id, [question(store, "b", wait=20)])
        clock.advance(10)

        swept = await store.sweep()

        history = await store.history(made.id)
        assert swept == Swept(expired=1, deleted=0)
        assert [asked.state for asked in history.inputs] == ["expired", "open"]
        assert (history.record.status, list(history.record.inputs)) == ("input_required", ["b"])
        assert await store.sweep() == Swept(0, 0)
        clock.advance(10)
        assert await store.sweep() == Swept(expired=1, deleted=0)
        assert (await current(store, made.id)).status == "working"

    async def test_a_sweep_forgets_what_is_expired_with_its_answers(
        self, store: TaskStore, other: TaskStore, clock: Clock
    ) -> None:
        """Design, section 8; issue 7: erasure of answers when a task's TTL passes."""
        gone = await parked(store, "a", ttl=60)
        await store.settle(gone.id, [accepting("a")])
        await store.keep_step(gone.id, "price", "1")
        kept = await store.create({}, ttl=61)
        clock.advance(60)

        assert await other.sweep() == Swept(expired=0, deleted=1)

        clock.now -= 60  # Not only hidden.
        with pytest.raises(UnknownTask):
            await store.history(gone.id)
        assert await store.get(kept.id, owner=None)
        again = await store.create({}, task_id=gone.id)
        assert (await store.history(again.id)).inputs == ()

    async def test_a_sweep_that_comes_late_lets_nothing_live_longer(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", wait=10, ttl=60)
        clock.advance(65)

        await store.sweep()

        assert (await current(store, made.id)).ttl_ms == 70_000
        clock.advance(5)
        with pytest.raises(UnknownTask):
            await store.get(made.id, owner=None)

    async def test_a_task_is_there_for_all_the_time_it_stated(self, store: TaskStore, clock: Clock) -> None:
        """Tasks extension, "TTL": a server keeps a task for at least that long."""
        made = await store.create({}, ttl=60)
        done = await store.complete(made.id, {"content": []})
        assert done.ttl_ms is not None

        clock.now = made.created_at + done.ttl_ms / 1_000 - 0.001
        await store.sweep()

        assert (await store.get(made.id, owner=None)).result == {"content": []}

    async def test_a_sweep_takes_all_that_is_over_however_much(self, store: TaskStore, clock: Clock) -> None:
        for _ in range(450):
            await store.create({}, ttl=60)
        kept = await store.create({}, ttl=120)
        clock.advance(60)

        assert await store.sweep() == Swept(expired=0, deleted=450)
        assert await store.ready() == [kept.id]

    async def test_a_sweep_for_another_moment_can_be_asked_for(self, store: TaskStore, clock: Clock) -> None:
        await parked(store, "a", wait=10)

        assert await store.sweep(now=clock.now + 9) == Swept(0, 0)
        assert await store.sweep(now=clock.now + 10) == Swept(expired=1, deleted=0)

    @pytest.mark.parametrize(("late", "swept"), [(0, Swept(20, 0)), (60, Swept(0, 1))], ids=["at once", "late"])
    async def test_what_a_sweep_ends_makes_room_for_its_owner(
        self, store: TaskStore, clock: Clock, late: float, swept: Swept
    ) -> None:
        await parked(store, *map(str, range(20)), wait=10, ttl=60, owner="ada")
        clock.advance(10 + late)

        assert await store.sweep() == swept
        assert len((await parked(store, *map(str, range(20)), owner="ada")).inputs) == 20
