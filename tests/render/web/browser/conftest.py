"""One Chromium for all tests of this folder, and an inbox that it is shown over a real connection."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.render.web.browser.chromium import ARGUMENTS, Tab, a_tab, async_playwright
from tests.render.web.visitor import Desk, a_desk

CHROMIUM = shutil.which("chromium")
MISSING = "missing here: needs Chromium and Playwright for Python (Debian: apt-get install chromium)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.slow)
            if CHROMIUM is None or async_playwright is None:
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="package")
def anyio_backend() -> str:
    """One event loop for all of them: the browser lives on it."""
    return "asyncio"


@pytest.fixture(scope="package")
async def browser(anyio_backend: str) -> AsyncIterator[object]:
    assert async_playwright is not None
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        await launched.close()


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with a_desk() as made:
        yield made


@pytest.fixture
async def tab(browser: object, desk: Desk) -> AsyncIterator[Tab]:
    """A tab in which no script fails, nothing breaks the page's own policy, and no dialog opens."""
    async with a_tab(browser, desk) as opened:
        yield opened
        assert opened.troubles == []


@pytest.fixture
async def plain_tab(browser: object, desk: Desk) -> AsyncIterator[Tab]:
    """One of a phone without JavaScript."""
    async with a_tab(browser, desk, scripts=False, width=320) as opened:
        yield opened
        assert opened.troubles == []


@pytest.fixture(params=["with scripts", "without, on a phone"])
def any_tab(request: pytest.FixtureRequest) -> Tab:
    tab: Tab = request.getfixturevalue("tab" if request.param == "with scripts" else "plain_tab")
    return tab
