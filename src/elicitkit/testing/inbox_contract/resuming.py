"""The contract's fourth part: calls that were put aside go on once."""

from __future__ import annotations

import asyncio

from ...host.inbox import Closing, InboxStore
from ..clock import Clock
from .base import CALL, InboxTests, accepting, asking, sizes


class ResumingContract(InboxTests):
    """What is ready, and who takes it."""

    async def test_what_has_a_call_and_is_closed_is_ready_in_order(self, store: InboxStore, clock: Clock) -> None:
        """An answer, a withdrawal and an expiry are all something that the call goes on with."""
        entries = [
            await store.ask(asking(store, sizes(f"r{number}"), call=CALL, wait=500 if number < 2 else 10))
            for number in range(3)
        ]
        await store.ask(asking(store, sizes("open"), call=CALL))
        no_call = await store.ask(asking(store, sizes("r9")))
        await store.settle(no_call.id, accepting(id="r9"))
        await store.settle(entries[1].id, accepting(id="r1"))
        await store.settle(entries[0].id, Closing())
        clock.advance(10)
        await store.sweep()

        assert [entry.id for entry in await store.ready()] == [entry.id for entry in entries]
        assert [entry.id for entry in await store.ready(2)] == [entry.id for entry in entries[:2]]

    async def test_only_calls_of_a_host_are_ready_for_it(self, store: InboxStore) -> None:
        made = {host: await store.ask(asking(store, host=host, call=CALL)) for host in ("", "a", "b")}
        for entry in made.values():
            await store.settle(entry.id, accepting())

        for host, entry in made.items():
            assert [one.id for one in await store.ready(host=host)] == [entry.id]

    async def test_one_of_many_takes_it(self, store: InboxStore, other: InboxStore) -> None:
        made = await store.ask(asking(store, call=CALL))
        await store.settle(made.id, accepting())

        took = await asyncio.gather(*(one.collect(made.id) for one in (store, other) * 5))

        assert sorted(took) == [False] * 9 + [True]
        assert await store.ready() == []
        assert (await other.get(made.id)).outcome is not None, "it can still be read"

    async def test_nothing_is_taken_that_is_open(self, store: InboxStore) -> None:
        made = await store.ask(asking(store, call=CALL))

        assert not await store.collect(made.id)
        assert (await store.get(made.id)).entry == made

    async def test_what_is_given_back_is_ready_again(self, store: InboxStore) -> None:
        made = await store.ask(asking(store, call=CALL))
        await store.settle(made.id, accepting())
        await store.collect(made.id)

        await store.give_back(made.id)
        await store.give_back(made.id)

        assert [entry.id for entry in await store.ready()] == [made.id]
        assert await store.collect(made.id)
