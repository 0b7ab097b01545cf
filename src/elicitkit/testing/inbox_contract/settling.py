"""The contract's second part: the first answer wins, and what is closed stays as it is."""

from __future__ import annotations

import asyncio

import pytest

from ...errors import EntryClosed
from ...host.inbox import Closing, Entry, InboxStore
from ...host.inbox.changes import moment
from ..clock import Clock
from .base import InboxTests, accepting, asking, held, sizes


class SettlingContract(InboxTests):
    """Answers, and questions that are asked no longer."""

    async def test_an_answer_closes_its_question(self, store: InboxStore, other: InboxStore, clock: Clock) -> None:
        made = await store.ask(asking(store))
        clock.advance(5)

        closed = await other.settle(made.id, accepting("L"))

        kept = await store.get(made.id)
        assert kept.entry == closed
        assert (closed.state, closed.closed_by, closed.closed_at) == ("answered", "ada", moment(clock()))
        assert (closed.reason, closed.is_accepted) == (None, True)
        assert kept.outcome == kept.answer == sizes().accept({"size": "L"})

    @pytest.mark.parametrize("reason", ["declined", "cancelled", "failed"])
    async def test_a_refusal_is_an_answer_with_its_reason(self, store: InboxStore, reason: str) -> None:
        made = await store.ask(asking(store))
        answer = sizes().decline() if reason == "declined" else sizes().cancel(reason)

        closed = await store.settle(made.id, Closing(answer, by="ada", note="too\nlarge"))

        assert (closed.state, closed.reason, closed.is_accepted) == ("answered", reason, False)
        assert (await store.get(made.id)).entry.note == "too\nlarge"
        assert (await store.get(made.id)).outcome == answer

    async def test_the_token_that_an_answer_comes_by_is_kept_and_opens_nothing_more(
        self, store: InboxStore, other: InboxStore
    ) -> None:
        made = await store.ask(asking(store))
        for digest in ("a1", "b2"):
            await store.add_token(made.id, digest)

        await store.settle(made.id, Closing(sizes().decline(), through="b2"))
        await store.add_token(made.id, "c3")

        kept = await other.get(made.id)
        assert (kept.tokens, kept.through) == (("a1", "b2", "c3"), "b2")

    async def test_a_withdrawn_question_comes_to_a_cancelled_answer(self, store: InboxStore) -> None:
        made = await store.ask(asking(store))

        closed = await store.settle(made.id, Closing(by="the host"))

        assert (closed.state, closed.reason, closed.closed_by) == ("withdrawn", "cancelled", "the host")
        assert (await store.get(made.id)).outcome == sizes().cancel()

    async def test_the_second_answer_is_told_who_was_first(
        self, store: InboxStore, other: InboxStore, clock: Clock
    ) -> None:
        made = await store.ask(asking(store))
        first = await store.settle(made.id, accepting("L"))
        clock.advance(5)

        with pytest.raises(EntryClosed) as caught:
            await other.settle(made.id, accepting("M", by="bob"))

        assert (caught.value.state, caught.value.by, caught.value.at) == ("answered", "ada", first.closed_at)
        assert (await store.get(made.id)).entry == first

    async def test_of_many_answers_at_once_one_wins(self, store: InboxStore, other: InboxStore) -> None:
        made = await store.ask(asking(store))
        stores = (store, other) * 10

        done = await asyncio.gather(
            *(one.settle(made.id, accepting(f"{number}")) for number, one in enumerate(stores)), return_exceptions=True
        )

        won = [number for number, one in enumerate(done) if isinstance(one, Entry)]
        assert len(won) == 1
        assert sum(isinstance(one, EntryClosed) for one in done) == len(stores) - 1
        assert (await store.get(made.id)).outcome == sizes().accept({"size": f"{won[0]}"})

    async def test_after_its_time_a_question_takes_no_answer(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(asking(store, wait=10))
        clock.advance(10)

        with pytest.raises(EntryClosed, match="time for an answer is over") as caught:
            await store.settle(made.id, accepting())

        assert (caught.value.state, caught.value.at) == ("expired", made.until)
        assert (await store.get(made.id)).outcome is None, "it is closed by a sweep"

    async def test_an_answer_may_come_until_the_last_moment(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(asking(store, wait=10))
        clock.advance(9.5)

        assert (await store.settle(made.id, accepting())).is_accepted

    @pytest.mark.parametrize("closing", [accepting(), Closing()], ids=["answered", "withdrawn"])
    async def test_what_is_closed_stays_as_it_is(self, store: InboxStore, clock: Clock, closing: Closing) -> None:
        made = await store.ask(held(store))
        closed = await store.settle(made.id, closing)
        clock.advance(600)

        for later in (accepting("XL"), Closing(reason="failed")):
            with pytest.raises(EntryClosed):
                await store.settle(made.id, later)
        await store.renew([made.id], 10, holder="first")
        await store.sweep()

        assert (await store.get(made.id)).entry == closed

    async def test_every_change_has_a_larger_revision(self, store: InboxStore, other: InboxStore) -> None:
        made = await store.ask(asking(store))
        another = await other.ask(asking(other, sizes("r2")))
        closed = await store.settle(made.id, accepting())

        assert 0 < made.revision < another.revision < closed.revision
