"""Hints in any nesting: `Optional`, `Annotated`, aliases, forward references, filled generics (design, section 4)."""

from __future__ import annotations

import sys
import typing
from dataclasses import InitVar, dataclass
from datetime import date
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, NewType, NotRequired, Optional, Required, Union

import attrs
import msgspec
import pydantic
import pytest
from annotated_types import Ge, Le
from typing_extensions import TypeAliasType, TypedDict, TypeVar

from elicitkit.fields import ChoiceField, IntegerField, MultiChoiceField, TextField
from elicitkit.introspect.describe import describe
from tests.introspect.making import KINDS, answered, members, seed_of
from tests.introspect.shades import Colour, Speed

if typing.TYPE_CHECKING:
    from decimal import Decimal as OnlyForCheckers

T = TypeVar("T")
E = TypeVar("E", default=Colour)
Count = NewType("Count", int)
Alias = TypeAliasType("Alias", Annotated[Count | None, Ge(1)])
Several = TypeAliasType("Several", list[T], type_params=(T,))
Same = TypeAliasType("Same", T, type_params=(T,))


NESTED: list[tuple[Any, bool]] = [
    (int, False),
    (Optional[int], True),  # noqa: UP045  # the old spellings are types too
    (Union[None, int], True),  # noqa: UP007
    (int | None, True),
    (Annotated[int, Ge(1)], False),
    (Annotated[int | None, Ge(1)], True),
    (Annotated[int, Ge(1)] | None, True),
    (Annotated[Annotated[Annotated[int, Ge(1)] | None, Le(9)], "note"], True),
    (Count, False),
    (Count | None, True),
    (Annotated[NewType("Inner", Count), Le(5)], False),  # type: ignore[valid-newtype]
    (Alias, True),
    (Same[int], False),
    (Same[int | None], True),
    (Same[Alias] | None, True),
    (int | msgspec.UnsetType, False),
    (int | None | msgspec.UnsetType, True),
    (int | pydantic.MISSING, False),  # type: ignore[operator]
]


def test_a_hint_is_taken_apart_in_any_nesting() -> None:
    made = KINDS["dataclass"]({f"m{at}": hint for at, (hint, _) in enumerate(NESTED)}, {})

    seeds = describe(made).seeds
    assert {type(seed.field) for seed in seeds} == {IntegerField}
    accepting = [accepts_none for _, accepts_none in NESTED]
    assert [seed.accepts_none for seed in seeds] == accepting
    assert [seed.field is not None and not seed.field.required for seed in seeds] == accepting


@pytest.mark.parametrize("kind", KINDS)
def test_none_in_a_literal_makes_it_optional(kind: str) -> None:
    made = KINDS[kind]({"it": Literal["a", None], "too": Literal["a"] | Literal["b", None]}, {})

    fields: list[Any] = [seed.field for seed in describe(made).seeds]
    assert [field.required for field in fields] == [False, False]
    assert [[option.value for option in field.options] for field in fields] == [["a"], ["a", "b"]]
    assert members(made, answered(made, {})) == {"it": None, "too": None}


@pytest.mark.parametrize("kind", KINDS)
def test_an_alias_of_a_collection_is_filled(kind: str) -> None:
    made = KINDS[kind]({"it": Several[Colour], "too": Several[Literal["a", "b"]] | None}, {})

    assert {type(seed.field) for seed in describe(made).seeds} == {MultiChoiceField}
    assert members(made, answered(made, {"it": ["RED"]})) == {"it": [Colour.RED], "too": None}


# --- forward references -----------------------------------------------------------------------------------------------
# Every annotation in this module is text.


class Model(pydantic.BaseModel):
    colour: Colour
    more: list[Speed] = []
    next: Model | None = None


@dataclass
class Data:
    colour: Colour
    derived: InitVar[Speed]
    quoted: InitVar[Speed]
    more: list[Speed] = ()  # type: ignore[assignment]
    next: Data | None = None


