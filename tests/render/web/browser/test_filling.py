"""Every kind of field in a real browser: fill, fail, correct, look over, send (issue 9, "Proof")."""

from typing import Any

import pytest

from elicitkit import Answer, FormElicitation, Request
from tests.render.web.browser import asking
from tests.render.web.browser.chromium import Tab

pytestmark = pytest.mark.anyio

ANSWERED = {
    "title": "Testing at sea",
    "summary": "One line.\nAnother.",
    "email": "ada@example.com",
    "page": "https://example.com/talk",
    "arrival": "2027-05-11",
    "slot": "2027-05-12T14:30:00+02:00",
    "seats": 41,
    "costs": 12.5,
    "recorded": False,
    "terms": True,
    "length": "long",
    "room": "o17",
    "topics": ["testing", "people"],
}

PASTE = """
(line, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  line.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true, bubbles: true }));
}
"""


async def fill(page: Any) -> None:
    await page.get_by_label("Title").fill("Testing at sea")
    await page.get_by_label("Summary").fill("One line.\nAnother.")
    await page.get_by_label("E-mail").fill("ada@example.com")
    await page.get_by_label("A page about it").fill("https://example.com/talk")
    await page.get_by_label("Arrival").fill("2027-05-11")
    await page.get_by_label("Date and time").fill("2027-05-12T14:30")
    await page.get_by_label("Time zone").select_option(label="UTC+02:00")
    await page.get_by_role("textbox", name="Seats").fill("41")
    await page.get_by_label("Travel costs").fill("12,5")
    await page.get_by_label("May we record it?").uncheck()
    await page.get_by_role("radiogroup", name="Do you accept the terms?").get_by_label("Yes").check()
    await page.get_by_label("Workshop").check()
    await page.get_by_label("Room").select_option(label="Option number 17")
    await page.get_by_label("Testing").check()
    await page.get_by_label("People").check()


async def answer_to(tab: Tab, id: str) -> Answer:
    answer = await tab.desk.inbox.answer_to(id)
    assert answer is not None
    return answer


async def test_every_kind_of_field_is_filled_in_looked_over_and_sent(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking.every_kind())
    await fill(any_tab.page)

    await any_tab.press("Review")
    review = await any_tab.page.locator(".review").inner_text()
    await any_tab.press("Send")

    assert await any_tab.heading() == "Sent"
    assert (await answer_to(any_tab, entry.id)).data == ANSWERED
    for words in ("Testing at sea", "Another.", "2027-05-12 14:30, UTC+02:00", "12.5", "Option number 17"):
        assert words in review


async def test_what_fails_is_told_beside_the_field_and_corrected(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking.every_kind())
    page = any_tab.page

    await page.get_by_label("E-mail").fill("nobody")
    await page.get_by_label("Date and time").fill("2027-05-12T14:30")
    await page.get_by_label("Time zone").select_option("")
    await page.get_by_role("textbox", name="Seats").fill("many")
    await any_tab.press("Review")
    summary = page.get_by_role("alert")
    assert await summary.get_by_role("heading").inner_text() == "There are 9 problems"
    await summary.get_by_role("link", name="E-mail").click()
    assert await page.get_by_label("E-mail").input_value() == "nobody"
    assert "must be an e-mail address" in await page.locator("#f2-fault").inner_text()
    assert "needs a time zone as well" in await page.locator("#f5-fault").inner_text()
    await fill(page)
    await any_tab.press("Review")
    await any_tab.press("Send")

    assert (await answer_to(any_tab, entry.id)).data == ANSWERED


async def test_an_answer_is_changed_from_the_review(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking.a_name())
    page = any_tab.page
    await page.get_by_label("Name").fill("Ada")
    await any_tab.press("Review")

    await any_tab.press("Change Name")
    await page.get_by_label("Name").fill("Grace")
    await any_tab.press("Review")
    await any_tab.press("Send")

    assert (await answer_to(any_tab, entry.id)).data == {"name": "Grace"}


@pytest.mark.parametrize(("button", "reason"), [("Decline", "declined"), ("Cancel", "cancelled")])
async def test_a_form_is_refused_from_each_of_its_pages(any_tab: Tab, button: str, reason: str) -> None:
    entry = await any_tab.ask(asking.a_name("r1"))
    await any_tab.press(button)
    assert (await answer_to(any_tab, entry.id)).reason == reason

    entry = await any_tab.ask(asking.a_name("r2"))
    await any_tab.page.get_by_label("Name").fill("Ada")
    await any_tab.press("Review")
    await any_tab.press(button)

    assert await any_tab.heading() == {"Decline": "Declined", "Cancel": "Cancelled"}[button]
    assert (await answer_to(any_tab, entry.id)).reason == reason


async def test_a_link_opens_in_a_window_that_knows_nothing_of_ours(any_tab: Tab) -> None:
    entry = await any_tab.ask(asking.a_link(any_tab.address.replace("127.0.0.1", "localhost") + "/static/icon.svg"))
    await any_tab.press("Go on to the link")

    async with any_tab.page.context.expect_page() as opening:
        await any_tab.page.get_by_role("link", name="Open localhost").click()
    opened = await opening.value
    await opened.wait_for_load_state()
    opener = await any_tab.page.locator("a[target=_blank]").get_attribute("rel")
    await any_tab.press("I am done")

    assert opened.url.endswith("/static/icon.svg")
    assert opener == "noopener noreferrer"
    assert (await answer_to(any_tab, entry.id)).ok


