"""From the value of an answer to a Python value, one function for each simple type.

A checked answer to a member's own field has the right type already. One to a form of another make may not: text for a
number, say. So each function takes what can be meant, and its `Misfit` says what would do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from ..numbers import Number, fits, read_number, wire_number
from .mapped import Convert
from .refusals import Misfit

_A_NUMBER, _A_WHOLE_NUMBER, _TOO_LARGE = "must be a number", "must be a whole number", "is too large for 64 bits"


def text(value: object) -> str:
    """Text."""
    if not isinstance(value, str):
        raise Misfit("must be text")
    return value


def email(value: object) -> str:
    """An e-mail address, without a closer look: the format of its field has had one."""
    address = text(value)
    if "@" not in address:
        raise Misfit("must be an e-mail address, such as ada@example.com")
    return address


def boolean(value: object) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise Misfit("must be yes or no (true or false)")
    return value


def whole(value: object) -> int:
    """A whole number."""
    if type(value) is int:
        return value
    number = _number(value, _A_WHOLE_NUMBER)
    if not fits(number):
        raise Misfit(_TOO_LARGE)
    if number != int(number):
        raise Misfit(_A_WHOLE_NUMBER)
    return int(number)


def real(value: object) -> float:
    """A float."""
    try:
        number = float(_number(value))
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise Misfit(_TOO_LARGE)
    return number


def number(value: object) -> int | float:
    """Any number; what is whole stays whole."""
    if (kept := wire_number(_number(value))) is None:
        raise Misfit(_TOO_LARGE)
    return kept


def decimal(value: object) -> Decimal:
    """A `Decimal`. A float means the shortest number that is written like it: 0.1 is a tenth."""
    found = _number(value)
    return Decimal(repr(found)) if isinstance(found, float) else Decimal(found)


def _number(value: object, problem: str = _A_NUMBER) -> Number:
    if (found := read_number(value)) is None:
        raise Misfit(problem)
    return found


# --- for a class and those derived from it ----------------------------------------------------------------------------


def day(core: type[date]) -> Convert:
    """A reader of dates."""
    return _parsed(core, core.fromisoformat, "must be a date, such as 2026-11-30")


def moment(core: type[datetime]) -> Convert:
    """A reader of times, always with a zone: one without cannot be compared with one that has it."""
    read = core.fromisoformat

    def convert(value: Any) -> Any:
        try:
            if (found := read(value.upper())).tzinfo is not None:
                return found
        except (ValueError, TypeError, AttributeError):
            pass
        return _known(core, value, "must be a date and time with a zone, such as 2026-11-30T14:30:00+01:00")

    return convert


def uuid(core: type[UUID]) -> Convert:
    """A reader of UUIDs."""
    return _parsed(core, core, "must be a UUID, such as 12345678-1234-5678-1234-567812345678")


def made_of_text(core: type[Any]) -> Convert:
    """A reader for a class that is made from text, and refuses it in its own words."""
    return lambda value: value if isinstance(value, core) else core(text(value))


def _parsed(core: type[Any], parse: Callable[[Any], Any], problem: str) -> Convert:
    """A reader of text; a value that is of the type already stays."""

    def convert(value: Any) -> Any:
        try:
            return parse(value)
        except (ValueError, TypeError, AttributeError):
            pass
        return _known(core, value, problem)

    return convert


def _known(core: type[Any], value: Any, problem: str) -> Any:
    """A value that is of the type already."""
    if isinstance(value, core):
        return value
    raise Misfit(problem)
