"""The contract's seventh part: whoever listens hears of every change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from ...host.inbox import Closing, InboxStore
from ..clock import Clock
from ..store_contract.listening import Ear
from .base import InboxTests, accepting, asking, held, sizes

VISIBLE: dict[str, Callable[[InboxStore, str], Awaitable[object]]] = {
    "answer": lambda store, id: store.settle(id, accepting()),
    "withdraw": lambda store, id: store.settle(id, Closing()),
    "leave": lambda store, id: store.leave(id, holder="first"),
    "ask again": lambda store, id: store.ask(held(store, "second")),
}


class ListeningContract(InboxTests):
    """Changes that are told."""

    @pytest.mark.parametrize("name", VISIBLE)
    async def test_every_change_is_heard_here_and_elsewhere(
        self, store: InboxStore, other: InboxStore, name: str
    ) -> None:
        made = await store.ask(held(store, "first"))
        here, elsewhere = Ear(store), Ear(other)

        await VISIBLE[name](store, made.id)

        await here.hears(made.id)
        await elsewhere.hears(made.id)

    async def test_a_new_question_can_be_read_when_it_is_heard_of(self, store: InboxStore, other: InboxStore) -> None:
        ear = Ear(other)

        for number in range(10):
            made = await store.ask(asking(store, sizes(f"r{number}")))
            await ear.hears(made.id)
            assert (await other.get(made.id)).entry == made

    async def test_what_a_sweep_does_is_heard(self, store: InboxStore, clock: Clock) -> None:
        forgotten, expiring = await store.ask(asking(store)), await store.ask(asking(store, sizes("r2"), wait=1_000))
        await store.settle(forgotten.id, accepting())
        ear = Ear(store)
        clock.advance(1_000)

        await store.sweep()

        await ear.hears(forgotten.id)
        await ear.hears(expiring.id)

    async def test_who_unsubscribed_hears_nothing_more(self, store: InboxStore) -> None:
        ear, witness = Ear(store), Ear(store)
        first = await store.ask(asking(store))
        await ear.hears(first.id)

        ear.unsubscribe()
        ear.unsubscribe()
        second = await store.ask(asking(store, sizes("r2")))
        await witness.hears(second.id)

        assert second.id not in ear.heard
