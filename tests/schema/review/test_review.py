"""The whole of a review: which revisions, which places of a document, and that nothing makes it fail."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import Finding, Form, review_request, review_schema
from elicitkit.errors import ElicitationUnsupported, ProtocolError
from elicitkit.schema.dialects import DIALECTS
from elicitkit.schema.review import Breach
from tests import strategies
from tests.specification import example_files, needs_specification

LATEST = "2026-07-28"
NESTED: dict[str, Any] = {"type": "object", "properties": {"home": {"type": "object", "title": "Home"}}}
SEVERAL: dict[str, Any] = {
    "type": "object",
    "properties": {"days": {"type": "array", "title": "Days", "items": {"type": "string", "enum": ["a"]}}},
}


def levels(found: list[Finding]) -> set[str]:
    return {finding.level for finding in found}


# --- revisions --------------------------------------------------------------------------------------------------------


def test_a_fault_names_each_revision_it_breaks_and_the_section() -> None:
    (fault,) = review_schema(NESTED)

    assert fault.breaks == (
        Breach("2025-06-18", "Supported Schema Types"),
        Breach("2025-11-25", "Requested Schema"),
        Breach("2026-07-28", "Requested Schema"),
    )
    assert str(fault) == (
        "/properties/home: is an object, and forms are flat: give each part a field of its own "
        "[Requested Schema, 2025-11-25 and 2026-07-28; Supported Schema Types, 2025-06-18]"
    )


def test_what_breaks_some_revisions_alone_is_a_note_unless_it_is_for_them() -> None:
    assert levels(review_schema(SEVERAL)) == {"note"}
    assert levels(review_schema(SEVERAL, LATEST)) == {"note"}  # that not every host draws it
    assert "fault" in levels(review_schema(SEVERAL, "2025-06-18"))


def test_a_list_without_options_is_a_fault_for_all_though_the_first_revision_has_no_lists() -> None:
    assert "fault" in levels(review_schema({"type": "object", "properties": {"x": {"type": "array"}}}))


def test_faults_come_first() -> None:
    schema = {**NESTED, "title": "T", "properties": {"pin": {"type": "string"}, **NESTED["properties"]}}

    assert [finding.level for finding in review_schema(schema, LATEST)] == ["fault", "warning", "warning", "note"]


def test_a_revision_that_cannot_ask_is_an_error() -> None:
    with pytest.raises(ValueError, match="no revision '2025-03-26' can ask: there are 2025-06-18, "):
        review_schema(NESTED, "2025-03-26")


def test_a_finding_is_json() -> None:
    (fault,) = review_schema(NESTED, LATEST)

    assert json.loads(json.dumps(fault.to_dict())) == {
        "pointer": "/properties/home",
        "level": "fault",
        "rule": "nested-object",
        "problem": fault.problem,
        "breaks": [{"era": LATEST, "section": "Requested Schema"}],
    }


# --- what a schema comes in -------------------------------------------------------------------------------------------

PARAMS = {"message": "Where?", "requestedSchema": NESTED}
CALL = {"method": "elicitation/create", "params": PARAMS}


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (NESTED, ""),
        (PARAMS, "/requestedSchema"),
        (CALL, "/params/requestedSchema"),
        ({"jsonrpc": "2.0", "id": 1, **CALL}, "/params/requestedSchema"),
        ({"k/1": CALL}, "/k~11/params/requestedSchema"),
        ({"k": {"method": "roots/list"}, "l": CALL}, "/l/params/requestedSchema"),
        ({"resultType": "input_required", "inputRequests": {"k": CALL}}, "/inputRequests/k/params/requestedSchema"),
        ({"id": 1, "result": {"inputRequests": {"k": CALL}}}, "/result/inputRequests/k/params/requestedSchema"),
    ],
)
def test_a_schema_is_found_in_whatever_it_comes_in(document: dict[str, Any], place: str) -> None:
    (fault,) = review_request(document, LATEST)

    assert fault.pointer == f"{place}/properties/home"


@pytest.mark.parametrize(
    "document", [None, 7, [], {}, "x", {"action": "accept"}, {"method": "tools/call"}, {"k": CALL["params"]}]
)
def test_a_document_without_a_question_is_an_error(document: object) -> None:
    with pytest.raises(ProtocolError, match="there is no question in it"):
        review_request(document)


# --- what is right ----------------------------------------------------------------------------------------------------


@needs_specification
@pytest.mark.parametrize("file", example_files(), ids=lambda file: file.stem)
def test_the_examples_of_the_specification_come_out_clean(file: Any) -> None:
    example = json.loads(file.read_text(encoding="utf-8"))
    try:
        found = review_request(example, LATEST)
    except ProtocolError:  # It is an answer, or another result.
        assert "requestedSchema" not in file.read_text(encoding="utf-8")
        return

    assert levels(found) <= {"note"}


@pytest.mark.parametrize("era", DIALECTS)
@given(form=strategies.forms())
def test_what_elicitkit_writes_has_no_fault(era: str, form: Form[Any]) -> None:
    try:
        schema = form.schema(era)
    except ElicitationUnsupported:
        return

    assert "fault" not in levels(review_schema(schema, era))


# --- what is not ------------------------------------------------------------------------------------------------------

KEYWORDS = ["type", "title", "enum", "enumNames", "oneOf", "anyOf", "items", "const", "default", "minimum", "maximum"]
KEYWORDS += ["minLength", "maxItems", "format", "$ref", "required", "properties", "pattern", "description"]
WORDS = st.sampled_from(["string", "integer", "array", "object", "boolean", "null", "email", "a", "", "\x1b[2J"])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=5),
    max_leaves=12,
)


@given(properties=st.dictionaries(st.text(max_size=3), JSON, max_size=3), root=JSON)
def test_nothing_in_a_schema_makes_it_fail(properties: dict[str, Any], root: Any) -> None:
    review_schema(root)
    found = review_schema({"type": "object", "properties": properties})

    assert all(len(str(finding)) < 600 for finding in found)


@given(
    document=st.dictionaries(st.sampled_from(["mode", "message", "requestedSchema", "url", "method", "params"]), JSON)
)
def test_nothing_in_a_request_makes_it_fail(document: dict[str, Any]) -> None:
    try:
        review_request(document)
    except ProtocolError:
        assert not {"message", "requestedSchema", "mode"} & document.keys() or "method" in document


@given(prop=JSON)
def test_a_field_that_is_at_fault_in_each_revision_is_so_for_all(prop: Any) -> None:
    schema = {"type": "object", "properties": {"x": prop}}

    if all("fault" in levels(review_schema(schema, era)) for era in ("2025-11-25", LATEST)):
        assert "fault" in levels(review_schema(schema))


def test_a_schema_as_deep_as_json_goes_is_looked_at() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"title": "x\x07", "properties": deep}

    assert review_schema(deep)
