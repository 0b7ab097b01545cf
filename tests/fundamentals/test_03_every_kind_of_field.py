"""Every kind of field: text in five forms, numbers, yes or no, and choices."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum

from elicitkit import Content, FormElicitation


class Colour(Enum):
    RED = "#f00"
    BLUE = "#00f"


def more() -> FormElicitation[Content]:
    return FormElicitation.create("Tell us more")


def test_text_may_have_a_length_and_a_default() -> None:
    form = more().string("notes").min_length(1).max_length(400).default("n/a").description("Anything else?")

    assert form.schema()["properties"]["notes"] == {
        "type": "string",
        "title": "Notes",
        "description": "Anything else?",
        "minLength": 1,
        "maxLength": 400,
        "default": "n/a",
    }


def test_text_may_have_a_format() -> None:
    form = more().email("mail").uri("homepage").date("birthday").date_time("starts_at")

    formats = [schema.get("format") for schema in form.schema()["properties"].values()]
    assert formats == ["email", "uri", "date", "date-time"]


def test_numbers_may_have_bounds() -> None:
    properties = (
        more().integer("age").min(0).max(130).number("price").between(Decimal("0.5"), 99.9).schema()["properties"]
    )

    assert properties["age"] == {"type": "integer", "title": "Age", "minimum": 0, "maximum": 130}
    assert properties["price"] == {"type": "number", "title": "Price", "minimum": 0.5, "maximum": 99.9}


def test_yes_or_no_is_a_boolean() -> None:
    form = more().boolean("subscribe").default(True)

    assert form.schema()["properties"]["subscribe"] == {"type": "boolean", "title": "Subscribe", "default": True}


def test_a_choice_has_options_with_or_without_titles() -> None:
    properties = (
        more().choice("size").options(["S", "M"]).choice("colour").options({"#f00": "Red"}).schema()["properties"]
    )

    assert properties["size"]["enum"] == ["S", "M"]
    assert properties["colour"]["oneOf"] == [{"const": "#f00", "title": "Red"}]


def test_several_options_can_be_chosen() -> None:
    form = (
        more()
        .multi_choice("roles")
        .option("admin", "Administrator")
        .option("user", "User")
        .min_items(1)
        .default("user")
    )

    assert form.schema()["properties"]["roles"] == {
        "type": "array",
        "title": "Roles",
        "minItems": 1,
        "items": {"anyOf": [{"const": "admin", "title": "Administrator"}, {"const": "user", "title": "User"}]},
        "default": ["user"],
    }


def test_a_default_is_what_python_has() -> None:
    form = FormElicitation.create("When?").date("day").default(date(2026, 11, 30))
    form.date_time("at").default(datetime(2026, 11, 30, 12, tzinfo=UTC)).number("rate").default(Decimal("0.19"))
    form.choice("colour").options(["RED", "BLUE"]).default(Colour.BLUE)

    assert form.check({}) == {"day": "2026-11-30", "at": "2026-11-30T12:00:00+00:00", "rate": 0.19, "colour": "BLUE"}
