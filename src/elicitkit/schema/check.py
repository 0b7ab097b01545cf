"""Checking an answer against fields: types made right, defaults filled in, and every fault found at once.

The rules of coercion are all here, one function for each kind. What passes them also passes the requested schema
under `jsonschema-rs` with formats; that is checked last, with a validator compiled once for each schema, which is made
from the keywords we know: a stranger's `$ref` is never resolved and a stranger's `pattern` never run.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar, assert_never
from urllib.parse import quote

import idna
from jsonschema_rs import Draft202012Validator, EmailOptions

from .. import _json
from ..errors import AnswerError, Fault
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
from ..numbers import Number, is_number, is_whole, wire_number, wire_whole
from .write import requested_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

_EMAIL = EmailOptions(allow_display_text=False, require_tld=True, allow_domain_literal=False)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DIGITS = 400
"""Longer numbers in text are refused unread: no 64-bit integer and no float needs as many."""
_SHOWN_OPTIONS = 8

_TOO_LARGE = "is too large: it must fit into 64 bits"

_Rule: TypeAlias = Callable[[object], object]
_N = TypeVar("_N", int, float)


class _Problem(Exception):
    """A value that does not fit; its text is what the person is told."""


_NOTHING: Final = object()
"""What stands for a value that is not there."""

_REQUIRED: Final = _Problem("is required")


def _drop(_: object) -> object:
    return _NOTHING


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer that fits: its values by wire name, and the names that were answered with nothing (`null`)."""

    values: dict[str, Any]
    cleared: frozenset[str]


class _Item(NamedTuple):
    """What checking one field takes, looked up once."""

    name: str
    field: Field
    rule: _Rule
    absent: object
    """What a missing key becomes: a default, `_NOTHING`, or `_REQUIRED` if that is a fault."""

    cleared: object
    """The same for an answer of nothing (`null`)."""

    empty_is_nothing: bool
    """Whether `""` is the same as `null`."""


class Checker:
    """Checks answers to one set of fields."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self._items = [_item(field) for field in fields]
        known = [_known(item.field) for item in self._items if not isinstance(item.field, UnknownField)]
        self._is_valid = _validator(_json.dumps(requested_schema(known)))

    def check(self, answer: Mapping[str, object]) -> Checked:
        """Check an answer by wire name; unknown names are dropped.

        Raises:
            AnswerError: With one fault for each field that does not fit.
        """
        values: dict[str, Any] = {}
        cleared: set[str] = set()
        faults: list[Fault] = []
        for name, field, rule, value, when_cleared, empty_is_nothing in self._items:
            if name in answer:
                value = answer[name]
                if value is None or (empty_is_nothing and value == ""):
                    cleared.add(name)
                    value = when_cleared
                else:
                    value = _ruled(rule, value)
            if type(value) is _Problem:
                faults.append(Fault(name, field.label, str(value), answer.get(name)))
            elif value is not _NOTHING:
                values[name] = list(value) if type(value) is tuple else value  # a default is never handed out itself
        if not faults and not self._is_valid(values):
            faults = [fault for item in self._items if (fault := _schema_fault(item.field, values))]
        if faults:
            raise AnswerError(faults)
        return Checked(values, frozenset(cleared))


def check_default(field: Field, default: object) -> object:
    """Check a default, which must be of the field's own type: no number in text, and no title for a value.

    Raises:
        AnswerError: With the one fault.
    """
    try:
        fitting = _rule(field)(default)
        match field:
            case IntegerField() | NumberField() if isinstance(default, str):
                raise _Problem("must be a number, not text")
            case ChoiceField() if fitting != default:
                raise _Problem(f"must be one of {_listed(_chooser(field.options))}")
            case MultiChoiceField() if fitting != list(default):  # type: ignore[call-overload]  # the rule took it
                raise _Problem(f"may only hold {_listed(_chooser(field.options))}")
    except _Problem as problem:
        raise AnswerError([Fault(field.name, field.label, str(problem), default)]) from None
    return fitting


def _ruled(rule: _Rule, value: object) -> object:
    """What a rule makes of a value, or the problem it has with it."""
    try:
        return rule(value)
    except _Problem as problem:
        return problem


def _item(field: Field) -> _Item:
    rule = _rule(field)
    if isinstance(field, UnknownField):
        # It cannot be answered: whatever comes is a fault when it is required, and dropped when it is not.
        nothing = _ruled(rule, None) if field.required else _NOTHING
        return _Item(field.name, field, rule if field.required else _drop, nothing, nothing, False)
    nothing = _REQUIRED if field.required else _NOTHING
    absent = nothing if field.default is None else field.default
    return _Item(field.name, field, rule, absent, nothing, _is_empty_nothing(field))


def _is_empty_nothing(field: Field) -> bool:
    """A required field's rule decides about `""`, and optional plain text keeps it."""
    return not (field.required or (isinstance(field, TextField) and field.format is None and not field.min_length))


def _known(field: Field) -> Field:
    """A field without what a stranger said that we do not know: no validator is to act on it."""
    if isinstance(field, (ChoiceField, MultiChoiceField)) and any(option.extra for option in field.options):
        field = replace(field, options=tuple(replace(option, extra={}) for option in field.options))
    return replace(field, extra={})


@lru_cache(maxsize=512)
def _validator(schema: bytes) -> Callable[[object], bool]:
    """Compile a schema of ours, once for as long as it is in use."""
    compiled = Draft202012Validator(_json.loads(schema), validate_formats=True, email_options=_EMAIL, offline=True)
    return compiled.is_valid


