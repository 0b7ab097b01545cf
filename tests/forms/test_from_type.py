"""Forms from types (design, section 4): seeding, overriding, excluding, and what binding needs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Required, TypedDict

import attrs
import pytest
from pydantic import BaseModel, ConfigDict, EmailStr, Field, Json, SecretStr, field_validator

from elicitkit import AnswerError, FormElicitation, FormError, SensitiveFieldError


class Color(Enum):
    RED = "r"
    BLUE_GREEN = "bg"


class Query(BaseModel):
    filter: str | None = None
    top: int = 50
    skip: int = 0


@dataclass
class Order:
    name: str
    lines: list[str]
    note: str = "none"
    extra: dict[str, int] = field(default_factory=dict)


def properties(form: Any) -> dict[str, Any]:
    found: dict[str, Any] = form.schema()["properties"]
    return found


def test_members_become_fields_in_their_order() -> None:
    form = FormElicitation.from_type(Query, "Query products")

    assert list(properties(form)) == ["filter", "top", "skip"]
    assert properties(form)["top"] == {"type": "integer", "title": "Top", "default": 50}
    assert "required" not in form.schema()


def test_the_answer_comes_back_as_the_type() -> None:
    accepted = FormElicitation.from_type(Query, "?").build().accept({"top": "5"})

    assert accepted.content == Query(top=5)
    assert accepted.raw == {"top": 5, "skip": 0}


def test_a_seeded_field_can_be_changed_by_any_spelling_or_a_selector() -> None:
    form = FormElicitation.from_type(Query, "?").integer(lambda q: q.top).min(1).integer("Top").max(1000).default(20)

    assert properties(form)["top"] == {"type": "integer", "title": "Top", "minimum": 1, "maximum": 1000, "default": 20}


def test_fields_of_other_names_are_added_and_are_in_raw() -> None:
    form = FormElicitation.from_type(Query, "?").integer("extra_count").min(0)

    accepted = form.build().accept({"extraCount": 3})

    assert accepted.content == Query()
    assert accepted.raw["extra_count"] == 3


def test_a_seeded_field_can_become_another_kind_and_still_binds() -> None:
    form = FormElicitation.from_type(Query, "?").string("top").title("How many").required()

    assert form.build().accept({"top": "7"}).content == Query(top=7)


def test_what_became_another_kind_and_does_not_bind_is_asked_again() -> None:
    form = FormElicitation.from_type(Query, "?").string("top").required()

    with pytest.raises(AnswerError) as raised:
        form.check({"top": "private-17x"})

    assert [fault.field for fault in raised.value.faults] == ["top"]
    assert "private" not in str(raised.value)


class TestExclude:
    """What was excluded has to be filled all the same."""

    def test_a_member_with_a_default_keeps_it(self) -> None:
        form = FormElicitation.from_type(Query, "?").exclude(lambda q: q.skip)

        assert "skip" not in properties(form)
        assert form.build().accept({}).content.skip == 0

    def test_a_value_takes_its_place(self) -> None:
        form = FormElicitation.from_type(Order, "?").exclude("lines", value=["tea"])

        assert form.build().accept({"name": "Ada"}).content == Order("Ada", ["tea"])

    def test_without_either_it_is_a_fault_that_says_how(self) -> None:
        form = FormElicitation.from_type(Order, "?").exclude("name").exclude("lines", value=[])

        with pytest.raises(FormError, match=r"Name: was excluded, .* exclude\('name', value=…\)"):
            form.build()

    def test_of_a_member_that_was_skipped_it_is_no_more_than_a_value(self) -> None:
        form = FormElicitation.from_type(Order, "?").exclude("extra").exclude("lines", value=[])

        assert form.build().accept({"name": "Ada"}).content == Order("Ada", [])

    def test_an_unknown_member_has_the_nearest_name(self) -> None:
        with pytest.raises(FormError, match="did you mean 'filter'"):
            FormElicitation.from_type(Query, "?").exclude("filtr")

    def test_a_nested_selector_is_refused(self) -> None:
        with pytest.raises(FormError, match="is nested"):
            FormElicitation.from_type(Query, "?").exclude(lambda q: q.filter.upper)


class TestWhatCannotBeMapped:
    """Reports R017 and R019: unsupported members were sent unchecked, or skipped in silence."""

    def test_a_required_member_is_a_fault_that_names_it_and_why(self) -> None:
        with pytest.raises(FormError) as raised:
            FormElicitation.from_type(Order, "?").build()

        (fault,) = raised.value.faults
        assert fault.field == "lines"
        assert "exclude('lines', value=…)" in fault.problem

    def test_one_that_the_type_can_do_without_is_left_out(self) -> None:
        form = FormElicitation.from_type(Order, "?").exclude("lines", value=[])

        assert list(properties(form)) == ["name", "note"]

    def test_skipping_them_gives_a_plain_dict(self) -> None:
        form = FormElicitation.from_type(Order, "?", skip_unmapped=True)

        assert form.build().accept({"name": "Ada"}).content == {"name": "Ada", "note": "none"}

    def test_json_in_a_text_is_not_asked_as_what_it_holds(self) -> None:
        class Raw(BaseModel):
            count: Json[int]

        with pytest.raises(FormError, match="is read from JSON in a text"):
            FormElicitation.from_type(Raw, "?").build()

    def test_every_one_is_named_at_once(self) -> None:
        @dataclass
        class Nested:
            a: Query
            b: bytes
            c: list[int]

        with pytest.raises(FormError) as raised:
            FormElicitation.from_type(Nested, "?").build()

        assert [fault.field for fault in raised.value.faults] == ["a", "b", "c"]


def test_what_the_author_made_optional_needs_something_to_bind() -> None:
    @dataclass
    class Name:
        name: str

    with pytest.raises(FormError, match="is optional here, and its type needs it"):
        FormElicitation.from_type(Name, "?").string("name").optional().build()

    form = FormElicitation.from_type(Name, "?").string("name").optional().default("Ada")
    assert form.build().accept({}).content == Name("Ada")


def test_optional_and_required_are_read_from_the_type_and_overridden() -> None:
    class Signup(TypedDict):
        code: str
        note: Required[str | None]
        hint: str | None
        score: NotRequired[int]

    form = FormElicitation.from_type(Signup, "Sign up")
    assert form.schema()["required"] == ["code", "note"]

    form.string("code").optional().default("x").string("hint").required()
    assert form.schema()["required"] == ["note", "hint"]
    assert form.build().accept({"note": "n", "hint": "h"}).content == {"code": "x", "note": "n", "hint": "h"}


def test_a_class_with_only_defaults_can_be_sent_untouched() -> None:
    assert FormElicitation.from_type(Query, "?").build().accept({}).content == Query()


def test_an_empty_class_is_a_confirm_dialog() -> None:
    class Nothing(BaseModel):
        pass

    form = FormElicitation.from_type(Nothing, "Delete this order?")

    assert form.schema() == {"type": "object", "properties": {}}
    assert form.build().accept(None).content == Nothing()


def test_null_binds_none_where_it_is_accepted_and_suppresses_the_default() -> None:
    @dataclass
    class Note:
        text: str | None = "unset"
        count: int = 3

    content = FormElicitation.from_type(Note, "?").build().accept({"text": None, "count": None}).content

    assert content == Note(None, 3)


def test_two_members_with_one_wire_name_are_refused_at_the_call() -> None:
    class Clash(NamedTuple):
        first_name: str
        firstName: str

    with pytest.raises(FormError, match="'first_name' and 'firstName'"):
        FormElicitation.from_type(Clash, "?")

    assert list(properties(FormElicitation.from_type(Clash, "?", naming="preserve"))) == ["first_name", "firstName"]


@pytest.mark.parametrize("made", [None, int, "Query", list[int], object])
def test_what_is_no_type_of_ours_is_a_plain_type_error(made: Any) -> None:
    with pytest.raises(TypeError) as raised:
        FormElicitation.from_type(made, "?")

    assert type(raised.value) is TypeError


def test_none_for_the_message_is_a_plain_type_error() -> None:
    with pytest.raises(TypeError):
        FormElicitation.from_type(Query, None)  # type: ignore[arg-type]


def test_a_secret_of_the_type_is_a_credential_whatever_its_name() -> None:
    class Login(BaseModel):
        opener: SecretStr

    with pytest.raises(SensitiveFieldError, match="Opener"):
        FormElicitation.from_type(Login, "?").build()


def test_what_the_validators_refuse_is_a_fault_of_its_field_in_their_words() -> None:
    class Even(BaseModel):
        count: int
        code: Annotated[str, Field(pattern="^[a-z]+$")]

        @field_validator("count")
        @classmethod
        def be_even(cls, count: int) -> int:
            if count % 2:
                raise ValueError("The count has to be even.")
            return count

    with pytest.raises(AnswerError) as raised:
        FormElicitation.from_type(Even, "?").check({"count": 3, "code": "A1"})

    assert [(fault.field, fault.label) for fault in raised.value.faults] == [("count", "Count"), ("code", "Code")]
    assert raised.value.faults[0].problem == "The count has to be even."


def test_an_authors_check_gets_the_value_of_the_type() -> None:
    def few(query: Query) -> None:
        if query.top > 10:
            raise ValueError("At most ten.")

    form = FormElicitation.from_type(Query, "?").validate(few)

    with pytest.raises(AnswerError, match="At most ten"):
        form.check({"top": 11})
    assert form.check({"top": 10})


def test_a_default_of_the_type_that_is_no_possible_answer_is_not_shown_but_kept() -> None:
    class Page(BaseModel):
        model_config = ConfigDict(validate_default=False)
        top: Annotated[int, Field(ge=1)] = 0

    form = FormElicitation.from_type(Page, "?")

    assert "default" not in properties(form)["top"]
    assert form.build().accept({}).content.top == 0


def test_a_default_factory_runs_at_binding_and_never_for_the_form() -> None:
    runs: list[int] = []

    @dataclass
    class Ticket:
        number: int = field(default_factory=lambda: runs.append(1) or len(runs))  # type: ignore[func-returns-value]

    form = FormElicitation.from_type(Ticket, "?")

    assert properties(form)["number"] == {"type": "integer", "title": "Number"}
    assert not runs
    assert [form.build().accept({}).content.number for _ in range(2)] == [1, 2]


def test_the_form_of_a_type_is_made_once_for_all_messages() -> None:
    first = FormElicitation.from_type(Query, "One").build()
    second = FormElicitation.from_type(Query, "Two").build()

    assert first.schema() is second.schema()
    assert (first.message, second.message) == ("One", "Two")


def test_changing_one_builder_leaves_the_next_alone() -> None:
    FormElicitation.from_type(Query, "?").integer("top").min(1).exclude("skip").build()

    assert properties(FormElicitation.from_type(Query, "?"))["top"] == {
        "type": "integer",
        "title": "Top",
        "default": 50,
    }


class TestBoundTo:
    """`elicit(ctx, form, Query)`: a form that did not come from the type."""

    @pytest.mark.parametrize("describe", [str, lambda form: form], ids=["message", "form"])
    def test_a_form_field_by_field_binds(self, describe: Callable[[Any], Any]) -> None:
        form = FormElicitation.create(describe("How?")).integer("top").required().choice("color").options(["r", "bg"])

        @dataclass
        class Choice:
            top: int
            color: Color | None = None

        assert form.build().bound_to(Choice).accept({"top": 3, "color": "bg"}).content == Choice(3, Color.BLUE_GREEN)

    def test_a_member_without_a_field_is_a_fault_before_anything_is_asked(self) -> None:
        @dataclass
        class Choice:
            top: int
            other: Literal["a", "b"]

        with pytest.raises(FormError, match="other: is a member that needs a value, and the form has no field for it"):
            FormElicitation.create("?").integer("top").required().build().bound_to(Choice)

    def test_an_optional_field_for_a_member_that_needs_a_value_is_a_fault(self) -> None:
        @dataclass
        class Choice:
            top: int

        with pytest.raises(FormError, match="Top: is optional"):
            FormElicitation.create("?").integer("top").build().bound_to(Choice)


class TestLeftToTheType:
    """What nobody answered is the type's own business: a class with only defaults can be sent untouched."""

    def test_a_default_that_its_own_constraint_refuses_can_be_sent_untouched(self) -> None:
        class Page(BaseModel):
            code: Annotated[str, Field(pattern="^x")] = "y"

        form = FormElicitation.from_type(Page, "?").build()

        assert form.accept({}).content == Page()
        assert form.accept({}).content.model_fields_set == set()
        with pytest.raises(AnswerError):
            form.check({"code": "y"})

    def test_a_default_of_the_author_is_bound_like_an_answer(self) -> None:
        form = FormElicitation.from_type(Query, "?").integer("top").default(20)

        assert form.build().accept({}).content.top == 20


