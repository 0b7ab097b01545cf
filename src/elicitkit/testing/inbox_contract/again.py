"""The contract's third part: a question that is asked again, who holds it, and who leaves it."""

from __future__ import annotations

from typing import Any

import pytest

from ...host.inbox import Closing, InboxStore
from ...host.inbox.changes import moment
from ...host.origins import Origin
from ...suspension import Request
from ..clock import Clock
from .base import InboxTests, accepting, asking, held, sizes

OTHERS: dict[str, dict[str, Any]] = {
    "host": {"host": "another"},
    "owner": {"owner": "bob"},
    "id": {"request": sizes("r2")},
    "prompt": {"request": sizes("r1", "Which size, please?")},
    "kind": {"request": Request("r1", "approval", "Which size?")},
    "link": {"request": Request("r1", "input", "Which size?", "https://example.com", sizes().data)},
    "data": {"request": sizes(note="new")},
}


class AgainContract(InboxTests):
    """Hosts that die, come back, or are cancelled."""

    async def test_a_host_that_comes_back_finds_its_question(
        self, store: InboxStore, other: InboxStore, clock: Clock
    ) -> None:
        made = await store.ask(held(store, "first"))
        clock.advance(5)

        found = await other.ask(held(other, "second"))

        assert (found.id, found.asked_at, found.state) == (made.id, made.asked_at, "open")
        assert found.waited_until == moment(clock() + 10)

    async def test_a_host_that_comes_back_gets_the_answer_given_meanwhile(self, store: InboxStore) -> None:
        made = await store.ask(held(store, "first"))
        await store.settle(made.id, accepting("L"))

        found = await store.ask(held(store, "second"))

        assert (found.id, found.state) == (made.id, "answered")

    async def test_where_a_question_comes_from_does_not_make_it_another(self, store: InboxStore) -> None:
        """A call that is made again is another call, and asks the same."""
        made = await store.ask(held(store, "first", Origin("shop", "pay", call="c1").noted_in(sizes())))

        found = await store.ask(held(store, "second", Origin("shop", "pay", call="c2").noted_in(sizes())))

        assert found.id == made.id

    @pytest.mark.parametrize("what", OTHERS)
    async def test_a_question_that_differs_is_another(self, store: InboxStore, what: str) -> None:
        made = await store.ask(asking(store, sizes(), host="agent", owner="ada"))
        await store.settle(made.id, accepting())
        given: dict[str, Any] = {"request": sizes(), "host": "agent", "owner": "ada"} | OTHERS[what]

        other = await store.ask(asking(store, **given))

        assert other.id != made.id
        assert other.is_open

    async def test_who_asks_twice_is_answered_twice(self, store: InboxStore) -> None:
        """Two runs of one host that ask the same are two questions: one approval is not two."""
        first, second = await store.ask(held(store, "one")), await store.ask(held(store, "one"))

        assert first.id != second.id

    async def test_an_answer_that_was_collected_is_given_to_no_other(self, store: InboxStore) -> None:
        made = await store.ask(held(store, "first"))
        await store.settle(made.id, accepting())
        assert await store.collect(made.id)

        assert (await store.ask(held(store, "second"))).id != made.id

    async def test_what_was_withdrawn_or_expired_is_asked_anew(self, store: InboxStore, clock: Clock) -> None:
        withdrawn = await store.ask(held(store, "first"))
        await store.settle(withdrawn.id, Closing())
        expired = await store.ask(held(store, "second", wait=10))
        clock.advance(10)

        assert (await store.ask(held(store, "third"))).id not in (withdrawn.id, expired.id)

    async def test_a_question_without_a_host_is_the_same_each_time(self, store: InboxStore) -> None:
        made = await store.ask(asking(store))

        assert (await store.ask(asking(store))).id == made.id

    # --- holding -----------------------------------------------------------------------------------------------------

    async def test_a_holder_says_that_it_still_waits(self, store: InboxStore, other: InboxStore, clock: Clock) -> None:
        made = await store.ask(held(store))
        clock.advance(9)

        await store.renew([made.id], 10, holder="first")

        assert (await other.get(made.id)).entry.waited_until == moment(clock() + 10)

    async def test_nobody_says_so_for_another(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(held(store, "first"))
        found = await store.ask(held(store, "second"))
        clock.advance(9)

        await store.renew([made.id], 10, holder="first")

        assert (await store.get(made.id)).entry.waited_until == found.waited_until

    async def test_a_holder_that_leaves_withdraws_its_question(self, store: InboxStore, other: InboxStore) -> None:
        made = await store.ask(held(store))

        await store.leave(made.id, holder="first", by="the run")

        entry = (await other.get(made.id)).entry
        assert (entry.state, entry.reason, entry.closed_by) == ("withdrawn", "cancelled", "the run")
        assert entry.is_collected

    async def test_a_holder_that_leaves_too_late_leaves_an_expired_question(
        self, store: InboxStore, clock: Clock
    ) -> None:
        made = await store.ask(held(store, wait=10))
        clock.advance(10)

        await store.leave(made.id, holder="first")

        assert (await store.get(made.id)).entry.state == "expired"

    async def test_an_answer_that_a_cancelled_run_did_not_take_is_given_to_no_other(self, store: InboxStore) -> None:
        made = await store.ask(held(store, "first"))
        await store.settle(made.id, accepting())

        await store.leave(made.id, holder="first")

        assert (await store.get(made.id)).entry.state == "answered"
        assert (await store.ask(held(store, "second"))).id != made.id

    async def test_who_was_overtaken_does_not_withdraw(self, store: InboxStore) -> None:
        made = await store.ask(held(store, "first"))
        await store.ask(held(store, "second"))

        await store.leave(made.id, holder="first")

        assert (await store.get(made.id)).entry.is_open
