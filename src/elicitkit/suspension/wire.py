"""What the contract's classes share: how they become JSON and are read from it, and what they may hold."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

from .._json import frozen, is_frozen, is_sendable, quick_copy, thawed
from ..errors import ContractError, LimitError

_DEEPEST = 100
"""How deep data may be nested: JSON of strangers must not exhaust the stack, neither when read nor when written."""


class Wire:
    """What the classes of the contract share: how they become JSON, and are read from it."""

    __slots__ = ()
    _noun: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, by the keys of the wire; what is empty is absent. It is yours to change."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave, or a program in another language: unknown keys are ignored, `null` is absent.

        Raises:
            TypeError: If *given* is no mapping.
            ContractError: If a key is missing, or what it holds is of the wrong type or not allowed. The text says
                which, and never what it holds.
            LimitError: If it is larger than `elicitkit.limits` allows.
        """
        if not isinstance(given, Mapping):
            raise TypeError(f"{cls._noun} is read from a dict, not from {type_of(given)}")
        try:
            return cls._read(given)
        except TypeError as error:  # What is a mistake of the caller in Python is one of the writer here.
            problem = str(error)
        raise ContractError(problem)

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        raise NotImplementedError

    def to_json(self) -> str:
        """Compact JSON, of what `to_dict` gives."""
        return _written(self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read JSON, as `from_dict` reads a dict.

        Raises:
            TypeError: If *text* is neither text nor bytes.
            ContractError: If it is no JSON object, and for all that `from_dict` raises it for.
            LimitError: If it is larger than `elicitkit.limits` allows.
        """
        found = _parsed(cls._noun, text)
        if not isinstance(found, dict):
            raise ContractError(f"{cls._noun} is a JSON object, not {type_of(found)}")
        return cls.from_dict(found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made by the constructor, so that their data are frozen too."""
        return type(self), tuple(getattr(self, one.name) for one in dataclasses.fields(self))  # type: ignore[arg-type]

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


# --- what may be in it ------------------------------------------------------------------------------------------------


def type_of(value: object) -> str:
    """The type of a value with its article, never the value."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def require_keys(noun: str, given: Mapping[str, Any], keys: Iterable[str]) -> None:
    """Refuse what another program wrote without one of the keys it has to have."""
    if missing := [repr(key) for key in keys if given.get(key) is None]:
        raise ContractError(f"{noun} has no {' and no '.join(missing)}")


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are there: on the wire, what is empty is absent."""
    return {key: value for key, value in values.items() if value is not None}


def require_text(name: str, value: object, *, may_be_blank: bool = False) -> None:
    """Refuse what is no text, blank, or cannot be sent."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is text, not {type_of(value)}")
    if not (may_be_blank or value.strip()):
        raise ContractError(f"{name} is blank")
    if not value.isascii():
        _require_whole(name, value)


def optional_text(name: str, value: str | None) -> str | None:
    """Text that may be missing; an empty one is."""
    if value is not None:
        require_text(name, value, may_be_blank=True)
    return value or None


def _require_whole(name: str, text: str) -> None:
    if not is_sendable(text):
        raise ContractError(f"{name} holds half a character (a lone surrogate), which cannot be sent")


def frozen_object(name: str, value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A copy of data that cannot be changed by surprise, if JSON has a place for all of it; `None` for an empty one."""
    return frozen_and_sized(name, value)[0]


def frozen_and_sized(name: str, value: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, float]:
    """`frozen_object`, and how many bytes it takes at most: infinity where nobody counted."""
    plain = thawed(value) if is_frozen(value) else value  # Of another value, which may keep its lists for itself.
    if type(plain) is dict and (quick := quick_copy(plain, deepest=_DEEPEST)) is not None:
        return quick[0] or None, quick[1]
    if value is None:
        return None, 0
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is an object (a dict), not {type_of(value)}")
    _require_json(name, value, 0)
    return frozen(value) or None, math.inf


def _require_json(name: str, value: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise ContractError(f"{name} is nested more than {_DEEPEST} deep")
    match value:
        case None | bool() | int():
            pass
        case str():
            _require_whole(name, value)
        case float():
            if not math.isfinite(value):
                raise ContractError(f"{name} holds a number that is not finite, which JSON has no place for")
        case Mapping() | list() | tuple():
            for inner in _inside(name, value):
                _require_json(name, inner, depth + 1)
        case _:
            raise TypeError(f"{name} holds {type_of(value)}, which JSON has no place for")


def _inside(name: str, value: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """The members of an array, or the keys and members of an object."""
    if not isinstance(value, Mapping):
        yield from value
        return
    if wrong := [key for key in value if not isinstance(key, str)]:
        raise TypeError(f"{name} has a key that is no text, but {type_of(wrong[0])}")
    yield from value
    yield from value.values()


def require_size(name: str, value: Mapping[str, Any], most: int, *, excess: type[LimitError] = LimitError) -> None:
    """Refuse an object that takes more bytes of JSON than a limit allows."""
    try:
        size = len(_written(value).encode())
    except ValueError:  # A whole number of more digits than Python writes.
        size = None
    if size is None:
        raise ContractError(f"{name} holds a number of too many digits")
    if size > most:
        raise excess(f"{name} takes {size:,} bytes, and may take {most:,}")


def _written(value: Mapping[str, Any]) -> str:
    # By the standard library: what strangers ask is passed on untouched, whole numbers of more than 64 bits as well.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _parsed(noun: str, text: str | bytes) -> Any:
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"{noun} is read from text or bytes, not from {type_of(text)}")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{error.msg}, at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):
        problem = "it is not UTF-8, nested too deep, or holds a number of too many digits"
    # Raised here, so that the error leads to none that holds the text: somebody may have typed it.
    raise ContractError(f"{noun} is not JSON: {problem}")
