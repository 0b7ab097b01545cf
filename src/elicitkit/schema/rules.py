"""The rules of coercion, one function for each kind of field: what becomes of a value, or what is wrong with it.

The words are ours, and a person reads them. No text ever holds the value.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache, partial
from typing import TypeAlias, TypeVar, assert_never
from urllib.parse import quote

import idna
from jsonschema_rs import Draft202012Validator, EmailOptions

from .. import _json
from ..fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
    UnknownField,
)
from ..numbers import Number, is_whole, read_number, wire_number, wire_whole

_EMAIL = EmailOptions(allow_display_text=False, require_tld=True, allow_domain_literal=False)
_SHOWN_OPTIONS = 8

_TOO_LARGE = "is too large: it must fit into 64 bits"
_TOO_MANY_FIGURES = "has too many figures: write it with an exponent, such as 1.5e20"
_BEYOND_FLOATS = "is too large: it must be below 1.8e308"
_A_NUMBER, _A_WHOLE_NUMBER = "must be a number", "must be a whole number"
_IN_FIGURES = {
    _A_NUMBER: f"{_A_NUMBER} in figures, such as 1000 or 1.5",
    _A_WHOLE_NUMBER: f"{_A_WHOLE_NUMBER} in figures, such as 1000",
}
_SEPARATED = {
    _A_NUMBER: f"{_A_NUMBER} without thousands separators, and with a point for the decimals, such as 1000 or 1.5",
    _A_WHOLE_NUMBER: f"{_A_WHOLE_NUMBER} without thousands separators, such as 1000",
}
_SEPARATORS = re.compile(r"[+-]?[0-9][0-9.,'_\s\u2019\u066c]*")
"""A number as people write it who mark the thousands, or the decimals in a way of their own."""

Rule: TypeAlias = Callable[[object], object]
"""From a value to the one that is kept; it raises a `Problem`."""

_N = TypeVar("_N", int, float)


class Problem(Exception):
    """A value that does not fit; its text is what the person is told."""


@lru_cache(maxsize=512)
def compiled(schema: bytes) -> Callable[[object], bool]:
    """Compile a schema of ours, once for as long as it is in use."""
    validator = Draft202012Validator(_json.loads(schema), validate_formats=True, email_options=_EMAIL, offline=True)
    return validator.is_valid


def rule_of(field: Field) -> Rule:
    """The rule of a field."""
    match field:
        case TextField(format=None):
            return _text(field)
        case TextField():
            return _formatted(field, _FORMATS[field.format])
        case IntegerField():
            return partial(_integer, field)
        case NumberField():
            return partial(_number, field)
        case BooleanField():
            return _boolean
        case ChoiceField():
            return partial(_choice, _chooser(field.options))
        case MultiChoiceField():
            return partial(_choices, field, _chooser(field.options))
        case UnknownField():
            return partial(_unknown, field)
        case _:
            assert_never(field)


def _text(field: TextField) -> Callable[[object], str]:
    low, high = field.min_length or 0, field.max_length
    most = sys.maxsize if high is None else high

    def rule(value: object) -> str:
        if not isinstance(value, str):
            raise Problem("must be text")
        text = value if type(value) is str else str.__str__(value)
        if not (text.isascii() or _json.is_sendable(text)):
            raise Problem("holds half a character (a lone surrogate)")
        if not low <= len(text) <= most:
            raise Problem(_length_problem(low, high))
        return text

    return rule


def _length_problem(low: int, high: int | None) -> str:
    if high is None:
        return "must not be empty" if low == 1 else f"must have at least {low} characters"
    return f"must have {low} to {high} characters" if low else f"must have at most {high} characters"


def _formatted(field: TextField, parse: Callable[[str], str]) -> Callable[[object], str]:
    """The rule of a format; lengths are those of what is sent, which an address may change."""
    any_text, right_length = _text(TextField("")), _text(field)
    if field.min_length is None and field.max_length is None:
        return lambda value: parse(any_text(value))
    return lambda value: right_length(parse(any_text(value)))


def _email(text: str) -> str:
    if not _is_email(text):
        raise Problem("must be an e-mail address, such as ada@example.com")
    return text


def _uri(text: str) -> str:
    address = text if text.isascii() else _encoded(text)
    if not _is_uri(address):
        raise Problem("must be a full address, such as https://example.com/page")
    return address


def _encoded(text: str) -> str:
    """Percent- and IDNA-encode what is beyond ASCII in an address; a host that cannot be encoded stays as it is."""
    user, host, rest = found.groups() if (found := _AUTHORITY.match(text)) else ("", "", text)
    try:
        host = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return text
    return _percent_encoded(user) + host + _percent_encoded(rest)


def _percent_encoded(text: str) -> str:
    return _BEYOND_ASCII.sub(lambda found: quote(found[0]), text)


def _date(text: str) -> str:
    try:
        if _is_date(text):
            date.fromisoformat(text)
            return text
    except ValueError:
        pass
    raise Problem("must be a date, such as 2026-11-30")


def _date_time(text: str) -> str:
    try:
        if _is_date_time(text):
            datetime.fromisoformat(text.upper())
            return text
    except ValueError:
        pass
    raise Problem("must be a date and time with a zone, such as 2026-11-30T14:30:00+01:00")


def _integer(field: IntegerField, value: object) -> int:
    number = _read_number(value, _A_WHOLE_NUMBER)
    if not is_whole(number):
        raise Problem(_A_WHOLE_NUMBER)
    if (whole := wire_whole(number)) is None:
        raise Problem(_TOO_LARGE)
    return _within(field, whole)


def _number(field: NumberField, value: object) -> int | float:
    number = _read_number(value, _A_NUMBER)
    if (kept := wire_number(number)) is None:
        raise Problem(_TOO_MANY_FIGURES if isinstance(number, int) else _BEYOND_FLOATS)
    return _within(field, kept)


def _read_number(value: object, problem: str) -> Number:
    if (number := read_number(value)) is None:
        raise Problem(_how_to_write(value.strip(), problem) if isinstance(value, str) else problem)
    return number


def _how_to_write(text: str, problem: str) -> str:
    """The words for text that is no number as the wire has it: how to write it, and never what was written."""
    if text.lstrip("+-").isdecimal() and text.isascii():
        return _TOO_LARGE if problem == _A_WHOLE_NUMBER else _TOO_MANY_FIGURES  # So many that nobody read them.
    return (_SEPARATED if _SEPARATORS.fullmatch(text) else _IN_FIGURES)[problem]


def _within(field: IntegerField | NumberField, number: _N) -> _N:
    low, high = field.minimum, field.maximum
    if (low is None or number >= low) and (high is None or number <= high):
        return number
    if low is not None and high is not None:
        raise Problem(f"must be between {low} and {high}")
    raise Problem(f"must be at least {low}" if high is None else f"must be at most {high}")


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise Problem("must be yes or no (true or false)")
    return value


def _chooser(options: tuple[Option, ...]) -> dict[str, str]:
    """What may be said for each option: its value, and its title where only one option has it."""
    bearers = Counter(option.title for option in options)
    by_title = {option.title: option.value for option in options if option.title and bearers[option.title] == 1}
    return by_title | {option.value: option.value for option in options}


def _choice(chooser: Mapping[str, str], value: object) -> str:
    chosen = chooser.get(value) if isinstance(value, str) else None
    if chosen is None:
        raise Problem(f"must be one of {_listed(chooser)}")
    return chosen


def _choices(field: MultiChoiceField, chooser: Mapping[str, str], value: object) -> list[str]:
    if not isinstance(value, (list, tuple)):
        raise Problem("must be a list of options")
    chosen = [chooser.get(item) if isinstance(item, str) else None for item in value]
    if None in chosen:
        raise Problem(f"may only hold {_listed(chooser)}")
    if len(set(chosen)) < len(chosen):
        raise Problem("must not hold an option twice")
    low, high = field.min_items or 0, field.max_items
    if len(chosen) < low or (high is not None and len(chosen) > high):
        raise Problem(_count_problem(low, high))
    return [item for item in chosen if item is not None]


def _count_problem(low: int, high: int | None) -> str:
    if high is None:
        return f"needs at least {low} of the options"
    return f"needs {low} to {high} of the options" if low else f"takes at most {high} of the options"


def _listed(chooser: Mapping[str, str]) -> str:
    values = list(dict.fromkeys(chooser.values()))
    more = f" and {len(values) - _SHOWN_OPTIONS} more" if len(values) > _SHOWN_OPTIONS else ""
    return ", ".join(values[:_SHOWN_OPTIONS]) + more


def listed(options: tuple[Option, ...]) -> str:
    """The values of options for a person to read, the first few of many."""
    return _listed(_chooser(options))


def _unknown(field: UnknownField, _: object) -> object:
    raise Problem(f"cannot be answered here: {field.reason}")


_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?)([^/?#:\[\]]*)(.*)", re.DOTALL)
"""An address that has a host: what stands before it, the host, and the rest."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_is_email, _is_uri, _is_date, _is_date_time = (
    compiled(_json.dumps({"type": "string", "format": name})) for name in ("email", "uri", "date", "date-time")
)
_FORMATS: dict[str | None, Callable[[str], str]] = {
    "email": _email,
    "uri": _uri,
    "date": _date,
    "date-time": _date_time,
}
