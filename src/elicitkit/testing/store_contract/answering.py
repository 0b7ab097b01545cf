"""The contract's third part: the first answer wins, wrong ones are asked again, and outcomes can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import anyio
import pytest

from ...errors import AnswerError, TaskKeyError, UnknownTask
from ...journal import EXPIRED, Reply
from ...outcomes import Accepted, Cancelled, Declined
from ...tasks.answers import judge
from ...tasks.record import Settlement, TaskInput
from ...tasks.requests import link_request
from ...tasks.store import TaskStore
from ..clock import Clock
from .base import NOBODY, StoreTests, accepting, current, form, parked


class AnsweringContract(StoreTests):
    """Settling, replacing, waiting."""

    async def test_the_first_answer_wins(self, store: TaskStore, other: TaskStore) -> None:
        """Design, section 8: first answer wins, whoever sends it from wherever."""
        made = await parked(store, "a", "b")
        stores = (store, other)

        with anyio.fail_after(20):
            taken = await asyncio.gather(
                *(stores[number % 2].settle(made.id, [accepting("a", f"size {number}")]) for number in range(60))
            )

        winners = [number for number, keys in enumerate(taken) if keys]
        asked = (await other.history(made.id)).latest("a")
        assert len(winners) == 1
        assert asked is not None
        assert asked.reply == Reply("accept", {"size": f"size {winners[0]}"})

    async def test_some_answers_may_come_before_others(self, store: TaskStore) -> None:
        """Tasks extension, `tasks/update`: partial sets are fine; an answered key is gone at once."""
        made = await parked(store, "a", "b", "c")

        assert await store.settle(made.id, [accepting("c"), accepting("a")]) == {"a", "c"}
        assert list((await current(store, made.id)).inputs) == ["b"]

    async def test_unknown_and_answered_keys_are_ignored(self, store: TaskStore) -> None:
        """Tasks extension, `tasks/update`: a server should ignore them."""
        made = await parked(store, "a", "b")
        await store.settle(made.id, [accepting("a", "first")])

        taken = await store.settle(made.id, [accepting("a", "late"), accepting("never asked"), accepting("b")])

        assert taken == {"b"}
        assert (await store.history(made.id)).inputs[0].reply == Reply("accept", {"size": "first"})

    async def test_of_two_answers_in_one_message_the_first_is_taken(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        await store.settle(made.id, [accepting("a", "first"), accepting("a", "second")])

        assert (await store.history(made.id)).inputs[0].reply == Reply("accept", {"size": "first"})

    async def test_an_answer_that_comes_too_late_is_not_taken(self, store: TaskStore, clock: Clock) -> None:
        """Design, section 7: after its deadline a question is expired, even with an answer."""
        made = await parked(store, "a", wait=10)
        clock.advance(10)

        assert await store.settle(made.id, [accepting("a")]) == frozenset()

        (asked,) = (await store.history(made.id)).inputs
        assert (asked.state, asked.reply) == ("expired", EXPIRED)
        assert (await current(store, made.id)).status == "working"

    async def test_answers_to_a_task_that_is_not_there_are_an_error(self, store: TaskStore) -> None:
        with pytest.raises(UnknownTask):
            await store.settle(NOBODY, [accepting("a")])

    async def test_a_history_has_every_question_and_what_came(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", "b", "c")
        replies = [Reply("decline"), Reply("accept", {"half": "\ud800", "n": 2**70, "none": None}, tries=2)]
        clock.advance(5)

        await store.settle(made.id, [Settlement("c", replies[0]), Settlement("a", replies[1])])

        asked = (await store.history(made.id)).inputs
        assert [one.key for one in asked] == ["a", "b", "c"]
        assert [one.reply for one in asked] == [replies[1], None, replies[0]]
        assert [one.state for one in asked] == ["answered", "open", "answered"]
        assert [one.settled_at for one in asked] == [clock.now, None, clock.now]
        assert {one.parked_at for one in asked} == {clock.now - 5}

    # --- answers that are judged by what is open ---------------------------------------------------------------------

    async def test_answers_are_judged_by_the_questions_that_are_open(self, store: TaskStore, other: TaskStore) -> None:
        made, seen = await parked(store, "a", "b", owner="ada"), list[str]()
        await store.settle(made.id, [accepting("a", "first")])

        def judged(inputs: Mapping[str, TaskInput]) -> list[Settlement]:
            seen.extend(inputs)
            return [accepting("a", "late"), judge(inputs["b"], {"action": "decline"})]

        assert await other.answer(made.id, judged, owner="ada") == {"b"}

        first, second = (await store.history(made.id)).inputs
        assert (set(seen), second.reply) == ({"b"}, Reply("decline"))
        assert first.reply == Reply("accept", {"size": "first"})

    async def test_a_wrong_answer_that_is_judged_so_is_asked_again(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        taken = await store.answer(made.id, lambda inputs: [judge(inputs["a"], {"action": "accept"})], owner=None)

        assert taken == {"a"}
        assert [asked.state for asked in (await store.history(made.id)).inputs] == ["closed", "open"]

    async def test_of_answers_that_are_judged_at_once_the_first_wins(self, store: TaskStore, other: TaskStore) -> None:
        made, stores = await parked(store, "a"), (store, other)

        def judged(number: int) -> Callable[[Mapping[str, TaskInput]], list[Settlement]]:
            return lambda inputs: [accepting(key, f"size {number}") for key in inputs]

        with anyio.fail_after(20):
            taken = await asyncio.gather(
                *(stores[number % 2].answer(made.id, judged(number), owner=None) for number in range(20))
            )

        (winner,) = [number for number, keys in enumerate(taken) if keys]
        (asked,) = (await store.history(made.id)).inputs
        assert asked.reply == Reply("accept", {"size": f"size {winner}"})

    @pytest.mark.parametrize("owner", [None, "grace"])
    async def test_the_task_of_another_is_not_answered(self, store: TaskStore, owner: str | None) -> None:
        """Design, section 11: one error for all that is not the caller's, whatever there is."""
        made = await parked(store, "a", owner="ada")

        for task_id in (made.id, NOBODY):
            with pytest.raises(UnknownTask):
                await store.answer(task_id, lambda _: [accepting(str(1 // 0))], owner=owner)
        assert list((await current(store, made.id)).inputs) == ["a"]

    async def test_what_a_judge_raises_changes_nothing(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        with pytest.raises(ZeroDivisionError):
            await store.answer(made.id, lambda _: [accepting("a"), accepting(str(1 // 0))], owner=None)
        assert list((await current(store, made.id)).inputs) == ["a"]

    # --- wrong answers -----------------------------------------------------------------------------------------------

    async def test_a_wrong_answer_closes_its_key_and_the_question_comes_back_under_another(
        self, store: TaskStore, clock: Clock
    ) -> None:
        """Design, section 8: clients show a key once, so it is parked again under a new one, with the faults."""
        made = await parked(store, "a", "b")
        wrong = judge(made.inputs["a"], {"action": "accept", "content": {"size": ""}})
        clock.advance(5)

        assert await store.settle(made.id, [wrong]) == {"a"}

        history = await store.history(made.id)
        first, _, again = history.inputs
        assert (first.key, first.state, again.state) == ("a", "closed", "open")
        assert list(history.record.inputs) == ["b", again.key]
        assert (again.name, again.attempt, again.until, again.parked_at) == ("a", 2, first.until, clock.now)
        assert again.request["params"]["message"].startswith("Please correct this:\n- Size")
        assert history.latest("a") == again

    async def test_of_two_wrong_answers_one_is_asked_again(self, store: TaskStore, other: TaskStore) -> None:
        made = await parked(store, "a")
        wrong = [judge(made.inputs["a"], {"action": "accept"}) for _ in range(10)]

        with anyio.fail_after(20):
            taken = await asyncio.gather(*(one.settle(made.id, [two]) for one in (store, other) for two in wrong))

        assert sum(map(len, taken)) == 1
        assert len((await current(store, made.id)).inputs) == 1

    async def test_a_key_that_was_used_is_none_to_ask_again_with(self, store: TaskStore) -> None:
        made = await parked(store, "a", "b")
        again = replace(made.inputs["a"], key="b", attempt=2)

        with pytest.raises(TaskKeyError):
            await store.settle(made.id, [Settlement("a", Reply("accept", problem="is wrong"), again)])
        assert await current(store, made.id) == made

    # --- waiting for an outcome --------------------------------------------------------------------------------------

    async def test_an_accepted_answer_comes_checked(self, store: TaskStore, other: TaskStore) -> None:
        made = await store.create({})
        key = await store.set_input_requests(made.id, form())

        async with Waiting(store, made.id, key) as waiting:
            asked = (await current(other, made.id)).inputs[key]
            await other.settle(made.id, [judge(asked, {"action": "accept", "content": {"size": "M", "count": "2"}})])

        outcome = waiting.outcome
        assert isinstance(outcome, Accepted)
        assert outcome.content == {"size": "M", "count": 2}

    @pytest.mark.parametrize(("action", "outcome"), [("decline", Declined()), ("cancel", Cancelled())])
    async def test_a_refusal_is_an_outcome(self, store: TaskStore, action: str, outcome: object) -> None:
        made = await parked(store, "a")
        await store.settle(made.id, [judge(made.inputs["a"], {"action": action, "content": {"size": "M"}})])

        assert await store.input_response(made.id, "a") == outcome

    async def test_a_link_is_accepted_without_content(self, store: TaskStore) -> None:
        made = await store.create({})
        key = await store.set_input_requests(made.id, link_request("Sign in", "https://example.com"))
        asked = (await current(store, made.id)).inputs[key]
        await store.settle(made.id, [judge(asked, {"action": "accept", "content": {"a": 1}})])

        assert await store.input_response(made.id, key) == Accepted(None)

    async def test_the_outcome_of_a_wrong_answer_is_that_of_the_next(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        async with Waiting(store, made.id, "a") as waiting:
            await store.settle(made.id, [judge(made.inputs["a"], {"action": "accept", "content": {"size": 4}})])
            (again,) = (await current(store, made.id)).inputs.values()
            await store.settle(made.id, [judge(again, {"action": "accept", "content": {"size": "L"}})])

        outcome = waiting.outcome
        assert isinstance(outcome, Accepted)
        assert outcome.content == {"size": "L", "count": 1}

    async def test_when_the_last_try_is_wrong_too_it_is_an_error(self, store: TaskStore) -> None:
        made = await store.create({})
        key = await store.set_input_requests(made.id, form(), tries=2)
        for _ in range(2):
            (asked,) = (await current(store, made.id)).inputs.values()
            await store.settle(made.id, [judge(asked, {"action": "accept", "content": {"size": 4}})])

        with pytest.raises(AnswerError, match="Size"):
            await store.input_response(made.id, key)
        assert (await current(store, made.id)).status == "working"

    async def test_a_question_that_nobody_answers_expires(self, store: TaskStore, clock: Clock) -> None:
        """Design, section 8: `max_wait` from the parking, then `Cancelled("expired")`."""
        made = await store.create({})
        key = await store.set_input_requests(made.id, form(), max_wait=60)

        async with Waiting(store, made.id, key) as waiting:
            clock.advance(60)
            await store.sweep()

        assert waiting.outcome == Cancelled("expired")

    async def test_who_waits_sweeps_where_nobody_else_does(self, store: TaskStore, clock: Clock) -> None:
        made = await parked(store, "a", wait=60)
        clock.advance(60)

        with anyio.fail_after(5):
            assert await store.input_response(made.id, "a") == Cancelled("expired")

    async def test_a_withdrawn_question_is_cancelled(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        async with Waiting(store, made.id, "a") as waiting:
            await store.cancel(made.id, owner=None)

        assert waiting.outcome == Cancelled()

    async def test_what_was_never_asked_has_no_outcome(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        with pytest.raises(TaskKeyError):
            await store.input_response(made.id, "b")


class Waiting:
    """Waits for an outcome beside the block, which it has begun to do when the block starts."""

    def __init__(self, store: TaskStore, task_id: str, key: str) -> None:
        self._start = partial(store.input_response, task_id, key)
        self.outcome: object = None

    async def __aenter__(self) -> Waiting:
        self._task = asyncio.ensure_future(self._start())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._task.cancel()
            return
        with anyio.fail_after(5):
            self.outcome = await self._task
