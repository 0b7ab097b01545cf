"""`Form`: frozen, a value, and everything made of it made once (design, section 4; issue "Forms", Speed)."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from elicitkit import Content, Form, FormElicitation
from elicitkit.fields import BooleanField, TextField


def in_upper_case(answer: Content) -> None:
    if not answer["full_name"].isupper():
        raise ValueError("must be in capitals")


def form() -> Form[Any]:
    return FormElicitation.create("Who?").string("full_name").required().boolean("ok").default(True).build()


def test_a_form_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        form().message = "other"  # type: ignore[misc]  # that is the point


def test_equal_forms_are_equal_and_hash_alike() -> None:
    assert form() == form()
    assert hash(form()) == hash(form())
    assert form() != form().with_message("Who else?")


def test_a_form_can_be_made_without_a_builder() -> None:
    """House style: builders only record; what they record into can be made and used without them."""
    made = Form("Sure?", (BooleanField("ok", required=True),))

    assert made.check({"ok": False}) == {"ok": False}
    assert made.schema() == {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def test_another_message_keeps_all_else() -> None:
    other = form().with_message("Again?")

    assert (other.message, other.fields) == ("Again?", form().fields)
    assert form().message == "Who?"


def test_a_form_for_every_message_makes_its_schema_once() -> None:
    module_level = form()

    assert module_level.with_message("1").schema() is module_level.with_message("2").schema()


def test_replaced_fields_are_not_answered_like_the_old_ones() -> None:
    asked = form()
    asked.check({"full_name": "Ada"})

    other = replace(asked, fields=(TextField("city"),))

    assert [*other.schema()["properties"]] == ["city"]
    assert other.check({"city": "Turin", "full_name": "Ada"}) == {"city": "Turin"}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["shallow", "deep", "pickled"]
)
def test_a_form_that_was_used_can_be_copied_and_pickled(copied: Any) -> None:
    asked = FormElicitation.create("Who?").string("full_name").required().validate(in_upper_case).build()
    asked.check({"full_name": "ADA"})

    twin = copied(asked)

    assert (twin, twin.schema()) == (asked, asked.schema())
    with pytest.raises(ValueError, match="must be in capitals"):
        twin.check({"full_name": "Ada"})


def test_the_digest_tells_questions_apart_and_does_not_mind_the_order_of_fields() -> None:
    start = FormElicitation.create
    one = start("m").string("a").required().integer("b").required().build()
    turned = start("m").integer("b").required().string("a").required().build()
    others = [one.with_message("n"), start("m").string("a").build(), start("m").string("a").integer("b").build()]

    assert one.digest() == turned.digest()
    assert len({one.digest(), *(other.digest() for other in others)}) == 4
    assert len(one.digest()) == 32


def test_forms_that_differ_in_their_message_alone_have_digests_of_their_own() -> None:
    """They share what is made of their fields (design, section 7)."""
    one = form()
    other = one.with_message("Who else?")

    assert [one.digest(), other.digest(), one.digest()] == [form().digest(), other.digest(), form().digest()]
    assert one.digest() != other.digest()


def test_the_digest_is_the_same_after_a_round_trip() -> None:
    assert Form.from_schema("Who?", form().schema()).digest() == form().digest()


def test_a_request_is_what_the_wire_has() -> None:
    request = form().to_input_request()

    assert request["method"] == "elicitation/create"
    assert request["params"] == {"mode": "form", "message": "Who?", "requestedSchema": form().schema()}


def test_a_form_without_fields_is_a_confirm_dialog() -> None:
    asked = FormElicitation.create("Delete it?").build()

    assert asked.fields == ()
    assert asked.check({}) == {}
