"""What is wrong with fields as an author described them, found before anything is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .. import _json
from ..errors import Fault, FormError, SensitiveFieldError
from ..fields import (
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
)
from ..limits import FIELDS, OPTIONS, SCHEMA_BYTES
from ..safety import asks_for_credential
from ..schema.write import requested_schema

_CREDENTIAL = (
    "asks for a credential, which a form must not do; use a URL question, "
    "or .allow_sensitive() on the field if it only sounds like one"
)


def form_faults(fields: Sequence[Field]) -> Iterator[Fault]:
    """Every fault of a set of fields, in their order; those of the whole set last."""
    for field in fields:
        for problem in _problems(field):
            yield Fault(field.name, field.label, problem)
    if len(fields) > FIELDS:
        yield Fault("", "the form", f"has {len(fields)} fields, and may have {FIELDS}; ask in several forms")
    for name, count in Counter(field.name for field in fields).items():
        if count > 1:
            yield Fault(name, name, "is the wire name of more than one field")


def size_fault(fields: Sequence[Field]) -> Fault | None:
    """The fault of a form whose schema is too large, or that cannot be written at all."""
    try:
        size = _json.size(requested_schema(fields))
    except TypeError:
        return Fault("", "the form", "holds half a character (a lone surrogate), which cannot be sent")
    if size > SCHEMA_BYTES:
        return Fault("", "the form", f"takes {size:,} bytes as a schema, and may take {SCHEMA_BYTES:,}")
    return None


def form_error(faults: Sequence[Fault]) -> FormError:
    """One error for all faults; a `SensitiveFieldError` when one of them is a credential."""
    is_sensitive = any(fault.problem is _CREDENTIAL for fault in faults)
    return SensitiveFieldError(faults) if is_sensitive else FormError(faults)


def _problems(field: Field) -> Iterator[str]:
    match field:
        case TextField(format="date" | "date-time" as kind, max_length=int(most)) if most < len("2026-11-30"):
            yield f"is a {kind} and may have {most} characters, so that nothing fits"
        case ChoiceField() | MultiChoiceField():
            yield from _option_problems(field)
        case _:
            pass
    yield from _range_problems(field)
    if _is_sensitive(field):
        yield _CREDENTIAL


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


def _is_sensitive(field: Field) -> bool:
    if not isinstance(field, (TextField, IntegerField, NumberField)) or field.sensitive_allowed:
        return False
    return asks_for_credential(field.name, field.title, field.written)
