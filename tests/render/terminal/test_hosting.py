"""The terminal as a host's `wait_for`; a form asked again has what was filled in (issue 9, point 5)."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest

from elicitkit import Answer, Origin, Request, Slot, retry_of
from elicitkit.forms import Content
from elicitkit.host.question_tool import question_prompt
from elicitkit.outcomes import Accepted, Cancelled, Declined, Outcome
from elicitkit.render.terminal import hosting, wait_for
from tests.render.terminal.person import CTRL_C, ENTER, seated_before

pytestmark = pytest.mark.anyio

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 1}},
    "required": ["name"],
}
LINK = Origin("shop", "order").noted_in(Request("r1", "authorization", "Sign in", "https://example.com"))
REQUEST = Request("r1", "input", "Who?", data={"schema": SCHEMA})


class Person:
    """Somebody at the terminal, who answers in turn."""

    def __init__(self, *outcomes: Outcome[Any]) -> None:
        self._outcomes = iter(outcomes)
        self.asked: list[tuple[str, str]] = []
        self.known: list[dict[str, Any]] = []

    async def fill(self, form: Any, asker: str, **known: Any) -> Outcome[Content]:
        self.asked.append((form.message, asker))
        self.known.append(known)
        return next(self._outcomes)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Any:
    def sit(*outcomes: Outcome[Any]) -> Person:
        sitting = Person(*outcomes)
        monkeypatch.setattr(hosting, "fill", sitting.fill)
        return sitting

    return sit


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        (Accepted(Content({"name": "Ada"})), REQUEST.accept({"name": "Ada"})),
        (Accepted(Content({"name": "Ada"}, cleared=frozenset({"age"}))), REQUEST.accept({"name": "Ada", "age": None})),
        (Declined(), REQUEST.decline()),
        (Declined("too late"), REQUEST.decline()),
        (Cancelled(), REQUEST.cancel()),
        (Cancelled("expired"), REQUEST.cancel("expired")),
    ],
)
async def test_an_outcome_becomes_an_answer(outcome: Outcome[Any], answer: Answer, person: Any) -> None:
    person(outcome)

    assert await wait_for(REQUEST) == answer


async def test_the_person_is_told_who_asks_and_until_when(person: Any) -> None:
    until = datetime(2026, 11, 30, tzinfo=UTC)
    request = Origin("shop", "order").noted_in(Request("r1", "input", "Who?", None, {"schema": SCHEMA}, until))
    sitting = person(Declined(), Declined())

    await wait_for(request)
    await wait_for(REQUEST)

    assert sitting.asked == [("Who?", "shop (tool order)"), ("Who?", "this program")]
    assert sitting.known[0]["until"] == until


async def test_an_approval_is_a_yes_or_no(person: Any) -> None:
    sitting = person(Accepted(Content({})))

    assert (await wait_for(Request("r1", "approval", "Deploy?"))).ok
    assert sitting.asked == [("Deploy?", "this program")]


@pytest.mark.parametrize(
    ("request_", "shown"),
    [
        (
            Request("r1", "approval", "Delete?", data={"paths": ["/etc", "/home"]}),
            ["│ paths:", "│   - /etc", "│   - /home"],
        ),
        (
            Request("r1", "authorization", "Open", "https://x.org/", {"scopes": ["delete"]}),
            ["│ scopes:", "│   - delete"],
        ),
        (Request("r1", "input", "Pay?", data={"schema": SCHEMA, "amount": "1000 EUR"}), ["│ amount: 1000 EUR"]),
        (
            Request("r1", "input", "Pay?", data={"schema": {"type": "object", "properties": {}}, "amount": 7}),
            ["│ amount: 7"],
        ),
        (Request("r1", "question", "?", data={"questions": [{"question": "Why?"}], "about": "x"}), ["│ about: x"]),
    ],
    ids=["approval", "link", "form", "confirm", "questions"],
)
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
async def test_the_person_sees_what_came_with_a_question(
    request_: Request, shown: list[str], term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is to agree to what they have not seen; on the page it is the same."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("BROWSER", "true")
    async with seated_before(wait_for(request_), monkeypatch, rows=40) as seat:
        screen = await seat.sees("Cancel")
        seat.press(CTRL_C)

        assert await seat.outcome() == request_.cancel()
    at = screen.index("What came with it:")
    assert screen[at + 1 : at + 1 + len(shown)] == shown


async def test_the_person_is_told_how_many_wait_in_the_hosts_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 9, point 5: several questions queued. The slot shows one at a time: the terminal knows of no other."""
    slot, requests = Slot(wait_for), [Request(f"r{number}", "approval", "Go?") for number in range(3)]

    async def asking() -> Any:
        return await asyncio.gather(*map(slot.answer, requests))

    async with seated_before(asking(), monkeypatch, rows=60) as seat:
        await seat.sees("2 more questions wait.")
        await seat.sees("» No")
        seat.press(CTRL_C)
        await seat.sees("1 more question waits.")
        seat.press(CTRL_C, CTRL_C)

        assert await seat.outcome() == [request.cancel() for request in requests]


