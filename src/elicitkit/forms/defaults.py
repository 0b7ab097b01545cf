"""From the defaults Python has (a date, an enum member, a `Decimal`, a `UUID`) to those the wire has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import Enum, Flag
from uuid import UUID

from ..fields import ChoiceField, Field, IntegerField, MultiChoiceField, NumberField, Option, TextField


def wire_default(field: Field, default: object) -> object:
    """Convert a default for one field; what is not understood comes back unchanged, for the check to refuse."""
    match field:
        case TextField():
            return _text(field, default)
        case IntegerField() | NumberField():
            return default.value if isinstance(default, Enum) else default
        case ChoiceField():
            return _option(field.options, default)
        case MultiChoiceField():
            return [_option(field.options, one) for one in _members(field.options, default)]
        case _:
            return default


def _text(field: TextField, default: object) -> object:
    if isinstance(default, Enum):
        default = default.value
    if isinstance(default, date):  # A datetime is one.
        return default.isoformat()
    is_url = field.format == "uri" and hasattr(default, "scheme")
    return str(default) if is_url or isinstance(default, UUID) else default


def _option(options: tuple[Option, ...], default: object) -> object:
    """An enum member stands for the option of its name, else for that of its value."""
    if not isinstance(default, Enum):
        return default
    return default.name if any(option.value == default.name for option in options) else default.value


def _members(options: tuple[Option, ...], default: object) -> Iterable[object]:
    """The single choices in a default: flags come as one value, and a list may be given as one argument."""
    given = default if isinstance(default, (list, tuple)) else [default]
    for one in given:
        if isinstance(one, (set, frozenset)):
            yield from _in_order(options, one)
        elif isinstance(one, (Flag, list, tuple)):
            yield from one
        else:
            yield one


def _in_order(options: tuple[Option, ...], chosen: Iterable[object]) -> list[object]:
    """What is in a set, in the order of the options: its own order differs from one process to the next."""
    places: dict[object, int] = {option.value: place for place, option in enumerate(options)}
    return sorted(chosen, key=lambda one: (places.get(_option(options, one), len(places)), str(one)))
