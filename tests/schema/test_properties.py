"""What holds for every form and every answer (design, sections 4 and 5)."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import AnswerError, Form, FormError
from elicitkit.fields import Field, IntegerField, MultiChoiceField, NumberField, TextField, UnknownField
from elicitkit.schema.check import Checker
from elicitkit.schema.dialects import dialect_of
from tests import strategies
from tests.validators import passes

FIRST = "2025-06-18"


def with_answers(answers: Any) -> st.SearchStrategy[tuple[Form[Any], Any]]:
    return strategies.forms().flatmap(lambda form: st.tuples(st.just(form), answers(form)))


def as_sent(field: Field) -> Field:
    """A field without what the wire does not carry: the author's own spelling, and what the author vouches for."""
    if isinstance(field, TextField | IntegerField | NumberField):
        field = replace(field, sensitive_allowed=False)
    return replace(field, written="")


@given(with_answers(strategies.right_answers))
def test_a_right_answer_is_accepted_and_passes_the_requested_schema(asked: tuple[Form[Any], Any]) -> None:
    form, answer = asked

    checked = form.check(answer)

    assert passes(form.schema(), checked)
    assert without_nothing(answer).items() <= checked.items()


@given(with_answers(strategies.answers))
def test_whatever_a_check_lets_through_passes_the_requested_schema(asked: tuple[Form[Any], Any]) -> None:
    form, answer = asked

    try:
        checked = form.check(answer)
    except AnswerError:
        return

    assert passes(form.schema(), checked)


@given(with_answers(strategies.answers))
def test_checking_what_was_checked_changes_nothing(asked: tuple[Form[Any], Any]) -> None:
    form, answer = asked
    try:
        checked = form.check(answer)
    except AnswerError:
        return

    again = form.check(checked | dict.fromkeys(checked.cleared))

    assert (again, again.cleared) == (checked, checked.cleared)


@given(with_answers(strategies.answers))
def test_an_answer_that_is_kept_as_it_came_is_what_the_rules_make_of_it(asked: tuple[Form[Any], Any]) -> None:
    form, answer = asked
    checker = Checker(form.fields)

    kept, ruled = outcome(checker.check, answer), outcome(checker._coerced, answer)

    assert kept == ruled
    assert repr(kept) == repr(ruled)  # 1 is not True, and not 1.0; the order is that of the fields


@given(strategies.forms(), strategies.junk)
def test_a_check_of_any_json_raises_nothing_but_an_answer_error(form: Form[Any], answer: Any) -> None:
    with contextlib.suppress(AnswerError):
        form.check(answer)


@given(strategies.forms())
def test_reading_what_was_written_gives_the_same_fields(form: Form[Any]) -> None:
    read = Form.from_schema(form.message, form.schema())

    assert read.fields == tuple(map(as_sent, form.fields))
    assert read.schema() == form.schema()


@given(st.dictionaries(strategies.texts, strategies.legal_properties, max_size=4))
def test_writing_what_was_read_loses_nothing(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "required": [*properties][:1]}

    written = Form.from_schema("m", schema).schema()

    assert meanings(written) == meanings(schema)
    assert written.get("required", []) == schema["required"]


@given(strategies.hostile_schemas)
def test_reading_any_json_raises_nothing_but_a_form_error(schema: Any) -> None:
    try:
        form = Form.from_schema("m", schema)
    except FormError:
        return

    assert {field.name for field in form.fields} >= set(schema["properties"])
    assert Form.from_schema("m", form.schema()).fields == form.fields
    assert form.digest()
    if any(isinstance(field, UnknownField) and field.required for field in form.fields):
        with pytest.raises(AnswerError, match="cannot be answered here"):
            form.check({})


@given(with_answers(strategies.right_answers))
def test_an_answer_to_the_schema_of_2025_06_18_is_checked_like_one_to_the_form(asked: tuple[Form[Any], Any]) -> None:
    form, answer = asked
    spoken = in_the_first_dialect(form, answer)

    folded = dialect_of(FIRST).fold(form.fields, spoken)

    assert in_any_order(form.check(folded)) == in_any_order(form.check(answer))
    assert passes(form.schema(FIRST), shown_beforehand(form) | without_nothing(spoken))


@given(strategies.forms())
def test_the_schema_of_2025_06_18_has_nothing_that_revision_lacks(form: Form[Any]) -> None:
    properties = form.schema(FIRST)["properties"]

    parts = [len(field.options) if isinstance(field, MultiChoiceField) else 1 for field in form.fields]
    assert len(properties) == sum(parts)
    for schema in properties.values():
        assert schema["type"] in ("string", "integer", "number", "boolean")
        assert "default" not in schema or schema["type"] == "boolean"
        assert len(schema.get("enumNames", [])) in (0, len(schema.get("enum", [])))
        assert {"oneOf", "anyOf", "items"}.isdisjoint(schema)


def outcome(check: Callable[[Any], Any], answer: Any) -> Any:
    try:
        return check(answer)
    except AnswerError as error:
        return error.faults


def in_the_first_dialect(form: Form[Any], answer: dict[str, Any]) -> dict[str, Any]:
    """What is said to the first revision's schema to mean an answer; the booleans of a field stand in its place."""
    names = iter(form.schema(FIRST)["properties"])
    spoken: dict[str, Any] = {}
    for field in form.fields:
        parts = ticks(field, answer.get(field.name)) if isinstance(field, MultiChoiceField) else None
        asked = [next(names) for _ in parts or "1"]
        if field.name in answer:
            spoken |= zip(asked, parts or [answer[field.name]], strict=True)
    return spoken


def ticks(field: MultiChoiceField, chosen: list[str] | None) -> list[bool | None]:
    return [None if chosen is None else option.value in chosen for option in field.options]


def in_any_order(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: sorted(value) if isinstance(value, list) else value for name, value in answer.items()}


def shown_beforehand(form: Form[Any]) -> dict[str, Any]:
    properties = form.schema(FIRST)["properties"]
    return {name: schema["default"] for name, schema in properties.items() if "default" in schema}


def without_nothing(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if value is not None}


def meanings(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: meaning(prop) for name, prop in schema["properties"].items()}


def meaning(prop: dict[str, Any]) -> dict[str, Any]:
    """A property with its options in one spelling, whichever of the five it has."""
    said = {name: value for name, value in prop.items() if name not in ("enum", "enumNames", "oneOf", "items")}
    place = prop.get("items", prop)
    values, names = place.get("enum", []), prop.get("enumNames", [])
    named = [{"const": value, "title": name} for value, name in zip(values, names or values, strict=True)]
    options = place.get("oneOf", place.get("anyOf", named))
    return said | {"options": [option | {"title": title_of(option)} for option in options]}


def title_of(option: dict[str, Any]) -> str:
    return str(option["title"] if option["title"].strip() else option["const"])