def _schema_fault(field: Field, values: Mapping[str, object]) -> Fault | None:
    """The fault of a field whose value passed our rules but not the schema: a difference between the two."""
    if field.name not in values or isinstance(field, UnknownField):
        return None
    alone = _validator(_json.dumps(requested_schema([_known(field)])))
    value = values[field.name]
    return None if alone({field.name: value}) else Fault(field.name, field.label, "is not what the form allows", value)


# --- one rule for each kind ---------------------------------------------------------------------------------------


def _rule(field: Field) -> _Rule:
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
            raise _Problem("must be text")
        text = value if type(value) is str else str.__str__(value)
        if not (text.isascii() or _json.is_sendable(text)):
            raise _Problem("holds half a character (a lone surrogate)")
        if not low <= len(text) <= most:
            raise _Problem(_length_problem(low, high))
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
        raise _Problem("must be an e-mail address, such as ada@example.com")
    return text


def _uri(text: str) -> str:
    address = text if text.isascii() else _encoded(text)
    if not _is_uri(address):
        raise _Problem("must be a full address, such as https://example.com/page")
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
    raise _Problem("must be a date, such as 2026-11-30")


def _date_time(text: str) -> str:
    try:
        if _is_date_time(text):
            datetime.fromisoformat(text.upper())
            return text
    except ValueError:
        pass
    raise _Problem("must be a date and time with a zone, such as 2026-11-30T14:30:00+01:00")


def _integer(field: IntegerField, value: object) -> int:
    number = _read_number(value, "must be a whole number")
    if not is_whole(number):
        raise _Problem("must be a whole number")
    if (whole := wire_whole(number)) is None:
        raise _Problem(_TOO_LARGE)
    return _within(field, whole)


def _number(field: NumberField, value: object) -> int | float:
    if (number := wire_number(_read_number(value, "must be a number"))) is None:
        raise _Problem(_TOO_LARGE)
    return _within(field, number)


def _read_number(value: object, problem: str) -> Number:
    """A number, or ASCII decimal text (an exponent may follow); never a bool, NaN or infinity."""
    if isinstance(value, str):
        value = _read_decimal(value.strip())
    if not is_number(value):
        raise _Problem(problem)
    return value


def _read_decimal(text: str) -> int | Decimal | None:
    if len(text) > _DIGITS or not _DECIMAL.fullmatch(text):
        return None
    try:
        return int(text) if text.lstrip("+-").isdigit() else Decimal(text)
    except InvalidOperation:
        return None  # The exponent is beyond all reason.


def _within(field: IntegerField | NumberField, number: _N) -> _N:
    low, high = field.minimum, field.maximum
    if (low is None or number >= low) and (high is None or number <= high):
        return number
    if low is not None and high is not None:
        raise _Problem(f"must be between {low} and {high}")
    raise _Problem(f"must be at least {low}" if high is None else f"must be at most {high}")


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Problem("must be yes or no (true or false)")
    return value


def _chooser(options: tuple[Option, ...]) -> dict[str, str]:
    """What may be said for each option: its value, and its title where only one option has it."""
    bearers = Counter(option.title for option in options)
    by_title = {option.title: option.value for option in options if option.title and bearers[option.title] == 1}
    return by_title | {option.value: option.value for option in options}


def _choice(chooser: Mapping[str, str], value: object) -> str:
    chosen = chooser.get(value) if isinstance(value, str) else None
    if chosen is None:
        raise _Problem(f"must be one of {_listed(chooser)}")
    return chosen


def _choices(field: MultiChoiceField, chooser: Mapping[str, str], value: object) -> list[str]:
    if not isinstance(value, (list, tuple)):
        raise _Problem("must be a list of options")
    chosen = [chooser.get(item) if isinstance(item, str) else None for item in value]
    if None in chosen:
        raise _Problem(f"may only hold {_listed(chooser)}")
    if len(set(chosen)) < len(chosen):
        raise _Problem("must not hold an option twice")
    low, high = field.min_items or 0, field.max_items
    if len(chosen) < low or (high is not None and len(chosen) > high):
        raise _Problem(_count_problem(low, high))
    return [item for item in chosen if item is not None]


def _count_problem(low: int, high: int | None) -> str:
    if high is None:
        return f"needs at least {low} of the options"
    return f"needs {low} to {high} of the options" if low else f"takes at most {high} of the options"


def _listed(chooser: Mapping[str, str]) -> str:
    values = list(dict.fromkeys(chooser.values()))
    more = f" and {len(values) - _SHOWN_OPTIONS} more" if len(values) > _SHOWN_OPTIONS else ""
    return ", ".join(values[:_SHOWN_OPTIONS]) + more


def _unknown(field: UnknownField, _: object) -> object:
    raise _Problem(f"cannot be answered here: {field.reason}")


_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?)([^/?#:\[\]]*)(.*)", re.DOTALL)
"""An address that has a host: what stands before it, the host, and the rest."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_is_email, _is_uri, _is_date, _is_date_time = (
    _validator(_json.dumps({"type": "string", "format": name})) for name in ("email", "uri", "date", "date-time")
)
_FORMATS: dict[str | None, Callable[[str], str]] = {
    "email": _email,
    "uri": _uri,
    "date": _date,
    "date-time": _date_time,
}
