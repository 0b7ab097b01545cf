"""The contract's sixth part: what is over ends, and what was closed long ago is forgotten."""

from __future__ import annotations

import pytest

from ...errors import UnknownEntry
from ...host.inbox import InboxStore, SweptEntries
from ...host.inbox.changes import moment
from ..clock import Clock
from .base import ABANDONED_AFTER, RETENTION, InboxTests, accepting, asking, held, sizes


class SweepingContract(InboxTests):
    """Sweeps."""

    async def test_a_question_whose_time_is_over_is_expired(self, store: InboxStore, clock: Clock) -> None:
        made, later = await store.ask(asking(store, wait=10)), await store.ask(asking(store, sizes("r2"), wait=11))
        clock.advance(10)

        assert await store.sweep() == SweptEntries(expired=1, abandoned=0, forgotten=0)

        kept = await store.get(made.id)
        assert (kept.entry.state, kept.entry.reason, kept.entry.closed_at) == ("expired", "expired", moment(clock()))
        assert kept.outcome == sizes().cancel("expired")
        assert (await store.get(later.id)).entry == later

    async def test_a_question_whose_host_is_gone_is_withdrawn_after_a_while(
        self, store: InboxStore, clock: Clock
    ) -> None:
        made = await store.ask(held(store))
        clock.advance(10 + ABANDONED_AFTER - 1)
        assert await store.sweep() == SweptEntries(0, 0, 0)
        assert not made.is_waited_for(moment(clock()))
        clock.advance(1)

        assert await store.sweep() == SweptEntries(expired=0, abandoned=1, forgotten=0)

        kept = await store.get(made.id)
        assert (kept.entry.state, kept.entry.reason) == ("withdrawn", "abandoned")
        assert kept.outcome == sizes().cancel("abandoned")

    async def test_a_question_whose_host_still_waits_stays(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(held(store))
        for _ in range(30):
            clock.advance(9)
            await store.renew([made.id], 10, holder="first")
            assert await store.sweep() == SweptEntries(0, 0, 0)

    async def test_a_host_that_says_so_again_keeps_no_question_beyond_its_time(
        self, store: InboxStore, clock: Clock
    ) -> None:
        made = await store.ask(held(store, wait=20))
        await store.renew([made.id], 300, holder="first")
        clock.advance(20)

        assert (await store.sweep()).expired == 1

    async def test_a_question_without_a_host_is_never_abandoned(self, store: InboxStore, clock: Clock) -> None:
        await store.ask(asking(store))
        clock.advance(499)

        assert await store.sweep() == SweptEntries(0, 0, 0)

    async def test_what_was_closed_long_ago_is_forgotten_with_its_answer(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(asking(store))
        await store.settle(made.id, accepting())
        clock.advance(RETENTION - 1)
        assert await store.sweep() == SweptEntries(0, 0, 0)
        clock.advance(1)

        assert await store.sweep() == SweptEntries(expired=0, abandoned=0, forgotten=1)

        with pytest.raises(UnknownEntry):
            await store.get(made.id)

    async def test_a_sweep_takes_all_there_is_and_once(
        self, store: InboxStore, other: InboxStore, clock: Clock
    ) -> None:
        for number in range(15):
            await store.ask(asking(store, sizes(f"r{number}"), wait=10))
        clock.advance(10)

        assert (await store.sweep()).expired == 15
        assert await other.sweep() == SweptEntries(0, 0, 0)

    async def test_a_sweep_may_look_from_another_moment(self, store: InboxStore, clock: Clock) -> None:
        await store.ask(asking(store, wait=10))

        assert (await store.sweep(now=clock() + 10)).expired == 1
