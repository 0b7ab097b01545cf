"""Values that look right and break one constraint of a field, for tests of what refuses them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Literal, TypeAlias, assert_never

from ..errors import ScriptError
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
from ..numbers import LEAST, MOST
from .values import right_value

Constraint: TypeAlias = Literal[
    "required", "type", "minLength", "maxLength", "format", "minimum", "maximum", "enum", "minItems", "maxItems",
    "uniqueItems",
]  # fmt: skip
"""What an answer can break, by the names of JSON Schema."""

ABSENT: Final = object()
"""What stands for a value that is not there."""

_NO_FORMAT: Mapping[str | None, tuple[str, ...]] = {
    None: (),
    "email": ("ada@", "ada.example.com", "ada@example", "Ada <ada@example.com>", "ada@@example.com"),
    "uri": ("www.example.com", "example", "//example.com/page", "https://exa mple.com"),
    "date": ("30.11.2026", "11/30/2026", "2026-02-30", "2026-11-30T00:00:00Z", "tomorrow"),
    "date-time": ("2026-11-30T14:30:00", "2026-11-30", "2026-11-30T25:00:00Z", "30.11.2026 14:30", "now"),
}
_LONGEST = 10_000
"""How long a text is made to be too long, in characters; a limit beyond that is not broken."""


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An answer that is right but for one value, and what that breaks."""

    field: str
    """The field, by its wire name."""

    breaks: Constraint

    content: Mapping[str, Any]
    """The whole answer, by wire names."""

    def __str__(self) -> str:
        return f"{self.field} {self.breaks}"


def wrong_values(field: Field, random: Random) -> Iterator[tuple[Constraint, object]]:
    """A value for each constraint of a field that there is one for, with what it breaks; `ABSENT` for none."""
    if field.required and not isinstance(field, UnknownField):
        yield "required", None if field.default is not None else ABSENT
    match field:
        case TextField():
            yield from _texts(field, random)
        case IntegerField():
            yield "type", random.choice(("twelve", "12 apples", 12.5, True))
            yield from _numbers(field, LEAST, MOST)
        case NumberField():
            yield "type", random.choice(("a dozen", "1,5", "12 apples", False))
            yield from _numbers(field, -math.inf, math.inf)
        case BooleanField():
            yield "type", random.choice(("yes", "true", 1, 0))
        case ChoiceField():
            yield "type", 1
            yield "enum", _no_option(field.options, random)
        case MultiChoiceField():
            yield from _lists(field, random)
        case UnknownField():
            return
        case _:
            assert_never(field)


def _texts(field: TextField, random: Random) -> Iterator[tuple[Constraint, object]]:
    yield "type", random.choice((42, True))
    shorter = (field.min_length or 0) - 1
    if shorter > 0 and (text := _text(field, random, shorter)) is not None:
        yield "minLength", text
    if field.max_length is not None and (text := _text(field, random, field.max_length + 1)) is not None:
        yield "maxLength", text
    if field.format is not None:
        yield "format", random.choice(_NO_FORMAT[field.format])


def _text(field: TextField, random: Random, length: int) -> str | None:
    """A text of the field's format that has a length which the field does not allow."""
    if length > _LONGEST:
        return None
    try:
        text: str = right_value(replace(field, min_length=length, max_length=length), random)
    except ScriptError:
        return None
    return text


def _numbers(field: IntegerField | NumberField, least: float, most: float) -> Iterator[tuple[Constraint, object]]:
    """The numbers next to the bounds, outside of them."""
    if field.minimum is not None and (below := math.ceil(field.minimum) - 1) >= least:
        yield "minimum", below
    if field.maximum is not None and (above := math.floor(field.maximum) + 1) <= most:
        yield "maximum", above


def _no_option(options: tuple[Option, ...], random: Random) -> str:
    """Something like an option that is none, and no title either."""
    known = {text for option in options for text in (option.value, option.title)}
    value = random.choice(options).value
    guesses = [value.upper(), value.lower(), value.strip() + "s", value[:-1], f"{value} (other)"]
    random.shuffle(guesses)
    found = next((guess for guess in guesses if guess.strip() and guess not in known), None)
    return found or "none of " + " ".join(option.value for option in options)


def _lists(field: MultiChoiceField, random: Random) -> Iterator[tuple[Constraint, object]]:
    values = [option.value for option in field.options]
    right: list[str] = right_value(field, random)
    yield "type", values[0]
    yield "enum", [*right[:-1], _no_option(field.options, random)]
    yield "uniqueItems", [*right, right[0] if right else values[0], *([] if right else [values[0]])]
    if field.min_items:
        yield "minItems", random.sample(values, field.min_items - 1)
    if field.max_items is not None and field.max_items < len(values):
        yield "maxItems", random.sample(values, field.max_items + 1)
