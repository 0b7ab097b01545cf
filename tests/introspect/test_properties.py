"""What holds for every type of every kind and every answer (design, section 4)."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from elicitkit.introspect.describe import describe
from elicitkit.schema.check import Checker
from elicitkit.schema.write import requested_schema
from tests.introspect.making import answered, fields_of, members
from tests.introspect.members import Case, cases
from tests.specification import needs_specification, validator
from tests.strategies import junk
from tests.validators import passes

KEYWORDS = {"type", "title", "description", "default", "format", "enum", "oneOf", "anyOf", "items", "const"} | {
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
}


def schema_of(made: Any) -> dict[str, Any]:
    return requested_schema(fields_of(made))


@given(cases())
def test_an_answer_becomes_the_value_it_means(case: Case) -> None:
    value = members(case.made, answered(case.made, case.answer))

    assert value == case.expected
    assert {name: type(one) for name, one in value.items()} == {name: type(one) for name, one in case.expected.items()}


@given(cases())
def test_the_wire_has_what_the_specification_lists_and_no_more(case: Case) -> None:
    """No `$ref`, no class name, no format but four, no `anyOf` with null, whatever the type."""
    schema = schema_of(case.made)

    assert schema.keys() <= {"type", "properties", "required"}
    for found in schema["properties"].values():
        assert found.keys() | found.get("items", {}).keys() <= KEYWORDS
        assert found.get("format", "uri") in {"email", "uri", "date", "date-time"}
        assert found["type"] in {"string", "integer", "number", "boolean", "array"}
    text = json.dumps(schema, allow_nan=False)
    assert not any(word in text for word in ("$ref", "$defs", "null", case.made.__name__, "Colour", "Renamed"))


@needs_specification
@given(cases())
def test_every_field_is_one_the_specification_has(case: Case) -> None:
    for found in schema_of(case.made)["properties"].values():
        assert validator("2025-11-25").is_valid(found), found
        assert validator("2026-07-28").is_valid(found), found


@given(cases())
def test_a_checked_answer_passes_the_schema_and_binding_leaves_it_alone(case: Case) -> None:
    checked = Checker(fields_of(case.made)).check(case.answer).values
    before = json.dumps(checked)

    answered(case.made, case.answer)

    assert passes(schema_of(case.made), checked)
    assert json.dumps(checked) == before


@given(cases(), st.data())
def test_binding_anything_raises_nothing_but_an_answer_error(case: Case, data: st.DataObject) -> None:
    """Forms of another make hold anything; what does not fit is the answer's fault."""
    from elicitkit import AnswerError
    from elicitkit.introspect.bind import bind

    answer = {seed.member.name: data.draw(junk) for seed in describe(case.made).seeds}
    try:
        bind(describe(case.made), answer)
    except AnswerError as error:
        assert error.faults  # noqa: PT017  # either is right
