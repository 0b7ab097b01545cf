"""The contract's fourth part: one worker at a time, one that was overtaken changes nothing, and no answer is missed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import pytest

from ...errors import CallOver, StaleClaim, UnknownTask
from ...tasks.answers import judge
from ...tasks.store import TaskStore
from ..clock import Clock
from .base import NOBODY, StoreTests, accepting, current, parked, question

FENCED: dict[str, Callable[[TaskStore, str, int], Awaitable[object]]] = {
    "park": lambda store, task_id, fence: store.park(task_id, [question(store, "late")], fence=fence),
    "withdraw": lambda store, task_id, fence: store.withdraw(task_id, ["a"], fence=fence),
    "keep_step": lambda store, task_id, fence: store.keep_step(task_id, "charge", "1", fence=fence),
    "progress": lambda store, task_id, fence: store.progress(task_id, "Still going", fence=fence),
    "complete": lambda store, task_id, fence: store.complete(task_id, {}, fence=fence),
    "fail": lambda store, task_id, fence: store.fail(task_id, {"code": 1, "message": "m"}, fence=fence),
    "renew": lambda store, task_id, fence: store.renew(task_id, 30, fence=fence),
    "release": lambda store, task_id, fence: store.release(task_id, fence=fence),
    "put_down": lambda store, task_id, fence: store.put_down(task_id, fence=fence, seen_revision=1_000),
}


class ClaimingContract(StoreTests):
    """Leases, fences, what is ready, steps."""

    async def test_a_task_has_one_worker_at_a_time(self, store: TaskStore, other: TaskStore, clock: Clock) -> None:
        """Design, section 8: a claim is a lease with a fencing token."""
        made = await store.create({})

        assert await store.claim(made.id, "first", 30) == 1
        assert await other.claim(made.id, "second", 30) is None
        assert await store.claim(made.id, "first", 30) is None
        clock.advance(30)
        assert await other.claim(made.id, "second", 30) == 2

    async def test_of_many_claims_at_once_one_is_given(self, store: TaskStore, other: TaskStore) -> None:
        made = await store.create({})

        with anyio.fail_after(20):
            claims = await asyncio.gather(
                *((store, other)[number % 2].claim(made.id, str(number), 30) for number in range(40))
            )

        assert [fence for fence in claims if fence is not None] == [1]

    @pytest.mark.parametrize("name", FENCED)
    async def test_a_worker_that_was_overtaken_changes_nothing(self, store: TaskStore, clock: Clock, name: str) -> None:
        """Design, section 8: a worker that was only asleep changes nothing when it wakes."""
        made = await parked(store, "a", worker="first", lease=30)
        clock.advance(31)
        fence = await store.claim(made.id, "second", 30)
        before = await store.history(made.id)

        with pytest.raises(StaleClaim):
            await FENCED[name](store, made.id, made.fence)

        assert await store.history(made.id) == before
        assert fence == 2

    @pytest.mark.parametrize("name", FENCED)
    async def test_a_worker_that_gave_the_task_back_changes_nothing(self, store: TaskStore, name: str) -> None:
        made = await store.create({}, worker="first")
        await store.release(made.id, fence=1)
        before = await store.history(made.id)

        with pytest.raises(StaleClaim):
            await FENCED[name](store, made.id, 1)
        assert await store.history(made.id) == before

    @pytest.mark.parametrize("name", FENCED)
    async def test_a_task_that_is_not_there_has_no_worker(self, store: TaskStore, name: str) -> None:
        with pytest.raises(UnknownTask):
            await FENCED[name](store, NOBODY, 1)

    @pytest.mark.parametrize("name", FENCED)
    async def test_the_worker_that_has_the_task_may_change_it(self, store: TaskStore, name: str) -> None:
        made = await parked(store, "a", worker="first")

        await FENCED[name](store, made.id, 1)

    async def test_a_claim_that_ran_out_can_be_renewed_while_nobody_else_has_the_task(
        self, store: TaskStore, clock: Clock
    ) -> None:
        made = await store.create({}, worker="first", lease=30)
        clock.advance(60)

        await store.renew(made.id, 30, fence=1)

        assert await store.claim(made.id, "second", 30) is None
        clock.advance(30)
        assert await store.claim(made.id, "second", 30) == 2

    async def test_a_worker_learns_that_its_task_was_cancelled(self, store: TaskStore) -> None:
        made = await store.create({}, worker="first")
        await store.cancel(made.id, owner=None)

        with pytest.raises(CallOver):
            await store.renew(made.id, 30, fence=1)
        assert await store.claim(made.id, "second", 30) is None

    async def test_what_is_not_there_cannot_be_claimed(self, store: TaskStore, clock: Clock) -> None:
        expired = await store.create({}, ttl=10)
        clock.advance(10)

        assert await store.claim(NOBODY, "first", 30) is None
        assert await store.claim(expired.id, "first", 30) is None

    # --- what is ready -----------------------------------------------------------------------------------------------

    async def test_a_new_task_waits_for_a_worker_unless_it_was_born_with_one(
        self, store: TaskStore, clock: Clock
    ) -> None:
        free = await store.create({})
        held = await store.create({}, worker="first", lease=30)

        assert await store.ready() == [free.id]
        clock.advance(31)
        assert set(await store.ready()) == {free.id, held.id}

    async def test_a_task_that_was_put_down_waits_for_a_person_and_no_worker(
        self, store: TaskStore, clock: Clock
    ) -> None:
        made = await parked(store, "a", "b", worker="first")

        assert await store.put_down(made.id, fence=1, seen_revision=made.revision)
        clock.advance(100)
        assert await store.ready() == []

    async def test_any_answer_brings_a_task_back(self, store: TaskStore) -> None:
        made = await parked(store, "a", "b", worker="first")
        await store.put_down(made.id, fence=1, seen_revision=made.revision)

        await store.settle(made.id, [accepting("b")])

        assert await store.ready() == [made.id]
        assert await store.claim(made.id, "second", 30) == 2
        assert await store.ready() == []

    async def test_a_wrong_answer_that_is_asked_again_brings_nothing_back(self, store: TaskStore) -> None:
        made = await parked(store, "a", worker="first")
        await store.put_down(made.id, fence=1, seen_revision=made.revision)

        await store.settle(made.id, [judge(made.inputs["a"], {"action": "accept"})])

        assert await store.ready() == []

    async def test_a_question_that_expires_or_is_withdrawn_brings_its_task_back(
        self, store: TaskStore, clock: Clock
    ) -> None:
        expiring = await parked(store, "a", wait=10, worker="first")
        await store.park(expiring.id, [question(store, "b")], fence=1)
        withdrawing = await parked(store, "a", "b", worker="first")
        for made in (expiring, withdrawing):
            await store.put_down(made.id, fence=1, seen_revision=made.revision + 10)

        clock.advance(10)
        await store.sweep()
        await store.withdraw(withdrawing.id, ["a"])

        assert set(await store.ready()) == {expiring.id, withdrawing.id}

    async def test_a_task_is_not_put_down_over_an_answer_that_its_worker_has_not_seen(self, store: TaskStore) -> None:
        made = await parked(store, "a", "b", worker="first")
        await store.settle(made.id, [accepting("a")])

        assert not await store.put_down(made.id, fence=1, seen_revision=made.revision)
        await store.renew(made.id, 30, fence=1)  # It still has it.
        seen = (await current(store, made.id)).revision
        assert await store.put_down(made.id, fence=1, seen_revision=seen)
        assert await store.ready() == []

    async def test_an_answer_is_not_lost_when_the_worker_that_saw_it_dies(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", "b", worker="first", lease=30)
        await store.settle(made.id, [accepting("a")])
        await store.history(made.id)
        clock.advance(31)

        assert await store.ready() == [made.id]
        await store.claim(made.id, "second", 30)
        clock.advance(31)
        assert await store.ready() == [made.id]

    async def test_a_worker_that_only_waits_for_people_leaves_nothing_to_do_when_it_dies(
        self, store: TaskStore, clock: Clock
    ) -> None:
        made = await parked(store, "a", "b", worker="first", lease=30)
        await store.settle(made.id, [accepting("a")])
        seen = (await current(store, made.id)).revision
        await store.renew(made.id, 30, fence=1, waiting_since=seen)
        clock.advance(31)

        assert await store.ready() == []
        await store.settle(made.id, [accepting("b")])
        assert await store.ready() == [made.id]

    async def test_a_worker_that_has_not_seen_an_answer_leaves_it_to_do(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", "b", worker="first", lease=30)
        await store.settle(made.id, [accepting("a")])
        await store.renew(made.id, 30, fence=1, waiting_since=made.revision)
        clock.advance(31)

        assert await store.ready() == [made.id]

    async def test_what_is_given_back_is_ready_at_once(self, store: TaskStore) -> None:
        made = await store.create({}, worker="first")

        await store.release(made.id, fence=1)

        assert await store.ready() == [made.id]

    async def test_what_has_ended_or_expired_is_not_ready(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({})
        await store.create({}, ttl=10)
        await store.complete(made.id, {})
        clock.advance(10)

        assert await store.ready() == []

    async def test_those_that_wait_longest_come_first(self, store: TaskStore) -> None:
        made = [(await store.create({})).id for _ in range(5)]

        assert await store.ready(3) == made[:3]
        assert await store.ready() == made

    # --- taking ------------------------------------------------------------------------------------------------------

    async def test_what_is_taken_comes_with_all_it_has(self, store: TaskStore, other: TaskStore) -> None:
        made = await parked(store, "a", "b", worker="first")
        await store.keep_step(made.id, "charge", "1", fence=1)
        await store.put_down(made.id, fence=1, seen_revision=made.revision)
        await store.settle(made.id, [accepting("b")])

        taken = await other.take(made.id, "second", 30)

        assert taken is not None
        assert taken == await store.history(made.id)
        assert (taken.record.fence, taken.record.worker) == (2, "second")
        assert [asked.state for asked in taken.inputs] == ["open", "answered"]
        assert taken.steps == {"charge": "1"}
        await other.complete(made.id, {}, fence=2)

    async def test_of_many_that_take_a_task_at_once_one_has_it(self, store: TaskStore, other: TaskStore) -> None:
        made = await store.create({})

        with anyio.fail_after(20):
            taken = await asyncio.gather(
                *((store, other)[number % 2].take(made.id, str(number), 30) for number in range(20))
            )

        (one,) = filter(None, taken)
        assert one.record.fence == 1
        assert (await current(store, made.id)).worker == one.record.worker

    async def test_what_has_nothing_to_do_is_not_taken(self, store: TaskStore, clock: Clock) -> None:
        """A claim would be given for the first, and keep away whoever is to run it when an answer comes."""
        waiting, held = await parked(store, "a"), await store.create({}, worker="first", lease=30)
        over, expired = await store.create({}), await store.create({}, ttl=10)
        await store.cancel(over.id, owner=None)
        clock.advance(10)

        for task_id in (waiting.id, held.id, over.id, expired.id, NOBODY):
            assert await store.take(task_id, "second", 30) is None
        assert (await current(store, waiting.id)).worker is None
        clock.advance(20)
        assert await store.take(held.id, "second", 30) is not None

    # --- steps -------------------------------------------------------------------------------------------------------

    async def test_a_step_is_kept_and_the_first_of_its_name_stays(self, store: TaskStore, other: TaskStore) -> None:
        """Design, section 7: `step` runs a function and replays its result."""
        made = await store.create({}, worker="first")
        await store.keep_step(made.id, "price", '{"eur":42}', fence=1)

        await store.keep_step(made.id, "price", "43", fence=1)
        await store.keep_step(made.id, "rate", "null", fence=1)

        assert (await other.history(made.id)).steps == {"price": '{"eur":42}', "rate": "null"}

    async def test_steps_come_in_the_order_in_which_they_were_kept(self, store: TaskStore, other: TaskStore) -> None:
        made, names = await store.create({}, worker="first"), ["ship", "charge", "tell", "bill"]

        for name in names:
            await store.keep_step(made.id, name, "1", fence=1)

        assert list((await other.history(made.id)).steps) == names
        taken_from = await store.create({})
        for name in names:
            await store.keep_step(taken_from.id, name, "1")
        taken = await other.take(taken_from.id, "second", 30)
        assert taken is not None
        assert list(taken.steps) == names
