"""What somebody typed outlives Back and Reload, and nothing of it outlives the question (issue 9: "a tired person")."""

from typing import Any

import pytest

from elicitkit import FormElicitation
from tests.render.web.browser import asking
from tests.render.web.browser.chromium import Tab
from tests.render.web.browser.test_filling import fill

pytestmark = pytest.mark.anyio

KEPT = "JSON.stringify(sessionStorage) + JSON.stringify(localStorage)"


async def looks(page: Any) -> dict[str, Any]:
    """What stands in the fields of a form."""
    read = "(all) => Object.fromEntries(all.map((one) => [one.name + one.value, [one.value, one.checked]]))"
    found: dict[str, Any] = await page.locator("form.act [name]:not([type=hidden]):not(button)").evaluate_all(read)
    return found


@pytest.mark.parametrize("how", ["back from the review", "reload", "back from elsewhere"])
async def test_what_was_typed_into_every_kind_of_field_is_there_again(tab: Tab, how: str) -> None:
    await tab.ask(asking.every_kind())
    await fill(tab.page)
    await tab.page.get_by_label("Reason").fill("perhaps")
    before = await looks(tab.page)

    match how:
        case "reload":
            await tab.page.reload()
        case "back from the review":
            await tab.press("Review")
            await tab.page.go_back()
        case _:
            await tab.leave_by("All questions")
            await tab.page.go_back()

    assert await looks(tab.page) == before


@pytest.mark.parametrize("how", ["back to the faults", "reload of the faults", "reload of the review"])
async def test_a_page_that_answered_a_form_does_not_want_it_sent_again(tab: Tab, how: str) -> None:
    """Browsers ask whether to send a form again, or show an error, where a page that they did not keep came of one."""
    await tab.ask(asking.form(FormElicitation.create("How many?").integer("pieces")))
    await tab.page.get_by_role("textbox", name="Pieces").fill("1,000")
    await tab.press("Review")
    assert await tab.page.get_by_role("alert").count()
    if how != "reload of the faults":
        await tab.page.get_by_role("textbox", name="Pieces").fill("1000")
        await tab.press("Review")

    gone = await (tab.page.go_back() if how.startswith("back") else tab.page.reload())

    assert gone is not None
    assert (gone.request.method, gone.status) == ("GET", 200)
    assert await tab.page.get_by_role("textbox", name="Pieces").input_value() in ("1000", "1,000")


async def test_the_script_that_counts_and_the_zone_somebody_chose_come_back_too(tab: Tab) -> None:
    await tab.ask(asking.every_kind())
    await tab.page.get_by_role("button", name="One more: Seats").click()
    await tab.page.get_by_label("Time zone").select_option(label="UTC+09:00")
    await tab.page.get_by_label("Date and time").fill("2027-05-12T14:30")

    await tab.page.reload()
    await tab.page.get_by_label("Date and time").fill("2027-05-12T15:30")
    await tab.page.get_by_label("Date and time").blur()

    assert await tab.page.get_by_role("textbox", name="Seats").input_value() == "41"
    assert await tab.page.get_by_label("Time zone").input_value() == "+09:00"


@pytest.mark.parametrize("button", ["Send", "Decline", "Cancel", "answered elsewhere"])
async def test_nothing_typed_stays_when_the_question_is_over(tab: Tab, button: str) -> None:
    entry = await tab.ask(asking.a_name())
    await tab.page.get_by_label("Name").fill("Ada Lovelace")
    await tab.listens()
    assert "Ada Lovelace" in await tab.page.evaluate(KEPT)

    match button:
        case "Send":
            await tab.press("Review")
            await tab.press("Send")
        case "answered elsewhere":
            await tab.desk.inbox.decline(entry.id)
        case _:
            await tab.press(button)
    await tab.page.wait_for_selector("#verdict")

    assert "Ada" not in await tab.page.evaluate(KEPT)


async def test_another_tab_does_not_see_it(tab: Tab) -> None:
    entry = await tab.ask(asking.a_name())
    await tab.page.get_by_label("Name").fill("Ada")
    other = await tab.page.context.new_page()

    await other.goto(f"{tab.address}/q/{entry.id}")

    assert await other.get_by_label("Name").input_value() == ""


async def test_what_a_form_should_not_ask_for_is_not_kept(tab: Tab) -> None:
    form = FormElicitation.create("Sign in").string("user").string("password").allow_sensitive()
    await tab.ask(asking.form(form))
    await tab.page.get_by_label("User").fill("ada")
    await tab.page.get_by_label("Password").fill("secret-word")

    kept = await tab.page.evaluate(KEPT)

    assert "ada" in kept
    assert "secret-word" not in kept


async def test_a_page_from_the_memory_of_a_browser_shows_no_answer_to_what_is_over(tab: Tab) -> None:
    entry = await tab.ask(asking.a_name())
    await tab.page.get_by_label("Name").fill("Ada")
    await tab.page.evaluate("document.body.dataset.state = 'answered'")  # So that the stream says nothing new.
    await tab.desk.inbox.accept(entry.id, {"name": "Ada"})

    await tab.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    await tab.page.wait_for_selector("#verdict")

    assert await tab.page.get_by_label("Name").count() == 0


async def test_without_scripts_the_way_back_is_on_the_page(plain_tab: Tab) -> None:
    await plain_tab.ask(asking.a_name())
    await plain_tab.page.get_by_label("Name").fill("Ada")

    await plain_tab.press("Review")
    await plain_tab.press("Back to the form")

    assert await plain_tab.page.get_by_label("Name").input_value() == "Ada"