def test_a_member_that_is_asked_for_again_is_answered_by_the_person() -> None:
    form = FormElicitation.from_type(Order, "?").exclude("name", value="fixed").exclude("lines", value=[])

    form.string("name").required()

    assert form.build().accept({"name": "Ada"}).content.name == "Ada"


def test_a_fixed_value_that_the_type_refuses_is_the_authors_fault() -> None:
    form = FormElicitation.from_type(Query, "?").exclude("top", value="many")

    with pytest.raises(FormError, match="was excluded with a value that its type refuses"):
        form.check({})


def test_a_fixed_value_is_never_shared_by_two_answers() -> None:
    form = FormElicitation.from_type(Order, "?").exclude("lines", value=[]).build()
    form.accept({"name": "Ada"}).content.lines.append("tea")

    assert form.accept({"name": "Eve"}).content.lines == []


def test_a_mistyped_selector_is_no_new_field() -> None:
    with pytest.raises(FormError, match="did you mean 'top'"):
        FormElicitation.from_type(Query, "?").integer(lambda q: q.topp)  # type: ignore[attr-defined]


def test_a_decimal_keeps_the_digits_it_came_with() -> None:
    @dataclass
    class Money:
        amount: Decimal

    form = FormElicitation.from_type(Money, "?").build()

    assert form.accept({"amount": "12345678901234567.89"}).content.amount == Decimal("12345678901234567.89")


