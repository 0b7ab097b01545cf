"""A page that is open says at once what became of its question (issue 9, point 1)."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest

from elicitkit.render.web import inbox_app, serving
from tests.render.web.browser import asking
from tests.render.web.browser.chromium import HAS_AXE, Tab
from tests.render.web.visitor import TOKEN

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("how", "heading"),
    [("answered", "Answered"), ("declined", "Declined"), ("withdrawn", "Withdrawn"), ("expired", "Too late")],
)
async def test_a_question_that_is_over_says_so_and_keeps_what_was_typed(tab: Tab, how: str, heading: str) -> None:
    entry = await tab.ask(asking.a_name())
    await tab.page.get_by_label("Name").fill("Ada")
    await tab.listens()
    inbox = tab.desk.inbox

    match how:
        case "answered":
            await inbox.accept(entry.id, {"name": "Grace"}, by="Grace")
        case "declined":
            await inbox.decline(entry.id)
        case "expired":
            store: Any = inbox.store
            store.clock = lambda: entry.until.timestamp()
            await store.sweep()
        case _:
            await inbox.withdraw(entry.id)
    await tab.page.wait_for_selector("#verdict")

    assert await tab.heading() == heading
    assert await tab.focused() == heading
    assert await tab.page.get_by_label("Name").input_value() == "Ada"
    assert await tab.page.get_by_role("button", name="Review").is_disabled()
    assert await tab.page.get_by_text("more days").count() == 0
    assert float(await tab.page.locator("article").evaluate("(one) => getComputedStyle(one).opacity")) < 1
    await tab.screen(f"over {how}")
    if HAS_AXE:
        assert await tab.faults_of_axe() == []


async def test_a_page_says_that_the_inbox_is_gone_until_it_is_back(tab: Tab) -> None:
    entry = await tab.desk.inbox.ask(asking.a_name())
    page = tab.page
    async with serving(inbox_app(tab.desk.inbox, token=TOKEN)) as address:
        await page.goto(f"{address}/?token={TOKEN}")
        await page.goto(f"{address}/q/{entry.id}")
        await tab.listens()
    line = page.get_by_role("status").get_by_text("The inbox cannot be reached; trying again.")

    await line.wait_for()
    await page.get_by_label("Name").fill("Ada")
    await tab.screen("the inbox is gone")
    async with serving(inbox_app(tab.desk.inbox, token=TOKEN), port=urlsplit(address).port or 0):
        await line.wait_for(state="detached")

        assert await page.get_by_label("Name").input_value() == "Ada"
        assert await page.get_by_role("button", name="Review").is_enabled()
    assert all("ERR_CONNECTION" in trouble or "ERR_INCOMPLETE" in trouble for trouble in tab.troubles)
    tab.troubles.clear()


async def test_the_list_renews_itself_and_leaves_the_focus_where_it_was(tab: Tab) -> None:
    first = await tab.desk.inbox.ask(asking.a_name("r1"))
    await tab.open("/")
    await tab.listens()
    await tab.page.locator(f"#q-{first.id} a").focus()

    second = await tab.desk.inbox.ask(asking.an_approval("r2"))
    await tab.page.wait_for_selector(f"#q-{second.id}")

    assert await tab.page.evaluate("document.activeElement.closest('.question').id") == f"q-{first.id}"
    assert (await tab.page.title()).startswith("(2)")
    assert await tab.page.get_by_role("status").inner_text() == "The list has changed."


async def test_a_list_in_the_background_listens_to_nothing(tab: Tab) -> None:
    """A browser has six connections to a server, and a person may have many tabs."""
    pages = [tab.page, *[await tab.page.context.new_page() for _ in range(8)]]
    for page in pages:
        await asyncio.wait_for(page.goto(f"{tab.address}/"), timeout=20)
        await page.evaluate(
            "Object.defineProperty(document, 'hidden', {value: true}); "
            "document.dispatchEvent(new Event('visibilitychange'))"
        )

    assert [await page.locator("h1").inner_text() for page in pages] == ["Open questions 0"] * 9
