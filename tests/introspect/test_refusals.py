"""What a class's own validators refuse is a fault of the answer, in the class's words (design, section 4)."""

from dataclasses import InitVar, dataclass
from datetime import date
from typing import Annotated, Any, NamedTuple, Self

import attrs
import msgspec
import pydantic
import pydantic_core
import pytest

from elicitkit import AnswerError, Fault
from tests.introspect.making import answered

Faults = list[tuple[str, str]]


def refused(made: Any, answer: dict[str, Any]) -> Faults:
    with pytest.raises(AnswerError) as caught:
        answered(made, answer)
    return [(fault.field, fault.problem) for fault in caught.value.faults]


@dataclass
class Data:
    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the end is before the start")


@pydantic.dataclasses.dataclass
class ModelData:
    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the end is before the start")


@attrs.define
class Attrs:
    start: date
    end: date

    def __attrs_post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the end is before the start")


class Struct(msgspec.Struct):
    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("the end is before the start")


class After(pydantic.BaseModel):
    start: date
    end: date

    @pydantic.model_validator(mode="after")
    def in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError("the end is before the start")
        return self


class Before(pydantic.BaseModel):
    start: date
    end: date

    @pydantic.model_validator(mode="before")
    @classmethod
    def in_order(cls, values: dict[str, Any]) -> dict[str, Any]:
        assert values["start"] <= values["end"], "the end is before the start"  # pydantic takes these
        return values


class Wrapped(pydantic.BaseModel):
    start: date
    end: date

    @pydantic.model_validator(mode="wrap")
    @classmethod
    def in_order(cls, values: Any, make: Any) -> Self:
        made: Self = make(values)
        if made.end < made.start:
            raise pydantic_core.PydanticCustomError("order", "the end is before the start")
        return made


class Inner(NamedTuple):
    start: date
    end: date


class Named(Inner):
    __slots__ = ()

    def __new__(cls, start: date, end: date) -> Self:
        assert start <= end, "the end is before the start"
        return super().__new__(cls, start, end)


@pytest.mark.parametrize("made", [Data, ModelData, Attrs, Struct, After, Before, Wrapped, Named])
def test_what_a_whole_refuses_is_a_fault_in_its_words(made: Any) -> None:
    right = answered(made, {"start": "2026-01-01", "end": "2026-01-02"})

    assert right.end == date(2026, 1, 2)
    found = refused(made, {"start": "2026-01-02", "end": "2026-01-01"})
    assert found == [("", "the end is before the start")]


def test_a_validator_of_a_member_names_it() -> None:
    class Model(pydantic.BaseModel):
        town: str
        floor: int

        @pydantic.field_validator("town")
        @classmethod
        def known(cls, town: str) -> str:
            if town != "Ulm":
                raise ValueError("is no town we go to")
            return town

        @pydantic.field_validator("floor", mode="before")
        @classmethod
        def low(cls, floor: int) -> int:
            assert floor < 5, "is too high"
            return floor

    found = refused(Model, {"town": "Bonn", "floor": 9})
    assert found == [("town", "is no town we go to"), ("floor", "is too high")]


def test_an_answer_error_of_a_class_names_its_members_itself() -> None:
    """By the attribute's name or the wire's; it is the one way in which a dataclass can."""

    @dataclass
    class Data:
        first_name: str
        age: int

        def __post_init__(self) -> None:
            names = ["first_name", "firstName", "age", "who"]
            raise AnswerError([Fault(name, name, f"no {at}") for at, name in enumerate(names)])

    assert refused(Data, {"first_name": "x", "age": 3}) == [
        ("first_name", "no 0"),
        ("first_name", "no 1"),
        ("age", "no 2"),
        ("", "no 3"),
    ]


def test_an_answer_error_in_a_validator_of_pydantic_is_taken_apart() -> None:
    class Model(pydantic.BaseModel):
        age: int

        @pydantic.model_validator(mode="after")
        def grown(self) -> Self:
            raise AnswerError([Fault("age", "Age", "is too low"), Fault("", "", "is odd")])

    assert refused(Model, {"age": 3}) == [("age", "is too low"), ("", "is odd")]


def test_a_model_that_is_made_inside_a_validator_refuses_in_its_own_words() -> None:
    class Small(pydantic.BaseModel):
        x: Annotated[int, pydantic.Field(le=2)]

    @dataclass
    class Data:
        age: int

        def __post_init__(self) -> None:
            Small(x=self.age)

    assert refused(Data, {"age": 3}) == [("", "must be less than or equal to 2")]