def test_the_schema_of_a_type_cannot_be_changed_for_everybody() -> None:
    form = FormElicitation.from_type(Query, "?")

    with pytest.raises(TypeError, match=r"copy\.deepcopy"):
        form.schema()["properties"]["top"]["$ref"] = "http://evil"
    mine = deepcopy(form.schema())
    mine["properties"].clear()
    form.to_input_request()["params"]["requestedSchema"]["properties"].clear()

    assert list(properties(FormElicitation.from_type(Query, "?"))) == ["filter", "top", "skip"]


@pytest.mark.parametrize(
    "override",
    [
        lambda form: form.choice("color").options(["RED", "green"]),
        lambda form: form.multi_choice("color").options(["RED"]),
        lambda form: form.boolean("color"),
    ],
    ids=["foreign option", "several", "yes or no"],
)
def test_choices_that_the_type_does_not_know_are_a_fault_before_anybody_answers(override: Callable[[Any], Any]) -> None:
    @dataclass
    class Paint:
        color: Color

    with pytest.raises(FormError, match="can be answered with what its type does not take"):
        override(FormElicitation.from_type(Paint, "?")).build()


def test_choices_may_be_fewer_than_the_type_has() -> None:
    @dataclass
    class Paint:
        color: Color

    form = FormElicitation.from_type(Paint, "?").choice("color").options({"RED": "Red as blood"})

    assert form.build().accept({"color": "RED"}).content == Paint(Color.RED)


