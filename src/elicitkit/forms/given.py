"""What an author gives to the steps of a builder, checked and as a field keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TypeAlias

from ..errors import FormError
from ..fields import Option
from ..numbers import MOST, fits, is_number, is_whole, wire_number, wire_whole
from .draft import once

Faulty: TypeAlias = Callable[[str], FormError]
"""Makes the error of the field from what is wrong."""


def text_given(value: object, what: str) -> str:
    """A text, as a plain one.

    Raises:
        TypeError: If it is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} is text, not {type(value).__name__}")
    return str.__str__(value)


def count_given(count: object, what: str, faulty: Faulty) -> int:
    """A length or a number of items.

    Raises:
        TypeError: If it is no number.
        FormError: If it is negative or no whole number.
    """
    if not isinstance(count, (int, float, Decimal)):
        raise TypeError(f"{what} is a whole number, not {type(count).__name__}")
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST:
        raise faulty(f"has {what} of {_shown(count)}, and it takes a whole number of at least 0")
    return int(count)


def bound_given(bound: object, faulty: Faulty, *, whole: bool) -> int | float:
    """A bound as the wire has it.

    Raises:
        TypeError: If it is no number.
        FormError: If it is NaN, infinite, a bool, beyond 64 bits, or fractional on a whole number.
    """
    if not isinstance(bound, (int, float, Decimal)):
        raise TypeError(f"a bound is a number, not {type(bound).__name__}")
    if not is_number(bound):
        raise faulty(f"has {bound} for a bound, which is no number to compare with")
    if whole and not is_whole(bound):
        raise faulty(f"asks for a whole number, and has {bound} for a bound")
    kept = wire_whole(bound) if whole else wire_number(bound)
    if kept is None:
        raise faulty("has a bound that does not fit into 64 bits")
    return kept


def options_given(values: Iterable[str] | Mapping[str, str | None], faulty: Faulty) -> tuple[Option, ...]:
    """The options of a list of values, or of a mapping of value to title.

    Raises:
        TypeError: If one is not text, or *values* is one text.
        FormError: If one is blank or comes twice.
    """
    if isinstance(values, str):
        raise TypeError("options takes a list of values or a mapping of value to title, not one text")
    if not isinstance(values, Iterable):
        raise TypeError("options takes a list of values or a mapping of value to title")
    pairs = values.items() if isinstance(values, Mapping) else ((value, None) for value in values)
    options = tuple(option_given(value, title, faulty) for value, title in pairs)
    if (twice := once(option.value for option in options)) is not None:
        raise repeated(twice, faulty)
    return options


def option_given(value: object, title: object, faulty: Faulty) -> Option:
    """One option.

    Raises:
        TypeError: If something is not text.
        FormError: If something is blank.
    """
    value = text_given(value, "the value of an option")
    if not value.strip():
        raise faulty("has a blank option; give it a value, and a title for what the person reads")
    title = None if title is None else text_given(title, "the title of an option")
    if title is not None and not title.strip():
        raise faulty(f"has a blank title for the option {value!r}")
    return Option(value, title)


def repeated(value: str, faulty: Faulty) -> FormError:
    """The error of an option that comes twice."""
    return faulty(f"has the option {value!r} twice")


def _shown(number: object) -> str:
    """A number as text; Python refuses to write the largest."""
    return "a number beyond 64 bits" if isinstance(number, int) and not fits(number) else str(number)
