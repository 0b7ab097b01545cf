"""Somebody at the pages, with a browser that knows no JavaScript: reads a page, fills in its form, presses a button."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from html.parser import HTMLParser

import httpx2
from starlette.applications import Starlette

from elicitkit import Entry, Inbox, MemoryInboxStore, Request
from elicitkit.render.web import inbox_app

TOKEN = "a token that nobody can guess"
ADDRESS = "http://127.0.0.1:8400"

_APART = frozenset({"button", "dd", "div", "dt", "h1", "h2", "li", "option", "p"})
"""What a browser draws apart from the text before it."""


class Form:
    """A form of a page: what a browser would send, and the buttons that send it."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.values: dict[str, list[str]] = {}
        self.steps: list[str] = []


class Page(HTMLParser):
    """A page as it was sent."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.text = ""
        self.forms: list[Form] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._select = self._area = ""
        self.feed(html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        self.text += " " if tag in _APART else ""
        match tag:
            case "form":
                self.forms.append(Form(given["action"]))
            case "input":
                self._input(given)
            case "select" | "textarea" if self.forms:
                self._select, self._area = (given["name"], "") if tag == "select" else ("", given["name"])
                self.forms[-1].values[given["name"]] = [] if tag == "select" else ["\n"]
            case "option" if self._select and ("selected" in given or not self.forms[-1].values[self._select]):
                self.forms[-1].values[self._select] = [given["value"]]
            case "button":
                self.forms[-1].steps.append(given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            values = self.forms[-1].values
            values[self._area] = [values[self._area][0].removeprefix("\n").removeprefix("\n")]
            self._area = ""
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1].values[self._area][0] += data
        else:
            self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The attributes of all elements of a kind that have these."""
        found = (given for name, given in self.tags if name == tag)
        return [given for given in found if all(given.get(key) == value for key, value in wanted.items())]

    def one(self, tag: str, **wanted: str) -> dict[str, str]:
        """The attributes of the only one."""
        (found,) = self.all(tag, **wanted)
        return found

    def _input(self, given: dict[str, str]) -> None:
        if given["type"] in ("radio", "checkbox") and "checked" not in given:
            return
        self.forms[-1].values.setdefault(given["name"], []).append(given.get("value", "on"))


class Visitor:
    """Somebody with a browser."""

    def __init__(self, app: Starlette | None = None, *, address: str = ADDRESS) -> None:
        transport = None if app is None else httpx2.ASGITransport(app)
        self.client = httpx2.AsyncClient(transport=transport, base_url=address, follow_redirects=True)
        self.page = Page("")
        self.status = 0
        self.location = ""
        """Where the last response sent them on; empty if it was a page."""
        self.locations: list[str] = []
        """The paths of the pages that were seen."""

    async def open(self, path: str) -> Page:
        """Open an address."""
        return self._seen(await self.client.get(path))

    async def press(self, step: str, **typed: str | Iterable[str]) -> Page:
        """Fill in the form that has a button, and press it."""
        form = next(form for form in self.page.forms if step in form.steps)
        texts = {name: [text] if isinstance(text, str) else list(text) for name, text in typed.items()}
        values = {**form.values, **texts, "step": [step]}
        return self._seen(await self.client.post(form.action, data=values))

    def _seen(self, response: httpx2.Response) -> Page:
        self.status, self.page = response.status_code, Page(response.text)
        self.location = response.headers.get("location", "")
        self.locations.append(response.url.path)
        return self.page


class Desk:
    """An inbox, its pages, and who keeps it."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.app = inbox_app(inbox, token=TOKEN)
        self.keeper = Visitor(self.app)

    async def ask(self, request: Request, **more: str) -> Entry:
        """Put a question in, and have the keeper look at it."""
        entry = await self.inbox.ask(request, **more)
        await self.keeper.open(f"/q/{entry.id}")
        return entry


@asynccontextmanager
async def a_desk(host: str = "shop agent") -> AsyncIterator[Desk]:
    """An inbox in memory, whose keeper is at the list."""
    async with Inbox(MemoryInboxStore(), host=host) as inbox:
        desk = Desk(inbox)
        async with desk.keeper.client:
            await desk.keeper.open(f"/?token={TOKEN}")
            yield desk
