"""Each rule has a case that triggers it, and one near it that does not (issue 9, point 6)."""

from typing import Any, NamedTuple

import pytest

from elicitkit import Finding, review_request, review_schema
from elicitkit.limits import FIELDS, MESSAGE_CHARACTERS, OPTIONS

LATEST = "2026-07-28"


class Case(NamedTuple):
    rule: str
    level: str
    pointer: str
    """Where it is found, below `/properties/x` where it starts with a dot."""
    wrong: Any
    near: Any
    era: str = LATEST

    def place(self) -> str:
        return f"/properties/x{self.pointer[1:]}" if self.pointer.startswith(".") else self.pointer


def text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def number(**more: Any) -> dict[str, Any]:
    return {"type": "number", **more}


def several(**more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, **more}


A = {"const": "a", "title": "A"}

PROPERTIES = [
    Case("property-not-schema", "fault", ".", "text", text()),
    Case("reference", "fault", "./$ref", {"$ref": "#/$defs/P"}, text()),  # report R001
    Case("several-types", "fault", "./type", {"type": ["string", "null"]}, text()),  # report R025
    Case("several-types", "fault", "./type", {"type": ["string", "integer"]}, {"type": "integer"}),
    Case("nested-object", "fault", ".", {"type": "object", "properties": {}}, text()),  # report R017
    Case("nested-object", "fault", ".", {"type": "object", "enum": ["a"]}, text(enum=["a"])),  # report R009
    Case("no-type", "fault", ".", {"title": "A name"}, text(title="A name")),
    Case("no-type", "fault", ".", {"oneOf": [A]}, text(oneOf=[A])),  # report R003
    Case("no-type", "fault", "./items", several(items={"enum": ["a"]}), several()),
    Case("unknown-type", "fault", "./type", {"type": "int"}, {"type": "integer"}),
    Case("unknown-type", "fault", "./type", {"type": 7}, {"type": "number"}),
    Case("options-of-another-type", "fault", "./type", {"type": "integer", "enum": [1]}, text(enum=["1"])),
    Case("composition", "fault", "./anyOf", {"anyOf": [text(), {"type": "null"}]}, text()),
    Case("composition", "fault", "./not", text(**{"not": {"const": ""}}), text(minLength=1)),
    Case("list-without-options", "fault", ".", {"type": "array"}, several()),
    Case("list-without-options", "fault", "./items", {"type": "array", "items": text()}, several()),
    Case("list-without-options", "fault", "./items", several(items={"oneOf": [A]}), several(items={"anyOf": [A]})),
    Case("multiple-choice", "fault", "./type", several(), text(enum=["a", "b"]), "2025-06-18"),
    Case("no-options", "fault", "./enum", text(enum=[]), text(enum=["a"])),  # report R011
    Case("no-options", "fault", "./oneOf", text(oneOf=[]), text(oneOf=[A])),
    Case("no-options", "fault", "./items/anyOf", several(items={"anyOf": []}), several(items={"anyOf": [A]})),
    Case("options-not-text", "fault", "./enum", text(enum=["a", 1]), text(enum=["a", "1"])),
    Case("option-twice", "warning", "./enum", text(enum=["a", "a"]), text(enum=["a", "A"])),
    Case("option-twice", "warning", "./oneOf", text(oneOf=[A, A]), text(oneOf=[A, {"const": "b", "title": "A"}])),
    Case("option-without-value", "fault", "./oneOf/1", text(oneOf=[A, {"const": 1, "title": "1"}]), text(oneOf=[A])),
    Case("option-without-title", "fault", "./oneOf/0", text(oneOf=[{"const": "a"}]), text(oneOf=[A])),
    Case("two-lists", "fault", ".", text(enum=["a"], oneOf=[A]), text(enum=["a"])),
    Case("names-not-text", "fault", "./enumNames", text(enum=["a"], enumNames="A"), text(enum=["a"], enumNames=["A"])),
    Case(
        "names-without-options",
        "fault",
        "./enumNames",
        text(enum=["a", "b"], enumNames=["A"]),
        text(enum=["a"], enumNames=["A"]),
    ),
    Case("old-titles", "note", "./enumNames", text(enum=["a"], enumNames=["A"]), text(oneOf=[A])),
    Case("titled-options", "fault", "./oneOf", text(oneOf=[A]), text(enum=["a"], enumNames=["A"]), "2025-06-18"),
    Case("default", "fault", "./default", text(default="a"), {"type": "boolean", "default": True}, "2025-06-18"),
    Case("unknown-format", "fault", "./format", text(format="emial"), text(format="email")),
    Case("unknown-format", "fault", "./format", text(format=["email"]), text(format="date-time")),
    Case("count-not-whole", "fault", "./minLength", text(minLength=-1), text(minLength=0)),
    Case("count-not-whole", "fault", "./maxItems", several(maxItems=1.5), several(maxItems=1)),
    Case("count-not-whole", "fault", "./maxLength", text(maxLength=True), text(maxLength=1)),
    Case(
        "bound-not-number", "fault", "./minimum", {"type": "number", "minimum": "1"}, {"type": "number", "minimum": 1}
    ),
    Case(
        "nothing-fits",
        "fault",
        ".",
        {"type": "integer", "minimum": 9, "maximum": 2},
        {"type": "integer", "minimum": 2, "maximum": 2},
    ),
    Case("nothing-fits", "fault", ".", several(minItems=3), several(minItems=2)),
    Case("default-of-another-type", "fault", "./default", text(default=1), text(default="1")),
    Case("default-of-another-type", "fault", "./default", several(default="a"), several(default=["a"])),
    Case("default-of-another-type", "fault", "./default", {"type": "boolean", "default": "true"}, {"type": "boolean"}),
    Case("default-no-answer", "warning", "./default", text(enum=["a"], default="b"), text(enum=["a"], default="a")),
    Case("default-no-answer", "warning", "./default", text(format="date", default="soon"), text(format="date")),
    Case("text-not-text", "fault", "./title", text(title=1), text(title="1")),
    Case("keyword-of-another-kind", "warning", "./minLength", text(enum=["a"], minLength=1), text(minLength=1)),
    Case("keyword-of-another-kind", "warning", "./format", {"type": "integer", "format": "date"}, text(format="date")),
    Case("unlisted-constraint", "warning", "./pattern", text(pattern="^a"), text(description="It starts with an a")),
    Case("unlisted-keyword", "note", "./examples", text(examples=["a"]), text()),
    Case("credential", "warning", ".", text(title="Your password"), text(title="Your passport")),  # report R153
    Case("credential", "warning", ".", {"type": "integer", "title": "PIN"}, {"type": "boolean", "title": "PIN"}),
    Case("hidden-characters", "warning", "./title", text(title="a\u202eb"), text(title="日本 👍")),
    Case("hidden-characters", "warning", "./enum/0", text(enum=["\x1b[2J"]), text(enum=["[2J"])),
    Case("too-many-options", "warning", ".", text(enum=[*map(str, range(OPTIONS + 1))]), text(enum=["1"])),
    Case("no-title", "note", "/properties", text(title=" "), text(title="X")),  # report R031
    Case("rarely-drawn", "note", "/properties", {"type": "integer"}, text()),  # report R041
]

