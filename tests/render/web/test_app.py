"""The pages of the inbox over HTTP, without JavaScript (issue 9, point 1)."""

import asyncio
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from elicitkit import Answer, FormElicitation, Inbox, MemoryInboxStore, Origin, Request, Slot
from elicitkit.host.question_tool import question_prompt
from tests.render.web.visitor import TOKEN, Desk, Visitor, a_desk

NAMED = {"type": "object", "properties": {"name": {"type": "string"}, "note": {"type": "string"}}}

pytestmark = pytest.mark.anyio

ORDER = (
    FormElicitation.create("What would you like?")
    .string("name").required().min_length(2).max_length(20)
    .integer("seats").between(1, 9).default(2)
    .choice("size").options({"s": "Small", "l": "Large"}).required()
)  # fmt: skip
CONFIRM = FormElicitation.create("Announce it?").boolean("announce").title("Announce it").required()
EMPTY = FormElicitation.create("Do you agree to the terms?")
SHOP = Origin("shop", "order", task="t1", agents=("planner", "booker"))


def asking(form: FormElicitation = ORDER, id: str = "r1", **more: object) -> Request:
    built = form.build()
    return SHOP.noted_in(Request(id, "input", built.message, data={"schema": built.schema()}, **more))


async def answer_to(desk: Desk, id: str) -> Answer:
    answer = await desk.inbox.answer_to(id)
    assert answer is not None
    return answer


# --- fill, look over, send --------------------------------------------------------------------------------------------


async def test_a_form_is_filled_in_looked_over_and_sent(desk: Desk) -> None:
    entry = await desk.ask(asking())

    review = await desk.keeper.press("review", f0="Ada", f2="1")
    done = await desk.keeper.press("send")

    assert "Is this right?" in review.text
    assert "Large" in review.text
    assert "Sent" in done.text
    assert dict((await answer_to(desk, entry.id)).data or {}) == {"name": "Ada", "seats": 2, "size": "l"}


async def test_nothing_is_sent_by_looking_over(desk: Desk) -> None:
    entry = await desk.ask(asking())

    await desk.keeper.press("review", f0="Ada", f2="1")

    assert (await desk.inbox.get(entry.id)).is_open


async def test_what_is_wrong_stands_at_the_top_and_beside_its_field_and_what_was_typed_stays(desk: Desk) -> None:
    await desk.ask(asking())

    page = await desk.keeper.press("review", f0="A", f1="12", f2="")

    assert desk.keeper.status == 422
    assert "There are 3 problems" in page.text
    assert [link["href"] for link in page.all("a") if link["href"].startswith("#f")] == ["#f0", "#f1", "#f2"]
    assert page.one("input", id="f0")["aria-invalid"] == "true"
    assert "f0-fault" in page.one("input", id="f0")["aria-describedby"].split()
    assert page.one("p", id="f0-fault")
    assert page.one("input", id="f0")["value"] == "A"
    assert page.one("input", id="f1")["value"] == "12"


@pytest.mark.parametrize(("typed", "focused"), [({"f0": "", "f1": "12"}, "f0"), ({"f0": "Ada", "f1": "12"}, "f1")])
async def test_the_first_field_that_is_wrong_has_the_focus(typed: dict[str, str], focused: str, desk: Desk) -> None:
    """Issue 9: focus on the first fault."""
    await desk.ask(asking())

    page = await desk.keeper.press("review", **typed, f2="")

    assert [given["id"] for tag, given in page.tags if "autofocus" in given] == [focused]
    assert page.one("div", id="faults")["role"] == "alert"


async def test_an_answer_is_changed_after_it_was_looked_over(desk: Desk) -> None:
    entry = await desk.ask(asking())
    await desk.keeper.press("review", f0="Ada", f2="1")

    form = await desk.keeper.press("edit:0")
    assert form.one("input", id="f0") | {"value": "Ada", "autofocus": ""} == form.one("input", id="f0")
    await desk.keeper.press("review", f0="Grace")
    await desk.keeper.press("send")

    assert (await answer_to(desk, entry.id)).data == {"name": "Grace", "seats": 2, "size": "l"}


async def test_a_default_that_was_cleared_is_left_out(desk: Desk) -> None:
    entry = await desk.ask(asking())

    review = await desk.keeper.press("review", f0="Ada", f1="", f2="0")
    await desk.keeper.press("send")

    assert "(left open; the server may take its default" in review.text
    assert (await answer_to(desk, entry.id)).data == {"name": "Ada", "size": "s"}


async def test_what_the_review_carries_is_checked_again(desk: Desk) -> None:
    entry = await desk.ask(asking())
    await desk.keeper.press("review", f0="Ada", f2="1")

    page = await desk.keeper.press("send", f0="A" * 21)

    assert desk.keeper.status == 422
    assert "There is a problem" in page.text
    assert (await desk.inbox.get(entry.id)).is_open