async def test_the_time_that_a_host_gives_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    approval = Request("r1", "approval", "Go?")
    async with seated_before(Slot(wait_for, timeout=3_600).answer(approval), monkeypatch) as seat:
        screen = await seat.sees("» No")

    assert any(line.startswith("Open until ") for line in screen)


@pytest.mark.parametrize(
    "request_",
    [
        Request("r1", "question", "Which?"),
        Request("r1", "input", "Who?", data={"schema": {"type": "array"}}),
    ],
)
async def test_what_cannot_be_shown_is_cancelled(request_: Request) -> None:
    assert await wait_for(request_) == request_.cancel("unsupported")


async def test_a_form_that_nobody_can_answer_is_shown_and_can_only_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 4. On the page it is told in the same words."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "title": "Aims"}}, "required": ["a"]}
    request = Request("r1", "input", "Where to?", data={"schema": schema})
    async with seated_before(wait_for(request), monkeypatch, columns=100) as seat:
        screen = await seat.sees("Cancel")
        seat.press(ENTER)

        assert await seat.outcome() == request.decline()
    assert "This can only be declined or cancelled. It requires something that cannot be answered here." in screen
    assert "nobody can answer" not in " ".join(screen)


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        (Accepted(None), LINK.accept()),
        (Declined(), LINK.decline()),
        (Cancelled("failed"), LINK.cancel("failed")),
    ],
)
async def test_a_link_is_put_to_the_person(
    outcome: Outcome[None], answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def visit(*given: Any, until: datetime | None, **known: Any) -> Outcome[None]:
        asked.append((*given, until))
        return outcome

    monkeypatch.setattr(hosting, "visit", visit)

    assert await wait_for(LINK) == answer
    assert asked == [("Sign in", "https://example.com", "shop (tool order)", None)]


async def test_the_questions_of_a_model_are_answered_one_by_one(person: Any) -> None:
    """The contract of the kind `question`: an answer for each, `None` for one that was left open."""
    questions = [{"question": "Which colours?", "options": ["red", "blue"], "multiple": True}, {"question": "Why?"}]
    request = Request("r1", "question", question_prompt(questions), data={"questions": questions})
    sitting = person(Accepted(Content({"q0": ["red"]})), Declined())

    assert await wait_for(request) == request.accept({"answers": [["red"], None]})
    assert await wait_for(request) == request.decline()
    assert sitting.asked[0] == ("", "this program")  # the prompt would say it all once more


async def test_a_form_asked_again_has_what_was_filled_in(person: Any) -> None:
    sitting = person(Accepted(Content({"name": "Ada", "age": "old"})), Accepted(Content({"name": "Ada", "age": 36})))

    answer = await Slot(wait_for).answer(REQUEST)

    assert answer.data == {"name": "Ada", "age": 36}
    assert [message for message, _ in sitting.asked] == ["Who?", "Who?"]  # the faults stand apart
    assert (sitting.known[0]["filled"], sitting.known[0]["faults"]) == ({}, ())
    assert sitting.known[1]["filled"] == {"name": "Ada", "age": "old"}
    assert [fault.field for fault in sitting.known[1]["faults"]] == ["age"]


async def test_the_whole_way_from_a_slot_to_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `wait_for` of a host's own, which does not check, and passes on what it knows of the try before."""
    wrong = iter([{"age": 1}])

    async def careless(request: Request) -> Answer:
        if retry_of(request) is None:
            return request.accept(next(wrong))
        return await wait_for(request)

    shown: dict[str, Any] = {}

    async def fill(form: Any, asker: str, *, filled: Any, faults: Any, **known: Any) -> Outcome[Content]:
        shown.update(filled=filled, faults=[str(fault) for fault in faults])
        return Accepted(form.check({**filled, "name": "Ada"}))

    monkeypatch.setattr(hosting, "fill", fill)
    with anyio.fail_after(5):
        answer = await Slot(careless).answer(REQUEST)

    assert answer.data == {"name": "Ada", "age": 1}
    assert shown == {"filled": {"age": 1}, "faults": ["Name: is required"]}
