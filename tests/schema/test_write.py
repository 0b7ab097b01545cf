"""What a form sends (design, section 4: only what the specification lists, in the order written)."""

import json
from typing import Any

import pytest

from elicitkit import FormElicitation
from elicitkit.fields import ChoiceField, Option
from elicitkit.schema.write import property_schema


def start() -> FormElicitation[Any]:
    return FormElicitation.create("m")


OPTIONS = {"std": "Standard", "exp": "Express"}
TITLED = [{"const": "std", "title": "Standard"}, {"const": "exp", "title": "Express"}]

WRITTEN: list[tuple[str, Any, dict[str, Any]]] = [
    ("a string", start().string("f"), {"type": "string"}),
    ("lengths", start().string("f").min_length(0).max_length(9), {"type": "string", "minLength": 0, "maxLength": 9}),
    ("an e-mail address", start().email("f"), {"type": "string", "format": "email"}),
    ("an address", start().uri("f"), {"type": "string", "format": "uri"}),
    ("a date", start().date("f"), {"type": "string", "format": "date"}),
    ("a moment", start().date_time("f"), {"type": "string", "format": "date-time"}),
    ("a description", start().string("f").description("why"), {"type": "string", "description": "why"}),
    ("a whole number", start().integer("f").between(-1, 5), {"type": "integer", "minimum": -1, "maximum": 5}),
    ("a number", start().number("f").min(0.5).default(2), {"type": "number", "minimum": 0.5, "default": 2}),
    ("a boolean", start().boolean("f").default(False), {"type": "boolean", "default": False}),
    ("plain options", start().choice("f").options(["a", "b"]), {"type": "string", "enum": ["a", "b"]}),
    ("titled options", start().choice("f").options(OPTIONS), {"type": "string", "oneOf": TITLED}),
    (
        "one title among them",
        start().choice("f").option("a").option("b", "B"),
        {"type": "string", "oneOf": [{"const": "a", "title": "a"}, {"const": "b", "title": "B"}]},
    ),
    (
        "several plain options",
        start().multi_choice("f").options(["a", "b"]).min_items(1).max_items(2).default("a"),
        {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"type": "string", "enum": ["a", "b"]},
            "default": ["a"],
        },
    ),
    (
        "several titled options",
        start().multi_choice("f").options(OPTIONS),
        {"type": "array", "items": {"anyOf": TITLED}},
    ),
]


@pytest.mark.parametrize(("form", "expected"), [pytest.param(*row[1:], id=row[0]) for row in WRITTEN])
def test_each_kind_is_written_with_what_was_set_and_nothing_else(form: Any, expected: dict[str, Any]) -> None:
    """R003 of the reports: titled options have a type as well."""
    assert form.schema() == {"type": "object", "properties": {"f": {"title": "F", **expected}}}


def test_the_root_has_a_type_properties_and_what_is_required_in_the_order_written() -> None:
    """R027 of the reports: strict hosts refuse anything more."""
    form = start().string("zeta").required().string("alpha").string("mid").required()

    assert list(form.schema()) == ["type", "properties", "required"]
    assert list(form.schema()["properties"]) == ["zeta", "alpha", "mid"]
    assert form.schema()["required"] == ["zeta", "mid"]


def test_without_required_fields_there_is_no_required() -> None:
    assert "required" not in start().string("name").schema()


def test_an_empty_form_has_empty_properties() -> None:
    assert start().schema() == {"type": "object", "properties": {}}


def test_options_are_written_in_place_and_never_as_a_reference() -> None:
    """R001 of the reports."""
    form = start().choice("first").options(OPTIONS).choice("second").options(OPTIONS)

    assert "$" not in json.dumps(form.schema())


def test_a_title_is_always_written_for_fields_of_ours() -> None:
    """R031 of the reports: some hosts demand one."""
    assert start().string("time_to_live").schema()["properties"]["timeToLive"]["title"] == "Time To Live"


def test_options_made_by_hand_are_titled_for_the_wire_like_those_of_a_builder() -> None:
    field = ChoiceField("f", options=(Option("a"), Option("b", "B")))

    assert property_schema(field)["oneOf"] == [{"const": "a", "title": "a"}, {"const": "b", "title": "B"}]


def test_the_schema_of_a_form_is_made_once() -> None:
    """Issue "Forms", Speed: the written schema of a form that did not change is made once."""
    form = start().string("name").build()

    assert form.schema() is form.schema()
    assert form.schema("2025-06-18") is form.schema("2025-06-18")
    assert form.with_message("again").schema() is form.schema()
