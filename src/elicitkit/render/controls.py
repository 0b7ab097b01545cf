"""What a person is given to answer with: a line to type in, one to pick, some to tick.

A control is also its own answer: it comes back as the person left it, so that asking again starts from there. Here are
the controls of every kind of field, and what their answers mean to the check; no terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, assert_never

from ..fields import (
    BooleanField,
    ChoiceField,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
)
from ..schema.check import Checker
from .text import LEAVE_OPEN, NO, YES, option_labels, typeable

Answerable: TypeAlias = TextField | IntegerField | NumberField | BooleanField | ChoiceField | MultiChoiceField
"""Every kind of field but the one that cannot be drawn."""

Entry: TypeAlias = Mapping[str, object]
"""What was answered to one field, as `Form.check` takes it: its value by name, `None` for a default that was cleared
where no value says so, or nothing at all."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line to type in, with what stands in it beforehand."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """A list to pick one from, and where the pointer is."""

    labels: tuple[str, ...]
    at: int = 0
    question: str = ""
    sends: bool = False
    """Whether what is picked is sent at once."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A list to tick any number of, and those that are ticked."""

    labels: tuple[str, ...]
    ticked: frozenset[int] = frozenset()


Control: TypeAlias = Line | Pick | Tick

_SIGNS: Final = str.maketrans("\u2212\u2013\u2010\u2011\uff0b\uff0d\u066b\uff0e\uff0c", "----+-..,")
"""Signs of numbers in other scripts, and what they are in ASCII."""

_THOUSANDS: Final = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+")

MANY: Final = 12
"""From so many labels on, a list is searched by typing, and may be longer than the terminal."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The list of a lone choice with the refusals in it: what is taken from it ends the question."""

    pick: Pick
    refusals: tuple[str, ...]
    first: int
    """Where the refusals stand: behind a short list, and before one that may be longer than the terminal."""

    @classmethod
    def of(cls, asked: Pick, refusals: tuple[str, ...]) -> Offer:
        """Offer a choice, and the refusals beside it."""
        if len(asked.labels) < MANY:
            return cls(replace(asked, labels=(*asked.labels, *refusals), sends=True), refusals, len(asked.labels))
        at = asked.at + len(refusals)
        return cls(replace(asked, labels=(*refusals, *asked.labels), at=at, sends=True), refusals, 0)

    def taken(self, picked: Pick) -> Pick | str:
        """What was taken: a refusal, or the choice as it stands without them."""
        past, count = picked.at - self.first, len(self.refusals)
        if 0 <= past < count:
            return self.refusals[past]
        labels = picked.labels[: self.first] + picked.labels[self.first + count :]
        return replace(picked, labels=labels, at=picked.at if past < 0 else picked.at - count, sends=False)


def control(field: Answerable, entries: Entry) -> Control:
    """The control of a field, set to what was answered before, else to the default."""
    value = entries.get(field.name, field.default)
    match field:
        case TextField() | IntegerField() | NumberField():
            return Line("" if value is None else typeable(value))
        case BooleanField():
            at = {True: 0, False: 1}.get(value) if isinstance(value, bool) else None
            return _pick((YES, NO), at, field, otherwise=1)
        case ChoiceField():
            at = next((i for i, option in enumerate(field.options) if option.value == value), None)
            return _pick(option_labels(field.options), at, field, otherwise=0)
        case MultiChoiceField():
            chosen = value if isinstance(value, (list, tuple)) else ()
            ticked = frozenset(i for i, option in enumerate(field.options) if option.value in chosen)
            return Tick(option_labels(field.options), ticked)
        case _:
            assert_never(field)


def entry(field: Answerable, answered: Control) -> Entry:
    """What a control says about its field, ready for the check."""
    match field, answered:
        case IntegerField() | NumberField(), Line(text):
            # Not read back where nobody touched it: no text of a large float is that very number again.
            if field.default is not None and text == typeable(field.default):
                return {field.name: field.default}
            known = figures(typeable(text))
            if isinstance(field, IntegerField) and _THOUSANDS.fullmatch(known):
                known = known.replace(".", ",")  # Half the world means a thousand by `1.000`, and nobody 1.
            return {field.name: known} if known else _nothing(field)
        case TextField(), Line(text):
            # What nobody touched is the default itself, with what is not drawn of it.
            if field.default is not None and typeable(text) == typeable(field.default):
                return {field.name: field.default}
            text = typeable(text) if field.format is None else typeable(text).strip()
            return {field.name: text} if text.strip() else _no_text(field)
        case BooleanField(), Pick(at=at):
            return {field.name: at == 0} if at < 2 else _nothing(field)
        case ChoiceField(), Pick(at=at):
            return {field.name: field.options[at].value} if at < len(field.options) else _nothing(field)
        case MultiChoiceField(), Tick(ticked=ticked):
            if not ticked and not field.required and (field.default is None or field.min_items):
                return _nothing(field)
            chosen = [option.value for i, option in enumerate(field.options) if i in ticked]
            is_default = field.default is not None and set(chosen) == set(field.default)
            return {field.name: list(field.default or ()) if is_default else chosen}
        case _:
            raise TypeError(f"a {type(field).__name__} is not answered with a {type(answered).__name__}")


def figures(text: str) -> str:
    """A number in the figures the check knows, from those of any script, and with the comma of half the world.

    Three digits behind a comma may be thousands or decimals: such a number stays as it is, and is refused.

    >>> figures("٤٢"), figures("\u22123,5"), figures("1,000")
    ('42', '-3.5', '1,000')
    """
    known = "".join(map(_figure, text.strip())).translate(_SIGNS)
    whole, comma, decimals = known.partition(",")
    if comma and decimals.isdigit() and len(decimals) != 3 and "." not in whole:
        return f"{whole}.{decimals}"
    return known


def _figure(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def settle(field: Answerable, given: Entry) -> Entry:
    """Check what was answered to one field; the entry comes back as it will be sent.

    Raises:
        AnswerError: With the one fault.
    """
    return Checker([field]).check(given).values or given


def _pick(labels: tuple[str, ...], at: int | None, field: BooleanField | ChoiceField, *, otherwise: int) -> Pick:
    """A list that starts at the answer there is; else at "leave open", and in a required field at the tamest answer."""
    if not field.required:
        labels, otherwise = (*labels, LEAVE_OPEN), len(labels)
    return Pick(labels, otherwise if at is None else at)


def _no_text(field: TextField) -> Entry:
    """An empty line. Where it may be an answer, it is one that keeps the default from being filled in."""
    is_answer = field.default is not None and not (field.required or field.format or field.min_length)
    return {field.name: ""} if is_answer else _nothing(field)


def _nothing(field: Answerable) -> Entry:
    """An untouched field is absent; where there was a default, `None` says that it was cleared."""
    return {} if field.default is None else {field.name: None}
