"""Serving the pages to the browsers of this machine."""

import asyncio
import pkgutil
import socket
import sys
from types import ModuleType
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest

import elicitkit.render.web as web
from elicitkit import Inbox, MemoryInboxStore, MissingExtra, Request
from elicitkit.render.web import inbox_app, serve, serving
from tests.render.web.visitor import TOKEN

pytestmark = pytest.mark.anyio


async def test_the_link_that_is_told_lets_in_and_the_end_is_quick() -> None:
    links = asyncio.Queue[str]()
    async with Inbox(MemoryInboxStore()) as inbox:
        running = asyncio.create_task(serve(inbox, port=0, tell=links.put_nowait))
        with anyio.fail_after(5):
            link = await links.get()
            async with httpx2.AsyncClient(follow_redirects=True) as client:
                response = await client.get(link)
                async with client.stream("GET", str(response.url) + "events") as events:
                    await anext(events.aiter_lines())
                    running.cancel()
                    await asyncio.wait([running])

    assert urlsplit(link).hostname == "127.0.0.1"
    assert len(parse_qs(urlsplit(link).query)["token"][0]) >= 43
    assert "Nothing to answer." in response.text
    assert running.cancelled()


async def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with Inbox(MemoryInboxStore()) as inbox:
            app = inbox_app(inbox, token=TOKEN)
            with pytest.raises(OSError, match="in use"):
                async with serving(app, port=taken.getsockname()[1]):
                    pass


async def test_a_browser_is_told_over_a_real_connection_that_a_question_was_answered() -> None:
    async with Inbox(MemoryInboxStore()) as inbox, serving(inbox_app(inbox, token=TOKEN)) as address:
        entry = await inbox.ask(Request("r1", "approval", "Go?"))
        async with httpx2.AsyncClient(base_url=address, follow_redirects=True) as client:
            await client.get(f"/?token={TOKEN}")
            async with client.stream("GET", f"/q/{entry.id}/events") as events:
                lines = events.aiter_lines()
                seen = []
                with anyio.fail_after(5):
                    async for line in lines:
                        seen.append(line)
                        if line == "data: open":
                            await inbox.decline(entry.id)
                        if line == "data: answered":
                            break

    assert events.headers["content-type"].startswith("text/event-stream")
    assert "data: answered" in seen


def test_an_answer_is_not_held_back_until_its_head_is_acknowledged() -> None:
    """A head and a body that are written apart took 40 ms on a connection that is used again (Nagle's algorithm)."""
    from elicitkit.render.web.server import _listening

    with _listening("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_no_module_takes_the_name_of_a_function() -> None:
    """One that did would take its place as soon as it is imported."""
    assert {module.name for module in pkgutil.iter_modules(web.__path__)}.isdisjoint(web.__all__)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("elicitkit.render.web.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)  # type: ignore[arg-type]  # what makes an import fail
    assert isinstance(web, ModuleType)

    with pytest.raises(MissingExtra, match=r"elicitkit\[web\]"):
        inbox_app(Inbox(MemoryInboxStore()), token=TOKEN)
