"""The browser of the machine that the terminal is at, for a link that the person has agreed to open."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

Browser: TypeAlias = Callable[[str], Awaitable[bool]]
"""Opens a link, and tells whether it did."""

_IN_THE_TERMINAL: Final = frozenset({"GenericBrowser", "Elinks"})
"""What `webbrowser` calls browsers that draw where the question stands."""


async def find_browser() -> Browser | None:
    """The browser that has a window of its own; `None` where there is none, as on a machine reached over SSH."""
    found = await asyncio.to_thread(_found)
    if found is None:
        return None

    async def browse(url: str) -> bool:
        return await asyncio.to_thread(_open, found, url)

    return browse


def _found() -> webbrowser.BaseBrowser | None:
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return None
    return None if type(browser).__name__ in _IN_THE_TERMINAL else browser


def _open(browser: webbrowser.BaseBrowser, url: str) -> bool:
    try:
        return browser.open(url)
    except (webbrowser.Error, OSError):
        return False