ONE = {"x": text(title="X")}


def form(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": ONE, **more}


ROOTS = [
    Case("not-an-object", "fault", "", ["x"], form()),
    Case("root-type", "fault", "", {"properties": ONE}, form()),
    Case("root-type", "fault", "/type", form(type="array"), form()),
    Case("no-properties", "fault", "", {"type": "object"}, form()),
    Case("no-properties", "fault", "", form(properties=[]), form()),
    Case("root-keyword", "warning", "/title", form(title="Order"), form()),  # report R027
    Case("root-keyword", "warning", "/additionalProperties", form(additionalProperties=False), form()),
    Case("root-keyword", "fault", "/$schema", form(**{"$schema": "https://x.example"}), form(), "2025-06-18"),
    Case("composition", "fault", "/$defs", form(**{"$defs": {}}), form(**{"$schema": "https://x.example"})),
    Case("required-no-names", "fault", "/required", form(required="x"), form(required=["x"])),
    Case("required-unknown", "fault", "/required/1", form(required=["x", "y"]), form(required=["x"])),
    Case("required-twice", "warning", "/required", form(required=["x", "x"]), form(required=["x"])),
    Case("no-fields", "warning", "/properties", form(properties={}), form()),  # report R051
    Case(
        "too-many-fields",
        "warning",
        "/properties",
        form(properties={str(n): text(title=str(n)) for n in range(FIELDS + 1)}),
        form(properties={str(n): text(title=str(n)) for n in range(FIELDS)}),
    ),
    Case("hidden-characters", "warning", "/properties/a\x1b[1m", form(properties={"a\x1b[1m": text()}), form()),
]


def asked(**more: Any) -> dict[str, Any]:
    return {"message": "What?", "requestedSchema": form(), **more}


def link(**more: Any) -> dict[str, Any]:
    return {"mode": "url", "message": "Sign in", "url": "https://example.com/in", "elicitationId": "1", **more}


REQUESTS = [
    Case("no-message", "fault", "", {"requestedSchema": form()}, asked()),
    Case("no-message", "fault", "", asked(message=7), asked()),
    Case("blank-message", "warning", "/message", asked(message=" "), asked()),
    Case("long-message", "warning", "/message", asked(message="x" * (MESSAGE_CHARACTERS + 1)), asked()),
    Case("line-breaks", "note", "/message", asked(message="a\nb"), asked(message="a\n")),  # report R157
    Case("link-in-message", "warning", "/message", asked(message="See https://x.example"), asked(message="See x.org")),
    Case("hidden-characters", "warning", "/message", asked(message="a\u200bb"), asked(message="שלום")),
    Case("no-schema", "fault", "", {"message": "What?", "schema": form()}, asked()),  # report R023
    Case("unknown-mode", "fault", "/mode", asked(mode="from"), asked(mode="form")),
    Case("no-params", "fault", "/params", {"method": "elicitation/create"}, asked()),
    Case("url-mode", "fault", "/mode", link(), asked(), "2025-06-18"),
    Case("no-url", "fault", "", link(url=None), link()),
    Case("unsafe-url", "warning", "/url", link(url="javascript:alert(1)"), link()),  # report R123
    Case("unsafe-url", "warning", "/url", link(url="http://x.example"), link(url="http://localhost:1/x")),
    Case("no-elicitation-id", "fault", "", link(elicitationId=None), link(), "2025-11-25"),
    Case("no-elicitation-id", "fault", "", link(elicitationId=7), link(), "2025-11-25"),
    Case("schema-beside-url", "warning", "/requestedSchema", link(requestedSchema=form()), link()),
    Case("one-field", "note", "", text(), form()),
]


def named(cases: list[Case]) -> list[Any]:
    return [pytest.param(case, id=f"{case.rule}-{number}") for number, case in enumerate(cases)]


def the(rule: str, found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.pointer) for finding in found if finding.rule == rule]


@pytest.mark.parametrize("case", named(PROPERTIES))
def test_a_rule_for_fields_finds_what_it_is_for_and_not_what_is_near(case: Case) -> None:
    wrong, near = (review_schema({"type": "object", "properties": {"x": one}}, case.era) for one in case[3:5])

    assert (case.level, case.place()) in the(case.rule, wrong)
    assert the(case.rule, near) == []


@pytest.mark.parametrize("case", named(ROOTS))
def test_a_rule_for_forms_finds_what_it_is_for_and_not_what_is_near(case: Case) -> None:
    assert the(case.rule, review_schema(case.wrong, case.era)) == [(case.level, case.pointer)]
    assert the(case.rule, review_schema(case.near, case.era)) == []


@pytest.mark.parametrize("case", named(REQUESTS))
def test_a_rule_for_requests_finds_what_it_is_for_and_not_what_is_near(case: Case) -> None:
    assert the(case.rule, review_request(case.wrong, case.era)) == [(case.level, case.pointer)]
    assert the(case.rule, review_request(case.near, case.era)) == []