# --- not answering ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["decline", "cancel"])
async def test_declining_and_cancelling_take_one_button(desk: Desk, step: str) -> None:
    entry = await desk.ask(asking())

    page = await desk.keeper.press(step)

    assert (await answer_to(desk, entry.id)).reason == {"decline": "declined", "cancel": "cancelled"}[step]
    assert {"decline": "Declined", "cancel": "Cancelled"}[step] in page.text


async def test_a_reason_is_kept_with_the_question(desk: Desk) -> None:
    entry = await desk.ask(asking())

    page = await desk.keeper.press("decline", note="I have moved.\r\nAsk Grace.")

    assert (await desk.inbox.get(entry.id)).note == "I have moved.\nAsk Grace."
    assert "I have moved." in page.text


async def test_declining_sends_nothing_of_what_was_typed(desk: Desk) -> None:
    entry = await desk.ask(asking())
    await desk.keeper.press("review", f0="Ada", f2="1")

    await desk.keeper.press("decline")

    assert (await answer_to(desk, entry.id)).data is None


# --- yes or no --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "announced"), [("yes", True), ("no", False)])
async def test_a_lone_boolean_is_answered_by_a_button(desk: Desk, step: str, announced: bool) -> None:
    """`false` in a lone boolean is an answer, not a refusal (design, section 5)."""
    entry = await desk.ask(asking(CONFIRM))

    await desk.keeper.press(step)

    answer = await answer_to(desk, entry.id)
    assert (answer.ok, answer.data) == (True, {"announce": announced})


@pytest.mark.parametrize(("step", "ok", "reason"), [("yes", True, None), ("decline", False, "declined")])
async def test_an_empty_form_is_a_dialog(desk: Desk, step: str, ok: bool, reason: str | None) -> None:
    entry = await desk.ask(asking(EMPTY))

    assert [one for form in desk.keeper.page.forms for one in form.steps] == ["yes", "decline", "cancel"]
    await desk.keeper.press(step)

    answer = await answer_to(desk, entry.id)
    assert (answer.ok, answer.reason) == (ok, reason)


async def test_an_approval_shows_what_it_is_for(desk: Desk) -> None:
    entry = await desk.ask(Request("r1", "approval", "Delete 2 files?", data={"paths": ["a.txt", "b.txt"]}))

    assert "a.txt" in desk.keeper.page.text
    await desk.keeper.press("yes")

    assert (await answer_to(desk, entry.id)).ok


# --- links ------------------------------------------------------------------------------------------------------------

PAY = "https://pay.example.com/s/1?amount=42"


@pytest.mark.parametrize(
    "asked",
    [
        Request("r1", "authorization", "Open it", url="https://example.com/", data={"scopes": ["delete everything"]}),
        Request("r1", "input", "Pay?", data={"schema": {"properties": {}}, "amount": "delete everything"}),
        Request("r1", "input", "Who?", data={"schema": NAMED, "why": {"for": "delete everything"}}),
        Request("r1", "seat-map", "Which?", data={"rows": ["delete everything"]}),
    ],
    ids=lambda asked: asked.prompt,
)
async def test_what_came_with_a_question_is_shown_whatever_its_kind(asked: Request, desk: Desk) -> None:
    """Issue 9, point 1, and design, section 10: nobody agrees to what they have not seen."""
    await desk.ask(asked)

    assert "What came with it" in desk.keeper.page.text
    assert "delete everything" in desk.keeper.page.text


async def test_a_link_can_be_clicked_only_after_consent(desk: Desk) -> None:
    entry = await desk.ask(SHOP.noted_in(Request("r1", "authorization", "Please pay.", url=PAY)))

    before = desk.keeper.page
    after = await desk.keeper.press("consent")
    await desk.keeper.press("done")

    assert not [link for link in before.all("a") if "pay.example.com" in link["href"]]
    assert PAY in before.text
    link = after.one("a", href=PAY)
    assert (link["target"], link["rel"], link["referrerpolicy"]) == ("_blank", "noopener noreferrer", "no-referrer")
    answer = await answer_to(desk, entry.id)
    assert (answer.ok, answer.data) == (True, None)


async def test_a_link_that_did_not_work_is_no_refusal(desk: Desk) -> None:
    entry = await desk.ask(Request("r1", "authorization", "Please pay.", url=PAY))
    await desk.keeper.press("consent")

    await desk.keeper.press("failed")

    assert (await answer_to(desk, entry.id)).reason == "failed"


