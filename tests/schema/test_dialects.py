"""The eras (design, section 7): 2025-06-18 has no titled options, no multiple choice, and defaults of booleans only."""

from typing import Any

import pytest

from elicitkit import AnswerError, ElicitationUnsupported, FormElicitation
from elicitkit.limits import FOLDED_OPTIONS
from elicitkit.schema.dialects import DIALECTS, dialect_of

FIRST = "2025-06-18"


def start() -> FormElicitation[Any]:
    return FormElicitation.create("m")


def roles() -> Any:
    return start().multi_choice("roles").options({"adm": "Admin", "usr": "User", "gst": "Guest"})


def folded(form: Any, answer: dict[str, Any]) -> Any:
    return form.check(dialect_of(FIRST).fold(form.build().fields, answer))


def properties(form: Any) -> dict[str, Any]:
    schema: dict[str, Any] = form.schema(FIRST)["properties"]
    return schema


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_later_revisions_are_written_alike(revision: str) -> None:
    form = roles().string("name").default("Ada").build()

    assert form.schema(revision) == form.schema()


def test_option_titles_become_enum_names() -> None:
    """R007 of the reports."""
    form = start().choice("speed").options({"std": "Standard", "exp": "Express"})

    assert properties(form) == {
        "speed": {"type": "string", "title": "Speed", "enum": ["std", "exp"], "enumNames": ["Standard", "Express"]}
    }
    assert folded(form, {"speed": "exp"}) == {"speed": "exp"}


def test_options_without_titles_have_no_enum_names() -> None:
    assert "enumNames" not in properties(start().choice("c").options(["a"]))["c"]


def test_a_multiple_choice_is_asked_as_one_boolean_for_each_option() -> None:
    form = roles().description("Who may?").min_items(1).max_items(2).required().default("usr")

    assert form.schema(FIRST) == {
        "type": "object",
        "properties": {
            "roles_1": {
                "type": "boolean",
                "title": "Roles: Admin",
                "default": False,
                "description": "Who may? (choose 1 to 2)",
            },
            "roles_2": {"type": "boolean", "title": "Roles: User", "default": True},
            "roles_3": {"type": "boolean", "title": "Roles: Guest", "default": False},
        },
    }


@pytest.mark.parametrize(
    ("low", "high", "about"),
    [(1, None, "(choose at least 1)"), (0, 2, "(choose at most 2)"), (0, None, None)],
    ids=str,
)
def test_how_many_to_choose_stands_in_the_first_description(low: int, high: int | None, about: str | None) -> None:
    form = roles().min_items(low)
    form = form if high is None else form.max_items(high)

    assert properties(form)["roles_1"].get("description") == about


FOLDED: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    ("ticked", roles(), {"roles_1": True, "roles_2": False, "roles_3": True}, {"roles": ["adm", "gst"]}),
    ("ticked in part", roles(), {"roles_3": True}, {"roles": ["gst"]}),
    ("none ticked", roles(), {"roles_1": False, "roles_2": False, "roles_3": False}, {"roles": []}),
    ("none ticked of at least one", roles().min_items(1), {"roles_1": False}, {}),
    ("nothing said", roles(), {}, {}),
    ("nothing said, with a default", roles().default("usr"), {}, {"roles": ["usr"]}),
    ("one said, with a default", roles().default("usr"), {"roles_1": True}, {"roles": ["adm", "usr"]}),
    ("the default taken away", roles().default("usr"), {"roles_2": False}, {"roles": []}),
    ("all null", roles().default("usr"), dict.fromkeys(["roles_1", "roles_2", "roles_3"]), {}),
    ("one null", roles(), {"roles_1": None, "roles_2": True}, {"roles": ["usr"]}),
    ("answered as a list after all", roles(), {"roles": ["adm"]}, {"roles": ["adm"]}),
]


