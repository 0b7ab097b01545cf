"""A server's text made fit to be drawn, and answers as a person reads them. Pure; it knows no terminal and no page.

Nothing a server wrote reaches a terminal or a page but through here: without control, ANSI or bidirectional characters,
never longer than a screen or two, and never invisible.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from ..errors import Fault
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
from ..limits import FIELDS
from ..safety import plain, plain_line

YES: Final = "Yes"
NO: Final = "No"
LEAVE_OPEN: Final = "(leave open)"
LEFT_OPEN: Final = "(left open)"
DECLINE: Final = "(decline)"
CANCEL: Final = "(cancel)"
SKIP: Final = "(skip)"
STOP: Final = "(stop)"

_Drawable: TypeAlias = TextField | IntegerField | NumberField | BooleanField | ChoiceField | MultiChoiceField

_LABEL = 200
_VALUE = 2_000
_BRIEF = 40
_LEFT_TO_RIGHT = "\u200e"  # A mark that is never seen: what follows it goes on from the left.
_INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cf", "Mn", "Me", "Cc"})


def drawable(text: str, *, limit: int = _LABEL) -> str:
    r"""One line that can be seen: text of which nothing would show is written out as Python writes it.

    >>> drawable("\x1b[31mred\u202e"), drawable("\u202e")
    ('red', "'\\u202e'")
    """
    line = plain_line(text, limit=limit)
    return line if _is_visible(line) else ascii(text[:_BRIEF])


def label(field: Field) -> str:
    """What a person calls the field."""
    return apart(drawable(field.label))


def apart(line: str) -> str:
    """A line that may stand beside others: what comes behind right-to-left letters is not drawn among them."""
    return f"{line}{_LEFT_TO_RIGHT}" if any(map(_is_right_to_left, line)) else line


def typeable(value: object) -> str:
    """A value as it stands in the line, and text as it was typed or pasted there: what is not drawn is not sent."""
    text = str(value)
    return plain(text, limit=len(text) + 1)


@lru_cache(maxsize=FIELDS)
def option_labels(options: tuple[Option, ...]) -> tuple[str, ...]:
    """What a person calls each option; the value is added where two would look the same, or like an answer of ours."""
    labels = [apart(_option_label(option)) for option in options]
    times = Counter([*labels, LEAVE_OPEN, DECLINE, CANCEL, SKIP, STOP])
    pairs = zip(labels, options, strict=True)
    return tuple(label if times[label] == 1 else f"{label} ({_exactly(option.value)})" for label, option in pairs)


def shown(field: Field, entries: Mapping[str, object]) -> str:
    """The answer to a field as the review shows it. Line breaks of the person's stay."""
    if isinstance(field, UnknownField):
        return "(cannot be answered here)"
    value = entries.get(field.name)
    if value is None:
        return _left_open(field)
    match field:
        case BooleanField():
            return YES if value else NO
        case ChoiceField() | MultiChoiceField():
            return ", ".join(_chosen(field, value)) or "(none)"
        case _:
            return _seen(str(value))


def _left_open(field: _Drawable) -> str:
    """The words for no answer. Where there is a default they do not promise that it is not taken.

    A host leaves a field that was cleared out of the answer, since many servers refuse a whole answer for a `null`.
    """
    if field.default is None:
        return LEFT_OPEN
    default = shown_briefly(field, {field.name: field.default})
    return f"({LEFT_OPEN[1:-1]}; the server may take its default, {default}, all the same)"


def _chosen(field: ChoiceField | MultiChoiceField, value: object) -> Iterator[str]:
    chosen = value if isinstance(value, (list, tuple)) else (value,)
    pairs = zip(field.options, option_labels(field.options), strict=True)
    return (name for option, name in pairs if option.value in chosen)


def _seen(text: str) -> str:
    shown = plain(text, limit=_VALUE)
    if _is_visible(shown):
        return shown
    return f"({text[:_BRIEF]!a})" if text else "(empty)"


def shown_briefly(field: Field, entries: Mapping[str, object]) -> str:
    """The same on part of a line."""
    return apart(brief(" ".join(shown(field, entries).split())))


def brief(line: str) -> str:
    """The beginning of a line, where many have to fit."""
    return line if len(line) <= _BRIEF else f"{line[:_BRIEF]}…"


def fault_line(fault: Fault) -> str:
    """What is wrong, in the checker's words."""
    return drawable(f"{apart(fault.label)}: {fault.problem}" if fault.label else fault.problem, limit=_VALUE)


def _option_label(option: Option) -> str:
    line = plain_line(option.label, limit=_LABEL)
    return line if _is_visible(line) else ascii(option.value[:_LABEL])


def _exactly(value: str) -> str:
    """A value that cannot be mistaken for another: whatever would not be drawn is written out."""
    return value if value == plain_line(value, limit=_LABEL) and _is_visible(value) else ascii(value[:_LABEL])


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)