class Checked(pydantic.BaseModel):
    short: Annotated[str, pydantic.Field(pattern="^a")] = "a"
    address: pydantic.EmailStr | None = None
    price: Annotated[float, pydantic.Field(multiple_of=0.5)] = 1
    past: pydantic.PastDate = date(2000, 1, 1)


def test_the_words_of_pydantic_end_a_sentence_that_starts_with_the_label() -> None:
    answer = {"short": "b", "price": 0.7, "past": "9999-01-01", "address": "ada@nowhere.test"}

    reserved = "The part after the @-sign is a special-use or reserved name that cannot be used with email."
    assert refused(Checked, answer) == [
        ("short", "must match pattern '^a'"),
        ("address", f"is not a valid email address: {reserved}"),
        ("price", "must be a multiple of 0.5"),
        ("past", "must be in the past"),
    ]


def test_a_default_that_comes_back_is_looked_at_like_any_answer() -> None:
    """pydantic does not look at its own defaults, but whoever leaves a box unticked has answered."""

    class Model(pydantic.BaseModel):
        agreed: bool = False

        @pydantic.field_validator("agreed")
        @classmethod
        def must(cls, agreed: bool) -> bool:
            if not agreed:
                raise ValueError("must be agreed to")
            return agreed

    assert refused(Model, {}) == refused(Model, {"agreed": False}) == [("agreed", "must be agreed to")]
    assert answered(Model, {"agreed": True}).agreed


def test_what_pydantic_runs_afterwards_may_refuse_too() -> None:
    class Model(pydantic.BaseModel):
        it: int

        def model_post_init(self, context: Any) -> None:
            raise ValueError("is not for sale")

    assert refused(Model, {"it": 3}) == [("", "is not for sale")]


def test_a_class_that_gives_no_reason_is_given_one() -> None:
    @dataclass
    class Data:
        it: int

        def __post_init__(self) -> None:
            raise ValueError

    assert refused(Data, {"it": 3}) == [("", "is not what the type allows")]


# --- attrs' own validators --------------------------------------------------------------------------------------------


def validated(validator: Any) -> Any:
    return attrs.make_class("Made", {"it": attrs.field(validator=validator, type=str)})


ATTRS: list[tuple[Any, str]] = [
    (attrs.validators.in_(["a", "b"]), "must be in ['a', 'b']"),
    (attrs.validators.matches_re("a+"), "must match regex 'a+'"),
    (attrs.validators.instance_of(int), "must be <class 'int'>"),
    (attrs.validators.lt("b"), "must be < b"),
    (attrs.validators.max_len(3), "its length must be <= 3"),
    (attrs.validators.min_len(30), "its length must be >= 30"),
]


def test_the_validators_of_attrs_name_the_member_and_never_the_value() -> None:
    for validator, words in ATTRS:
        assert refused(validated(validator), {"it": "zanzibar"}) == [("it", words)]


def test_a_converter_of_attrs_runs_and_what_it_refuses_is_a_fault() -> None:
    @attrs.define
    class Data:
        it: int = attrs.field(converter=lambda value: 100 // (4 - int(value)) if value != 5 else int("five"))

    assert answered(Data, {"it": 3}).it == 100
    assert refused(Data, {"it": 5}) == [("", "invalid literal for int() with base 10: 'five'")]


# --- mistakes of the class --------------------------------------------------------------------------------------------


@dataclass
class Broken:
    it: int

    def __post_init__(self) -> None:
        self.it += "x"  # type: ignore[operator]


class BrokenModel(pydantic.BaseModel):
    it: int

    @pydantic.model_validator(mode="after")
    def broken(self) -> Self:
        raise KeyError("x")


@dataclass(init=False)
class Own:
    it: int

    def __init__(self, other: int) -> None:
        self.it = other


@pytest.mark.parametrize(("made", "error"), [(Broken, TypeError), (BrokenModel, KeyError), (Own, TypeError)])
def test_a_mistake_in_a_class_is_not_taken_for_a_wrong_answer(made: Any, error: type[Exception]) -> None:
    """Nobody could answer it better; a `ValueError` is a refusal (design, section 4, `validate`)."""
    with pytest.raises(error) as caught:
        answered(made, {"it": 3})

    assert not isinstance(caught.value, AnswerError)


def test_the_constructor_of_an_author_is_called() -> None:
    @dataclass(init=False)
    class Data:
        it: int
        told: InitVar[int] = 1

        def __init__(self, it: int, told: int = 2) -> None:
            self.it = it * told

    assert answered(Data, {"it": 3, "told": 5}).it == 15
