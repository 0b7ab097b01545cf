"""The builder (design, section 4): starters, steps, names, changes of kind, order."""

from typing import Any

import pytest

from elicitkit import Form, FormElicitation, FormError
from elicitkit.fields import ChoiceField, Option

STARTERS = ["string", "integer", "number", "boolean", "email", "uri", "date", "date_time", "choice", "multi_choice"]
TEXT = {"string", "email", "uri", "date", "date_time"}
FORMATS = {"email": "email", "uri": "uri", "date": "date", "date_time": "date-time"}
CONSTRAINTS: dict[str, Any] = {
    "integer": lambda step: step.min(1).max(5).default(2).allow_sensitive(),
    "number": lambda step: step.between(0.5, 1.5).default(1).allow_sensitive(),
    "boolean": lambda step: step.default(True),
    "choice": lambda step: step.options(["a", "b"]).default("a"),
    "multi_choice": lambda step: step.options(["a", "b"]).min_items(1).max_items(2).default("a"),
    **dict.fromkeys(TEXT, lambda step: step.min_length(1).max_length(99).allow_sensitive()),
}


def start() -> FormElicitation[Any]:
    return FormElicitation.create("m")


def dressed(starter: str) -> Any:
    step = getattr(start(), starter)("my_field").title("Mine").description("About it").required()
    return CONSTRAINTS[starter](step)


def schema_of(form: Any) -> Any:
    return form.schema()["properties"]["myField"]


def same_kind(one: str, other: str) -> bool:
    return one == other or {one, other} <= TEXT


CHANGES = [(one, other) for one in STARTERS for other in STARTERS]
SAME = [pair for pair in CHANGES if same_kind(*pair)]
OTHER = [pair for pair in CHANGES if not same_kind(*pair)]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_the_same_kind_keeps_everything_but_the_format(before: str, after: str) -> None:
    expected = schema_of(dressed(before)) | {"format": FORMATS.get(after)}

    form = getattr(dressed(before), after)("my_field")

    assert schema_of(form) | {"format": schema_of(form).get("format")} == expected
    assert form.schema()["required"] == ["myField"]


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_another_kind_keeps_only_what_every_kind_has(before: str, after: str) -> None:
    fresh = getattr(start(), after)("my_field").title("Mine").description("About it").required()

    form = getattr(dressed(before), after)("my_field")

    for step in (form, fresh):
        if "choice" in after:
            step.option("x")
    assert form.schema() == fresh.schema()


def test_a_changed_field_stays_where_it_stands() -> None:
    form = start().string("a").string("b").string("c")
    form.integer("a").date("b")

    assert [*form.schema()["properties"]] == ["a", "b", "c"]


@pytest.mark.parametrize("again", ["first_name", "firstName", "FirstName", "first-name", "FIRST_NAME", "first name"])
def test_any_spelling_of_a_name_means_the_same_field(again: str) -> None:
    form = start().string("first_name").min_length(1).string(again).max_length(9).build()

    (field,) = form.fields
    assert (field.name, field.written, field.title) == ("firstName", "first_name", "First Name")
    assert (field.min_length, field.max_length) == (1, 9)  # type: ignore[union-attr]


def test_preserved_names_are_different_fields() -> None:
    form = FormElicitation.create("m", naming="preserve").string("first_name").string("firstName").build()

    assert [field.name for field in form.fields] == ["first_name", "firstName"]


@pytest.mark.parametrize("starter", STARTERS)
def test_every_starter_takes_a_selector(starter: str) -> None:
    step = getattr(start(), starter)(lambda query: query.max_age)
    if "choice" in starter:
        step.option("x")

    assert [*step.schema()["properties"]] == ["maxAge"]


def test_a_selector_may_use_brackets_for_odd_names() -> None:
    assert [*start().string(lambda query: query["$top"]).schema()["properties"]] == ["$top"]


@pytest.mark.parametrize("starter", STARTERS)
def test_a_field_started_by_name_is_optional_until_told_otherwise(starter: str) -> None:
    step = getattr(start(), starter)("f")
    if "choice" in starter:
        step.option("x")

    assert not step.build().fields[0].required
    assert step.required().build().fields[0].required
    assert not step.optional().build().fields[0].required


def test_a_title_and_a_description_can_be_changed_and_a_description_taken_away() -> None:
    step = start().string("f").title("One").title("Two").description("x").description("")

    assert step.schema()["properties"]["f"] == {"type": "string", "title": "Two"}


def test_options_replace_and_option_appends() -> None:
    form = start().choice("f").options(["a"]).options({"b": "B"}).option("c").option("d", None)

    (field,) = form.build().fields
    assert [(option.value, option.title) for option in field.options] == [("b", "B"), ("c", "c"), ("d", "d")]  # type: ignore[union-attr]


