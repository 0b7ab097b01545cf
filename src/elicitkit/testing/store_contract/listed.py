"""The contract's part for whoever looks after tasks: which are listed, in what order, a page at a time."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from ...tasks.record import TaskRecord
from ...tasks.store import TaskStore
from .base import Clock, StoreTests, accepting, current, parked, question


async def made_in_turn(store: TaskStore, clock: Clock, count: int, **options: Any) -> list[str]:
    """The ids of new tasks, the oldest first; some of them were created in the same moment."""
    ids: list[str] = []
    for number in range(count):
        record = await store.create({"n": number}, **options)
        ids.append(record.id)
        clock.advance(number % 2)
    return [record.id for record in sorted([await current(store, one) for one in ids], key=_order)]


def _order(record: TaskRecord) -> tuple[float, str]:
    return record.created_at, record.id


async def all_pages(store: TaskStore, limit: int, **wanted: Any) -> list[list[str]]:
    """The ids on every page of a listing."""
    pages: list[list[str]] = []
    cursor: str | None = None
    while not pages or cursor is not None:
        page = await store.list_tasks(limit=limit, cursor=cursor, **wanted)
        pages.append([record.id for record in page.records])
        cursor = page.cursor
    return pages


async def listed(store: TaskStore, **wanted: Any) -> list[str]:
    """The ids of a listing, the oldest first."""
    return [record.id for record in (await store.list_tasks(oldest_first=True, **wanted)).records]


async def parked_on(store: TaskStore, task_id: str) -> None:
    """Ask something in a task that is there."""
    await store.park(task_id, [question(store)])


class ListedContract(StoreTests):
    """Listings."""

    @pytest.mark.parametrize("oldest_first", [True, False], ids=["oldest first", "newest first"])
    @pytest.mark.parametrize(("limit", "sizes"), [(3, [3, 3, 1]), (7, [7]), (6, [6, 1]), (100, [7])])
    async def test_pages_have_every_task_once_in_the_order_of_creation(
        self, store: TaskStore, clock: Clock, limit: int, sizes: list[int], oldest_first: bool
    ) -> None:
        ids = await made_in_turn(store, clock, 7)

        pages = await all_pages(store, limit, oldest_first=oldest_first)

        assert [len(page) for page in pages] == sizes
        assert [*chain(*pages)] == (ids if oldest_first else ids[::-1])

    async def test_a_store_without_tasks_has_one_empty_page(self, store: TaskStore) -> None:
        page = await store.list_tasks()

        assert (page.records, page.cursor) == ((), None)

    async def test_a_listed_task_is_what_its_owner_would_get(self, store: TaskStore, other: TaskStore) -> None:
        made = await parked(store, "b", "a", owner="ada", ttl=60)
        await store.settle(made.id, [accepting("b")])
        await store.keep_step(made.id, "price", "42")

        (found,) = (await other.list_tasks()).records

        assert found == await other.get(made.id, owner="ada")
        assert list(found.inputs) == ["a"]

    async def test_a_page_goes_on_where_the_last_ended_whatever_came_and_went(
        self, store: TaskStore, clock: Clock
    ) -> None:
        """Issue 7: the cursor is stable while tasks come and go."""
        ids = await made_in_turn(store, clock, 6)
        first = await store.list_tasks(limit=3)
        clock.advance(1)
        newer = await store.create({})
        await store.fail(ids[0], {"code": 1, "message": "m"})

        second = await store.list_tasks(limit=3, cursor=first.cursor)

        assert [record.id for record in (*first.records, *second.records)] == ids[::-1]
        assert newer.id in await listed(store)

    async def test_the_task_that_the_cursor_names_may_be_gone(self, store: TaskStore, clock: Clock) -> None:
        kept = await store.create({})
        clock.advance(1)
        for _ in range(2):
            await store.create({}, ttl=10)
        page = await store.list_tasks(limit=1)
        clock.advance(20)
        await store.sweep()

        rest = await store.list_tasks(cursor=page.cursor)

        assert [record.id for record in rest.records] == [kept.id]

    async def test_tasks_that_are_over_but_not_swept_yet_are_on_no_page(self, store: TaskStore, clock: Clock) -> None:
        kept = []
        for _ in range(3):
            kept.append((await store.create({})).id)
            clock.advance(0.5)
            for _ in range(3):
                await store.create({}, ttl=1)
        clock.advance(10)

        assert [*chain(*await all_pages(store, 2, oldest_first=True))] == kept
        assert [len(page) for page in await all_pages(store, 1)] == [1, 1, 1]

    # --- filters -----------------------------------------------------------------------------------------------------

    async def test_tasks_are_listed_by_their_status(self, store: TaskStore, clock: Clock) -> None:
        working, asking, done, failed, gone = await made_in_turn(store, clock, 5)
        await parked_on(store, asking)
        await store.complete(done, {"content": []})
        await store.fail(failed, {"code": 1, "message": "m"})
        await store.cancel(gone, owner=None)

        assert await listed(store, statuses=["input_required"]) == [asking]
        assert await listed(store, statuses=["completed", "working"]) == [working, done]
        assert await listed(store, statuses=["cancelled", "failed"]) == [failed, gone]
        assert await all_pages(store, 2, statuses=["failed", "working", "completed"]) == [[failed, done], [working]]

    async def test_tasks_are_listed_by_their_owner(self, store: TaskStore, clock: Clock) -> None:
        hers, his, nobodys = [(await made_in_turn(store, clock, 3, owner=owner)) for owner in ("ada", "bob", None)]
        await store.complete(hers[1], {"content": []})

        assert await listed(store, owner="ada") == hers
        assert await listed(store, owner=None) == nobodys
        assert await listed(store, owner="") == []
        assert await listed(store, owner="ada", statuses=["working"]) == [hers[0], hers[2]]
        assert await all_pages(store, 2, owner="bob") == [his[:0:-1], his[:1]]

    async def test_tasks_are_found_by_what_their_ids_begin_with(self, store: TaskStore, clock: Clock) -> None:
        for letter in ("ab", "ac", "b0", "af"):
            await store.create({}, task_id=letter * 16)
            clock.advance(1)

        assert await listed(store, prefix="a") == ["ab" * 16, "ac" * 16, "af" * 16]
        assert await listed(store, prefix="ac") == ["ac" * 16]
        assert await listed(store, prefix="ac" * 16) == ["ac" * 16]
        assert await listed(store, prefix="c") == []
        assert await listed(store, prefix="a", statuses=["completed"]) == []
        assert await all_pages(store, 2, prefix="a") == [["af" * 16, "ac" * 16], ["ab" * 16]]

    @pytest.mark.parametrize(
        ("wanted", "told"),
        [
            ({"statuses": ["done"]}, "'done' is no status"),
            ({"statuses": "working"}, "is no status"),
            ({"prefix": "a%"}, "hexadecimal"),
            ({"prefix": "A"}, "hexadecimal"),
            ({"cursor": ""}, "no cursor"),
            ({"cursor": "nan~ab"}, "no cursor"),
            ({"cursor": "1.0~'; DROP TABLE tasks"}, "no cursor"),
            ({"limit": 0}, "1 to 1,000"),
            ({"limit": 1_001}, "1 to 1,000"),
        ],
        ids=str,
    )
    async def test_what_cannot_be_asked_for_is_refused(
        self, store: TaskStore, wanted: dict[str, Any], told: str
    ) -> None:
        with pytest.raises(ValueError, match=told):
            await store.list_tasks(**wanted)

    async def test_no_status_is_no_task(self, store: TaskStore) -> None:
        await store.create({})

        assert await listed(store, statuses=[]) == []
