"""Reading the forms of others (design, section 4; issue "Forms", point 4): whatever can be drawn becomes a field, the
rest is shown and marked, and nothing is dropped in silence.
"""

from typing import Any

import pytest

from elicitkit import AnswerError, Form, FormError
from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
    UnknownField,
)

AB = (Option("a"), Option("b"))
TITLED = (Option("a", "Apple"), Option("b", "Pear"))
ENTRIES = [{"const": "a", "title": "Apple"}, {"const": "b", "title": "Pear"}]


def form_of(*, required: Any = (), **properties: Any) -> Form[Any]:
    return Form.from_schema("m", {"type": "object", "properties": properties, "required": list(required)})


def read(schema: Any, *, required: bool = False) -> Field:
    (field,) = form_of(f=schema, required=["f"] * required).fields
    return field


def written(schema: Any) -> Any:
    return form_of(f=schema).schema()["properties"]["f"]


KINDS: list[tuple[str, dict[str, Any], Field]] = [
    ("a string", {"type": "string"}, TextField("f")),
    ("lengths", {"type": "string", "minLength": 1, "maxLength": 9.0}, TextField("f", min_length=1, max_length=9)),
    ("a format", {"type": "string", "format": "date-time"}, TextField("f", format="date-time")),
    ("a default", {"type": "string", "default": "x"}, TextField("f", default="x")),
    ("a whole number", {"type": "integer", "minimum": 1, "default": 2}, IntegerField("f", minimum=1, default=2)),
    ("a number", {"type": "number", "maximum": 0.5}, NumberField("f", maximum=0.5)),
    ("a boolean", {"type": "boolean", "default": False}, BooleanField("f", default=False)),
    (
        "an array",
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
        MultiChoiceField("f", options=AB, min_items=1),
    ),
    ("texts", {"type": "boolean", "title": "T", "description": "D"}, BooleanField("f", title="T", description="D")),
]
SPELLINGS: list[tuple[str, dict[str, Any], Field]] = [
    ("enum", {"type": "string", "enum": ["a", "b"]}, ChoiceField("f", options=AB)),
    (
        "enumNames",
        {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", "Pear"]},
        ChoiceField("f", options=TITLED),
    ),
    ("oneOf", {"type": "string", "oneOf": ENTRIES}, ChoiceField("f", options=TITLED)),
    (
        "items.enum",
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        MultiChoiceField("f", options=AB),
    ),
    ("items.anyOf", {"type": "array", "items": {"anyOf": ENTRIES}}, MultiChoiceField("f", options=TITLED)),
    ("enum without a type", {"enum": ["a", "b"]}, ChoiceField("f", options=AB)),
    ("oneOf without a type", {"oneOf": ENTRIES}, ChoiceField("f", options=TITLED)),
    ("const", {"type": "string", "const": "a"}, ChoiceField("f", options=(Option("a"),))),
    ("no titles in oneOf", {"oneOf": [{"const": "a"}, {"const": "b"}]}, ChoiceField("f", options=AB)),
    (
        "one title in oneOf",
        {"oneOf": [{"const": "a"}, {"const": "b", "title": "Pear"}]},
        ChoiceField("f", options=(Option("a", "a"), Option("b", "Pear"))),
    ),
    ("a blank title", {"enum": ["a", "b"], "enumNames": ["", " "]}, ChoiceField("f", options=AB)),
    ("an option twice", {"enum": ["a", "b", "a"]}, ChoiceField("f", options=AB)),
]


def cases(rows: list[tuple[Any, ...]]) -> list[Any]:
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


@pytest.mark.parametrize(("schema", "expected"), cases(KINDS))
def test_every_kind_is_read(schema: dict[str, Any], expected: Field) -> None:
    assert read(schema) == expected


@pytest.mark.parametrize(("schema", "expected"), cases(SPELLINGS))
def test_every_spelling_of_a_choice_is_read(schema: dict[str, Any], expected: Field) -> None:
    """R005 and R007 of the reports."""
    assert read(schema) == expected


def test_fields_keep_their_order_and_their_names() -> None:
    form = form_of(Zeta_X={"type": "string"}, first_name={"type": "string"}, required=["first_name"])

    assert [(field.name, field.written, field.required) for field in form.fields] == [
        ("Zeta_X", "", False),
        ("first_name", "", True),
    ]


def test_a_field_without_title_is_labelled_by_its_name() -> None:
    """R031 of the reports."""
    assert read({"type": "string"}).label == "F"
    assert form_of(max_age={"type": "integer", "title": " "}).fields[0].label == "Max Age"
    assert form_of(__={"type": "string"}).fields[0].label == "__"


UNKNOWN: list[tuple[str, dict[str, Any]]] = [
    ("a pattern", {"type": "string", "pattern": "^a+$"}),
    ("another format", {"type": "string", "format": "ipv4"}),
    ("a widget", {"type": "boolean", "x-widget": {"deep": [1]}}),
    ("a title that is no text", {"type": "boolean", "title": 5, "description": None}),
    ("multipleOf", {"type": "number", "multipleOf": 0.5}),
    ("enumNames of another length", {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple"]}),
    ("enumNames that are no text", {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", 5]}),
    ("lengths of a choice", {"type": "string", "enum": ["a"], "minLength": 9}),
    ("uniqueItems", {"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": True}),
    ("what items say", {"type": "array", "items": {"type": "string", "enum": ["a"], "title": "One"}}),
    ("what an option says", {"type": "string", "oneOf": [{"const": "a", "title": "A", "description": "best"}]}),
    ("a default that does not fit", {"type": "integer", "default": "5"}),
    ("a default that is null", {"type": "string", "default": None}),
    ("a default of another type", {"type": "boolean", "default": "true"}),
    ("a default out of bounds", {"type": "string", "maxLength": 1, "default": "xx"}),
    ("a default that is no option", {"type": "string", "enum": ["a"], "default": "b"}),
    ("a default that is a title", {"type": "string", "oneOf": ENTRIES, "default": "Apple"}),
    ("a lone default of several", {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": "a"}),
]


@pytest.mark.parametrize("schema", cases(UNKNOWN))
def test_what_is_not_understood_is_sent_on_and_never_acted_on(schema: dict[str, Any]) -> None:
    """R015 of the reports: reading and writing again changes nothing."""
    field = read(schema)

    assert not isinstance(field, UnknownField)
    assert field.default is None
    assert written(schema) == schema


def test_an_address_as_a_default_is_filled_in_encoded_and_sent_on_as_it_came() -> None:
    schema = {"type": "string", "format": "uri", "default": "https://example.com/ü"}

    assert form_of(f=schema).check({}) == {"f": "https://example.com/%C3%BC"}
    assert written(schema) == schema


@pytest.mark.parametrize("schema", [{"type": "string", "default": "x"}, {"type": "string"}], ids=["default", "none"])
def test_an_optional_field_is_neither_nullable_nor_required_after_a_round_trip(schema: dict[str, Any]) -> None:
    """R015 of the reports."""
    assert form_of(n=schema).schema() == {"type": "object", "properties": {"n": schema}}


UNDRAWABLE: list[tuple[str, Any, str]] = [
    ("an object", {"type": "object", "properties": {}}, "it uses properties, which a form cannot show"),
    ("an object with options", {"type": "object", "enum": ["a"]}, "it uses enum, which a form cannot show"),
    ("no type", {}, "its type is not given, and a form can show string, integer, number, boolean, array"),
    ("null", {"type": "null"}, "its type is 'null', and a form can show string, integer, number, boolean, array"),
    ("several types", {"type": ["string", "null"]}, "its type is ['string', 'null'], and a form can show"),
    ("a reference", {"$ref": "#/$defs/X"}, "it uses $ref, which a form cannot show"),
    ("a reference beside a type", {"type": "string", "$ref": "x"}, "it uses $ref, which a form cannot show"),
    ("anyOf", {"anyOf": [{"type": "string"}, {"type": "null"}]}, "it uses anyOf, which a form cannot show"),
    ("enum and oneOf", {"type": "string", "enum": ["a"], "oneOf": ENTRIES}, "it uses oneOf, which a form cannot show"),
    ("enum and const", {"type": "string", "enum": ["a"], "const": "a"}, "it uses const, which a form cannot show"),
    ("a number among options", {"type": "string", "enum": ["a", 1]}, "its options are not text"),
    ("a number as an option", {"oneOf": [{"const": 1, "title": "One"}]}, "its options are not text"),
    ("whole numbers to choose from", {"type": "integer", "enum": [1, 2]}, "it uses enum, which a form cannot show"),
    ("no options", {"type": "string", "enum": []}, "it has no options to choose from"),
    ("no options in oneOf", {"oneOf": []}, "it has no options to choose from"),
    ("options that are one text", {"enum": "ab"}, "it has no options to choose from"),
    ("schemas in oneOf", {"oneOf": [{"type": "string"}]}, "its options are not pairs of const and title"),
    (
        "a list of anything",
        {"type": "array", "items": {"type": "string"}},
        "it is a list without options to choose from",
    ),
    ("a list without items", {"type": "array"}, "it is a list of something else than options"),
    (
        "a list of numbers",
        {"type": "array", "items": {"type": "integer", "enum": [1]}},
        "it is a list of something else",
    ),
    (
        "two spellings in items",
        {"type": "array", "items": {"enum": ["a"], "anyOf": ENTRIES}},
        "it is a list without options",
    ),
    ("a reference in items", {"type": "array", "items": {"enum": ["a"], "$ref": "x"}}, "it is a list without options"),
    (
        "prefixItems",
        {"type": "array", "items": {"enum": ["a"]}, "prefixItems": []},
        "it uses prefixItems, which a form",
    ),
    ("a length below zero", {"type": "string", "minLength": -1}, "its minLength is not a whole number"),
    ("half a character", {"type": "string", "maxLength": 1.5}, "its maxLength is not a whole number"),
    ("a length beyond reason", {"type": "string", "minLength": 1e300}, "its minLength is not a whole number"),
    ("a length in text", {"type": "string", "minLength": "1"}, "its minLength is not a number"),
    ("a bound in text", {"type": "integer", "minimum": "1"}, "its minimum is not a number"),
    ("a bound that is true", {"type": "number", "maximum": True}, "its maximum is not a number"),
    ("a bound that is NaN", {"type": "number", "maximum": float("nan")}, "its maximum is not a number"),
    ("a bound that is infinite", {"type": "number", "minimum": float("-inf")}, "its minimum is not a number"),
    ("lengths inverted", {"type": "string", "minLength": 2, "maxLength": 1}, "nothing fits between its bounds"),
    ("bounds inverted", {"type": "number", "minimum": 2, "maximum": 1}, "nothing fits between its bounds"),
    ("no whole number between", {"type": "integer", "minimum": 0.2, "maximum": 0.8}, "nothing fits between its bounds"),
    ("no number of 64 bits", {"type": "integer", "minimum": 1e300}, "nothing fits between its bounds"),
    ("none so low", {"type": "integer", "minimum": -1e301, "maximum": -1e300}, "nothing fits between its bounds"),
    (
        "a reference in an option",
        {"oneOf": [{"const": "a", "$ref": "x"}]},
        "its options are not pairs of const and title",
    ),
    ("a date in 9 characters", {"type": "string", "format": "date", "maxLength": 9}, "nothing fits between its bounds"),
    ("2 of 1 option", {"type": "array", "items": {"enum": ["a"]}, "minItems": 2}, "nothing fits between its bounds"),
    ("true", True, "it is not described by a schema"),
    ("nothing", None, "it is not described by a schema"),
    ("a number instead", 42, "it is not described by a schema"),
]


@pytest.mark.parametrize(("schema", "reason"), cases(UNDRAWABLE))
def test_what_no_kind_can_carry_is_shown_with_the_reason_and_sent_on(schema: Any, reason: str) -> None:
    """R009 of the reports for an object with options."""
    field = read(schema)

    assert isinstance(field, UnknownField)
    assert field.reason.startswith(reason)
    assert repr(written(schema)) == repr(schema)


def test_what_cannot_be_drawn_keeps_its_title_and_description() -> None:
    field = read({"type": "null", "title": "Nothing", "description": "at all"})

    assert (field.label, field.description) == ("Nothing", "at all")


def test_an_optional_field_that_cannot_be_drawn_is_not_answered() -> None:
    form = form_of(a={"type": "string"}, b={"type": "null"})

    assert form.check({"a": "x", "b": None}) == {"a": "x"}
    assert form.check({"a": "x", "b": "anything"}) == {"a": "x"}


@pytest.mark.parametrize("answer", [{}, {"f": None}, {"f": {"x": 1}}], ids=str)
def test_a_required_field_that_cannot_be_drawn_makes_accepting_impossible(answer: Any) -> None:
    with pytest.raises(AnswerError, match="F: cannot be answered here: its type is 'null'"):
        form_of(f={"type": "null"}, required=["f"]).check(answer)


def test_a_required_name_that_is_not_described_is_a_field_that_cannot_be_drawn() -> None:
    form = form_of(a={"type": "string"}, required=["ghost", "a", "ghost"])

    assert [(field.name, field.required) for field in form.fields] == [("a", True), ("ghost", True)]
    assert form.fields[1].reason == "the form requires it, but does not describe it"  # type: ignore[union-attr]
    assert form.schema() == {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "ghost"]}


NO_FORM: list[tuple[str, Any, str]] = [
    ("nothing", None, "is not an object schema"),
    ("true", True, "is not an object schema"),
    ("text", "{}", "is not an object schema"),
    ("a list", [], "is not an object schema"),
    ("another type", {"type": "string", "properties": {}}, "is not an object schema"),
    ("several types", {"type": ["object"], "properties": {}}, "is not an object schema"),
    ("no properties", {"type": "object"}, "has no 'properties' object"),
    ("an empty schema", {}, "has no 'properties' object"),
    ("properties in a list", {"type": "object", "properties": []}, "has no 'properties' object"),
    ("required as text", {"properties": {}, "required": "x"}, "has a 'required' that is not a list of names"),
    ("required with a number", {"properties": {}, "required": [1]}, "has a 'required' that is not a list of names"),
    ("required true", {"properties": {}, "required": True}, "has a 'required' that is not a list of names"),
    ("a name that is no text", {"properties": {1: {"type": "string"}}}, "is nested too deeply, or holds what JSON"),
    ("half a character", {"properties": {"\ud800": {}}}, "is nested too deeply, or holds what JSON cannot carry"),
    ("beyond 64 bits", {"properties": {"f": {"maximum": 10**400}}}, "is nested too deeply, or holds what JSON"),
    ("no JSON", {"properties": {"f": {"default": {1, 2}}}}, "is nested too deeply, or holds what JSON cannot carry"),
]


@pytest.mark.parametrize(("schema", "problem"), cases(NO_FORM))
def test_what_is_no_requested_schema_is_refused(schema: Any, problem: str) -> None:
    """R023 of the reports: a missing schema is an error, never an empty form."""
    with pytest.raises(FormError) as caught:
        Form.from_schema("m", schema)

    assert str(caught.value).startswith(f"The form does not work: the requested schema: {problem}")


def test_a_type_left_out_at_the_root_and_keywords_of_others_there_do_no_harm() -> None:
    schema = {"$schema": "x", "title": "Model", "additionalProperties": False, "properties": {"a": {"type": "boolean"}}}

    assert Form.from_schema("m", schema).schema() == {"type": "object", "properties": {"a": {"type": "boolean"}}}


@pytest.mark.parametrize("message", [None, 5, b"m"], ids=repr)
def test_a_message_that_is_no_text_is_a_type_error(message: Any) -> None:
    with pytest.raises(TypeError, match="the message of a form is text"):
        Form.from_schema(message, {"properties": {}})


def test_a_blank_message_of_a_stranger_is_read() -> None:
    assert Form.from_schema("", {"properties": {}}).message == ""
