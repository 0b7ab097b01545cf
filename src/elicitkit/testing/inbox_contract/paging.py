"""The contract's fifth part: lists of entries, a page at a time, for whoever looks."""

from __future__ import annotations

import pytest

from ...host.inbox import Entry, InboxStore, Page, Viewer
from ...tasks.listing import EVERYBODY
from ..clock import Clock
from .base import InboxTests, accepting, asking, sizes


async def page(
    store: InboxStore,
    *,
    is_open: bool = True,
    viewer: Viewer = EVERYBODY,
    limit: int = 100,
    after: str | None = None,
) -> Page:
    """A page."""
    return await store.page(is_open=is_open, viewer=viewer, limit=limit, after=after)


async def several(store: InboxStore, count: int = 5) -> list[Entry]:
    """As many open entries."""
    return [await store.ask(asking(store, sizes(f"r{number}"))) for number in range(count)]


def ids(entries: object) -> list[str]:
    """Their ids."""
    return [entry.id for entry in entries]  # type: ignore[attr-defined]  # a page's, or a list's


class PagingContract(InboxTests):
    """Pages."""

    async def test_open_questions_are_listed_the_oldest_first(self, store: InboxStore, other: InboxStore) -> None:
        made = await several(store)

        found = await page(other)

        assert list(found.entries) == made
        assert (found.total, found.next) == (5, None)

    async def test_closed_questions_are_listed_by_when_they_were_closed(self, store: InboxStore, clock: Clock) -> None:
        made = await several(store)
        order = [made[number] for number in (3, 1, 4, 2)]
        for entry in order:
            clock.advance(0.001)
            await store.settle(entry.id, accepting(id=entry.request.id))
        await store.collect(made[1].id)  # What happens to it later changes nothing.

        first = await page(store, is_open=False, limit=3)
        rest = await page(store, is_open=False, limit=3, after=first.next)

        assert ids(first.entries) + ids(rest.entries) == ids(reversed(order))
        assert rest.next is None
        assert ids((await page(store)).entries) == ids([made[0]])

    async def test_of_those_that_were_closed_at_once_the_newest_is_first(self, store: InboxStore) -> None:
        made = await several(store)
        for entry in made[1:4]:
            await store.settle(entry.id, accepting(id=entry.request.id))

        assert ids((await page(store, is_open=False)).entries) == ids(reversed(made[1:4]))
        assert ids((await page(store)).entries) == ids([made[0], made[4]])

    @pytest.mark.parametrize("is_open", [True, False])
    async def test_pages_have_every_entry_once(self, store: InboxStore, is_open: bool) -> None:
        made = await several(store)
        if not is_open:
            for entry in made:
                await store.settle(entry.id, accepting(id=entry.request.id))
            made.reverse()

        found, after = list[str](), None
        for size in (2, 2, 1):
            one = await page(store, is_open=is_open, limit=2, after=after)
            assert (len(one.entries), one.total) == (size, 5)
            found, after = found + ids(one.entries), one.next

        assert after is None
        assert found == ids(made)

    async def test_a_page_goes_on_where_the_one_before_ended_whatever_happened(self, store: InboxStore) -> None:
        made = await several(store, 6)
        first = await page(store, limit=3)
        for entry in made[1:4]:
            await store.settle(entry.id, accepting(id=entry.request.id))

        assert ids((await page(store, limit=3, after=first.next)).entries) == ids(made[4:])

    @pytest.mark.parametrize("is_open", [True, False])
    async def test_who_looks_sees_what_is_theirs_and_nobody_s(self, store: InboxStore, is_open: bool) -> None:
        """Design, section 10: no principal never matches a named owner."""
        made = {owner: await store.ask(asking(store, owner=owner)) for owner in ("ada", "bob", None, "Ada", "")}
        if not is_open:
            for entry in made.values():
                await store.settle(entry.id, accepting())
        seen: dict[Viewer, set[str | None]] = {
            "ada": {"ada", None},
            "": {"", None},
            "eve": {None},
            None: {None},
            EVERYBODY: set(made),
        }

        for viewer, owners in seen.items():
            found = await page(store, is_open=is_open, viewer=viewer)
            assert {entry.owner for entry in found.entries} == owners
            assert found.total == len(owners)
            assert ids(found.entries) == ids(one for one in found.entries if one.is_seen_by(viewer))

    @pytest.mark.parametrize("is_open", [True, False])
    @pytest.mark.parametrize("after", ["", "x", "-1", "1; DROP TABLE inbox", "٣", "9" * 30, "1_nan", "1_", "1_1e9"])
    async def test_a_page_behind_nothing_that_is_is_an_error(
        self, store: InboxStore, after: str, is_open: bool
    ) -> None:
        with pytest.raises(ValueError, match="the page before"):
            await page(store, after=after, is_open=is_open)