@pytest.mark.parametrize("url", ["http://shop.example/pay", "https://ada:pw@shop.example/", "javascript:alert(1)"])
async def test_a_link_that_must_not_be_opened_is_shown_and_leads_nowhere(desk: Desk, url: str) -> None:
    entry = await desk.ask(Request("r1", "authorization", "Please pay.", url=url))

    page = desk.keeper.page

    assert "cannot be opened here" in page.text
    assert url in page.text
    assert [form.steps for form in page.forms] == [["decline", "cancel"]]
    for step in ("consent", "done"):  # Somebody sends it all the same.
        form = page.forms[0]
        await desk.keeper.client.post(form.action, data={**form.values, "step": step})
    assert (await desk.inbox.get(entry.id)).is_open


# --- other kinds ------------------------------------------------------------------------------------------------------


async def test_the_questions_of_a_model_are_answered_one_by_one(desk: Desk) -> None:
    questions = [
        {"question": "Which colours?", "header": "Colours", "options": ["red", "blue"], "multiple": True},
        {"question": "Which size?", "options": ["s", "l"]},
        {"question": "Why?"},
        {"question": "What else?"},
    ]
    entry = await desk.ask(Request("r1", "question", "Which?", data={"questions": questions}))

    await desk.keeper.press("review", f0=["0", "1"], f1="1", f2="Because")
    await desk.keeper.press("send")

    assert (await answer_to(desk, entry.id)).data == {"answers": [["red", "blue"], "l", "Because", None]}


@pytest.mark.parametrize("questions", ["?", [], [7], [{"question": 7}], [{"question": "x", "options": [1]}]])
async def test_questions_that_are_none_can_only_be_refused(desk: Desk, questions: object) -> None:
    await desk.ask(Request("r1", "question", "Which?", data={"questions": questions}))

    assert "Its questions cannot be read" in desk.keeper.page.text
    assert {step for form in desk.keeper.page.forms for step in form.steps} == {"decline", "cancel"}


async def test_the_prompt_of_questions_is_not_said_twice(desk: Desk) -> None:
    questions = [{"question": "Which size?", "options": ["s", "l"]}, {"question": "Why?"}]
    await desk.ask(Request("r1", "question", question_prompt(questions), data={"questions": questions}))

    assert desk.keeper.page.text.count("Which size?") == 1


async def test_an_unknown_kind_is_shown_and_can_be_agreed_to(desk: Desk) -> None:
    entry = await desk.ask(Request("r1", "signature", "Sign this.", data={"pages": 3}, url="https://example.com/doc"))

    page = desk.keeper.page
    await desk.keeper.press("yes")

    assert "pages: 3" in page.text
    assert not [link for link in page.all("a") if "example.com" in link["href"]]
    assert (await answer_to(desk, entry.id)).ok


async def test_a_form_that_nobody_can_answer_is_shown_and_can_only_be_refused(desk: Desk) -> None:
    schema = {"type": "object", "properties": {"address": {"type": "object"}}, "required": ["address"]}
    entry = await desk.ask(Request("r1", "input", "Where?", data={"schema": schema}))

    page = desk.keeper.page
    await desk.keeper.press("cancel")

    assert "Address" in page.text
    assert "It requires something that cannot be answered here." in page.text
    assert "nobody can answer" not in page.text, "it is told once, in words for a person"
    assert [form.steps for form in page.forms] == [["decline", "cancel"]]
    assert (await answer_to(desk, entry.id)).reason == "cancelled"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"schema": {"type": "array"}}, "Its form cannot be read."),
        ({"schema": "none"}, "It does not say what is to be filled in."),
    ],
)
async def test_a_form_that_cannot_be_read_is_told_in_one_sentence(desk: Desk, data: object, words: str) -> None:
    await desk.ask(Request("r1", "input", "Where?", data=data))

    assert desk.keeper.page.text.count(f"This can only be declined or cancelled {words} Not answering?") == 1
    assert {step for form in desk.keeper.page.forms for step in form.steps} == {"decline", "cancel"}


# --- who asks, and what became of it ----------------------------------------------------------------------------------


async def test_a_page_says_who_asks_and_until_when(desk: Desk) -> None:
    await desk.ask(asking(expires_at=datetime.now(UTC) + timedelta(hours=2, minutes=1)))

    text = desk.keeper.page.text

    for words in ("shop asks", "Tool order", "Host shop agent", "planner → booker", "Task t1", "for 2 more hours"):
        assert words in text


async def test_who_is_second_is_told_that_it_was_answered(desk: Desk) -> None:
    entry = await desk.ask(asking())
    await desk.keeper.press("review", f0="Ada", f2="1")
    await desk.inbox.decline(entry.id, by="Grace")

    page = await desk.keeper.press("send")

    assert desk.keeper.status == 409
    assert "Grace said no to this." in page.text


