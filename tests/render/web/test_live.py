"""Server-sent events: a page hears at once that it is out of date (issue 9, point 1)."""

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest

from elicitkit import Request, StoreError
from elicitkit.render.web import live
from elicitkit.render.web.live import Streams
from tests.render.web.visitor import Desk

pytestmark = pytest.mark.anyio


def asking(id: str = "r1") -> Request:
    return Request(id, "approval", "Go?")


async def states(stream: AsyncIterator[str]) -> list[str]:
    """What the next event says; nothing for one that says only that the stream is there."""
    with anyio.fail_after(5):
        event = await anext(stream)
    return [line.removeprefix("data: ") for line in event.splitlines() if line.startswith("data: ")]


async def test_a_page_hears_its_state_at_once_and_whenever_it_changes(desk: Desk) -> None:
    entry = await desk.ask(asking())

    async def state() -> str:
        return (await desk.inbox.get(entry.id)).state

    stream = Streams(desk.inbox)._events(state)
    assert await states(stream) == []  # When to come back.
    first = await states(stream)
    await desk.inbox.decline(entry.id)
    second = await states(stream)
    await stream.aclose()

    assert (first, second) == (["open"], ["answered"])


async def test_a_change_that_changes_nothing_here_is_no_event(desk: Desk) -> None:
    entry, other = await desk.ask(asking("r1")), await desk.inbox.ask(asking("r2"))
    reads = asyncio.Queue[None]()

    async def state() -> str:
        reads.put_nowait(None)
        return (await desk.inbox.get(entry.id)).state

    stream = Streams(desk.inbox)._events(state)
    await states(stream), await states(stream)
    following = asyncio.create_task(states(stream))
    await reads.get()
    await desk.inbox.decline(other.id)
    with anyio.fail_after(5):
        await reads.get()
    await desk.inbox.decline(entry.id)

    assert await following == ["answered"]
    await stream.aclose()


async def test_what_is_no_longer_there_ends_the_stream(desk: Desk) -> None:
    async def state() -> str:
        return (await desk.inbox.get("0" * 32)).state

    stream = Streams(desk.inbox)._events(state)

    with anyio.fail_after(5):
        assert [event async for event in stream][-1] == "event: state\ndata: gone\n\n"


async def test_a_stream_without_news_says_now_and_then_that_it_is_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "QUIET_SECONDS", 0.01)

    async def state() -> str:
        return "open"

    stream = Streams(desk.inbox)._events(state)
    await states(stream), await states(stream)

    with anyio.fail_after(5):
        assert await anext(stream) == ": still here\n\n"
    await stream.aclose()


async def test_a_store_that_fails_ends_the_stream(desk: Desk) -> None:
    async def state() -> str:
        raise StoreError("full")

    with anyio.fail_after(5):
        assert len([event async for event in Streams(desk.inbox)._events(state)]) == 1  # When to come back.


async def test_a_server_that_stops_ends_its_streams(desk: Desk) -> None:
    async def state() -> str:
        return "open"

    streams = Streams(desk.inbox)
    stream = streams._events(state)
    await states(stream), await states(stream)
    ending = asyncio.create_task(anext(stream, None))
    await asyncio.sleep(0)

    streams.end()

    with anyio.fail_after(5):
        assert await ending is None
