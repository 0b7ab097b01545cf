"""What nobody touched goes back as it was, whatever a browser's own controls can hold (issue 9, "Proof").

Each default is one that some control of Chromium refuses, changes, or cannot show; a server may have any of them.
"""

from typing import Any

import pytest

from elicitkit import Request
from tests.render.web.browser.chromium import Tab
from tests.render.web.browser.test_filling import answer_to

pytestmark = pytest.mark.anyio

OPTIONS = ["  blanks", "blanks", "\x00", "", " "]
MOMENT, DAY, EMAIL, ADDRESS = ({"format": one} for one in ("date-time", "date", "email", "uri"))

CONTROLS = "input:not([type=hidden], [type=radio], [type=checkbox]), textarea:not([name=note])"

DEFAULTS: dict[str, tuple[dict[str, Any], Any]] = {
    "micros": (MOMENT, "2026-01-05T10:00:00.123456Z"),
    "fine": (MOMENT, "2026-01-05T10:00:00.000000001+00:00"),
    "hundredths": (MOMENT, "2026-01-05T10:00:00.120+01:00"),
    "zero": (MOMENT, "2026-01-05T10:00:00.000Z"),
    "small": (MOMENT, "2026-01-05t10:00:30z"),
    "minus": (MOMENT, "2026-01-05T10:00:00-00:00"),
    "odd": (MOMENT, "2026-01-05T10:00:00.999999+23:59"),
    "first": (MOMENT, "0001-01-01T00:00:00Z"),
    "last": (MOMENT, "9999-12-31T23:59:59.999999Z"),
    "day1": (DAY, "0001-01-01"),
    "dayN": (DAY, "9999-12-31"),
    "mail": (EMAIL, "ada@xn--bcher-kva.example"),
    "url": (ADDRESS, "https://example.com/a%20b?q=c+d#%C3%A9"),
    "urn": (ADDRESS, "urn:isbn:0451450523"),
    "line": ({"maxLength": 60}, "two\nlines"),
    "dos": ({"maxLength": 60}, "a\r\nb\r\n"),
    "mac": ({"maxLength": 60}, "a\rb\u2028c\u2029d"),
    "lead": ({}, "\n\nleading"),
    "blanks": ({}, "  blanks  "),
    "only": ({}, "   "),
    "nul": ({}, "a\x00b\x1b[31m\u202ec\u200b"),
    "hidden": ({}, "\x00"),
    "tab": ({}, "\ta\tb"),
    "markup": ({}, '"><b>&amp;&#0;'),
    "long": ({}, "x" * 5_000 + "\u202e"),
    "digits": ({"type": "integer"}, 9223372036854775807),
    "tiny": ({"type": "number"}, 5e-324),
    "huge": ({"type": "number"}, 1.7976931348623157e308),
    "third": ({"type": "number"}, 0.1 + 0.2),
    "one": ({"enum": OPTIONS}, "  blanks"),
    "many": ({"enum": [*OPTIONS, *map(str, range(9))]}, " "),
    "several": ({"type": "array", "items": {"type": "string", "enum": OPTIONS}}, ["\x00", "  blanks"]),
}
NOT_KEPT = {
    "year": (DAY, "0000-01-01"),
    "far": (DAY, "12026-01-01"),
    "seconds": (MOMENT, "2026-01-05T10:00:00+01:00:30"),
    "spaced": (ADDRESS, "https://example.com/a b"),
    "beyond": ({"type": "integer"}, 2**64 - 1),
}
"""Defaults that are no answers to their own fields: nobody is offered them, and nothing is sent."""


def asking(fields: dict[str, tuple[dict[str, Any], Any]]) -> Request:
    properties = {name: {"type": "string", **schema, "default": value} for name, (schema, value) in fields.items()}
    return Request("r1", "input", "Is it so?", data={"schema": {"type": "object", "properties": properties}})


async def test_what_nobody_touched_goes_back_as_it_was(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking(DEFAULTS | NOT_KEPT))
    await any_tab.screen(f"untouched {any_tab.page.viewport_size['width']}")

    await any_tab.press("Review")
    await any_tab.screen(f"untouched review {any_tab.page.viewport_size['width']}")
    await any_tab.press("Back to the form")
    await any_tab.press("Review")
    await any_tab.press("Send")

    assert (await answer_to(any_tab, entry.id)).data == {name: value for name, (_, value) in DEFAULTS.items()}


async def test_no_control_is_empty_where_there_is_something_to_see(any_tab: Tab) -> None:
    await any_tab.ask(asking({name: one for name, one in DEFAULTS.items() if name != "hidden"}))

    empty = await any_tab.page.locator(CONTROLS).evaluate_all(
        "(all) => all.filter((one) => one.value === '' || !one.validity.valid).map((one) => one.outerHTML)"
    )

    assert empty == []


async def test_a_time_that_is_changed_is_what_it_was_changed_to(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking({"micros": DEFAULTS["micros"]}))

    assert await any_tab.page.get_by_label("Date and time").input_value() == "2026-01-05T10:00:00.123"
    await any_tab.page.get_by_label("Date and time").fill("2026-01-05T11:00")
    await any_tab.press("Review")
    await any_tab.press("Send")

    assert (await answer_to(any_tab, entry.id)).data == {"micros": "2026-01-05T11:00:00+00:00"}
