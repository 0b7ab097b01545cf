"""A form whose answer was refused is drawn with what is wrong and with what was answered (issue 9, point 1).

Whose rule: the design, section 1 ("asked again with the reason") and section 6 ("a wrong one goes back to the person
with the faults"). A server sends the form anew, with words above its message; ours begin with `CORRECT_THIS`.
"""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from elicitkit import AnswerError, Entry, Fault, FormElicitation, Origin, Request
from elicitkit.asking.questions import message_with_faults
from elicitkit.host.checking import checked
from elicitkit.host.inbox.asked_again import faults_above, retry_in
from tests.host.inbox.questions import first_open
from tests.render.web.visitor import TOKEN, Desk, Visitor

pytestmark = pytest.mark.anyio

FORM = (
    FormElicitation.create("When do you travel?")
    .string("name").required()
    .string("name_of_pet").title("Name: of pet")
    .boolean("window").required()
    .boolean("meal").default(True)
    .integer("bags").default(1)
    .number("budget")
    .date("day")
    .date_time("at")
    .choice("class").options({"1": "First", "2": "Second"}).required()
    .multi_choice("with").options({"cat": "Cat", "dog": "Dog"})
    .build()
)  # fmt: skip
ANSWER: dict[str, Any] = {
    "name": "Ada", "nameOfPet": "Rex", "window": False, "meal": False, "bags": 3, "budget": 12.5, "day": "2027-05-11",
    "at": "2027-05-12T14:30:00+02:00", "class": "2", "with": ["dog"],
}  # fmt: skip
FAULTS = AnswerError(
    [
        Fault("day", "Day", "is in the past"),
        Fault("nameOfPet", "Name: of pet", "is no pet"),
        Fault("", "", "nobody travels alone"),
    ]
)
CALL = Origin("travel", "book", call="c1")


def asking(id: str = "r1", *, message: str = FORM.message, origin: Origin = CALL) -> Request:
    return origin.noted_in(Request(id, "input", message, data={"schema": FORM.schema()}))


def again(**more: Any) -> Request:
    return asking("r2", message=message_with_faults(FORM.message, FAULTS), **more)


async def answered_and_asked_again(desk: Desk, request: Request | None = None, *, owner: str | None = None) -> Entry:
    first = await desk.inbox.ask(asking(), owner=owner)
    await desk.inbox.accept(first.id, ANSWER)
    return await desk.inbox.ask(request or again(), owner=owner)


async def test_the_faults_stand_at_the_top_and_beside_the_fields_which_hold_what_was_answered(desk: Desk) -> None:
    entry = await answered_and_asked_again(desk)

    page = await desk.keeper.open(f"/q/{entry.id}")

    assert desk.keeper.status == 200  # It is the page of a question, and nobody sent anything wrong just now.
    assert [link["href"] for link in page.all("a") if link["href"].startswith("#f")] == ["#f6", "#f1"]
    assert "There are 3 problems Day : is in the past" in page.text.replace("Day:", "Day :")
    assert "nobody travels alone" in page.text
    assert page.one("input", name="f6")["aria-invalid"] == "true"
    assert page.text.count("is no pet") == 2
    assert page.text.count("When do you travel?") == 1
    assert "Please correct this" not in page.text


async def test_sent_again_it_is_the_same_answer(desk: Desk) -> None:
    """Each kind of field holds what was answered to it, so that only what was wrong is to be changed."""
    entry = await answered_and_asked_again(desk)
    await desk.keeper.open(f"/q/{entry.id}")

    await desk.keeper.press("review")
    await desk.keeper.press("send")

    answer = await desk.inbox.answer_to(entry.id)
    assert answer is not None
    assert dict(answer.data or {}) == ANSWER


@pytest.mark.parametrize(
    "request_",
    [
        again(origin=replace(CALL, call="c2")),
        again(origin=replace(CALL, server="other")),
        asking("r2"),
        replace(again(), data={"schema": FormElicitation.create("x").string("name").schema()}),
        asking("r2", message="Please correct this:\n- Day: is in the past\n\nWhat else?"),
    ],
    ids=["another call", "another server", "no words above", "another form", "another message"],
)
async def test_another_question_is_told_nothing_of_it(desk: Desk, request_: Request) -> None:
    entry = await answered_and_asked_again(desk, request_)

    assert await retry_in(desk.inbox, entry) is None
    assert "Ada" not in (await desk.keeper.open(f"/q/{entry.id}")).html


async def test_a_link_to_one_question_shows_no_answer_to_another_but_to_the_same_person(desk: Desk) -> None:
    """Section 10: a link to one question opens that one alone."""
    seen = []
    for owner in (None, "ada"):
        entry = await answered_and_asked_again(desk, owner=owner)
        visitor = Visitor(desk.app)
        page = await visitor.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")
        await desk.inbox.decline(entry.id)
        seen.append(("is in the past" in page.text, "Rex" in page.html))

    assert seen == [(True, False), (True, True)]


async def test_a_check_of_the_hosts_own_is_drawn_like_one_of_the_servers(desk: Desk) -> None:
    """The host asks again under the same id; no source says which call it is."""
    request, entries = asking(origin=Origin()), []

    async def person(asked: Request) -> Any:
        async with anyio.create_task_group() as group:

            async def answer() -> None:
                entry = await first_open(desk.inbox)
                entries.append((await desk.keeper.open(f"/q/{entry.id}")).text)
                await desk.inbox.accept(entry.id, ANSWER)

            group.start_soon(answer)
            answer_ = await desk.inbox.wait_for(asked)
        return replace(answer_, data={"name": 7}) if len(entries) == 1 else answer_

    await checked(request, person, 3)

    assert "There are 3 problems" in entries[1]


def test_words_that_name_no_field_are_about_the_whole_answer() -> None:
    found = list(faults_above("Your card was refused.\n\n- Day:late\n", FORM.fields))

    assert [(fault.field, fault.problem) for fault in found] == [("", "Your card was refused."), ("", "Day:late")]


# --- who has sent an answer, and where to go on -----------------------------------------------------------------------


async def test_only_who_sent_an_answer_is_told_that_theirs_was_sent(desk: Desk) -> None:
    """By what this browser did, and not by its address: that may be anybody's (issue 9, point 3)."""
    await desk.ask(asking())
    other = Visitor(desk.app)
    await other.open(f"/?token={TOKEN}")
    await desk.keeper.press("decline")

    address = desk.keeper.locations[-1]
    seen = [(await who.open(path)).text for who in (desk.keeper, other) for path in (address, f"{address}?sent")]

    assert ["You said no" in text for text in seen] == [True, True, False, False]


async def test_who_sent_an_answer_to_one_question_is_told_nothing_of_having_sent_another(desk: Desk) -> None:
    await desk.ask(asking())
    await desk.keeper.press("decline")
    other = await desk.inbox.ask(asking("r2", origin=Origin("x", "y", call="z")))
    await desk.inbox.decline(other.id)

    assert "You said no" not in (await desk.keeper.open(f"/q/{other.id}")).text


async def test_who_has_a_link_to_one_question_is_told_where_to_go_next(desk: Desk) -> None:
    entry = await desk.inbox.ask(asking(), owner="ada")
    owner = Visitor(desk.app)
    await owner.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")

    page = await owner.press("decline")

    assert "you can close this page" in page.text
    assert not [link for link in page.all("a") if not link["href"].startswith("#")]
