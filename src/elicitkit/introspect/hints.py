"""Type hints, taken apart: `Annotated`, `Optional`, aliases, `NewType` and qualifiers, in any nesting."""

from __future__ import annotations

import types
import typing
from dataclasses import KW_ONLY, InitVar, dataclass, replace
from enum import Enum
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    LiteralString,
    NewType,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import typing_extensions

_ALIASES = (typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType))
_QUALIFIERS = (Required, NotRequired, Final, typing_extensions.ReadOnly, getattr(typing, "ReadOnly", Final))


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint down to the one type that says what is asked."""

    core: Any
    _: KW_ONLY
    metadata: tuple[object, ...] = ()
    """What `Annotated` said, innermost first."""

    accepts_none: bool = False


def unwrap(hint: Any) -> Hint:
    """Take a hint apart. What is left in `core` is a class, a literal, a collection, or a union of several types."""
    if (inside := _inside(hint)) is not None:
        return unwrap(inside)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner = unwrap(args[0])
        return replace(inner, metadata=(*inner.metadata, *hint.__metadata__))
    if origin in (Union, types.UnionType):
        return _unwrap_union(args)
    if origin is Literal:
        return _unwrap_literal(args)
    if hint is None or hint is type(None):
        return Hint(None, accepts_none=True)
    return Hint(str if hint is LiteralString else hint)


def shown(hint: Any) -> str:
    """A hint as its author writes it, without the modules of what is in it."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in (None, type(None), ...):
        return "..." if hint is ... else "None"
    if isinstance(hint, list):  # the arguments of a callable
        return f"[{', '.join(map(shown, hint))}]"
    if origin in (Union, types.UnionType):
        return " | ".join(map(shown, args))
    if origin is Literal:
        return f"Literal[{', '.join(map(_shown_value, args))}]"
    name = getattr(origin or hint, "__name__", None) or getattr(hint, "_name", None) or str(hint)
    return f"{name}[{', '.join(map(shown, args))}]" if args else name


def _shown_value(value: object) -> str:
    return f"{type(value).__name__}.{value._name_}" if isinstance(value, Enum) else repr(value)


def qualifiers(hint: Any) -> set[Any]:
    """The qualifiers that stand around a hint, such as `Required`, however they are nested."""
    origin = get_origin(hint)
    if origin is Annotated:
        return qualifiers(get_args(hint)[0])
    return {origin} | qualifiers(get_args(hint)[0]) if origin in _QUALIFIERS else set()


def _inside(hint: Any) -> Any:
    """What stands behind another name or in a qualifier; `None` when there is nothing around a hint.

    A type variable that nobody filled stands for its default, else for its bound.
    """
    if isinstance(hint, InitVar):
        return hint.type
    if isinstance(hint, NewType):
        return hint.__supertype__
    if isinstance(hint, _ALIASES):
        return hint.__value__
    if isinstance(hint, TypeVar):
        has_default = getattr(hint, "has_default", bool)()  # from 3.13 on, and before in typing_extensions
        return hint.__default__ if has_default else hint.__bound__  # type: ignore[attr-defined]
    origin = get_origin(hint)
    if origin in _QUALIFIERS:
        return get_args(hint)[0]
    return _filled_alias(origin, get_args(hint)) if isinstance(origin, _ALIASES) else None


def _filled_alias(alias: Any, args: tuple[Any, ...]) -> Any:
    """What a generic alias stands for with its arguments."""
    value, known = alias.__value__, dict(zip(alias.__type_params__, args, strict=False))
    if isinstance(value, TypeVar):
        return known.get(value, value)
    parameters = getattr(value, "__parameters__", ())
    return value[tuple(known.get(parameter, parameter) for parameter in parameters)] if parameters else value


def _unwrap_literal(values: tuple[Any, ...]) -> Hint:
    left = tuple(value for value in values if value is not None)
    return Hint(Literal[left] if left else None, accepts_none=len(left) < len(values))


def _unwrap_union(args: tuple[Any, ...]) -> Hint:
    """A union with `None` is what is left of it; so are one of literals, and `int | float`, which is any number."""
    every = [unwrap(arg) for arg in args if not _marks_absence(arg)]
    parts = [part for part in every if part.core is not None]
    accepts_none = any(part.accepts_none for part in every)
    if len(parts) == 1:
        return replace(parts[0], accepts_none=accepts_none)
    cores = tuple(part.core for part in parts)
    if parts and all(get_origin(core) is Literal for core in cores):
        return Hint(Literal[tuple(value for core in cores for value in get_args(core))], accepts_none=accepts_none)
    return Hint(Union[cores] if cores else None, accepts_none=accepts_none)  # noqa: UP007  # it is made at run time


def _marks_absence(arg: Any) -> bool:
    """Whether a part of a union only says "not given", as `msgspec.UnsetType` and pydantic's `MISSING` do."""
    is_unset = getattr(arg, "__module__", "") == "msgspec" and getattr(arg, "__name__", "") == "UnsetType"
    return is_unset or type(arg).__name__.lower() == "sentinel"
