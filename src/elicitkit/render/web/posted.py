"""What a person posted, read back into an answer and checked. What they typed is in no error and in no log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, assert_never

from ...errors import AnswerError, Fault
from ...fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from ...forms import Content, Form
from ..controls import Answerable, Entry, Line, Pick, Tick, entry
from ..text import typeable
from .controls import CHECKED, EXACT, NO_VALUE, YES_VALUE, ZONE, Posted, first, name_of
from .moments import held_of, is_local, moment_from, moment_of

NO_ZONE: Final = "needs a time zone as well"


class Reading(NamedTuple):
    """What was posted, as it will be sent; or what is wrong with it."""

    content: dict[str, Any]
    """The checked answer, with `None` for a default that was cleared and no value says so; empty if it has faults."""

    entries: dict[str, object]
    """The answer before the check, by wire name."""

    faults: tuple[Fault, ...] = ()


def read(form: Form[Any], posted: Posted) -> Reading:
    """Read what was posted and check it, with every fault at once."""
    entries: dict[str, object] = {}
    for position, field in enumerate(form.fields):
        if not isinstance(field, UnknownField):
            entries |= entry_of(field, name_of(position), posted)
    try:
        checked: Content = form.check(entries)
    except AnswerError as error:
        ours = _better_words(form.fields, posted)
        faults = [replace(fault, problem=ours.get(fault.field, fault.problem)) for fault in error.faults]
        return Reading({}, entries, tuple(faults))
    return Reading({**checked, **dict.fromkeys(checked.cleared)}, entries)


def entry_of(field: Answerable, name: str, posted: Posted) -> Entry:
    """What the control of one field says, ready for the check."""
    text = first(posted, name)
    match field:
        case TextField(format="date-time"):
            zone, exact = first(posted, name + ZONE), first(posted, name + EXACT)
            return entry(field, Line(_moment(text, zone, originals=(field.default, exact))))
        case TextField():
            return entry(field, Line(_lines(field, text)))
        case IntegerField() | NumberField():
            return entry(field, Line(text))
        case BooleanField(default=None):
            return entry(field, Pick((), {YES_VALUE: 0, NO_VALUE: 1}.get(text, 2)))
        case BooleanField():
            return entry(field, Pick((), 0 if text == CHECKED else 1))
        case ChoiceField():
            return entry(field, Pick((), _place(field, text)))
        case MultiChoiceField():
            ticked = {place for one in posted.get(name, ()) if (place := _place(field, one)) < len(field.options)}
            return entry(field, Tick((), frozenset(ticked)))
        case _:
            assert_never(field)


def _moment(local: str, zone: str, *, originals: Iterable[str | None]) -> str:
    """The moment of two controls; what they were set to as it was written, where nobody touched them."""
    for original in filter(None, originals):
        there, its_zone = moment_of(original)
        if (moment_of(local)[0], zone) == (held_of(there), its_zone):
            return original
    return moment_from(local, zone)


def _lines(field: TextField, text: str) -> str:
    """Text as it was typed: browsers send line breaks in a way of their own, and an empty last line is no text."""
    typed = text.replace("\r\n", "\n").replace("\r", "\n")
    is_default = field.default is not None and typeable(typed) == typeable(field.default)
    return typed if is_default else typed.rstrip("\n")


def _place(field: ChoiceField | MultiChoiceField, text: str) -> int:
    """The place of an option in its list; behind the last for what is none."""
    is_place = text.isascii() and text.isdigit() and len(text) < 6
    return min(int(text), len(field.options)) if is_place else len(field.options)


def _better_words(fields: Sequence[Field], posted: Posted) -> Mapping[str, str]:
    """What a page can say better than the check, which does not know of two controls."""
    words = {}
    for position, field in enumerate(fields):
        name = name_of(position)
        text = first(posted, name).strip()
        match field:
            case TextField(format="date-time") if is_local(text) and not first(posted, name + ZONE):
                words[field.name] = NO_ZONE
    return words
