"""Which members of each kind of class a form considers (design, section 4)."""

import dataclasses
import functools
import typing
from dataclasses import InitVar, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, NotRequired, Required, TypedDict

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions

from elicitkit.introspect.describe import describe
from elicitkit.schema.write import requested_schema
from tests.introspect.making import answered, fields_of, members, seed_of
from tests.introspect.shades import Colour


def names(made: Any) -> list[str]:
    return [seed.member.name for seed in describe(made).seeds]


def required(made: Any) -> list[str]:
    return [seed.member.name for seed in describe(made).seeds if seed.field is not None and seed.field.required]


class Model(pydantic.BaseModel):
    shared: ClassVar[int] = 1
    name: str
    _private: int = pydantic.PrivateAttr(default=1)

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def shouted(self) -> str:
        return self.name.upper()

    @property
    def length(self) -> int:
        return len(self.name)


@dataclass
class Data:
    shared: ClassVar[int] = 1
    _: dataclasses.KW_ONLY
    name: str
    derived: int = dataclasses.field(init=False, default=1)
    _private: int = 1

    @property
    def length(self) -> int:
        return len(self.name)


@pydantic.dataclasses.dataclass
class ModelData:
    shared: ClassVar[int] = 1
    name: str
    derived: int = pydantic.Field(default=1, init=False)
    told: InitVar[int] = 3

    @functools.cached_property
    def length(self) -> int:
        return len(self.name)


@attrs.define
class Attrs:
    shared: ClassVar[int] = 1
    name: str
    derived: int = attrs.field(init=False, default=1)
    _private: int = 1

    @property
    def length(self) -> int:
        return len(self.name)


class Struct(msgspec.Struct, tag="it", frozen=True, kw_only=True):
    shared: ClassVar[int] = 1
    name: str
    _private: int = 1

    @property
    def length(self) -> int:
        return len(self.name)


class Named(NamedTuple):
    name: str

    @property
    def length(self) -> int:
        return len(self.name)


@pytest.mark.parametrize("made", [Model, Data, Attrs, Struct, Named])
def test_class_variables_private_derived_and_computed_members_are_never_considered(made: Any) -> None:
    assert names(made) == ["name"]
    assert answered(made, {"name": "Ada"}).name == "Ada"


def test_what_only_the_constructor_takes_is_asked_for() -> None:
    @dataclass
    class Data:
        total: int
        told: InitVar[Colour]

        def __post_init__(self, told: Colour) -> None:
            self.total += len(told.name)

    assert names(Data) == ["total", "told"]
    assert answered(Data, {"total": 1, "told": "RED"}).total == 4
    assert names(ModelData) == ["name", "told"]


def test_a_private_member_that_cannot_be_left_out_says_why_it_is_not_asked_for() -> None:
    @attrs.define
    class Attrs:
        name: str
        _token: int

    seed = seed_of(Attrs, "_token")
    assert (seed.field, seed.reason, seed.may_be_left_out) == (None, "is private", False)
    assert answered(Attrs, {"name": "Ada"}, fixed={"_token": 3})._token == 3


# --- the forms a class takes ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    name: str
    speed: int = 1


@attrs.frozen(kw_only=True, slots=True)
class FrozenAttrs:
    name: str
    speed: int = 1


class FrozenStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True, rename="camel"):
    name: str
    speed: int = 1


class FrozenModel(pydantic.BaseModel, frozen=True, extra="forbid", validate_assignment=True, strict=True):
    name: str
    speed: int = 1


@pytest.mark.parametrize("made", [Frozen, FrozenAttrs, FrozenStruct, FrozenModel])
def test_frozen_slotted_and_strict_classes_are_like_others(made: Any) -> None:
    assert members(made, answered(made, {"name": "Ada"})) == {"name": "Ada", "speed": 1}
    assert required(made) == ["name"]


class Aliased(pydantic.BaseModel):
    full_name: str = pydantic.Field(alias="fullNameOnTheWire")
    age: int = pydantic.Field(validation_alias=pydantic.AliasChoices("years", pydantic.AliasPath("a", 0)))
    speed: Colour = pydantic.Field(default=Colour.RED, serialization_alias="velocity")


class Generated(pydantic.BaseModel, alias_generator=str.upper, validate_by_name=False):
    full_name: str
    age: int


@pydantic.dataclasses.dataclass
class AliasedData:
    full_name: str = pydantic.Field(alias="fullNameOnTheWire")
    age: int = pydantic.Field(alias="years")


class Renamed(msgspec.Struct, rename=str.upper):
    full_name: str
    age: int = msgspec.field(name="years")


@attrs.define
class Other:
    full_name: str = attrs.field(alias="called")
    age: int


@pytest.mark.parametrize("made", [Aliased, Generated, AliasedData, Renamed, Other])
def test_aliases_play_no_part(made: Any) -> None:
    """The form's names are ours; binding uses the attributes', or what the constructor wants."""
    assert names(made)[:2] == ["full_name", "age"]
    value = answered(made, {"full_name": "Ada", "age": 36})
    assert (value.full_name, value.age) == ("Ada", 36)


# --- who must be there ------------------------------------------------------------------------------------------------


