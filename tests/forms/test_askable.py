"""A form of others, or made by hand, is held to what a built one is before it is sent (design, sections 4 and 10)."""

import pickle
from dataclasses import replace
from typing import Any

import pytest

from elicitkit import Form, FormElicitation, FormError, SensitiveFieldError
from elicitkit.fields import BooleanField, ChoiceField, Field, IntegerField, Option, TextField, UnknownField
from elicitkit.forms import faults as rules


def read(properties: dict[str, Any], *required: str, message: str = "m") -> Form[Any]:
    return Form.from_schema(message, {"type": "object", "properties": properties, "required": [*required]})


def refused(form: Form[Any]) -> FormError:
    with pytest.raises(FormError) as caught:
        form.require_askable()
    return caught.value


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "form",
    [
        read({}),
        read({"name": TEXT, "token_count": {"type": "integer", "default": 3}}, "name"),
        read({"odd": {"type": "object"}}),
        read({"reset_password": {"type": "boolean"}, "pin": {"type": "string", "enum": ["keep", "change"]}}),
        Form("m", (TextField("pin", sensitive_allowed=True), BooleanField("ok", default=True))),
    ],
    ids=["empty", "plain", "an optional unknown", "no text to type", "vouched for"],
)
def test_a_form_that_we_could_have_built_may_be_asked(form: Form[Any]) -> None:
    form.require_askable()
    form.require_askable()


UNASKABLE: list[tuple[str, Form[Any], str]] = [
    ("a blank message", read({}, message=" "), "the message: is blank"),
    ("a message too long", Form("x" * 10_001), "the message: has 10,001 characters"),
    (
        "an unknown that is required",
        read({"odd": {"type": "object"}}, "odd"),
        "Odd: is required, and the form can only",
    ),
    ("one that is only named", read({}, "odd"), "Odd: is required, and the form can only be declined"),
    ("too many fields", Form("m", tuple(TextField(f"f{at}") for at in range(65))), "has 65 fields"),
    ("two of one name", Form("m", (TextField("a"), TextField("a"))), "the wire name of more than one field"),
    ("no options", Form("m", (ChoiceField("a"),)), "is a choice without options"),
    ("too many options", Form("m", (ChoiceField("a", options=tuple(map(Option, map(str, range(1001))))),)), "1,001"),
    ("too large", Form("m", (TextField("a", description="x" * 131_072),)), "bytes as a schema"),
    ("half a character", Form("m", (TextField("a\udc80"),)), "holds half a character"),
    ("nothing between the bounds", Form("m", (IntegerField("a", minimum=2, maximum=1),)), "has min 2 above max 1"),
    ("a default out of bounds", Form("m", (IntegerField("a", minimum=2, default=1),)), "has a default that must be"),
]


@pytest.mark.parametrize(("form", "problem"), [pytest.param(*row[1:], id=row[0]) for row in UNASKABLE])
def test_a_form_that_could_not_be_built_is_not_asked(form: Form[Any], problem: str) -> None:
    assert problem in str(refused(form))
    assert problem in str(refused(form))


@pytest.mark.parametrize("kind", ["string", "integer", "number"])
@pytest.mark.parametrize("body", [{}, {"title": "Your PIN"}], ids=["name", "title"])
def test_a_credential_is_not_asked_for_by_a_form_of_others(kind: str, body: dict[str, str]) -> None:
    form = read({"value" if body else "api_key": {"type": kind, **body}})

    assert isinstance(refused(form), SensitiveFieldError)


def test_every_fault_is_told_at_once() -> None:
    form = read({"password": TEXT, "odd": {"type": "object"}}, "odd", message="")

    assert [fault.field for fault in refused(form).faults] == ["", "password", "odd"]


def test_a_message_that_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="the message of a form is text, not int"):
        Form(5).require_askable()  # type: ignore[arg-type]


def test_a_form_that_was_built_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    built = FormElicitation.create("m").string("pin").allow_sensitive().build()
    monkeypatch.setattr(rules, "_problems", None)

    for form in (built, built.with_message("again")):
        form.require_askable()


def test_what_was_found_askable_does_not_vouch_for_other_fields_or_another_message() -> None:
    form = FormElicitation.create("m").string("name").build()
    secret: tuple[Field, ...] = (TextField("password"),)

    assert isinstance(refused(replace(form, fields=secret)), SensitiveFieldError)
    assert "is blank" in str(refused(replace(form, message="")))


def test_a_blank_message_can_be_mended() -> None:
    form = read({"name": TEXT}, message="")
    refused(form)

    form.with_message("Who?").require_askable()
    assert "is blank" in str(refused(form))


def test_a_built_form_is_askable_after_it_was_pickled() -> None:
    form = FormElicitation.create("m").multi_choice("c").options({"a": "A"}).default("a").date("day").build()

    pickle.loads(pickle.dumps(form)).require_askable()


def test_an_unknown_says_why_it_cannot_be_answered() -> None:
    form = Form("m", (UnknownField("odd", required=True, reason="it is odd"),))

    assert str(refused(form)).endswith("Odd: is required, and the form can only be declined: it is odd")
