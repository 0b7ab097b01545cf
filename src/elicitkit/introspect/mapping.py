"""From the type of a member to how it is asked for."""

from __future__ import annotations

import types
from enum import Enum, Flag
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from .choices import collection_choices, enum_choice, flag_choices, literal_choice
from .hints import shown
from .mapped import Mapped, Unmappable
from .scalars import ANY_NUMBER, YES_OR_NO, scalar


def mapped(core: Any) -> Mapped:
    """Look up how a type, with nothing around it, is asked for.

    Raises:
        Unmappable: If no field can carry it.
    """
    origin = get_origin(core)
    if origin is Literal:
        return YES_OR_NO if _is_yes_or_no(get_args(core)) else literal_choice(core)
    if origin in (Union, types.UnionType):
        return _union(core)
    if origin is not None:
        return collection_choices(core)
    return _class(core) if isinstance(core, type) else _nothing(core)


def _class(core: type[Any]) -> Mapped:
    if issubclass(core, Enum):
        return flag_choices(core) if issubclass(core, Flag) else enum_choice(core)
    if (found := scalar(core)) is not None:
        return found
    raise Unmappable(f"is of the type {core.__name__}, which no field can carry")


def _is_yes_or_no(values: tuple[object, ...]) -> bool:
    return len(values) == 2 and all(isinstance(value, bool) for value in values)


def _union(core: Any) -> Mapped:
    if set(get_args(core)) == {int, float}:
        return ANY_NUMBER
    raise Unmappable(f"is of more than one type ({shown(core)}), and a field asks for one")


def _nothing(core: Any) -> Mapped:
    """What is no class and asks for nothing in particular."""
    if core is None:
        raise Unmappable("can only be None")
    if isinstance(core, TypeVar):
        raise Unmappable(f"is of the type variable {core.__name__}; fill it in, as in Box[int]")
    raise Unmappable(f"is of the type {shown(core)}, which no field can carry")