@pytest.mark.parametrize(("form", "said", "expected"), [pytest.param(*row[1:], id=row[0]) for row in FOLDED])
def test_the_booleans_are_folded_back(form: Any, said: dict[str, Any], expected: dict[str, Any]) -> None:
    assert folded(form, said) == expected


@pytest.mark.parametrize("wrong", ["yes", "", 1, ["adm"], []], ids=repr)
def test_a_part_that_is_no_boolean_is_a_fault_of_its_field(wrong: Any) -> None:
    with pytest.raises(AnswerError) as caught:
        folded(roles(), {"roles_1": True, "roles_2": wrong})

    assert [(fault.field, fault.problem) for fault in caught.value.faults] == [("roles", "must be a list of options")]


def test_a_required_multiple_choice_left_open_is_a_fault() -> None:
    with pytest.raises(AnswerError, match="Roles: is required"):
        folded(roles().required(), {})


def test_parts_never_take_the_name_of_another_field_or_of_each_other() -> None:
    form: Any = FormElicitation.create("m", naming="preserve")
    for name in ("a", "a_", "a__1"):
        form = form.multi_choice(name).options(["x", "y"])
    form = form.string("a_1")

    assert len(properties(form)) == 3 * 2 + 1
    names = list(properties(form))
    assert folded(form, {names[1]: True, names[2]: True, names[4]: True, names[6]: "s"}) == {
        "a": ["y"],
        "a_": ["x"],
        "a__1": ["x"],
        "a_1": "s",
    }


def test_as_many_options_as_fit_are_asked_one_by_one_and_no_more() -> None:
    """`limits.FOLDED_OPTIONS`."""
    many = [f"o{number}" for number in range(FOLDED_OPTIONS + 1)]
    form = start().multi_choice("parts")

    assert len(properties(form.options(many[:-1]))) == FOLDED_OPTIONS
    with pytest.raises(ElicitationUnsupported, match=r"'Parts' has 13 options: more than the 12"):
        form.options(many).schema(FIRST)


DEFAULTS: list[tuple[str, Any, str]] = [
    ("a string", start().string("f").default("Ada"), "(default: Ada)"),
    ("with a description", start().string("f").description("Who?").default("Ada"), "Who? (default: Ada)"),
    ("a whole number", start().integer("f").default(0), "(default: 0)"),
    ("a number", start().number("f").default(0.5), "(default: 0.5)"),
    ("a choice", start().choice("f").options({"a": "Apple"}).default("a"), "(default: Apple)"),
]


@pytest.mark.parametrize(("form", "about"), [pytest.param(*row[1:], id=row[0]) for row in DEFAULTS])
def test_a_default_stands_in_the_description_and_is_filled_in_by_us(form: Any, about: str) -> None:
    written = properties(form)["f"]

    assert written["description"] == about
    assert "default" not in written
    assert folded(form, {}) == form.check({})


def test_the_default_of_a_boolean_is_written() -> None:
    assert properties(start().boolean("ok").default(True))["ok"]["default"] is True


def test_a_field_whose_default_we_fill_in_may_be_left_open_there() -> None:
    form = start().string("a").required().default("x").boolean("b").required().default(True).string("c").required()

    assert form.schema(FIRST)["required"] == ["b", "c"]
    assert folded(form, {"c": "z"}) == {"a": "x", "b": True, "c": "z"}


@pytest.mark.parametrize("revision", [None, "", "2024-11-05", "tomorrow"], ids=repr)
def test_a_revision_that_cannot_ask_is_unsupported(revision: str | None) -> None:
    with pytest.raises(ElicitationUnsupported, match="has no way to ask a person"):
        dialect_of(revision)


def test_a_schema_in_an_unknown_dialect_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"did you mean '2025-06-18'\?"):
        start().schema("2025-06-17")


def test_there_is_a_dialect_for_each_revision_with_elicitation() -> None:
    assert list(DIALECTS) == ["2025-06-18", "2025-11-25", "2026-07-28"]
