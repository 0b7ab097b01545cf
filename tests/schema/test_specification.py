"""Everything written is what the specification allows (`PrimitiveSchemaDefinition` of each revision), and its examples
are read without loss (issue "Forms", point 4).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from mcp_types import _v2025_11_25, _v2026_07_28
from pydantic import TypeAdapter

from elicitkit import Form, FormElicitation
from tests import strategies
from tests.specification import REVISIONS, example_files, needs_specification, requested_schemas, validator

LATEST = "2026-07-28"
TYPES = {"2025-11-25": _v2025_11_25, LATEST: _v2026_07_28}


def every_kind() -> Form[Any]:
    form: Any = FormElicitation.create("m")
    form.string("name").required().min_length(1).max_length(9).default("Ada").description("Who?")
    form.email("mail").uri("address").date("day").date_time("moment").boolean("ok").default(True)
    form.integer("age").between(0, 130).default(42).number("price").between(0.5, 99.9).default(1.5)
    form.choice("plain").options(["a", "b"]).default("a").choice("titled").options({"a": "A", "b": "B"}).default("b")
    form.multi_choice("some").options(["a", "b"]).min_items(1).max_items(2).default("a")
    form.multi_choice("named").options({"a": "A", "b": "B"})
    return form.build()  # type: ignore[no-any-return]  # the builder is kept in a variable for every kind of step


@needs_specification
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_kind_is_written_as_the_revision_has_it(revision: str) -> None:
    """Elicitation, "Requested schema"."""
    for schema in every_kind().schema(revision)["properties"].values():
        validator(revision).validate(schema)


@needs_specification
@pytest.mark.parametrize("revision", REVISIONS)
@given(form=strategies.forms())
def test_any_form_is_written_as_the_revision_has_it(revision: str, form: Form[Any]) -> None:
    """Elicitation, "Requested schema"."""
    for schema in form.schema(revision)["properties"].values():
        validator(revision).validate(schema)


@needs_specification
@pytest.mark.parametrize("revision", REVISIONS[1:])
@given(form=strategies.forms())
def test_any_form_is_sent_as_the_revision_has_it(revision: str, form: Form[Any]) -> None:
    """`ElicitRequestFormParams`."""
    validator(revision, "ElicitRequestFormParams").validate(form.to_input_request()["params"])


@pytest.mark.parametrize("revision", TYPES)
@given(form=strategies.forms())
def test_any_form_is_what_the_sdk_takes_for_the_revision(revision: str, form: Form[Any]) -> None:
    """The official SDK's own types, which need no folder beside the checkout."""
    properties = TypeAdapter(dict[str, TYPES[revision].PrimitiveSchemaDefinition])
    written = form.schema(revision)["properties"]

    read = properties.validate_python(written)

    assert properties.dump_python(read, mode="json", by_alias=True, exclude_unset=True) == written


@needs_specification
def test_there_are_examples() -> None:
    assert len(example_files()) >= 18


@needs_specification
@pytest.mark.parametrize("file", example_files(), ids=lambda file: file.stem)
def test_the_forms_in_the_examples_are_read_without_loss(file: Path) -> None:
    for schema in requested_schemas(json.loads(file.read_text())):
        assert Form.from_schema("m", schema).schema() == schema


@needs_specification
@pytest.mark.parametrize(
    "file", [file for file in example_files() if file.parent.name.endswith("Schema")], ids=lambda file: file.stem
)
def test_the_fields_in_the_examples_are_read_without_loss(file: Path) -> None:
    example = json.loads(file.read_text())
    form = Form.from_schema("m", {"type": "object", "properties": {"field": example}})

    assert form.schema()["properties"]["field"] == example
    assert form.check({}) == {"field": example["default"]}


@needs_specification
@pytest.mark.parametrize("question", ["elicit-single-field", "elicit-multiple-fields"])
def test_the_answers_in_the_examples_fit_their_questions(question: str) -> None:
    files = {file.stem: json.loads(file.read_text()) for file in example_files()}
    asked, answer = files[question], files[question.replace("elicit", "input")]

    assert Form.from_schema(asked["message"], asked["requestedSchema"]).check(answer["content"]) == answer["content"]


def test_a_form_says_that_it_is_one() -> None:
    """`ElicitRequestFormParams`: `mode` is "form"; what is sent is the request as it stands in `inputRequests`."""
    form = FormElicitation.create("Who?").string("name").required()

    assert form.to_input_request() == {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Who?", "requestedSchema": form.schema()},
    }
