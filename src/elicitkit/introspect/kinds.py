"""The table of the kinds of types; the first that owns a class has it."""

from __future__ import annotations

from typing import Any, get_origin

from .annotations import name_of
from .attrs_classes import AttrsClasses
from .dataclass_types import Dataclasses
from .hints import shown
from .members import Kind
from .models import ModelDataclasses, Models
from .named_tuples import NamedTuples
from .structs import Structs
from .typed_dicts import TypedDicts

KINDS: tuple[Kind, ...] = (
    Models(),
    ModelDataclasses(),
    Structs(),
    AttrsClasses(),
    Dataclasses(),
    TypedDicts(),
    NamedTuples(),
)
"""Every kind of type a form can come from."""

_NAMES = "a pydantic model, a dataclass, an attrs class, a msgspec struct, a TypedDict or a NamedTuple"


def kind_of(made: Any) -> Kind:
    """The kind of a type.

    Raises:
        TypeError: If it is of no kind a form can come from.
    """
    origin = get_origin(made) or made
    if isinstance(origin, type):
        for kind in KINDS:
            if kind.owns(origin):
                return kind
    if isinstance(made, type) or get_origin(made) is not None:
        raise TypeError(f"a form comes from {_NAMES}, not from {shown(made)}")
    raise TypeError(f"a form comes from a type ({_NAMES}), not from a value of {name_of(type(made))}")
