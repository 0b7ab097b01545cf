"""Syntax that Python 3.11 does not have: type aliases and generics of PEP 695."""

import sys
from typing import Any

import pytest

from elicitkit.fields import ChoiceField, IntegerField, MultiChoiceField, TextField
from elicitkit.introspect.describe import describe
from tests.introspect.making import answered, seed_of
from tests.introspect.shades import Colour

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="elsewhere: this syntax came with Python 3.12")

SOURCE = """
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypedDict
import attrs, msgspec, pydantic
from annotated_types import Ge
from tests.introspect.shades import Colour

type Count = Annotated[int | None, Ge(1)]
type Several[T] = list[T]
type Same[T] = T
type Open = Unknown | None
type Order = Literal["asc", "desc"]

@dataclass
class Aliased:
    count: Count
    several: Several[Colour]
    nested: Same[Count]
    order: Order = "asc"

class AliasedModel(pydantic.BaseModel):
    count: Count
    several: Several[Colour]
    nested: Same[Count]
    order: Order = "asc"

@dataclass
class Broken:
    it: Open

@dataclass
class Box[T]:
    it: T
    quoted: "T"
    several: list[T]

@dataclass
class Coloured[T](Box[Colour]):
    other: T

@attrs.define
class AttrsBox[T]:
    it: T

class StructBox[T](msgspec.Struct):
    it: T

class ModelBox[T](pydantic.BaseModel):
    it: T

class KeyedBox[T](TypedDict):
    it: T

class NamedBox[T](NamedTuple):
    it: T
"""


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(SOURCE, "<newer>", "exec"), namespace)
    return namespace


@pytest.mark.parametrize("name", ["Aliased", "AliasedModel"])
def test_an_alias_is_what_it_stands_for(made: dict[str, Any], name: str) -> None:
    seeds = describe(made[name]).seeds

    assert [type(seed.field) for seed in seeds] == [IntegerField, MultiChoiceField, IntegerField, ChoiceField]
    assert [getattr(seed.field, "minimum", None) for seed in seeds] == [1, None, 1, None]
    assert answered(made[name], {"several": ["RED"]}).several == [Colour.RED]


def test_an_alias_that_names_nothing_is_an_error_with_the_member(made: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Broken\.it, Open, cannot be found out: nothing is called 'Unknown'"):
        describe(made["Broken"])


def test_a_generic_is_filled(made: dict[str, Any]) -> None:
    box = made["Box"][Colour]

    assert type(seed_of(box).field) is ChoiceField
    assert type(seed_of(box, "quoted").field) is ChoiceField
    assert answered(box, {"it": "RED", "quoted": "RED", "several": []}).it is Colour.RED


def test_a_generic_that_a_base_fills_is_filled(made: dict[str, Any]) -> None:
    coloured = made["Coloured"][int]

    assert [type(seed.field) for seed in describe(coloured).seeds] == [
        ChoiceField,
        ChoiceField,
        MultiChoiceField,
        IntegerField,
    ]


@pytest.mark.parametrize("name", ["AttrsBox", "StructBox", "ModelBox", "KeyedBox", "NamedBox"])
def test_a_generic_of_any_kind_is_filled(made: dict[str, Any], name: str) -> None:
    value = answered(made[name][str], {"it": "x"})

    assert type(seed_of(made[name][str]).field) is TextField
    assert (value["it"] if isinstance(value, dict) else value.it) == "x"
