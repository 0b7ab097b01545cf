"""What opens a link that was agreed to: a browser with a window of its own, or none."""

import webbrowser
from typing import Any

import pytest

from elicitkit.render.terminal.browser import find_browser

pytestmark = pytest.mark.anyio

LINK = "https://example.com/"


class Window(webbrowser.BaseBrowser):
    """A browser that keeps what it opens, or fails."""

    def __init__(self, result: bool | Exception) -> None:
        super().__init__()
        self._result = result
        self.opened: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.opened.append(url)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


@pytest.mark.parametrize(
    ("result", "is_open"), [(True, True), (False, False), (OSError("gone"), False), (webbrowser.Error("no"), False)]
)
async def test_a_browser_opens_a_link_or_says_that_it_did_not(
    result: bool | Exception, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window(result)
    monkeypatch.setattr(webbrowser, "get", lambda: window)

    browse = await find_browser()

    assert browse is not None
    assert await browse(LINK) is is_open
    assert window.opened == [LINK]


def _none() -> Any:
    raise webbrowser.Error("could not locate runnable browser")


@pytest.mark.parametrize("get", [_none, lambda: webbrowser.GenericBrowser("w3m")])
async def test_a_browser_that_would_draw_over_the_question_is_none(get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "get", get)

    assert await find_browser() is None
