"""Titles and descriptions: where each kind of class keeps them (design, section 4)."""

import dataclasses
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from typing_extensions import Doc

from tests.introspect.making import KINDS, fields_of, seed_of
from tests.introspect.shades import Colour, Right, Speed


def said(made: Any, name: str = "it") -> tuple[str | None, str | None]:
    field = seed_of(made, name).field
    assert field is not None
    return field.title, field.description


@pytest.mark.parametrize("kind", KINDS)
def test_a_title_is_made_from_the_name(kind: str) -> None:
    made = KINDS[kind]({"first_name": str, "URL": str, "timeToLive": int}, {})

    assert [field.title for field in fields_of(made)] == ["First Name", "URL", "Time To Live"]


@pytest.mark.parametrize("kind", KINDS)
def test_annotated_carries_title_and_description(kind: str) -> None:
    hints = {
        "outside": Annotated[int | None, pydantic.Field(title="T", description="D")],
        "inside": Annotated[int, pydantic.Field(title="T", description="D")] | None,
        "documented": Annotated[int, Doc("D")],
        "later": Annotated[Annotated[int, Doc("no")], Doc("D")],
        "blank": Annotated[int, pydantic.Field(title=" ", description="")],
    }
    made = KINDS[kind](hints, {})

    assert said(made, "outside") == said(made, "inside") == ("T", "D")
    assert said(made, "documented") == ("Documented", "D")
    assert said(made, "later") == ("Later", "D")
    assert said(made, "blank") == ("Blank", None)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "pydantic" not in kind])
def test_meta_of_msgspec_carries_title_and_description(kind: str) -> None:
    assert said(KINDS[kind]({"it": Annotated[int, msgspec.Meta(title="T", description="D")]}, {})) == ("T", "D")


class Model(pydantic.BaseModel, use_attribute_docstrings=True):
    it: int = pydantic.Field(title="T")
    """D"""

    told: int = pydantic.Field(description="told")
    """not this"""


@pydantic.dataclasses.dataclass(config=pydantic.ConfigDict(use_attribute_docstrings=True))
class ModelData:
    it: int = pydantic.Field(title="T")
    """D"""


@dataclasses.dataclass
class Data:
    it: int = dataclasses.field(metadata={"title": "T", "description": "D"})


@attrs.define
class Attrs:
    it: int = attrs.field(metadata={"title": "T", "description": "D"})


@pytest.mark.parametrize("made", [Model, ModelData, Data, Attrs])
def test_what_stands_beside_a_member_is_carried(made: Any) -> None:
    """Attribute docstrings are, where pydantic keeps them."""
    assert said(made) == ("T", "D")


def test_a_description_in_words_of_its_own_goes_before_a_docstring() -> None:
    assert said(Model, "told") == ("Told", "told")


def test_pydantic_may_make_titles_from_names() -> None:
    class Model(pydantic.BaseModel, field_title_generator=lambda name, info: f"The {name}"):
        it: int
        own: int = pydantic.Field(title="Own")
        other: int = pydantic.Field(field_title_generator=lambda name, info: name.upper())

    assert [field.title for field in fields_of(Model)] == ["The it", "Own", "OTHER"]


def test_metadata_that_is_no_text_is_no_title() -> None:
    @dataclasses.dataclass
    class Data:
        it: int = dataclasses.field(metadata={"title": 3, "description": ["x"]})

    assert said(Data) == ("It", None)


def test_the_doc_of_a_dataclass_field_is_its_description(monkeypatch: pytest.MonkeyPatch) -> None:
    """`field(doc=)` came with 3.14; before it, no field has a `doc`."""

    @dataclasses.dataclass
    class Data:
        it: int

    class Documented(dataclasses.Field):  # type: ignore[type-arg]
        __slots__ = ("doc",)

    field: Any = Data.__dataclass_fields__["it"]
    documented = Documented(*(getattr(field, name) for name in ("default", "default_factory", "init", "repr")), *REST)
    documented.name, documented._field_type, documented.doc = "it", field._field_type, "D"  # type: ignore[attr-defined]
    monkeypatch.setitem(Data.__dataclass_fields__, "it", documented)

    assert said(Data) == ("It", "D")


REST = (None, True, {}, False)  # hash, compare, metadata, kw_only


def test_the_options_of_an_enum_are_titled_from_its_names() -> None:
    made = KINDS["dataclass"]({"one": Colour, "more": set[Speed], "flags": Right}, {})

    fields: list[Any] = fields_of(made)
    titles = [[option.title for option in field.options] for field in fields]
    assert titles == [["Red", "Blue Green"], ["Standard", "Express"], ["Read", "Write", "Run"]]


def test_names_in_other_spellings_are_titled_too() -> None:
    class Style(Enum):
        BlueGreen = 1
        lower_case = 2
        USB_C = 3
        x = 4

    field: Any = fields_of(KINDS["dataclass"]({"it": Style}, {}))[0]
    assert [option.title for option in field.options] == ["Blue Green", "Lower Case", "Usb C", "X"]


def test_options_that_would_read_the_same_are_shown_by_name() -> None:
    class Twins(Enum):
        FOO_BAR = 1
        FooBar = 2
        OTHER = 3

    field: Any = fields_of(KINDS["dataclass"]({"it": Twins}, {}))[0]
    assert [option.title for option in field.options] == ["FOO_BAR", "FooBar", "Other"]


def test_the_options_of_a_literal_have_no_titles() -> None:
    field: Any = fields_of(KINDS["dataclass"]({"it": Literal["asc", 1]}, {}))[0]

    assert [option.title for option in field.options] == [None, None]


def test_the_docstrings_of_classes_are_nobodys_description() -> None:
    class Keyed(TypedDict):
        """Internal notes."""

        it: Colour

    class Named(NamedTuple):
        """Internal notes."""

        it: Colour

    assert said(Keyed) == said(Named) == ("It", None)