@pytest.mark.parametrize("gone", ["expired", "withdrawn"])
async def test_an_answer_that_is_too_late_is_told_so(gone: str) -> None:
    now = datetime.now(UTC).timestamp()
    store = MemoryInboxStore(clock=lambda: now)
    async with Inbox(store) as inbox:
        desk = Desk(inbox)
        await desk.keeper.open(f"/?token={TOKEN}")
        entry = await desk.ask(asking(expires_at=datetime.fromtimestamp(now + 60, UTC)))
        if gone == "withdrawn":
            await inbox.withdraw(entry.id)
        else:
            now += 61
            await store.sweep()

        page = await desk.keeper.press("review", f0="Ada", f2="1")

    assert desk.keeper.status == 410
    assert {"expired": "Too late", "withdrawn": "Withdrawn"}[gone] in page.text


async def test_a_question_whose_time_is_over_is_not_asked_before_anybody_has_noted_it() -> None:
    now = datetime.now(UTC).timestamp()
    async with Inbox(MemoryInboxStore(clock=lambda: now - 100)) as inbox:
        desk = Desk(inbox)
        await desk.keeper.open(f"/?token={TOKEN}")

        await desk.ask(asking(expires_at=datetime.fromtimestamp(now - 10, UTC)))

    assert "Too late" in desk.keeper.page.text


async def test_a_host_gets_what_was_sent() -> None:
    async with a_desk() as desk:
        waiting = asyncio.create_task(Slot(desk.inbox.wait_for).answer(asking()))
        entry = await first_open(desk)
        await desk.keeper.open(f"/q/{entry}")
        await desk.keeper.press("review", f0="Ada", f2="1")
        await desk.keeper.press("send")

        with anyio.fail_after(5):
            answer = await waiting

    assert answer.data == {"name": "Ada", "seats": 2, "size": "l"}


async def first_open(desk: Desk) -> str:
    changed = asyncio.Event()
    stop = desk.inbox.subscribe(lambda _: changed.set())
    with anyio.fail_after(5):
        while not (page := await desk.inbox.open()).entries:
            await changed.wait()
    stop()
    return page.entries[0].id


# --- the list ---------------------------------------------------------------------------------------------------------


async def test_the_list_has_what_is_open_with_who_asks_and_leads_to_it(desk: Desk) -> None:
    entry = await desk.ask(asking())

    page = await desk.keeper.open("/")

    assert "What would you like?" in page.text
    assert "Form from shop · tool order" in page.text
    assert page.one("a", href=f"/q/{entry.id}")


async def test_the_list_says_when_there_is_nothing(desk: Desk) -> None:
    assert "Nothing to answer." in desk.keeper.page.text


async def test_what_is_closed_has_a_list_of_its_own(desk: Desk) -> None:
    entry = await desk.ask(asking())
    await desk.keeper.press("decline")

    page = await desk.keeper.open("/closed")

    assert page.one("a", href=f"/q/{entry.id}")
    assert "Declined" in page.text
    assert not (await desk.keeper.open("/")).all("a", href=f"/q/{entry.id}")


async def test_a_thousand_open_questions_are_listed_in_pages(desk: Desk) -> None:
    for number in range(1_000):
        await desk.inbox.ask(Request(f"r{number}", "approval", f"Number {number}?"))

    seen = 0
    page = await desk.keeper.open("/")
    with anyio.fail_after(10):
        while True:
            seen += len(page.all("li", **{"class": "question"}))
            if not (following := page.all("a", rel="next")):
                break
            page = await desk.keeper.open(following[0]["href"])

    assert seen == 1_000
    assert page.one("body")["data-events"].startswith("/events?after=")
    assert "1,000" in page.text


async def test_after_an_answer_the_next_question_is_a_press_away(desk: Desk) -> None:
    await desk.ask(asking(id="r1"))
    other = await desk.inbox.ask(asking(id="r2"))

    page = await desk.keeper.press("decline")

    assert page.one("a", href=f"/q/{other.id}")


@pytest.mark.parametrize("path", ["/?after=nonsense", "/closed?after=%00"])
async def test_a_place_that_is_none_is_the_beginning_of_the_list(desk: Desk, path: str) -> None:
    await desk.keeper.open(path)

    assert desk.keeper.status == 200


async def test_a_question_that_is_not_there_is_a_page_that_says_so(desk: Desk) -> None:
    page = await desk.keeper.open("/q/0123456789abcdef0123456789abcdef")

    assert desk.keeper.status == 404
    assert "There is no such question" in page.text


async def test_the_pages_can_be_mounted_below_a_path(desk: Desk) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    entry = await desk.inbox.ask(asking())
    visitor = Visitor(Starlette(routes=[Mount("/ask", app=desk.app)]))

    await visitor.open(f"/ask/?token={TOKEN}")
    await visitor.open(f"/ask/q/{entry.id}")
    await visitor.press("review", f0="Ada", f2="1")
    page = await visitor.press("send")

    assert "Sent" in page.text
    assert all(link["href"].startswith(("/ask/", "#")) for link in page.all("a"))