@attrs.define
class Attrs:
    colour: Colour
    more: list[Speed] = attrs.Factory(list)
    next: Attrs | None = None


class Struct(msgspec.Struct):
    colour: Colour
    more: list[Speed] = []
    next: Struct | None = None


class Keyed(TypedDict):
    colour: Colour
    more: NotRequired[list[Speed]]
    next: Required[Keyed | None]


class Named(NamedTuple):
    colour: Colour
    more: list[Speed] = []  # noqa: RUF012
    next: Named | None = None


@pytest.mark.parametrize("made", [Model, Data, Attrs, Struct, Keyed, Named])
def test_annotations_that_are_text_are_resolved(made: Any) -> None:
    assert type(seed_of(made, "colour").field) is ChoiceField
    assert type(seed_of(made, "more").field) is MultiChoiceField
    assert seed_of(made, "more").may_be_left_out
    assert seed_of(made, "next").reason == f"is of the type {made.__name__}, which no field can carry"


def test_what_an_init_var_stands_for_is_resolved() -> None:
    assert type(seed_of(Data, "derived").field) is ChoiceField
    assert type(seed_of(Data, "quoted").field) is ChoiceField


def test_a_class_inside_a_function_knows_itself() -> None:
    @dataclass
    class Node:
        it: int
        next: Node | None = None

    assert seed_of(Node, "next").reason == "is of the type Node, which no field can carry"


def test_a_struct_inside_a_function_that_names_itself_is_an_error_with_what_would_do() -> None:
    """msgspec itself can do nothing with such a class."""

    class Node(msgspec.Struct):
        it: int
        next: Node | None = None

    with pytest.raises(TypeError, match=r"types of .*Node \(name 'Node' is not defined\): define what it names"):
        describe(Node)


UNRESOLVED = (
    r"the type of .*\.it, '.*', cannot be found out: nothing is called '{}' in its module\. Define or import it"
)


@pytest.mark.parametrize("base", ["model", "dataclass", "attrs", "struct", "typed dict", "named tuple"])
def test_a_reference_that_names_nothing_is_an_error_with_the_member_and_what_would_do(base: str) -> None:
    class Model(pydantic.BaseModel):
        it: OnlyForCheckers

    @dataclass
    class Data:
        it: list[OnlyForCheckers]

    @attrs.define
    class Attrs:
        it: OnlyForCheckers

    class Struct(msgspec.Struct):
        it: OnlyForCheckers

    class Keyed(TypedDict):
        it: OnlyForCheckers

    class Named(NamedTuple):
        it: OnlyForCheckers

    made: Any = dict(zip(KIND_NAMES, [Model, Data, Attrs, Struct, Keyed, Named], strict=True))[base]
    with pytest.raises(TypeError, match=UNRESOLVED.format("OnlyForCheckers")):
        describe(made)


KIND_NAMES = ["model", "dataclass", "attrs", "struct", "typed dict", "named tuple"]


def test_a_reference_is_tried_again_when_its_name_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Data:
        it: Later  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match=UNRESOLVED.format("Later")):
        describe(Data)
    monkeypatch.setattr(sys.modules[__name__], "Later", int, raising=False)

    assert type(seed_of(Data).field) is IntegerField


def test_a_member_that_no_answer_fills_may_name_what_does_not_exist() -> None:
    """Class variables and `init=False` members are never considered, nor are their types."""
    import dataclasses

    @dataclass
    class Data:
        it: int
        shared: typing.ClassVar[OnlyForCheckers] = None  # type: ignore[assignment]
        made: OnlyForCheckers = dataclasses.field(init=False)

    assert [seed.member.name for seed in describe(Data).seeds] == ["it"]


@dataclass
class Shadowing:
    """Each name stands for something else in the class than in its annotations."""

    str: str = "x"
    date: date = date(2026, 11, 30)
    Colour: Colour = Colour.RED
    other: str = "y"