class Adult(BaseModel):
    age: int = Field(ge=18, le=120)
    name: str = Field(max_length=8)
    mail: EmailStr


@dataclass
class Even:
    count: Annotated[int, Field(multiple_of=2)]
    colors: list[Color]


@pytest.mark.parametrize(
    "described",
    [
        lambda: of(Adult).integer("age").min(0).default(3),
        lambda: of(Adult).number("age").between(0, 200).integer("age").default(121),
        lambda: of(Adult).string("name").max_length(80).default("Ada Lovelace"),
        lambda: of(Adult).string("mail").default("Ada"),
        lambda: of(Even).integer("count").default(3),
    ],
    ids=["below", "above", "too long", "no address", "odd"],
)
def test_a_default_that_the_type_refuses_is_a_fault_before_anybody_answers(described: Callable[[], Any]) -> None:
    """The design's rule: an author's mistake is found at `build`, never by the person who answers."""
    with pytest.raises(FormError, match="has a default that its type does not take"):
        described().build()


@pytest.mark.parametrize(
    "described",
    [
        lambda: of(Adult).integer("age").min(0).default(18),
        lambda: of(Adult).integer("age").min(0),
        lambda: of(Adult).string("mail").default("ada@example.com"),
        lambda: of(Even).integer("count").default(4).multi_choice("colors").default(Color.RED),
    ],
    ids=["at the bound", "none", "an address", "chosen"],
)
def test_a_default_that_the_type_takes_is_none(described: Callable[[], Any]) -> None:
    assert described().build().fields


