"""Each kind of page, in a real browser: it fits, it is accessible, and it has its picture taken (issue 9, points 1, 2).

The pictures are in `.screens/`, to be looked at by whoever changes a page.
"""

from collections.abc import Awaitable, Callable

import pytest

from elicitkit import FormElicitation, Request
from tests.render.web.browser import asking
from tests.render.web.browser.chromium import HAS_AXE, Tab
from tests.render.web.test_hostile import requests as hostile

pytestmark = pytest.mark.anyio

Way = Callable[[Tab], Awaitable[object]]

_ROWS = """() => [...document.querySelectorAll(".data .line")].map((line) => {
  const text = line.lastChild.firstChild ?? line.lastChild, words = document.createRange();
  words.setStart(text, text.length - text.data.trimStart().length);
  words.setEnd(text, text.length);
  return [...words.getClientRects()].map((row) => row.left);
})"""
"""Where each row of each line of what came with a question begins."""


def shown(*requests: Request) -> Way:
    """The list, with these open."""

    async def go(tab: Tab) -> None:
        for request in requests:
            await tab.desk.inbox.ask(request, owner="ada")
        await tab.open("/")

    return go


def asked(request: Request, *pressed: str) -> Way:
    """The page of a question, after some buttons were pressed."""

    async def go(tab: Tab) -> None:
        await tab.ask(request)
        for button in pressed:
            await tab.press(button)

    return go


async def reviewed(tab: Tab) -> None:
    await tab.ask(asking.a_name())
    await tab.page.get_by_label("Name").fill("Ada")
    await tab.page.get_by_label("More").fill(f"A line.\n{'Long' * 50}")
    await tab.press("Review")


async def expired(tab: Tab) -> None:
    entry = await tab.ask(asking.a_name())
    await tab.desk.inbox.withdraw(entry.id, reason="abandoned")
    await tab.page.reload()


async def closed(tab: Tab) -> None:
    await asked(asking.an_approval(), "No")(tab)
    await tab.open("/closed")


TOPPINGS = (
    FormElicitation.create("Which?").multi_choice("toppings").options(asking.OPTIONS).default("o3").string("more")
)

PAGES: dict[str, Way] = {
    "list": shown(asking.every_kind(), asking.a_link(), asking.an_approval("r2"), asking.an_unknown_kind()),
    "list empty": shown(),
    "list closed": closed,
    "form": asked(asking.every_kind()),
    "form with faults": asked(asking.every_kind(), "Review"),
    "form with many boxes": asked(asking.form(TOPPINGS)),
    "review": reviewed,
    "yes or no": asked(asking.a_lone_boolean()),
    "dialog": asked(asking.a_dialog()),
    "approval": asked(asking.an_approval()),
    "link": asked(asking.a_link()),
    "link to a trick": asked(asking.a_link("https://xn--pypal-4ve.com/login")),
    "link not safe": asked(asking.a_link("http://ada:secret@shop.example/login")),
    "link after consent": asked(asking.a_link(), "Go on to the link"),
    "questions": asked(asking.questions()),
    "unknown kind": asked(asking.an_unknown_kind()),
    "unanswerable": asked(asking.an_unanswerable_form()),
    "sent": asked(asking.a_lone_boolean(), "Yes"),
    "declined": asked(asking.an_approval(), "No"),
    "given up": expired,
    "not found": lambda tab: tab.open("/q/nothing"),
    "hostile form": asked(next(hostile())),
    "hostile form with faults": asked(next(hostile()), "Review"),
}


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_fits_every_width_and_axe_finds_nothing_serious(tab: Tab, name: str) -> None:
    if not HAS_AXE:
        pytest.skip("missing here: needs axe-core, which `make pages` installs")
    await PAGES[name](tab)

    assert await tab.faults_of_axe() == []
    await tab.screen(f"{name} 1280")
    assert await tab.too_wide() == []
    await tab.page.emulate_media(color_scheme="dark")
    await tab.page.set_viewport_size({"width": 320, "height": 800})
    assert await tab.faults_of_axe("color-contrast") == []
    await tab.screen(f"{name} 320 dark")
    assert await tab.too_wide() == []


@pytest.mark.parametrize("name", ["list", "form with faults", "review", "link", "yes or no"])
async def test_a_page_can_be_read_at_twice_the_size_of_text_on_a_phone(tab: Tab, name: str) -> None:
    await PAGES[name](tab)

    await tab.page.set_viewport_size({"width": 360, "height": 800})
    await tab.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await tab.screen(f"{name} 360 double")

    assert await tab.too_wide() == []


async def test_what_is_pressed_is_large_enough_for_a_thumb(tab: Tab) -> None:
    """At least 44 pixels each way (WCAG 2.2, 2.5.5); a control in a row that is pressed as a whole has the row's."""
    await tab.ask(asking.every_kind())
    await tab.page.set_viewport_size({"width": 320, "height": 800})

    small = await tab.page.evaluate(
        """() => [...document.querySelectorAll("main :is(button, select, textarea, input, label.choice)")]
          .filter((one) => one.type !== "hidden" && !one.matches(".choice input"))
          .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
          .filter(([, box]) => box.height < 44 || box.width < 44).map(([html]) => html)"""
    )

    assert small == []


@pytest.mark.parametrize("width", [1280, 360])
async def test_what_is_wrapped_begins_further_in_than_the_line_it_is_of(tab: Tab, width: int) -> None:
    """Design, section 10: so no text of a stranger's passes for an entry, however deep it stands."""
    data = {"job": {"target": {"host": {"note": "a harmless remark " * 15 + "delete: no", "path": "/srv"}}}}
    await tab.page.set_viewport_size({"width": width, "height": 800})
    await tab.ask(Request("r1", "approval", "Run the job?", data=data))

    lines = await tab.page.evaluate(_ROWS)

    assert [lefts for lefts in lines if lefts[1:]] != []
    assert [lefts for lefts in lines if any(left <= lefts[0] for left in lefts[1:])] == []


async def test_right_to_left_text_turns_its_own_box_and_nothing_else(tab: Tab) -> None:
    hebrew = "\u05e9\u05dc\u05d5\u05dd"
    await tab.ask(asking.form(FormElicitation.create(f"{hebrew}!").string(hebrew).required().string("x")))

    turned = await tab.page.evaluate("getComputedStyle(document.querySelector('.message')).direction")
    mark = await tab.page.locator("label[for=f0]").inner_text()

    assert turned == "rtl"
    assert mark.startswith(hebrew)
    assert mark.endswith("(required)")
