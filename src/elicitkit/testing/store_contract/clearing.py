"""The contract's part about cancelled tasks whose tool may have something to clear up: they are taken once more."""

from __future__ import annotations

import pytest

from ...errors import CallOver, StaleClaim
from ...tasks.store import TaskStore
from ..clock import Clock
from .base import StoreTests, accepting, current, parked

LEASE = 30.0


class ClearingContract(StoreTests):
    """Clearing up behind a cancellation."""

    async def test_a_cancelled_task_that_was_put_down_is_ready_once_more(
        self, store: TaskStore, other: TaskStore
    ) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.keep_step(made.id, "hold", "1", fence=1)
        assert await store.put_down(made.id, fence=1, seen_revision=1_000)

        await store.cancel(made.id, owner=None)

        assert (await current(other, made.id)).is_to_clear_up
        assert await other.ready() == [made.id]
        assert await other.claim(made.id, "second", LEASE) is None
        taken = await other.take(made.id, "second", LEASE)
        assert taken is not None
        assert (taken.record.status, taken.record.fence, dict(taken.steps)) == ("cancelled", 2, {"hold": "1"})
        assert await other.ready() == []

    async def test_it_can_be_claimed_by_who_knows_of_it(self, store: TaskStore) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)
        await store.release(made.id, fence=1)

        assert await store.claim(made.id, "second", LEASE) is None
        assert await store.claim(made.id, "second", LEASE, clears_up=True) == 2
        assert await store.claim(made.id, "third", LEASE, clears_up=True) is None

    async def test_its_answers_do_not_count_any_more(self, store: TaskStore) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)

        assert await store.settle(made.id, [accepting("a")]) == frozenset()
        with pytest.raises(CallOver):
            await store.complete(made.id, {}, fence=1)

    async def test_whoever_has_it_has_it_until_the_claim_ends(self, store: TaskStore, clock: Clock) -> None:
        """It hears of the cancellation, and clears up where it is."""
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)

        assert (await current(store, made.id)).ready_at == made.lease_until
        assert await store.ready() == []
        assert await store.take(made.id, "second", LEASE) is None
        clock.advance(LEASE)
        assert await store.ready() == [made.id]

    async def test_that_claim_can_be_renewed_by_who_knows_of_it(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)
        clock.advance(LEASE / 2)

        with pytest.raises(CallOver):
            await store.renew(made.id, LEASE, fence=1)
        await store.renew(made.id, LEASE, fence=1, clears_up=True)

        clock.advance(LEASE / 2)
        assert await store.ready() == []
        with pytest.raises(StaleClaim):
            await store.renew(made.id, LEASE, fence=2, clears_up=True)

    async def test_a_task_that_has_cleared_up_is_put_down_for_good(self, store: TaskStore, other: TaskStore) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)
        before = await current(store, made.id)

        assert await store.put_down(made.id, fence=1, seen_revision=before.revision)

        after = await current(other, made.id)
        assert (after.status, after.revision, after.is_to_clear_up) == ("cancelled", before.revision, False)
        assert await other.ready() == []
        assert await other.take(made.id, "second", LEASE) is None
        with pytest.raises(StaleClaim):
            await other.renew(made.id, LEASE, fence=1, clears_up=True)

    async def test_one_that_is_given_back_before_is_ready_for_others(self, store: TaskStore) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.cancel(made.id, owner=None)

        await store.release(made.id, fence=1)

        assert await store.ready() == [made.id]

    async def test_a_task_that_nobody_had_has_nothing_to_clear_up(self, store: TaskStore) -> None:
        made = await store.create({})
        await store.cancel(made.id, owner=None)

        assert not (await current(store, made.id)).is_to_clear_up
        assert await store.ready() == []

    @pytest.mark.parametrize("how", ["complete", "fail"])
    async def test_nor_has_one_that_ended_otherwise(self, store: TaskStore, how: str) -> None:
        made = await parked(store, "a", worker="first", lease=LEASE)
        await store.settle(made.id, [accepting("a")])
        await (store.complete(made.id, {}, fence=1) if how == "complete" else store.fail(made.id, {}, fence=1))
        await store.cancel(made.id, owner=None)

        await store.release(made.id, fence=1)
        assert not (await current(store, made.id)).is_waiting_to_run
        assert await store.ready() == []