@pytest.mark.parametrize(
    "described",
    [
        lambda: of(Adult).integer("age").between(0, 17),
        lambda: of(Adult).integer("age").between(121, 200),
        lambda: of(Adult).string("name").max_length(80).min_length(9),
    ],
    ids=["below", "above", "too long"],
)
def test_bounds_that_leave_nothing_of_the_types_own_are_a_fault(described: Callable[[], Any]) -> None:
    """The design's rule: a form that nobody can answer is not built."""
    with pytest.raises(FormError, match="leaves nothing of what its type takes"):
        described().build()


def of(made: type[Any]) -> Any:
    return FormElicitation.from_type(made, "?")


class OfText(BaseModel):
    x: int

    def __init__(self, text: str) -> None:
        super().__init__(x=int(text))


@dataclass(init=False)
class OfNothing:
    x: int

    def __init__(self) -> None:
        self.x = 0


@attrs.define(init=False)
class OfTwo:
    x: int

    def __init__(self, x: int, y: int) -> None:
        self.x = x + y


class Forwarding(BaseModel):
    x: int

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)


@dataclass
class Shape(ABC):
    x: int

    @abstractmethod
    def area(self) -> int: ...


class AbstractModel(BaseModel, ABC):
    x: int

    @abstractmethod
    def area(self) -> int: ...


@pytest.mark.parametrize("made", [OfText, OfNothing, OfTwo])
def test_a_class_whose_constructor_does_not_take_its_members_is_a_fault(made: type[Any]) -> None:
    """The design's rule: an author's mistake is found at `build`, never by the person who answers."""
    with pytest.raises(FormError, match=f"{made.__name__}: has a constructor that does not take its members"):
        of(made).build()


@pytest.mark.parametrize("made", [Shape, AbstractModel])
def test_an_abstract_class_is_a_fault_that_says_what_it_leaves_out(made: type[Any]) -> None:
    """The design's rule, as above."""
    with pytest.raises(FormError, match=f"{made.__name__}: is abstract, .*: it leaves out area"):
        of(made).build()


@pytest.mark.parametrize("made", [OfText, Shape])
def test_a_form_of_another_make_is_not_bound_to_what_cannot_be_made(made: type[Any]) -> None:
    """The design's rule: `bound_to` finds out at the call that binding could never succeed."""
    form = FormElicitation.create("?")
    form.integer("x").required()

    with pytest.raises(FormError, match=made.__name__):
        form.build().bound_to(made)


def test_a_constructor_that_takes_any_name_is_none_to_complain_of() -> None:
    assert of(Forwarding).build().accept({"x": 1}).content == Forwarding(x=1)


class Audited(BaseModel):
    x: int

    @classmethod
    def model_validate(cls, obj: Any, **settings: Any) -> Any:
        return super().model_validate({"x": obj["x"] + 1}, **settings)


def test_a_model_with_a_model_validate_of_its_own_is_made_by_it() -> None:
    """pydantic's way to make a value of what came is `model_validate`, which classes may refine."""
    assert of(Audited).build().accept({"x": 1}).content.x == 2


class Meeting(BaseModel):
    at: datetime
    day: date


def test_a_time_in_small_letters_is_read_as_any_other() -> None:
    """RFC 3339, section 5.6: `T` and `Z` may be in lower case."""
    meeting = of(Meeting).build().accept({"at": "2026-11-30t14:30:00z", "day": "2026-11-30"}).content

    assert meeting == Meeting(at=datetime(2026, 11, 30, 14, 30, tzinfo=UTC), day=date(2026, 11, 30))


def test_a_time_without_a_zone_is_refused_from_a_form_of_another_make_too() -> None:
    """The design's rule: a time that an answer gives always has a zone."""
    form = FormElicitation.create("?")
    form.string("at").required()
    form.string("day").required()
    bound = form.build().bound_to(Meeting)

    with pytest.raises(AnswerError, match="must be a date and time with a zone"):
        bound.accept({"at": "2026-11-30T14:30:00", "day": "2026-11-30"})