class Total(TypedDict):
    needed: int
    open: int | None
    absent: NotRequired[int]
    either: NotRequired[int | None]
    insisted: Required[int | None]
    read: typing_extensions.ReadOnly[int]
    noted: Annotated[NotRequired[int], "a note"]


class Partial(TypedDict, total=False):
    needed: Required[int]
    open: int | None
    absent: int
    insisted: Required[int | None]


class Child(Partial):
    more: int


Functional = TypedDict("Functional", {"first name": int, "class": NotRequired[int]})  # no identifiers


class Older(typing_extensions.TypedDict):
    needed: int
    absent: NotRequired[int]


def test_a_typed_dict_says_which_keys_there_must_be() -> None:
    assert required(Total) == ["needed", "insisted", "read"]
    assert required(Partial) == ["needed", "insisted"]
    assert required(Child) == ["needed", "insisted", "more"]
    assert required(Functional) == ["first name"]
    assert required(Older) == ["needed"]


def test_a_key_that_need_not_be_there_is_absent_without_an_answer() -> None:
    """Missing members that accept `None` get it passed explicitly; `NotRequired` stays absent (design, section 4)."""
    value = answered(Total, {"needed": 1, "insisted": 2, "read": 3})

    assert value == {"needed": 1, "open": None, "insisted": 2, "read": 3}


def test_a_key_that_was_cleared_is_none_where_it_may_be_else_absent() -> None:
    value = answered(Total, {"needed": 1, "insisted": 2, "read": 3, "absent": None, "either": None, "open": None})

    assert value == {"needed": 1, "open": None, "insisted": 2, "read": 3, "either": None}


def test_a_member_is_required_unless_it_has_a_default_or_accepts_none() -> None:
    @dataclass
    class Data:
        needed: int
        open: int | None
        given: int = 0
        both: int | None = 3
        made: list[Colour] = dataclasses.field(default_factory=list)

    assert required(Data) == ["needed"]
    assert answered(Data, {"needed": 1}) == Data(1, None, 0, 3, [])


def test_an_optional_limit_is_a_plain_integer_that_may_be_left_out() -> None:
    """Report R025: no `anyOf` with null."""

    class Query(pydantic.BaseModel):
        limit: int | None = None

    assert requested_schema(fields_of(Query)) == {
        "type": "object",
        "properties": {"limit": {"type": "integer", "title": "Limit"}},
    }
    assert answered(Query, {}).limit is answered(Query, {"limit": None}).limit is None


def test_an_enum_of_two_members_is_written_out_in_both() -> None:
    """Report R001: no `$ref` on the wire."""
    made = attrs.make_class("Made", {"one": attrs.field(type=Colour), "two": attrs.field(type=Colour)})

    one, two = requested_schema(fields_of(made))["properties"].values()
    assert one["oneOf"] == two["oneOf"]
    assert "$ref" not in str(one)


def test_a_default_of_none_makes_a_member_optional_whatever_its_type_says() -> None:
    @dataclass
    class Data:
        name: str = None  # type: ignore[assignment]

    assert required(Data) == []
    assert answered(Data, {}).name is None
    assert answered(Data, {"name": None}).name is None


def test_a_cleared_member_is_none_where_it_accepts_it_else_its_default() -> None:
    @dataclass
    class Data:
        both: int | None = 3
        given: int = 4

    assert answered(Data, {"both": None, "given": None}) == Data(None, 4)


def test_an_empty_class_of_any_kind_has_no_seeds() -> None:
    """It is a confirm dialog."""

    class Model(pydantic.BaseModel):
        pass

    class Struct(msgspec.Struct):
        pass

    class Keyed(TypedDict):
        pass

    assert [names(made) for made in (Model, Struct, Keyed, attrs.make_class("Attrs", []))] == [[]] * 4
    assert answered(Keyed, {}) == {}
    assert type(answered(Model, {})) is Model


def test_a_marker_for_not_given_is_a_default_like_another() -> None:
    class Struct(msgspec.Struct):
        it: int | msgspec.UnsetType = msgspec.UNSET

    class Model(pydantic.BaseModel):
        it: int | pydantic.MISSING = pydantic.MISSING  # type: ignore[valid-type]

    for made in (Struct, Model):
        assert required(made) == []
        assert answered(made, {"it": 3}).it == 3
    assert answered(Struct, {}).it is msgspec.UNSET
    assert answered(Model, {}).it is pydantic.MISSING


def test_an_attribute_of_attrs_without_annotation_has_the_type_it_is_given() -> None:
    given = {"it": attrs.field(type=int), "several": attrs.field(type=list[Colour] | None), "bare": attrs.field()}
    made = attrs.make_class("Made", given)

    assert seed_of(made, "it").reason == seed_of(made, "several").reason == ""
    assert seed_of(made, "bare").reason == "has no type"


def test_what_pydantic_puts_in_place_of_a_default_is_none_in_a_plain_dataclass() -> None:
    """The standard library's dataclass would hand out the `Field` itself."""

    @dataclass
    class Data:
        it: int = pydantic.Field(ge=3, title="How many")

    field: typing.Any = seed_of(Data).field
    assert (field.required, field.minimum, field.title) == (True, 3, "How many")
