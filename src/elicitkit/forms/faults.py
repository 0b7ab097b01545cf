"""What is wrong with fields as an author described them, found before anything is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .. import _json
from ..errors import AnswerError, Fault, FormError, SensitiveFieldError
from ..fields import (
    FORMAT_LENGTHS,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from ..limits import FIELDS, OPTIONS, SCHEMA_BYTES
from ..safety import asks_for_credential
from ..schema.check import check_default
from ..schema.write import property_schema

_SHORT = 256
"""Names and titles of so many characters together are worth keeping."""

_CREDENTIAL = (
    "asks for a credential, which a form must not do; use a URL question, "
    "or .allow_sensitive() on the field if it only sounds like one"
)


def form_faults(fields: Sequence[Field], *, secret: Container[str] = ()) -> Iterator[Fault]:
    """Every fault of a set of fields, in their order; those of the whole set last.

    Args:
        fields: The fields.
        secret: The names of those whose type says that they are credentials.
    """
    for field in fields:
        for problem in _problems(field, is_secret=field.name in secret):
            yield Fault(field.name, field.label, problem)
    if len(fields) > FIELDS:
        yield Fault("", "the form", f"has {len(fields)} fields, and may have {FIELDS}; ask in several forms")
    for name, count in Counter(field.name for field in fields).items():
        if count > 1:
            yield Fault(name, name, "is the wire name of more than one field")


def wire_faults(fields: Sequence[Field], schema: Mapping[str, object]) -> Iterator[Fault]:
    """What keeps the written schema of a form from being sent: its size, or text that is no text."""
    try:
        size = _json.size(schema)
    except TypeError:
        for field in filter(_is_unsendable, fields):
            yield Fault(field.name, field.label, "holds half a character (a lone surrogate), which cannot be sent")
        return
    if size > SCHEMA_BYTES:
        yield Fault("", "the form", f"takes {size:,} bytes as a schema, and may take {SCHEMA_BYTES:,}")


def unanswerable_faults(fields: Sequence[Field]) -> Iterator[Fault]:
    """The fields that no answer could be right for: only others' forms, and those made by hand, can have such."""
    for field in fields:
        if isinstance(field, UnknownField):
            if field.required:
                problem = f"is required, and the form can only be declined: {field.reason}"
                yield Fault(field.name, field.label, problem)
        elif field.default is not None:
            yield from _default_faults(field)


def _default_faults(field: Any) -> Iterator[Fault]:
    try:
        check_default(field, field.default)
    except AnswerError as error:
        for fault in error.faults:
            yield replace(fault, problem=f"has a default that {fault.problem}")


def form_error(faults: Sequence[Fault]) -> FormError:
    """One error for all faults; a `SensitiveFieldError` when one of them is a credential."""
    is_sensitive = any(fault.problem is _CREDENTIAL for fault in faults)
    return SensitiveFieldError(faults) if is_sensitive else FormError(faults)


def _problems(field: Field, *, is_secret: bool) -> Iterator[str]:
    match field:
        case TextField():
            yield from _length_problems(field)
        case ChoiceField() | MultiChoiceField():
            yield from _option_problems(field)
        case _:
            pass
    yield from _range_problems(field)
    if _is_sensitive(field, is_secret=is_secret):
        yield _CREDENTIAL


def _length_problems(field: TextField) -> Iterator[str]:
    shortest, longest = FORMAT_LENGTHS.get(field.format, (0, None))
    if field.max_length is not None and field.max_length < shortest:
        yield f"is a {field.format} and has max_length {field.max_length}, so that nothing fits"
    if longest is not None and (field.min_length or 0) > longest:
        yield f"is a {field.format} and has min_length {field.min_length}, so that nothing fits"


def _option_problems(field: ChoiceField | MultiChoiceField) -> Iterator[str]:
    count = len(field.options)
    if not count:
        yield "is a choice without options; add .option(value) or .options([…])"
    if count > OPTIONS:
        yield f"has {count:,} options, and may have {OPTIONS:,}; ask for text instead, or in steps"
    if isinstance(field, MultiChoiceField) and count and (field.min_items or 0) > count:
        yield f"asks for at least {field.min_items} of {count} options"


def _range_problems(field: Field) -> Iterator[str]:
    match field:
        case TextField(min_length=int(low), max_length=int(high)) if low > high:
            yield f"has min_length {low} above max_length {high}"
        case IntegerField(minimum=(int() | float()) as low, maximum=(int() | float()) as high) if low > high:
            yield f"has min {low} above max {high}"
        case NumberField(minimum=(int() | float()) as low, maximum=(int() | float()) as high) if low > high:
            yield f"has min {low} above max {high}"
        case MultiChoiceField(min_items=int(low), max_items=int(high)) if low > high:
            yield f"has min_items {low} above max_items {high}"
        case _:
            pass


def _is_unsendable(field: Field) -> bool:
    try:
        _json.size({field.name: property_schema(field)})
    except TypeError:
        return True
    return False


def _is_sensitive(field: Field, *, is_secret: bool) -> bool:
    if not isinstance(field, (TextField, IntegerField, NumberField)) or field.sensitive_allowed:
        return False
    return is_secret or _asks_for_credential(field.name, field.title, field.written)


def _asks_for_credential(*texts: str | None) -> bool:
    """Authors ask for the same fields again and again: what is short is looked up once."""
    is_short = sum(len(text) for text in texts if text) <= _SHORT
    return _kept_credential(*texts) if is_short else asks_for_credential(*texts)


_kept_credential = lru_cache(maxsize=1024)(asks_for_credential)
