"""Text of a server is text, wherever it stands (design, section 10)."""

from collections.abc import Iterator
from typing import Any

import pytest

from elicitkit import Origin, Request
from tests.render.web.visitor import Desk, Page

pytestmark = pytest.mark.anyio

TAGS = "</textarea></title></script><script>alert(1)</script><img src=x onerror=alert(1)>"
QUOTES = "\" onfocus=alert(1) autofocus x='"
TEMPLATE = "{{ 7 * 7 }}{% raw %}"
LINK = "https://evil.example/ javascript:alert(1) www.evil.example ada@evil.example"
TRICKS = "\u202egnp.exe\u2066\u200b\ufeff\x1b[31m\x00\U000e0041"
EVIL = TAGS + QUOTES + TEMPLATE + LINK + TRICKS


def schema(evil: str) -> dict[str, Any]:
    about = {"title": evil, "description": evil}
    return {
        "type": "object",
        "properties": {
            f"a{evil}": {"type": "string", **about, "default": evil},
            f"b{evil}": {"type": "string", **about, "oneOf": [{"const": evil, "title": evil}, {"const": "x"}]},
            f"c{evil}": {"type": "array", **about, "items": {"type": "string", "enum": [evil, "x"]}, "default": [evil]},
            f"d{evil}": {"type": "boolean", **about},
            f"e{evil}": {"type": "object", **about},
            f"f{evil}": {"type": "string", **about, "format": "uri", "default": evil},
            f"g{evil}": {"type": "string", **about, "format": "date-time", "default": evil},
            f"h{evil}": {"type": "string", **about, "enum": [f"{number}{evil}" for number in range(9)]},
            f"i{evil}": {"type": "integer", **about, "default": evil, "minimum": 7},
        },
    }


def requests() -> Iterator[Request]:
    origin = Origin(EVIL, EVIL, call=EVIL, task=EVIL, agents=(EVIL, EVIL), meta={EVIL: EVIL})
    yield origin.noted_in(Request("r1", "input", EVIL, data={"schema": schema(EVIL)}))
    yield origin.noted_in(Request("r2", "approval", EVIL, data={EVIL: EVIL}))
    yield origin.noted_in(Request("r3", EVIL, EVIL, url=EVIL, data={EVIL: [EVIL]}))
    yield origin.noted_in(Request("r4", "authorization", EVIL, url=EVIL))
    yield origin.noted_in(Request("r5", "authorization", EVIL, url=f'https://a.example/"><script>{QUOTES.split()[0]}'))
    asked = {"question": EVIL, "header": EVIL, "options": [EVIL, "x"]}
    yield origin.noted_in(Request("r6", "question", EVIL, data={"questions": [asked]}))
    yield origin.noted_in(Request("r7", "input", EVIL, data={"schema": {"type": "object", "properties": {}}}))
    lone = {"type": "object", "properties": {EVIL: {"type": "boolean", "title": EVIL}}, "required": [EVIL]}
    yield origin.noted_in(Request("r8", "input", EVIL, data={"schema": lone}))


def harmless(page: Page) -> None:
    assert not page.all("img")
    assert [script["src"].partition("?")[0] for script in page.all("script")] == ["/static/inbox.js"]
    assert all(link["href"].startswith(("/", "#", "https://a.example/")) for link in page.all("a"))
    for tag, given in page.tags:
        assert not [name for name in given if name.startswith("on") or name == "style"], tag
    for character in "\u202e\u2066\u200b\ufeff\x1b\x00\U000e0041":
        assert character not in page.html
    assert "49" not in page.text.replace("149", "")


@pytest.mark.parametrize("request_", [*requests()], ids=lambda request: request.id)
async def test_what_a_server_writes_stays_text_on_every_page(desk: Desk, request_: Request) -> None:
    entry = await desk.ask(request_, owner=None)

    harmless(desk.keeper.page)
    for step in ("review", "consent"):
        if any(step in form.steps for form in desk.keeper.page.forms):
            harmless(await desk.keeper.press(step))
    harmless(await desk.keeper.open("/"))
    await desk.inbox.decline(entry.id, by="<b>Ada</b>")
    harmless(await desk.keeper.open(f"/q/{entry.id}"))
    assert "<b>" not in desk.keeper.page.html
    harmless(await desk.keeper.open("/closed"))


async def test_what_somebody_typed_is_never_a_link(desk: Desk) -> None:
    uri = {"type": "object", "properties": {"page": {"type": "string", "format": "uri"}, "x": {"type": "string"}}}
    await desk.ask(Request("r1", "input", "Which page?", data={"schema": uri}))

    page = await desk.keeper.press("review", f0="https://typed.example/", f1="https://typed.example/")

    assert page.text.count("https://typed.example/") == 2
    assert not [link for link in page.all("a") if "typed" in link["href"]]


async def test_a_giant_description_is_folded_away_and_cut(desk: Desk) -> None:
    giant = {
        "type": "object",
        "properties": {"x": {"type": "string", "description": "D" * 100_000}, "y": {"type": "string"}},
    }

    await desk.ask(Request("r1", "input", "?", data={"schema": giant}))

    assert desk.keeper.page.all("details")
    assert len(desk.keeper.page.html) < 20_000


async def test_a_field_that_asks_for_a_password_is_warned_of(desk: Desk) -> None:
    asked = {"type": "object", "properties": {"password": {"type": "string"}, "x": {"type": "string"}}}

    await desk.ask(Request("r1", "input", "?", data={"schema": asked}))

    assert "looks like a password" in desk.keeper.page.text