def test_a_member_may_be_called_as_a_type_is() -> None:
    kinds = [type(seed.field) for seed in describe(Shadowing).seeds]

    assert kinds == [TextField, TextField, ChoiceField, TextField]
    assert [seed.default for seed in describe(Shadowing).seeds] == ["x", "2026-11-30", "RED", "y"]


def test_nonsense_for_an_annotation_is_an_error_with_the_member() -> None:
    made = KINDS["dataclass"]({"it": "int +", "too": "int"}, {})

    with pytest.raises(TypeError, match=r"the type of Data\.it, 'int \+', cannot be found out: "):
        describe(made)


def test_names_that_attrs_was_told_are_known() -> None:
    """`attrs.resolve_types` is how attrs is told about names inside a function."""

    class Local(str):
        __slots__ = ()

    @attrs.define
    class Data:
        it: Local

    attrs.resolve_types(Data, localns={"Local": Local})

    assert type(seed_of(Data).field) is TextField
    assert type(answered(Data, {"it": "x"}).it) is Local


# --- generics and inheritance -----------------------------------------------------------------------------------------


@dataclass
class Box(Generic[T]):
    it: T
    several: list[T]


@dataclass
class Coloured(Box[Colour]):
    note: str


@dataclass
class Pair(Box[Colour], Generic[T]):
    """Its own variable is the very one that its base fills with something else."""

    other: T


@dataclass
class Deep(Coloured):
    last: int


@attrs.define
class AttrsBox(Generic[T]):
    it: T
    several: list[T]


class StructBox(msgspec.Struct, Generic[T]):
    it: T
    several: list[T]


class ModelBox(pydantic.BaseModel, Generic[T]):
    it: T
    several: list[T]


class KeyedBox(TypedDict, Generic[T]):
    it: T
    several: NotRequired[list[T]]


class ColouredKeys(KeyedBox[Colour]):
    note: str


class NamedBox(NamedTuple, Generic[T]):
    it: T
    several: list[T]


@pydantic.dataclasses.dataclass
class ModelDataBox(Generic[T]):
    it: T
    several: list[T]


BOXES: list[Any] = [Box, AttrsBox, StructBox, ModelBox, KeyedBox, NamedBox, ModelDataBox]


@pytest.mark.parametrize("box", BOXES)
def test_a_filled_generic_has_the_fields_of_what_fills_it(box: Any) -> None:
    made = box[Colour]

    assert type(seed_of(made, "it").field) is ChoiceField
    assert type(seed_of(made, "several").field) is MultiChoiceField
    value = members(made, answered(made, {"it": "RED", "several": ["BLUE_GREEN"]}))
    assert value == {"it": Colour.RED, "several": [Colour.BLUE_GREEN]}
    assert type(seed_of(box[int], "it").field) is IntegerField


@pytest.mark.parametrize("made", [Coloured, Deep, ColouredKeys, Pair[int]])
def test_a_generic_that_a_base_fills_is_filled(made: Any) -> None:
    assert type(seed_of(made, "it").field) is ChoiceField
    assert type(seed_of(made, "several").field) is MultiChoiceField


def test_a_type_variable_means_what_its_own_class_says() -> None:
    assert type(seed_of(Pair[int], "other").field) is IntegerField


def test_a_type_variable_has_its_default() -> None:
    @dataclass
    class Box(Generic[E]):
        it: E

    made: Any = Box
    assert type(seed_of(made).field) is ChoiceField


def test_members_are_inherited_in_order_and_overridden_where_they_stand() -> None:
    @dataclass
    class Base:
        first: int
        second: str

    @dataclass
    class Child(Base):
        third: bool
        first: Colour  # type: ignore[assignment]

    names = [(seed.member.name, type(seed.field)) for seed in describe(Child).seeds]
    assert names[0] == ("first", ChoiceField)
    assert [name for name, _ in names] == ["first", "second", "third"]


def test_a_final_member_is_like_another() -> None:
    @dataclass
    class Data:
        it: Final[int]  # type: ignore[misc]

    assert type(seed_of(Data).field) is IntegerField
