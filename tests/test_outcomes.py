"""Outcomes (design, section 5): a refusal is falsy, and has no content to use by mistake."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from elicitkit import Accepted, Cancelled, Declined

REFUSALS = [Declined(), Cancelled(), Declined("too late"), Cancelled("expired")]


def test_an_accepted_question_is_true_even_without_content() -> None:
    assert Accepted({"ok": False})
    assert Accepted(None)


@pytest.mark.parametrize("refusal", REFUSALS, ids=repr)
def test_a_refusal_is_false_and_has_no_content(refusal: Declined | Cancelled) -> None:
    """R055 of the reports."""
    assert not refusal
    assert refusal.content is None


@pytest.mark.parametrize(
    ("outcome", "action"), [(Accepted({}), "accept"), (Declined(), "decline"), (Cancelled(), "cancel")], ids=repr
)
def test_every_outcome_has_the_action_of_the_specification(outcome: Any, action: str) -> None:
    """Elicitation, "Response actions"."""
    assert outcome.action == action


def test_a_refusal_has_a_reason() -> None:
    assert [refusal.reason for refusal in REFUSALS] == ["declined", "cancelled", "too late", "expired"]


def test_outcomes_can_be_matched() -> None:
    def told(outcome: Any) -> str:
        match outcome:
            case Accepted(content):
                return f"hello {content['name']}"
            case Declined(reason) | Cancelled(reason):
                return reason
        return "no outcome"

    assert told(Accepted({"name": "Ada"})) == "hello Ada"
    assert [told(refusal) for refusal in REFUSALS] == ["declined", "cancelled", "too late", "expired"]


def test_the_whole_answer_stays_beside_the_content() -> None:
    outcome = Accepted("Ada", raw={"name": "Ada", "extra": 1})

    assert (outcome.content, outcome.raw) == ("Ada", {"name": "Ada", "extra": 1})


@pytest.mark.parametrize("outcome", [Accepted({"a": 1}, raw={"a": 1}), *REFUSALS], ids=repr)
def test_outcomes_are_values(outcome: Any) -> None:
    assert outcome == copy.deepcopy(outcome) == pickle.loads(pickle.dumps(outcome))


@pytest.mark.parametrize(
    ("outcome", "name"), [(Accepted({}), "content"), (Declined(), "reason"), (Cancelled(), "reason")]
)
def test_outcomes_are_frozen(outcome: Any, name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(outcome, name, "other")
