"""The contract's part about runs that are lost: those of a task that kills its process are counted, and no others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from ...tasks.answers import judge
from ...tasks.record import TaskRecord
from ...tasks.store import TaskStore
from ..clock import Clock
from .base import StoreTests, accepting, current, parked, question

LEASE = 30.0

DONE: dict[str, Callable[[TaskStore, str, int], Awaitable[object]]] = {
    "a question is asked": lambda store, task_id, fence: store.park(task_id, [question(store)], fence=fence),
    "a step is kept": lambda store, task_id, fence: store.keep_step(task_id, "pay", "1", fence=fence),
    "it waits for people": lambda store, task_id, fence: store.renew(task_id, LEASE, fence=fence, waiting_since=0),
    "it is put down": lambda store, task_id, fence: store.put_down(task_id, fence=fence, seen_revision=1_000),
}
"""What a worker does that shows that it got somewhere."""

NOT_DONE: dict[str, Callable[[TaskStore, str, int], Awaitable[object]]] = {
    "it lives on": lambda store, task_id, fence: store.renew(task_id, LEASE, fence=fence),
    "it says what it does": lambda store, task_id, fence: store.progress(task_id, "Half way", fence=fence),
}
"""What a worker does as often as it is run, wherever that leads."""


class LosingContract(StoreTests):
    """Lost runs."""

    async def _lost(self, store: TaskStore, clock: Clock, task_id: str, times: int) -> int:
        """Have a task claimed as often, by workers that die; give the fence of one more, which lives."""
        for _ in range(times):
            assert await store.claim(task_id, "dying", LEASE)
            clock.advance(LEASE)
        fence = await store.claim(task_id, "living", LEASE)
        assert fence
        return fence

    async def test_runs_whose_claims_ran_out_are_lost(self, store: TaskStore, other: TaskStore, clock: Clock) -> None:
        made = await store.create({})

        assert (made.begun, made.lost_runs(clock())) == (0, 0)
        await self._lost(store, clock, made.id, 3)
        assert (await current(other, made.id)).lost_runs(clock()) == 3
        clock.advance(LEASE)
        assert (await current(other, made.id)).lost_runs(clock()) == 4
        assert [one.begun for one in (await other.list_tasks()).records] == [4]

    async def test_a_task_that_is_born_with_a_worker_has_begun_to_run(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({}, worker="first", lease=LEASE)

        assert (made.begun, made.lost_runs(clock())) == (1, 0)
        clock.advance(LEASE)
        assert (await current(store, made.id)).lost_runs(clock()) == 1

    @pytest.mark.parametrize("what", DONE)
    async def test_a_run_that_gets_something_done_ends_the_count(
        self, store: TaskStore, clock: Clock, what: str
    ) -> None:
        made = await store.create({})
        fence = await self._lost(store, clock, made.id, 3)

        await DONE[what](store, made.id, fence)

        assert (await current(store, made.id)).begun == 0
        clock.advance(LEASE)
        assert (await current(store, made.id)).lost_runs(clock()) == 0

    @pytest.mark.parametrize("what", NOT_DONE)
    async def test_what_every_run_does_does_not(self, store: TaskStore, clock: Clock, what: str) -> None:
        made = await store.create({})
        fence = await self._lost(store, clock, made.id, 3)

        await NOT_DONE[what](store, made.id, fence)

        assert (await current(store, made.id)).lost_runs(clock()) == 3

    async def test_a_run_that_is_given_back_is_none_that_was_lost(self, store: TaskStore, clock: Clock) -> None:
        """A process that is stopped in order gives its tasks back: that is no fault of theirs, and nothing done."""
        made = await store.create({})
        fence = await self._lost(store, clock, made.id, 2)

        await store.release(made.id, fence=fence)

        assert (await current(store, made.id)).lost_runs(clock()) == 2
        await store.claim(made.id, "next", LEASE)
        assert (await current(store, made.id)).lost_runs(clock()) == 2

    async def test_an_answer_ends_the_count(self, store: TaskStore, other: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", "b", worker="first", lease=LEASE)
        await store.settle(made.id, [accepting("a")])
        clock.advance(LEASE)
        await self._lost(store, clock, made.id, 3)

        await other.answer(made.id, lambda _: [accepting("b")], owner=None)

        assert (await current(store, made.id)).begun == 0

    async def test_a_question_that_expires_ends_the_count(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", wait=LEASE * 3.5, worker="first", lease=LEASE)
        await store.park(made.id, [question(store, "b")], fence=1)
        await store.settle(made.id, [accepting("b")])
        clock.advance(LEASE)
        await self._lost(store, clock, made.id, 2)

        clock.advance(LEASE)
        await store.sweep()

        assert (await current(store, made.id)).begun == 0

    @pytest.mark.parametrize("times", [1, 100])
    async def test_a_worker_that_dies_while_a_person_is_asked_loses_no_run(
        self, store: TaskStore, clock: Clock, times: int
    ) -> None:
        """The normal life of a task: whatever happens to the process meanwhile, nobody runs it."""
        made = await store.create({})
        for number in range(times):
            fence = await store.claim(made.id, "dying", LEASE)
            await store.park(made.id, [question(store, f"q{number}")], fence=fence)
            clock.advance(LEASE)
            await store.settle(made.id, [accepting(f"q{number}")])

        assert (await current(store, made.id)).lost_runs(clock()) == 0

    async def test_an_answer_that_does_not_fit_ends_the_count_too(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", "b", worker="first", lease=LEASE)
        await store.settle(made.id, [accepting("b")])
        clock.advance(LEASE)
        await self._lost(store, clock, made.id, 3)

        await store.settle(made.id, [judge(made.inputs["a"], {"action": "accept"})])

        assert (await current(store, made.id)).begun == 0

    async def test_a_worker_that_was_overtaken_has_lost_one_run(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({}, worker="sleeping", lease=LEASE)
        clock.advance(LEASE * 10)
        await store.claim(made.id, "second", LEASE)

        assert (await current(store, made.id)).lost_runs(clock()) == 1

    async def test_a_claim_that_ran_out_and_is_renewed_is_not_lost(self, store: TaskStore, clock: Clock) -> None:
        made = await store.create({}, worker="late", lease=LEASE)
        clock.advance(LEASE * 2)
        await store.renew(made.id, LEASE, fence=1)

        assert (await current(store, made.id)).lost_runs(clock()) == 0

    # --- what is taken -----------------------------------------------------------------------------------------------

    async def test_a_task_that_is_not_wanted_is_not_taken(
        self, store: TaskStore, other: TaskStore, clock: Clock
    ) -> None:
        made, seen = await store.create({}), list[TaskRecord]()
        await self._lost(store, clock, made.id, 1)
        clock.advance(LEASE)
        before = await current(store, made.id)

        def refused(record: TaskRecord) -> bool:
            seen.append(record)
            return False

        assert await other.take(made.id, "choosy", LEASE, wanted=refused) is None
        assert await current(store, made.id) == before
        assert {record.begun for record in seen} == {2}
        taken = await other.take(made.id, "choosy", LEASE, wanted=lambda record: record.begun == 2)
        assert taken is not None
        assert taken.record.lost_runs(clock()) == 2

    async def test_a_task_can_be_completed_with_a_word_about_it(self, store: TaskStore, other: TaskStore) -> None:
        told, silent = [await parked(store, "a", worker="first") for _ in range(2)]
        for made in (told, silent):
            await store.progress(made.id, "Half way", fence=1)

        await store.complete(told.id, {"isError": True}, status_message="Given up \ud800", fence=1)
        await store.complete(silent.id, {}, fence=1)

        assert (await current(other, told.id)).status_message == "Given up \\ud800"
        assert (await current(other, silent.id)).status_message == "Half way"
