"""What a field asks for, in words of ours: the same in every place a form is drawn."""

from __future__ import annotations

from typing import Final, assert_never

from ..fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from ..safety import asks_for_credential

CREDENTIAL_WARNING: Final = (
    "This asks for something that looks like a password or key. The specification forbids that; do not enter one."
)

_FORMATS = {
    None: "",
    "email": "an e-mail address: ada@example.com",
    "uri": "a full address: https://example.com/page",
    "date": "a date: 2026-11-30",
    "date-time": "a date and time with a zone: 2026-11-30T14:30:00+01:00",
}
_EXACT_FLOATS = 2**53
"""Up to here a whole number that came as `1e6` can be written without its exponent and still be the same."""


def mark(field: Field) -> str:
    """Whether the field must be filled in."""
    return "(required)" if field.required else "(optional)"


def warning(field: Field) -> str:
    """What a person must be warned of before answering; empty when there is nothing."""
    match field:
        case TextField() | IntegerField() | NumberField() if not field.sensitive_allowed:
            return CREDENTIAL_WARNING if asks_for_credential(field.name, field.title) else ""
        case _:
            return ""


def hint(field: Field) -> str:
    """What would do for an answer: its form, bounds, lengths or counts; empty when anything does.

    Only the words for what cannot be drawn may hold some of the server's.

    >>> hint(IntegerField("age", minimum=1, maximum=100))
    'a whole number, 1 to 100'
    """
    match field:
        case TextField():
            length = _between(field.min_length or None, field.max_length, " characters", " character")
            return ", ".join(filter(None, (_FORMATS[field.format], length)))
        case IntegerField():
            return ", ".join(filter(None, ("a whole number", _between(field.minimum, field.maximum))))
        case NumberField():
            return ", ".join(filter(None, ("a number", _between(field.minimum, field.maximum))))
        case MultiChoiceField():
            count = _between(field.min_items or None, field.max_items)
            return f"choose {count}" if count else "choose as many as you like"
        case BooleanField() | ChoiceField():
            return ""
        case UnknownField():
            return f"This cannot be answered here: {field.reason}."
        case _:
            assert_never(field)


def _between(low: float | None, high: float | None, unit: str = "", one: str = "") -> str:
    """The words for two bounds; without a *unit* the numbers stand alone."""
    unit = one if unit and (high if high is not None else low) == 1 else unit
    if low is not None and low == high:
        return f"exactly {_figure(low)}{unit}"
    if low is not None and high is not None:
        return f"{_figure(low)} to {_figure(high)}{unit}"
    if low is not None:
        return f"at least {_figure(low)}{unit}"
    return f"at most {_figure(high)}{unit}" if high is not None else ""


def _figure(number: float) -> str:
    return str(int(number) if abs(number) < _EXACT_FLOATS and number == int(number) else number)