@pytest.mark.parametrize(("button", "data"), [("Yes", {"it": True}), ("No", {"it": False})])
async def test_a_lone_boolean_takes_one_press(any_tab: Tab, button: str, data: dict[str, bool]) -> None:
    entry = await any_tab.ask(asking.a_lone_boolean())

    await any_tab.press(button)

    assert (await answer_to(any_tab, entry.id)).data == data


async def test_a_form_is_answered_with_the_keyboard_alone(tab: Tab) -> None:
    which = FormElicitation.create("Which?").integer("count").between(1, 9).required()
    entry = await tab.ask(asking.form(which.choice("size").options(["small", "large"]).required()))
    keys = tab.page.keyboard

    await keys.press("Tab")
    assert await tab.focused() == "Skip to the content"
    await keys.press("Enter")
    await keys.press("Tab")
    assert await tab.focused() == "f0"
    await keys.press("ArrowUp")
    await keys.press("ArrowUp")
    await keys.press("Enter")
    await tab.page.wait_for_selector("#faults")
    assert await tab.focused() == "f1"
    await keys.press("Space")
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await tab.page.wait_for_selector("#review")
    assert await tab.focused() == "review"
    for _ in range(3):
        await keys.press("Tab")
    await keys.press("Enter")
    await tab.page.wait_for_selector("#verdict")

    assert (await answer_to(tab, entry.id)).data == {"count": 2, "size": "large"}


async def test_the_zone_of_this_device_is_filled_in_for_the_day_that_was_picked(tab: Tab) -> None:
    """In Berlin it is +01:00 in winter, and +02:00 in summer."""
    await tab.ask(asking.every_kind())
    local, zone = tab.page.get_by_label("Date and time"), tab.page.get_by_label("Time zone")

    seen = []
    for moment in ("2027-01-12T14:30", "2027-07-12T14:30"):
        await local.fill(moment)
        await local.blur()
        seen.append(await zone.input_value())
    await zone.select_option("-05:00")
    await local.fill("2027-01-12T14:30")
    await local.blur()

    assert seen == ["+01:00", "+02:00"]
    assert await zone.input_value() == "-05:00"


async def test_whole_numbers_keep_all_their_digits_when_they_are_stepped(tab: Tab) -> None:
    await tab.ask(asking.form(FormElicitation.create("How many?").integer("count").max(2**63 - 1).string("x")))
    count = tab.page.get_by_role("textbox", name="Count")

    await count.fill("9223372036854775805")
    for _ in range(3):
        await tab.page.get_by_role("button", name="One more: Count").click()
    most = await count.input_value()
    await tab.page.get_by_role("button", name="One less: Count").click()

    assert (most, await count.input_value()) == ("9223372036854775807", "9223372036854775806")


async def test_a_long_list_of_boxes_is_searched_by_typing(tab: Tab) -> None:
    toppings = FormElicitation.create("Which?").multi_choice("toppings").options(asking.OPTIONS).string("more")
    entry = await tab.ask(asking.form(toppings))
    page = tab.page

    await page.get_by_label("Option number 3", exact=True).check()
    await page.get_by_label("Find one of: Toppings").fill("NUMBER 17")
    seen = await page.locator(".choice:visible").all_inner_texts()
    await page.keyboard.press("Enter")
    await page.get_by_label("Option number 17").check()
    await tab.press("Review")
    await tab.press("Send")

    assert [text.strip() for text in seen] == ["Option number 3", "Option number 17"]
    assert (await answer_to(tab, entry.id)).data == {"toppings": ["o3", "o17"]}


async def test_pressing_twice_sends_once(tab: Tab) -> None:
    await tab.ask(asking.a_lone_boolean())

    await tab.page.get_by_role("button", name="Yes", exact=True).dblclick()
    await tab.page.wait_for_selector("#verdict")

    assert await tab.heading() == "Sent"


@pytest.mark.parametrize("request_", [asking.an_approval(), asking.a_dialog()], ids=["approval", "dialog"])
async def test_a_no_is_there_once_and_takes_the_reason(any_tab: Tab, request_: Request) -> None:
    entry = await any_tab.ask(request_)

    assert await any_tab.page.get_by_role("button").all_inner_texts() == ["Yes", "No", "Cancel"]
    await any_tab.page.get_by_label("Reason").fill("not today")
    await any_tab.press("No")

    assert (await answer_to(any_tab, entry.id)).reason == "declined"
    assert (await any_tab.desk.inbox.get(entry.id)).note == "not today"


async def test_enter_in_a_line_leads_to_the_review(any_tab: Tab) -> None:
    await any_tab.ask(asking.form(FormElicitation.create("Who?").string("name")))

    await any_tab.page.get_by_label("Name").fill("Ada")
    async with any_tab.page.expect_navigation():
        await any_tab.page.get_by_label("Name").press("Enter")

    assert await any_tab.page.locator("h2").first.inner_text() == "Is this right?"


async def test_several_lines_that_are_pasted_into_a_line_stay_several(tab: Tab) -> None:
    entry = await tab.ask(asking.form(FormElicitation.create("Who?").string("name")))
    line = tab.page.get_by_label("Name")
    await line.fill("Ada and")
    await line.press("End")

    await line.evaluate(PASTE, " Grace\r\nand Linus\n")
    assert await line.input_value() == "Ada and Grace\nand Linus"
    await tab.page.reload()
    assert await line.input_value() == "Ada and Grace\nand Linus"
    await tab.press("Review")
    await tab.press("Send")

    assert (await answer_to(tab, entry.id)).data == {"name": "Ada and Grace\nand Linus"}
