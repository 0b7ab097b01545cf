"""Other sides that take the specification at its word, and more."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from mcp_types import ElicitResult
from pydantic import BaseModel, ConfigDict, ValidationError

from elicitkit import Form, FormElicitation, ScriptError
from elicitkit.bridge import answer_to_elicit_result
from elicitkit.suspension import Request
from elicitkit.testing import ScriptedAnswers
from tests import eras, strategies


class Titled(BaseModel):
    """A docstring that must not become the description of the form."""

    model_config = ConfigDict(title="A title", json_schema_extra={"x-extra": 1})

    name: str


@dataclass
class Documented:
    """Another docstring."""

    name: str


ROOT = {"type", "properties", "required"}


@given(strategies.forms())
def test_r027_the_root_of_a_schema_has_nothing_but_what_is_listed(form: Form[Any]) -> None:
    for revision in eras.ALL:
        assert form.schema(revision).keys() <= ROOT


@pytest.mark.parametrize("made", [Titled, Documented])
@pytest.mark.parametrize("revision", eras.ALL)
def test_r027_neither_title_nor_docstring_of_a_type_goes_out(made: Any, revision: str) -> None:
    assert FormElicitation.from_type(made, "?").build().schema(revision).keys() <= ROOT


@pytest.mark.parametrize("reason", ["declined", "cancelled", "expired", "headless", "rejected"])
def test_r029_what_is_sent_is_one_of_the_three_actions(reason: str) -> None:
    request = Request("r1", "approval", "?")
    answer = request.decline() if reason == "declined" else request.cancel(reason)

    assert answer_to_elicit_result(answer).action == ("decline" if reason == "declined" else "cancel")


def test_r029_reject_is_no_action() -> None:
    with pytest.raises(ValidationError):
        ElicitResult.model_validate({"action": "reject"})
    with pytest.raises(ScriptError, match="one of accept, decline and cancel"):
        ScriptedAnswers([{"action": "reject"}])


@pytest.mark.parametrize(
    ("name", "label"),
    [("x", "X"), ("fullName", "Full Name"), ("full_name", "Full Name"), ("größe", "Größe"), ("_", "_"), ("", "")],
)
def test_r031_a_field_without_a_title_has_its_key_for_a_label(name: str, label: str) -> None:
    for title in ({}, {"title": ""}, {"title": "  "}, {"title": None}, {"title": 7}):
        schema = {"type": "object", "properties": {name: {"type": "string", **title}}}
        (field,) = Form.from_schema("?", schema).fields
        assert field.label == label
