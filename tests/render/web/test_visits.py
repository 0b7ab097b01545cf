"""When nobody waits for a page any more, so that a server may end (issue 9: whoever answers sees that it was sent)."""

import asyncio

import anyio
import httpx2
import pytest
from anyio.lowlevel import checkpoint
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from elicitkit.render.web import serving, visits
from elicitkit.render.web.visits import Visits
from tests.render.web.visitor import ADDRESS

pytestmark = pytest.mark.anyio


class Shop:
    """An app whose forms are answered when it is let go on."""

    def __init__(self) -> None:
        self.is_asked, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.app = Starlette(
            routes=[
                Route("/", self.front, methods=["GET", "POST"]),
                Route("/thänks", self.thanks),
                Route("/news", self.news),
            ]
        )

    async def front(self, request: Request) -> Response:
        if request.method == "GET":
            return PlainTextResponse("front")
        self.is_asked.set()
        await self.may_go_on.wait()
        return RedirectResponse("/thänks?sent", status_code=303)

    async def thanks(self, _: Request) -> Response:
        return PlainTextResponse("thanks")

    async def news(self, _: Request) -> Response:
        self.is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def is_over_at_once(visited: Visits) -> bool:
    """Whether the server may end now, without anything that comes first."""
    waiting = asyncio.create_task(visited.over())
    for _ in range(10):
        await checkpoint()
    is_over = waiting.done()
    waiting.cancel()
    return is_over


def client_of(app: Visits) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ADDRESS)


async def test_a_server_ends_when_the_page_has_come_that_a_browser_was_sent_on_to() -> None:
    shop = Shop()
    visited = Visits(shop.app, quiet=0)
    async with client_of(visited) as browser:
        assert await is_over_at_once(visited)
        sending = asyncio.create_task(browser.post("/"))
        await shop.is_asked.wait()
        while_acting = await is_over_at_once(visited)
        shop.may_go_on.set()
        sent_on = (await sending).headers["location"]
        once_sent_on = await is_over_at_once(visited)
        await browser.get("/")
        elsewhere = await is_over_at_once(visited)
        leaving = asyncio.create_task(visited.over())
        await browser.get(sent_on)

        assert (while_acting, once_sent_on, elsewhere) == (False, False, False)
        with anyio.fail_after(5):
            await leaving


async def test_a_browser_that_never_comes_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop()
    visited = Visits(shop.app, quiet=0)
    shop.may_go_on.set()
    async with client_of(visited) as browser:
        await browser.post("/")
        assert not await is_over_at_once(visited)
        monkeypatch.setattr(visits, "LONGEST_SECONDS", 0)

        with anyio.fail_after(5):
            await visited.over()


async def test_who_listens_for_news_keeps_no_server_from_ending() -> None:
    shop = Shop()
    visited = Visits(shop.app, quiet=0)
    async with client_of(visited) as browser:
        listening = asyncio.create_task(browser.get("/news"))
        await shop.is_asked.wait()

        assert await is_over_at_once(visited)
        listening.cancel()


async def test_the_style_of_a_last_page_can_still_be_asked_for() -> None:
    shop = Shop()
    visited = Visits(shop.app, quiet=60)
    shop.may_go_on.set()
    async with client_of(visited) as browser:
        await browser.get((await browser.post("/")).headers["location"])

        assert not await is_over_at_once(visited)


@pytest.mark.parametrize("is_cancelled", [False, True], ids=["at its end", "interrupted"])
async def test_the_page_is_served_although_the_block_was_left(is_cancelled: bool) -> None:
    """`preview --web` and `inbox serve` end by Ctrl-C, which cancels them; the demo by itself."""
    shop, addresses, left = Shop(), asyncio.Queue[str](), asyncio.Event()
    shop.may_go_on.set()

    async def serve() -> None:
        async with serving(shop.app) as address:
            addresses.put_nowait(address)
            await left.wait()

    with anyio.fail_after(10):
        running = asyncio.create_task(serve())
        async with httpx2.AsyncClient(base_url=await addresses.get()) as browser:
            sent_on = (await browser.post("/")).headers["location"]
            if is_cancelled:
                running.cancel()
            left.set()
            await asyncio.wait([running], timeout=0.5)  # One that does not wait for the page would be gone by then.
        async with httpx2.AsyncClient(base_url=str(browser.base_url)) as later:
            page = await later.get(sent_on)
        await asyncio.wait([running])

    assert page.text == "thanks"
    assert running.cancelled() is is_cancelled