def test_options_may_come_from_any_iterable() -> None:
    """R011 of the reports: a list that is made at run time."""
    form = start().multi_choice("files").options(f"file{number}.csv" for number in range(3)).min_items(1)

    assert form.schema()["properties"]["files"]["items"]["enum"] == ["file0.csv", "file1.csv", "file2.csv"]


def test_the_picks_of_a_multiple_choice_are_counted() -> None:
    """R013 of the reports."""
    form = start().multi_choice("src").options(["drive", "notion", "mail"]).min_items(1).max_items(2)

    assert form.check({"src": ["drive", "notion"]}) == {"src": ["drive", "notion"]}
    with pytest.raises(ValueError, match="Src: needs 1 to 2 of the options"):
        form.check({"src": ["drive", "notion", "mail"]})


def test_a_loop_adds_fields_without_assigning() -> None:
    form = start()
    for name in ("filter", "top", "skip"):
        form.string(name).title(f"${name}")

    assert [field.label for field in form.build().fields] == ["$filter", "$top", "$skip"]


def test_every_node_of_a_chain_is_the_same_form() -> None:
    first = start()
    second = first.string("a")
    third = second.integer("b").required()

    assert first.build() is second.build() is third.build()
    assert isinstance(first.build(), Form)


def test_a_form_is_its_own_source() -> None:
    form = start().build()

    assert form.build() is form


def test_a_form_is_built_once_as_long_as_nothing_changes() -> None:
    step = start().string("a")
    form = step.build()
    assert step.build() is form

    assert step.title("B").build() is not form
    assert form.fields[0].title == "A"


CHANGING: list[tuple[str, Any]] = [
    ("a field more", lambda form: form.string("b")),
    ("a field less", lambda form: form.exclude("a")),
    ("another kind", lambda form: form.integer("a")),
    ("a default", lambda form: form.string("a").default("x")),
    ("a check", lambda form: form.validate(lambda answer: None)),
]


@pytest.mark.parametrize("change", [pytest.param(row[1], id=row[0]) for row in CHANGING])
def test_whatever_changes_makes_another_form(change: Any) -> None:
    form = start().string("a")
    before = form.build()
    change(form)

    assert form.build() != before


def test_a_node_whose_field_became_another_kind_says_so() -> None:
    form = start()
    text = form.string("age").title("Age")
    form.integer("age")

    with pytest.raises(FormError, match="Age: has become another kind of field since"):
        text.min_length(1)


def test_a_node_whose_field_was_dropped_says_so() -> None:
    form = start()
    text = form.string("age")
    form.exclude("age")

    with pytest.raises(FormError, match="Age: was excluded from the form"):
        text.required()


def test_two_builders_share_nothing() -> None:
    one, other = start().string("a"), start().string("b")
    one.default("x")

    assert [*one.check({})] == ["a"]
    assert [*other.check({})] == []


def test_a_form_is_not_started_by_its_class() -> None:
    """Design, section 4: `None` or another thing in the wrong place is a plain `TypeError`."""
    with pytest.raises(TypeError, match=r'FormElicitation\.create\("hello"\)'):
        FormElicitation("hello")  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [None, 5, True], ids=repr)
@pytest.mark.parametrize("kind", ["choice", "multi_choice"])
def test_options_that_are_no_list_are_a_type_error(kind: str, values: Any) -> None:
    with pytest.raises(TypeError, match=r"^options takes a list of values or a mapping of value to title$"):
        getattr(FormElicitation.create("m"), kind)("c").options(values)


def test_options_are_compared_once_however_many_are_added() -> None:
    """The work is counted: every value is hashed a few times, and not once for each one after it."""
    hashed = 0

    class Counted(str):
        def __hash__(self) -> int:
            nonlocal hashed
            hashed += 1
            return super().__hash__()

    step = FormElicitation.create("m").choice("c").options([Counted(at) for at in range(100)])
    step._draft.change("c", ChoiceField, options=tuple(Option(Counted(at)) for at in range(100)))
    hashed = 0
    for at in range(100, 200):
        step.option(str(at))

    assert hashed <= 100


@pytest.mark.parametrize("again", ["a", "b", "c"])
def test_an_option_added_twice_is_found_however_the_first_came(again: str) -> None:
    step = FormElicitation.create("m").choice("x").options(["z"]).option("y").options({"a": None}).option("b")
    step = step.option("c")

    with pytest.raises(FormError, match=f"has the option '{again}' twice"):
        step.option(again)
    assert step.options(["z"]).option(again).schema()["properties"]["x"]["enum"] == ["z", again]


def test_a_refused_option_changes_nothing() -> None:
    step = FormElicitation.create("m").choice("x").option("a")
    with pytest.raises(FormError):
        step.option("a")

    assert step.option("b").schema()["properties"]["x"]["enum"] == ["a", "b"]
