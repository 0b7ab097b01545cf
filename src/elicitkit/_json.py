"""JSON as it goes over the wire: compact, UTF-8, and the same bytes for the same value."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import orjson

SCALARS = frozenset({str, int, float, bool, type(None)})
"""The types of what has nothing inside."""


def dumps(value: object) -> bytes:
    """Write *value* as compact JSON.

    Raises:
        TypeError: If JSON cannot hold it (`orjson.JSONEncodeError` is a `TypeError`).
    """
    return orjson.dumps(value)


def loads(text: str | bytes) -> Any:
    """Read one JSON value.

    Raises:
        ValueError: If *text* is not JSON (`orjson.JSONDecodeError` is a `ValueError`).
    """
    return orjson.loads(text)


def is_sendable(text: str) -> bool:
    """Tell whether *text* can go over the wire: half a character (a lone surrogate) cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(text: str) -> str:
    """Text that can go over the wire: half a character (a lone surrogate) is shown as its escape."""
    return text.encode(errors="backslashreplace").decode()


def size(value: object) -> int:
    """How many bytes *value* takes on the wire."""
    return len(dumps(value))


def digest(value: Mapping[str, object]) -> str:
    """A fingerprint of *value* that does not depend on the order of its keys: 32 hexadecimal digits."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def unfaithful(value: object, where: str = "it") -> str | None:
    """Where and why *value* would not come back from JSON unchanged, as a clause; `None` if it would."""
    match value:
        case float() if not math.isfinite(value):
            return f"{where} is {value}"
        case _ if type(value) in SCALARS:
            return None
        case list() if type(value) is list:
            inner = ((f"{where}[{at}]", one) for at, one in enumerate(value))
        case dict() if type(value) is dict:
            if wrong := [key for key in value if type(key) is not str]:
                return f"{where} has a key of type {type(wrong[0]).__name__}"
            inner = ((f"{where}[{key!r}]", one) for key, one in value.items())
        case _:
            return f"{where} is of type {type(value).__name__}"
    return next((problem for place, one in inner if (problem := unfaithful(one, place))), None)


def quick_copy(value: dict[str, Any], *, deepest: int) -> tuple[Mapping[str, Any], int] | None:
    """A copy of JSON data that cannot be changed, and its size in bytes; `None` where a closer look is needed.

    It is for what is as simple as nearly everything is: plain dicts and lists, no more than *deepest* inside each
    other, of texts that can be sent, finite numbers of at most 64 bits, truth values and `None`.
    """
    try:
        return _frozen_exactly(value, deepest), len(orjson.dumps(value))
    except TypeError:
        return None


def _frozen_exactly(value: Any, deepest: int) -> Any:
    """`frozen`, for nothing but plain dicts, lists and scalars.

    Raises:
        TypeError: For anything else, or what is deeper.
    """
    kind = type(value)
    if kind is _FrozenDict:
        return value
    if deepest and kind is dict:
        copy = _FrozenDict(value)
        for key, one in value.items():
            if type(one) not in _TAME:
                dict.__setitem__(copy, key, _frozen_exactly(one, deepest - 1))
        return copy
    if deepest and kind is list:
        return [one if type(one) in _TAME else _frozen_exactly(one, deepest - 1) for one in value]
    if kind is float and math.isfinite(value):
        return value
    raise TypeError


_TAME = SCALARS - {float}
"""What is as it is, whatever it holds; half a character, and a number of too many digits, show when it is written."""


class _FrozenDict(dict[str, Any]):
    """A dict of a shared schema: whoever tries to change it is told to copy it."""

    __slots__ = ("__weakref__",)

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("this is shared, and cannot be changed: copy it, with copy.deepcopy(…)")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]  # each refuses, whatever it is given

    def __deepcopy__(self, _: object) -> dict[str, Any]:
        return {key: thawed(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.__deepcopy__(None),)


def frozen(value: Any) -> Any:
    """A copy of a JSON value whose objects cannot be changed. Lists stay lists: validators take no other kind."""
    if type(value) in SCALARS:
        return value
    if isinstance(value, Mapping):
        return _FrozenDict({key: frozen(inner) for key, inner in value.items()})
    return list(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def is_frozen(value: object) -> bool:
    """Tell whether *value* is an object that `frozen` made."""
    return type(value) is _FrozenDict


def thawed(value: Any) -> Any:
    """A copy of a JSON value that anybody can change."""
    if type(value) in SCALARS:
        return value
    if isinstance(value, Mapping):
        return {key: thawed(inner) for key, inner in value.items()}
    return [thawed(inner) for inner in value] if isinstance(value, (list, tuple)) else value
