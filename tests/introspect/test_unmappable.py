"""What no field can carry, and how that reads: "payload is of the type dict, which …" (design, section 4)."""

import collections
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum, Flag
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import annotated_types
import msgspec
import pydantic
import pytest

from elicitkit.fields import ChoiceField
from elicitkit.introspect.describe import describe
from tests.introspect.making import KINDS, VALIDATING, answered, members, seed_of
from tests.introspect.shades import Colour, Level, Right

T = TypeVar("T")


class Address(pydantic.BaseModel):
    city: str


@dataclass
class Point:
    x: int


class Nothing(Enum):
    pass


class Composite(Flag):
    ALL = 3


class OtherLevel(Enum):
    LOW = 7


class Pair(NamedTuple):
    x: int


class Keyed(TypedDict):
    x: int


REASONS: list[tuple[Any, str]] = [
    (Address, "is of the type Address, which no field can carry"),
    (Point, "is of the type Point, which no field can carry"),
    (Pair, "is of the type Pair, which no field can carry"),
    (Keyed, "is of the type Keyed, which no field can carry"),
    (dict, "is of the type dict, which no field can carry"),
    (dict[str, int], "is of the type dict[str, int], which no field can carry"),
    (object, "is of the type object, which no field can carry"),
    (Any, "is of the type Any, which no field can carry"),
    (bytes, "is of the type bytes, which no field can carry"),
    (time, "is of the type time, which no field can carry"),
    (timedelta, "is of the type timedelta, which no field can carry"),
    (IPv4Address, "is of the type IPv4Address, which no field can carry"),
    (Path, "is of the type Path, which no field can carry"),
    (list, "is of the type list, which no field can carry"),
    (typing.List, "is of the type list, which no field can carry"),  # noqa: UP006  # it is a type too
    (list[str], "is of the type list[str], and only the members of an enum and literals can be chosen from"),
    (set[int], "is of the type set[int], and only the members of an enum and literals can be chosen from"),
    (list[Right], "is of the type list[Right], and only the members of an enum and literals can be chosen from"),
    (
        list[Colour | None],
        "is of the type list[Colour | None], and only the members of an enum and literals can be chosen from",
    ),
    (tuple[Colour, Colour], "is of the type tuple[Colour, Colour], which no field can carry"),
    (tuple[Colour], "is of the type tuple[Colour], which no field can carry"),
    (Callable[[int], str], "is of the type Callable[[int], str], which no field can carry"),
    (type[int], "is of the type type[int], which no field can carry"),
    (int | str, "is of more than one type (int | str), and a field asks for one"),
    (
        Colour | Literal[1, "a", Level.LOW],
        "is of more than one type (Colour | Literal[1, 'a', Level.LOW]), and a field asks for one",
    ),
    (Nothing, "is of Nothing, an enum without members"),
    (Composite, "is of Composite, a flag without single members"),
    (Literal[1, "1"], "is a literal of values that are the same as text"),
    (Literal[Level.LOW, OtherLevel.LOW], "is a literal of values that are the same as text"),
    (Literal[b"x"], "is a literal of something else than text and numbers"),
    (Literal[""], "is a literal of nothing but blank text"),
    (None, "can only be None"),
    (pydantic.NaiveDatetime, "takes a date and time without a zone, and a form only gives those with one"),
    (
        Annotated[datetime, annotated_types.Timezone(None)],
        "takes a date and time without a zone, and a form only gives those with one",
    ),
    (
        Annotated[datetime, msgspec.Meta(tz=False)],
        "takes a date and time without a zone, and a form only gives those with one",
    ),
    (Annotated[int, annotated_types.Ge(2**70)], "has bounds that no number of 64 bits is within"),
]


def test_a_type_that_no_field_can_carry_has_a_reason_that_reads_well() -> None:
    made = KINDS["dataclass"]({f"m{at}": hint for at, (hint, _) in enumerate(REASONS)}, {})

    seeds = describe(made).seeds
    assert {seed.field for seed in seeds} == {None}
    assert [seed.reason for seed in seeds] == [reason for _, reason in REASONS]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unmappable_member_can_do_without_an_answer_if_it_has_a_default_or_accepts_none(kind: str) -> None:
    """Design, section 4: skipped when it has a default or accepts `None`; a required one is a fault at `build()`."""
    hints = {"needed": dict[str, int], "given": dict[str, int], "open": dict[str, int] | None}
    made = KINDS[kind](hints, {"given": None})

    found = {seed.member.name: seed.may_be_left_out for seed in describe(made).seeds}

    assert found == {"needed": False, "given": True, "open": True}


@pytest.mark.parametrize("kind", KINDS)
def test_what_accepts_anything_is_not_said_to_accept_none(kind: str) -> None:
    """`Any` and `object` without a default are required by every kind of class: binding `None` would be a guess."""
    made = KINDS[kind]({"anything": Any, "thing": object}, {})

    assert [seed.may_be_left_out for seed in describe(made).seeds] == [False, False]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unmappable_member_is_bound_from_a_form_of_another_make(kind: str) -> None:
    """`bind` works for any dynamic form (design, section 4): one may ask for tags as a multiple choice."""
    made = KINDS[kind]({"tags": list[str], "note": str}, {})

    value = answered(made, {"note": "x"}, fixed={"tags": ["a"]})

    assert members(made, value) == {"tags": ["a"], "note": "x"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in VALIDATING])
def test_an_unmappable_member_is_still_checked(kind: str) -> None:
    made = KINDS[kind]({"tags": list[str]}, {})
    convert = seed_of(made, "tags").convert

    assert convert is not None
    assert convert(["a", "b"]) == ["a", "b"]
    with pytest.raises(ValueError, match="valid string"):
        convert([1])


def test_an_open_generic_says_what_to_fill_in() -> None:
    @dataclass
    class Box(Generic[T]):
        it: T

    assert seed_of(Box).reason == "is of the type variable T; fill it in, as in Box[int]"
    assert seed_of(Box[int]).reason == ""


def test_an_open_generic_stands_for_its_bound() -> None:
    bound = TypeVar("bound", bound=Colour)
    seed = seed_of(KINDS["dataclass"]({"it": bound}, {}))

    assert (type(seed.field), seed.reason) == (ChoiceField, "")


def test_a_member_without_a_type_says_so() -> None:
    made = collections.namedtuple("made", ["it"])

    assert seed_of(made).reason == "has no type"


NO_KIND: list[Any] = [
    *(int, dict, Colour, list[int], "text", None, 3, [], Address(city="x"), int | None, Callable),
    *(Annotated[Address, "a note"], pydantic.BaseModel, msgspec.Struct, NamedTuple, TypedDict, T),
]


def test_what_is_of_no_kind_a_form_comes_from_is_refused() -> None:
    for made in NO_KIND:
        with pytest.raises(TypeError, match=r"a form comes from .* not from"):
            describe(made)


def test_a_root_model_is_refused_with_what_would_do() -> None:
    with pytest.raises(TypeError, match="is a RootModel, without members: make a model with a member for its value"):
        describe(pydantic.RootModel[int])
