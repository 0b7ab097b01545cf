"""A link put to a person, with real keys (specification: Elicitation, "URL mode"; design, section 10)."""

from typing import Any

import pytest

from elicitkit.outcomes import Accepted, Cancelled, Declined
from elicitkit.render.terminal import dialogue, visit
from tests.render.terminal.person import CTRL_C, DOWN, ENTER, UP, Seat, seated_before

pytestmark = pytest.mark.anyio

LINK = "https://pay.example.com/cart/42?x=1"
GO = UP + ENTER
CONSENT, OUTCOME = "Do you agree to open it?", "How did it go?"


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that a browser with a window opened."""
    urls: list[str] = []
    with_browser(monkeypatch, urls)
    return urls


def with_browser(monkeypatch: pytest.MonkeyPatch, urls: list[str] | None, *, works: bool = True) -> None:
    async def browse(url: str) -> bool:
        assert urls is not None
        urls.append(url)
        return works

    async def find() -> Any:
        return browse if urls is not None else None

    monkeypatch.setattr(dialogue, "find_browser", find)


def at(monkeypatch: pytest.MonkeyPatch, url: str = LINK, message: str = "Please pay", **more: Any) -> Any:
    columns = more.pop("columns", 80)
    return seated_before(visit(message, url, "shop", **more), monkeypatch, columns=columns, rows=40)


async def consents(seat: Seat, *keys: str) -> None:
    await seat.sees(CONSENT)
    seat.press(*keys)
    await seat.sees(OUTCOME)


async def test_the_whole_link_is_shown_with_its_host_before_anything_is_opened(
    opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elicitation, "Safe URL Handling": show the full URL, get consent, highlight the host."""
    async with at(monkeypatch) as seat:
        lines = await seat.sees(CONSENT)

        assert f"│ {LINK}" in lines
        assert "│ Please pay" in lines
        assert any("It belongs to pay.example.com." in line for line in lines)
        assert opened == []


async def test_enter_alone_opens_nothing(opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch) as seat:
        await seat.sees(CONSENT)
        seat.press(ENTER)

        assert await seat.outcome() == Declined()
        assert opened == []


async def test_what_was_agreed_to_is_opened_in_the_browser(opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch) as seat:
        await consents(seat, UP, UP, ENTER)
        seat.press(ENTER)

        assert await seat.outcome() == Accepted(None)
        assert opened == [LINK]


async def test_the_person_may_open_it_elsewhere(opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch) as seat:
        await consents(seat, GO)

        assert LINK in seat.lines()
        seat.press(ENTER)
        assert await seat.outcome() == Accepted(None)
        assert opened == []


async def test_where_no_browser_has_a_window_none_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    with_browser(monkeypatch, None)
    async with at(monkeypatch) as seat:
        lines = await seat.sees(CONSENT)

        assert not any("Open it in the browser" in line for line in lines)
        await consents(seat, GO)
        assert LINK in seat.lines()


async def test_a_browser_that_does_not_start_leaves_the_address(
    opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_browser(monkeypatch, opened, works=False)
    async with at(monkeypatch) as seat:
        await consents(seat, UP, UP, ENTER)

        assert "Open this in a browser:" in seat.lines()
        assert opened == [LINK]


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        (DOWN + ENTER, Cancelled("failed")),
        (DOWN + DOWN + ENTER, Declined()),
        (DOWN + DOWN + DOWN + ENTER, Cancelled()),
        (CTRL_C, Cancelled()),
    ],
)
async def test_what_was_opened_need_not_be_done(keys: str, outcome: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch) as seat:
        await consents(seat, GO)
        seat.press(keys)

        assert await seat.outcome() == outcome


async def test_an_address_longer_than_the_terminal_is_wide_is_given_on_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = LINK + "&token=" + "0123456789" * 20
    async with at(monkeypatch, url) as seat:
        shown = "".join(line.removeprefix("│ ") for line in await seat.sees(CONSENT))
        assert url in shown

        await consents(seat, GO)
        assert f"\n{url}\n" in seat.written.replace("\r", "")


async def test_a_host_in_punycode_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch, "https://xn--pypal-4ve.com/") as seat:
        written = " ".join(await seat.sees(CONSENT))

        assert "! The address is written in a code (punycode)" in written


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://example.com/", "https://me:pw@example.com", None])
async def test_a_link_that_nobody_should_open_can_only_be_refused(
    url: str, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, section 10: only `https`, and no credentials in it."""
    async with at(monkeypatch, url) as seat:
        lines = await seat.sees("What now?")

        assert any("not safe" in line for line in lines)
        assert not any(CONSENT in line for line in lines)
        seat.press(DOWN, ENTER)
        assert await seat.outcome() == Cancelled()
        assert opened == []


async def test_a_hostile_message_and_address_stay_beside_their_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://evil.example/\x1b]8;;http://x\x07\u202e"
    async with at(monkeypatch, url, "Pay\x1b[2J\u202enow") as seat:
        await seat.sees("What now?")

        assert not set("\u202e\x07") & set(seat.written)
        assert "\x1b[2J" not in seat.written
        assert "│ Paynow" in seat.lines()


async def test_a_reason_for_no_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(monkeypatch, takes_reason=True) as seat:
        await seat.sees(CONSENT)
        seat.press(ENTER)
        await seat.sees("Why?")
        seat.press("I do not know them", ENTER)

        assert await seat.outcome() == Declined("I do not know them")
