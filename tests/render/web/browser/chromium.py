"""A tab of a real browser, at the inbox."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from elicitkit import Entry, Request
from elicitkit.render.web import serving
from tests.render.web.visitor import TOKEN, Desk

try:
    from playwright.async_api import async_playwright
except ModuleNotFoundError:
    async_playwright = None  # type: ignore[assignment]

ROOT = Path(__file__).parents[4]
SCREENS = ROOT / ".screens"
AXE = ROOT / ".axe/node_modules/axe-core/axe.min.js"
HAS_AXE = (ROOT / ".axe/installed").is_file()
"""Whether `make pages` has brought axe-core; it makes that file last."""

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SECONDS = 20


class Tab:
    """A tab, what went wrong in it, and the shortest way to what tests do."""

    def __init__(self, page: Any, desk: Desk, address: str) -> None:
        self.page = page
        self.desk = desk
        self.address = address
        self.troubles: list[str] = []
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(dialog.message))
        page.on("console", self._heard)

    async def ask(self, request: Request, **more: Any) -> Entry:
        """Put a question in, and open its page."""
        entry = await self.desk.inbox.ask(request, **more)
        await self.open(f"/q/{entry.id}")
        return entry

    async def open(self, path: str) -> None:
        """Open an address of the inbox."""
        await self.page.goto(self.address + path)

    async def press(self, name: str) -> None:
        """Press the button of that name, and wait for the page that comes of it."""
        await self._follow(self.page.get_by_role("button", name=name, exact=True).first)

    async def leave_by(self, name: str) -> None:
        """Follow the link of that name, and wait for the page that it leads to."""
        await self._follow(self.page.get_by_role("link", name=name, exact=True))

    async def _follow(self, way: Any) -> None:
        # A click is over before the page it leads to is there: until then the old one would be looked at.
        async with self.page.expect_navigation():
            await way.click()

    async def heading(self) -> str:
        """What the page is about."""
        return str(await self.page.locator("h1").first.inner_text())

    async def focused(self) -> str:
        """The id of what has the focus, or its text."""
        return str(await self.page.evaluate("document.activeElement.id || document.activeElement.innerText"))

    async def listens(self) -> None:
        """Wait until the page hears of changes."""
        await self.page.wait_for_selector(
            "html[data-live=yes]", state="attached"
        )  # Code in text is what the policy forbids.

    async def too_wide(self) -> list[str]:
        """What stands out of the window, is cut off by its box, or has no room for its text."""
        return list(await self.page.evaluate(_TOO_WIDE))

    async def faults_of_axe(self, *rules: str) -> list[str]:
        """What axe-core finds wrong with the page; only what is serious or worse."""
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        found = await self.page.evaluate("(options) => axe.run(document, options)", options)
        return [
            f"{one['impact']} {one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]

    async def screen(self, name: str) -> None:
        """Keep a picture of the whole page."""
        SCREENS.mkdir(exist_ok=True)
        await self.page.screenshot(path=SCREENS / f"{re.sub('[^a-z0-9]+', '-', name.lower())}.png", full_page=True)

    def _heard(self, message: Any) -> None:
        if message.type == "error" and "the server responded with a status of 4" not in message.text:
            self.troubles.append(message.text)


_TOO_WIDE = """
() => {
  const clipped = ".question, .message, .field, .data, .description, .address, .review, .verdict, .faults";
  const stands_out = ({ left, right, width }) => width > 0 && (right > innerWidth + 1 || left < -1);
  const right_of = (one) => one.getBoundingClientRect().right;
  const cut = (control) => right_of(control) > right_of(control.closest("main > *, .field"));
  const cramped = (one) => one.matches("main :is(p, dd, label)") && one.innerText.length > 10 &&
    one.getBoundingClientRect().width < 4 * parseFloat(getComputedStyle(one).fontSize);
  const seen = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
  const wide = document.documentElement.scrollWidth;
  return seen
    .filter((one) => !one.closest(".visually-hidden, .skip") && !one.parentElement.closest(clipped))
    .filter((one) => stands_out(one.getBoundingClientRect()))
    .concat(seen.filter(cramped))
    .concat(seen.filter((one) => one.matches("main :is(button, input, select, textarea, a)") && cut(one)))
    .map((one) => one.outerHTML.slice(0, 100))
    .concat(wide > innerWidth ? [`the page is ${wide} wide`] : []);
}
"""


@asynccontextmanager
async def a_tab(browser: Any, desk: Desk, *, scripts: bool = True, width: int = 1280) -> AsyncIterator[Tab]:
    """A new window of a browser that nobody has used, at the list."""
    async with serving(desk.app) as address:
        context = await browser.new_context(
            java_script_enabled=scripts,
            viewport={"width": width, "height": 800},
            timezone_id="Europe/Berlin",
            reduced_motion="reduce",  # A colour that is on its way to another has too little contrast with it.
        )
        context.set_default_timeout(SECONDS * 1000)
        tab = Tab(await context.new_page(), desk, address)
        await tab.open(f"/?token={TOKEN}")
        try:
            yield tab
        finally:
            await context.close()
            await asyncio.sleep(0)
