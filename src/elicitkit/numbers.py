"""Numbers as the wire can carry them: finite, and whole ones of at most 64 bits. No function here can overflow."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias, TypeGuard

Number: TypeAlias = int | float | Decimal

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DIGITS = 400
"""Longer numbers in text are refused unread: no 64-bit integer and no float needs as many."""

LEAST: Final = -(2**63)
"""The least whole number of 64 bits."""

MOST: Final = 2**63 - 1
"""The largest."""


def is_number(value: object) -> TypeGuard[Number]:
    """Tell whether something is a finite number; a bool is none."""
    if isinstance(value, Decimal):
        return value.is_finite()
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def read_number(value: object) -> Number | None:
    """A finite number, given as one or as ASCII decimal text (an exponent may follow); `None` for anything else."""
    number = _read_text(value.strip()) if isinstance(value, str) else value
    return number if is_number(number) else None


def _read_text(text: str) -> int | Decimal | None:
    if len(text) > _DIGITS or not _DECIMAL.fullmatch(text):
        return None
    try:
        return int(text) if text.lstrip("+-").isdigit() else Decimal(text)
    except InvalidOperation:
        return None  # The exponent is beyond all reason.


def fits(number: Number) -> bool:
    """Tell whether a number is within 64 bits, which every JSON reader keeps exactly, or says that it cannot."""
    return LEAST <= number <= MOST


def is_whole(number: Number) -> bool:
    """Tell whether a finite number has no fraction."""
    if isinstance(number, Decimal):
        return number == number.to_integral_value()
    return isinstance(number, int) or number.is_integer()


def wire_whole(number: Number) -> int | None:
    """A number without fraction as JSON has it; `None` if it does not fit into 64 bits."""
    return int(number) if fits(number) else None


def wire_number(number: Number) -> int | float | None:
    """A finite number as JSON has it, whole where it is and 64 bits hold it; `None` if it is too large.

    A whole number beyond that is given as a float only where it was not given as an integer, which has to stay exact.
    """
    if isinstance(number, int):
        return wire_whole(number)
    if isinstance(number, Decimal) and fits(number) and is_whole(number):
        return int(number)
    kept = float(number)
    return None if math.isinf(kept) else kept
