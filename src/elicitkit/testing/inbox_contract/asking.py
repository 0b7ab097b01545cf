"""The contract's first part: what is put in is there, and what is too large is not."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from ...errors import LimitError, UnknownEntry
from ...host.inbox import InboxStore
from ...host.inbox.changes import moment
from ...limits import CALL_BYTES, ENTRY_BYTES, NAME_CHARACTERS
from ...suspension import Request
from ...tasks.listing import EVERYBODY
from ..clock import Clock
from .base import CALL, NOBODY, OPEN_ENTRIES, InboxTests, accepting, asking, held, sizes


class AskingContract(InboxTests):
    """Entries that are made."""

    async def test_a_question_is_there_as_it_was_asked(
        self, store: InboxStore, other: InboxStore, clock: Clock
    ) -> None:
        request = Request(
            "r/1", "vote", "Ja oder nein? \U0001f600", "https://example.com/?a=b", {"n": [1, None, 2**70]}
        )

        made = await store.ask(asking(store, request, host="shop agent", owner="ada", call=CALL))

        kept = await other.get(made.id)
        assert kept.entry == made
        assert (made.request, made.host, made.owner, made.state) == (request, "shop agent", "ada", "open")
        assert (made.asked_at, made.until) == (moment(clock()), moment(clock() + 500))
        assert (made.waited_until, made.closed_at, made.reason, made.is_collected) == (None, None, None, False)
        assert (kept.call, kept.answer, kept.outcome, kept.tokens) == (CALL, None, None, ())

    async def test_every_moment_is_one_of_utc(self, store: InboxStore) -> None:
        made = await store.ask(held(store))
        closed = await store.settle(made.id, accepting())

        assert {one.tzinfo for one in (closed.asked_at, closed.until, closed.closed_at) if one} == {UTC}

    async def test_an_id_is_one_that_nobody_can_guess(self, store: InboxStore) -> None:
        ids = {(await store.ask(asking(store, sizes(f"r{number}")))).id for number in range(10)}

        assert len(ids) == 10
        assert all(len(id) == 32 and set(id) <= set("0123456789abcdef") for id in ids)

    async def test_one_that_a_host_waits_for_says_until_when(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(held(store))

        assert made.waited_until == moment(clock() + 10)
        assert made.is_waited_for(moment(clock() + 9))
        assert not made.is_waited_for(moment(clock() + 10))

    @pytest.mark.parametrize("id", [NOBODY, "", "ä", "\ud800", "'; DROP TABLE inbox; --", "a\x00b"], ids=repr)
    async def test_an_id_that_no_entry_has_is_unknown(self, store: InboxStore, id: str) -> None:
        await store.ask(asking(store))

        for reaching in (store.get(id), store.settle(id, accepting()), store.collect(id), store.give_back(id)):
            with pytest.raises(UnknownEntry, match=r"^There is no such question\.$"):
                await reaching
        with pytest.raises(UnknownEntry):
            await store.add_token(id, "d")
        await store.leave(id, holder="first")
        await store.forget(id)

    async def test_what_is_too_large_is_not_kept(self, store: InboxStore) -> None:
        """Design, section 11: a clear error before anything is stored."""
        large = Request("r", "vote", "?", data={"x": "x" * ENTRY_BYTES})
        long = "n" * (NAME_CHARACTERS + 1)
        for wrong in (
            asking(store, large),
            asking(store, host=long),
            asking(store, owner=long),
            asking(store, call={"call": "x" * CALL_BYTES}),
        ):
            with pytest.raises(LimitError, match="and may"):
                await store.ask(wrong)

        assert (await store.page(is_open=True, viewer=EVERYBODY, limit=1, after=None)).total == 0

    async def test_only_so_many_may_be_open(self, store: InboxStore, other: InboxStore) -> None:
        made = [await store.ask(asking(store, sizes(f"r{number}"))) for number in range(OPEN_ENTRIES)]

        with pytest.raises(LimitError, match=f"there may be {OPEN_ENTRIES}"):
            await other.ask(asking(other, sizes("more")))
        assert (await store.ask(asking(store, sizes("r3")))).id == made[3].id, "one that is asked again needs no room"
        await store.settle(made[0].id, accepting(id="r0"))
        await other.ask(asking(other, sizes("more")))

    async def test_tokens_are_kept_with_their_entry_and_only_the_newest(self, store: InboxStore) -> None:
        made, another = await store.ask(asking(store)), await store.ask(asking(store, sizes("r2")))

        for number in range(10):
            await store.add_token(made.id, f"digest{number}")

        assert (await store.get(made.id)).tokens == tuple(f"digest{number}" for number in range(2, 10))
        assert (await store.get(another.id)).tokens == ()

    async def test_what_is_forgotten_is_gone(self, store: InboxStore, other: InboxStore) -> None:
        made = await store.ask(asking(store))

        await store.forget(made.id)

        with pytest.raises(UnknownEntry):
            await other.get(made.id)
        assert (await store.ask(asking(store))).id != made.id

    async def test_a_store_can_be_opened_again(self, store: InboxStore, clock: Clock) -> None:
        made = await store.ask(asking(store))
        await store.close()
        clock.now += timedelta(hours=1).total_seconds()

        await store.open()

        assert (await store.get(made.id)).entry == made
