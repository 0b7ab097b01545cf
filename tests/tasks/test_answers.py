"""What an answer makes of an open question (design, sections 5 and 8)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import Accepted, AnswerError, Cancelled, Declined, FormElicitation
from elicitkit.journal import EXPIRED, Reply
from elicitkit.limits import ANSWER_BYTES
from elicitkit.tasks.answers import judge, outcome_of
from elicitkit.tasks.record import Settlement, TaskInput
from elicitkit.tasks.requests import form_request, link_request, request_of, shape_of

SECRET = "swordfish"


def asked(source: Any = None, **more: Any) -> TaskInput:
    form = FormElicitation.create("Which size?").string("size").required().max_length(8)
    request = request_of(source or form.integer("count").default(1))
    return TaskInput("key", "name", shape_of(request), request, 1_000.0, **more)


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def test_an_answer_that_fits_is_kept_as_it_came() -> None:
    """`null` keeps a default away: the checked content would not say so."""
    settlement = judge(asked(), accept(size="M", count=None))

    assert settlement == Settlement("key", Reply("accept", {"size": "M", "count": None}))


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_is_kept_without_content(action: Any) -> None:
    assert judge(asked(), {"action": action, "content": {"size": SECRET}}) == Settlement("key", Reply(action))


def test_what_the_form_does_not_ask_for_is_not_kept() -> None:
    settlement = judge(asked(), accept(size="M", other=SECRET, half="\ud800", large=2**70))

    assert settlement.reply.content == {"size": "M"}


def test_a_field_that_cannot_be_drawn_is_not_kept() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "object"}}}

    assert judge(asked(form_request("m", schema)), accept(a="x", b={"c": 1})).reply.content == {"a": "x"}


def test_an_accepted_link_has_no_content() -> None:
    """2026-07-28, Elicitation, "URL mode": consent, and nothing else."""
    settlement = judge(asked(link_request("Sign in", "https://example.com")), accept(token=SECRET))

    assert settlement == Settlement("key", Reply("accept"))


def test_a_confirmation_without_fields_may_be_accepted_without_content() -> None:
    assert judge(asked(FormElicitation.create("Sure?")), {"action": "accept"}).reply == Reply("accept", {})


# --- wrong answers ----------------------------------------------------------------------------------------------------


def test_a_wrong_answer_is_asked_again_with_the_faults_above_the_message() -> None:
    question = asked()
    settlement = judge(question, accept(size=SECRET, count="many"))

    again = settlement.replacement
    assert again is not None
    assert again.request["params"]["message"] == (
        "Please correct this:\n- Size: must have at most 8 characters\n"
        "- Count: must be a whole number in figures, such as 1000\n\nWhich size?"
    )
    assert (again.key == "key", len(again.key), again.name, again.attempt, again.until) == (False, 32, "name", 2, 1_000)
    assert again.request["params"]["requestedSchema"] is question.request["params"]["requestedSchema"]
    assert settlement.reply.content is None


def test_the_faults_of_an_earlier_try_are_not_told_again() -> None:
    first = judge(asked(), accept(size=4)).replacement
    assert first is not None

    second = judge(first, accept(size="M", count="many")).replacement

    assert second is not None
    told = "Please correct this:\n- Count: must be a whole number in figures, such as 1000\n\nWhich size?"
    assert second.request["params"]["message"] == told
    assert second.attempt == 3


@pytest.mark.parametrize("tries", [1, 2, 3, 5])
def test_after_the_last_try_the_tool_is_told(tries: int) -> None:
    """Design, section 8: after `tries` the tool gets `AnswerError`."""
    question: TaskInput | None = asked(tries=tries)
    settlements = []

    while question is not None:
        settlements.append(judge(question, accept(size=4)))
        question = settlements[-1].replacement

    assert len(settlements) == tries
    last = settlements[-1].reply
    assert (last.action, last.content, last.problem, last.tries) == ("accept", None, "Size: must be text", tries)


@pytest.mark.parametrize(
    "response",
    [None, [], "accept", {}, {"action": "maybe"}, {"action": ["accept"]}, {"action": "accept", "content": [1]}, 4],
    ids=repr,
)
def test_what_is_no_answer_at_all_is_a_wrong_one(response: Any) -> None:
    """A client shows a key once: if this were ignored, it would wait for ever."""
    settlement = judge(asked(), response)

    assert settlement.replacement is not None
    assert settlement.reply.problem is not None
    assert settlement.reply.problem.startswith("The answer could not be read")
    message = settlement.replacement.request["params"]["message"]
    assert "once more" in message  # A person has nothing from words about the wire.
    assert "action" not in message


def test_accepting_without_content_where_some_is_required_is_wrong() -> None:
    """Design, section 5: never a refusal."""
    assert judge(asked(), {"action": "accept"}).replacement is not None


def test_an_answer_that_is_too_large_is_wrong() -> None:
    """Design, section 11: 256 KiB inside tasks."""
    settlement = judge(asked(), accept(size="M", other="x" * ANSWER_BYTES))

    assert settlement.reply.problem is not None
    assert "may take 262,144" in settlement.reply.problem


@given(st.text().map(SECRET.__add__))
def test_nothing_that_was_typed_is_in_what_is_kept_or_asked_again(typed: str) -> None:
    """Design, section 5: no text ever contains what the person typed."""
    settlement = judge(asked(), accept(size=typed, count=typed))

    assert SECRET not in repr(settlement)


# --- outcomes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply("decline"), Declined()),
        (Reply("cancel"), Cancelled()),
        (EXPIRED, Cancelled("expired")),
        (None, Cancelled()),
        (Reply("accept", {"size": "M"}), Accepted({"size": "M", "count": 1}, raw={"size": "M", "count": 1})),
    ],
    ids=["decline", "cancel", "expired", "withdrawn", "accept"],
)
def test_a_reply_becomes_an_outcome(reply: Reply | None, outcome: object) -> None:
    assert outcome_of(replace(asked(), reply=reply)) == outcome


def test_a_reply_with_a_problem_is_an_error() -> None:
    with pytest.raises(AnswerError, match="Size: must be text"):
        outcome_of(replace(asked(), reply=Reply("accept", problem="Size: must be text")))
