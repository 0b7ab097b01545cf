"""`elicit` and `confirm` over a road of the test's own: what is asked, and what it comes to (design, 5 and 7)."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from elicitkit import (
    Accepted,
    AdapterMissing,
    AnswerError,
    Cancelled,
    Declined,
    ElicitationUnsupported,
    Form,
    FormElicitation,
    FormError,
    confirm,
    elicit,
)
from elicitkit.asking import reply_from, travelling
from elicitkit.journal import Journal, Question, Reply
from elicitkit.limits import MESSAGE_CHARACTERS
from elicitkit.schema.dialects import DIALECTS

pytestmark = pytest.mark.anyio


class Road:
    """Answers from a list, and keeps what was asked."""

    dialect = DIALECTS["2026-07-28"]
    answer_bytes = 1_000

    def __init__(self, *replies: tuple[str, Mapping[str, Any] | None]) -> None:
        self.replies = [reply_from(action, content, self.answer_bytes) for action, content in replies]
        self.asked: list[Question] = []
        self.running: set[str] = set()
        self.journal = Journal()
        self.elicitkit_road = self

    @property
    def session(self) -> "Road":
        return self

    def require(self, mode: str) -> None:
        if not self.replies:
            raise ElicitationUnsupported(f"no {mode}")

    def name(self, digest: str, key: str | None) -> str:
        return self.journal.name(digest, key)

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return self.replies.pop(0)


def age_form() -> FormElicitation[Any]:
    form = FormElicitation.create("How old are you?")
    form.integer("age").required().min(0)
    return form


async def test_an_answer_that_fits_is_accepted_with_its_types_made_right() -> None:
    outcome = await elicit(Road(("accept", {"age": "42"})), age_form())

    assert outcome == Accepted({"age": 42}, raw={"age": 42})


async def test_any_node_of_a_chain_can_be_asked() -> None:
    outcome = await elicit(Road(("accept", {})), FormElicitation.create("Well?").string("note").max_length(3))

    assert outcome


@pytest.mark.parametrize(("action", "refusal"), [("decline", Declined()), ("cancel", Cancelled())])
async def test_a_refusal_is_an_outcome_even_with_content(action: str, refusal: object) -> None:
    outcome = await elicit(Road((action, {"age": 42})), age_form())

    assert outcome == refusal
    assert not outcome
    assert outcome.content is None


async def test_a_wrong_answer_is_asked_again_with_the_faults_above_the_message() -> None:
    road = Road(("accept", {"age": -1}), ("accept", {"age": 1}))

    outcome = await elicit(road, age_form())

    assert outcome.content == {"age": 1}
    assert road.asked[1].message == "Please correct this:\n- Age: must be at least 0\n\nHow old are you?"


async def test_accepting_without_content_is_a_wrong_answer_not_a_refusal() -> None:
    road = Road(("accept", None), ("accept", {"age": 1}))

    outcome = await elicit(road, age_form())

    assert outcome.content == {"age": 1}
    assert "Age: is required" in road.asked[1].message


async def test_after_three_tries_the_answer_is_an_error_that_names_the_field() -> None:
    road = Road(*[("accept", {"age": "secret-17x"})] * 4)

    with pytest.raises(AnswerError, match="Age: must be a whole number") as raised:
        await elicit(road, age_form())

    assert len(road.asked) == 3
    assert "secret" not in str(raised.value) + repr(raised.value)
    assert all("secret" not in question.message for question in road.asked)


async def test_tries_can_be_set() -> None:
    road = Road(*[("accept", {})] * 2)

    with pytest.raises(AnswerError):
        await elicit(road, age_form(), tries=1)

    assert len(road.asked) == 1


async def test_a_refusal_after_a_wrong_answer_ends_it() -> None:
    outcome = await elicit(Road(("accept", {}), ("decline", None)), age_form())

    assert outcome == Declined()


async def test_each_try_has_a_name_of_its_own() -> None:
    road = Road(("accept", {}), ("accept", {}), ("accept", {"age": 1}))

    await elicit(road, age_form(), key="age")

    assert [question.name for question in road.asked] == ["age", "age~2", "age~3"]


async def test_an_answer_larger_than_the_road_takes_is_asked_again() -> None:
    road = Road(("accept", {"age": "1" * 2_000}), ("accept", {"age": 1}))

    await elicit(road, age_form())

    assert "The answer takes 2,010 bytes, and may take 1,000: shorten it" in road.asked[1].message


async def test_an_authors_own_check_is_asked_again_in_its_words() -> None:
    def only_even(content: Mapping[str, Any]) -> None:
        if content["age"] % 2:
            raise ValueError("The age has to be even.")

    road = Road(("accept", {"age": 3}), ("accept", {"age": 4}))

    outcome = await elicit(road, age_form().validate(only_even))

    assert outcome.content == {"age": 4}
    assert "- The age has to be even.\n" in road.asked[1].message


async def test_faults_are_cut_where_they_and_the_message_do_not_fit() -> None:
    message = "m" * (MESSAGE_CHARACTERS - 60)
    form = FormElicitation.create(message)
    for number in range(20):
        form.string(f"field{number}").required()
    road = Road(("accept", {}), ("cancel", None))

    await elicit(road, form)

    assert len(road.asked[1].message) == MESSAGE_CHARACTERS
    assert road.asked[1].message.endswith(message)
    assert "…\n\n" in road.asked[1].message


async def test_a_message_that_fills_the_limit_is_asked_again_as_it_is() -> None:
    form = FormElicitation.create("m" * MESSAGE_CHARACTERS)
    form.string("a").required()
    road = Road(("accept", {}), ("cancel", None))

    await elicit(road, form)

    assert road.asked[1].message == form.build().message


async def test_nothing_is_sent_when_the_form_does_not_work() -> None:
    road = Road(("accept", {}))

    with pytest.raises(FormError, match="without options"):
        await elicit(road, FormElicitation.create("Which?").choice("one"))

    assert not road.asked


@pytest.mark.parametrize(
    ("message", "schema"),
    [
        (" ", {"name": {"type": "string"}}),
        ("?", {"password": {"type": "string"}}),
        ("?", {"address": {"type": "object"}}),
    ],
    ids=["blank message", "credential", "undrawable"],
)
async def test_a_form_that_others_wrote_is_looked_at_before_it_is_sent(message: str, schema: dict[str, Any]) -> None:
    """A fault comes before the person answers, wherever the form is from (design, section 4)."""
    road = Road(("accept", {}))
    form = Form.from_schema(message, {"type": "object", "properties": schema, "required": [*schema]})

    with pytest.raises(FormError):
        await elicit(road, form)

    assert not road.asked


async def test_a_client_without_forms_is_an_error_or_what_the_author_says() -> None:
    instead = Cancelled("unsupported")

    with pytest.raises(ElicitationUnsupported):
        await elicit(Road(), age_form())

    assert await elicit(Road(), age_form(), unsupported=instead) is instead
    assert await confirm(Road(), "Sure?", unsupported=instead) is instead


async def test_without_an_adapter_the_error_shows_the_line_to_add() -> None:
    class Bare:
        session = object()

    with pytest.raises(AdapterMissing, match=r"middleware=\[Elicitation\(\)\]"):
        await elicit(Bare(), age_form())


async def test_without_a_context_the_road_of_the_running_call_is_found() -> None:
    with travelling(Road(("accept", {"age": 1}))):
        outcome = await elicit(None, age_form())

    assert outcome
    with pytest.raises(AdapterMissing):
        await elicit(None, age_form())


async def test_a_context_is_never_answered_on_the_road_of_another_call() -> None:
    class Bare:
        session = object()

    with travelling(Road(("accept", {"age": 1}))), pytest.raises(AdapterMissing):
        await elicit(Bare(), age_form())


@pytest.mark.parametrize("key", ["", " ", "a#2", "a~2"])
async def test_a_key_that_could_be_mistaken_for_a_name_of_ours_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="a key is text without"):
        await elicit(Road(("accept", {})), age_form(), key=key)


async def test_no_tries_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        await elicit(Road(("accept", {})), age_form(), tries=0)


async def test_a_forgotten_await_is_an_error_and_never_a_yes() -> None:
    with pytest.raises(TypeError, match="write `await` before"):
        assert confirm(Road(), "Delete everything?")


async def test_a_question_can_be_a_task_like_any_coroutine() -> None:
    assert await asyncio.create_task(elicit(Road(("accept", {"age": 1})), age_form()))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("text",), "elicit takes a context and a form, such as FormElicitation.create(…), not str"),
        ((None,), "elicit takes a context and a form, such as FormElicitation.create(…), not nothing"),
    ],
)
async def test_what_is_no_form_is_a_plain_type_error(arguments: tuple[Any], text: str) -> None:
    with pytest.raises(TypeError) as raised:
        await elicit(Road(("accept", {})), *arguments)

    assert str(raised.value) == text


async def test_what_is_no_context_is_a_plain_type_error() -> None:
    with pytest.raises(TypeError, match="elicit takes the tool's context first, not str"):
        await elicit("ctx", age_form())  # type: ignore[arg-type]


async def test_a_key_that_is_no_text_is_a_plain_type_error() -> None:
    with pytest.raises(TypeError, match="a key is text, not int"):
        await elicit(Road(("accept", {})), age_form(), key=5)  # type: ignore[arg-type]


class TestConfirm:
    """The yes/no question (design, section 4; report R051: some hosts hang on a form without fields)."""

    async def test_it_sends_one_required_boolean_without_default(self) -> None:
        road = Road(("accept", {"confirm": True}))

        outcome = await confirm(road, "Delete it?", label="Yes, delete it")

        assert outcome == Accepted(None, raw={"confirm": True})
        assert road.asked[0].schema == {
            "type": "object",
            "properties": {"confirm": {"type": "boolean", "title": "Yes, delete it"}},
            "required": ["confirm"],
        }

    @pytest.mark.parametrize("reply", [("accept", {"confirm": False}), ("decline", None), ("cancel", None)])
    async def test_anything_but_a_yes_is_a_refusal(self, reply: tuple[str, Any]) -> None:
        assert not await confirm(Road(reply), "Delete it?")

    async def test_accepting_without_saying_yes_or_no_is_asked_again(self) -> None:
        road = Road(("accept", {}), ("accept", {"confirm": True}))

        assert await confirm(road, "Delete it?")
        assert "Confirm: is required" in road.asked[1].message

    @pytest.mark.parametrize(("action", "is_yes"), [("accept", True), ("decline", False), ("cancel", False)])
    async def test_as_an_empty_form_the_action_alone_decides(self, action: str, is_yes: bool) -> None:
        road = Road((action, None))

        outcome = await confirm(road, "Delete it?", empty=True)

        assert bool(outcome) is is_yes
        assert road.asked[0].schema == {"type": "object", "properties": {}}
