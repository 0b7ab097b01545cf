"""A question as lines of a log: the message, and for each field its kind and what would do; or the link."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final, assert_never

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
from ..forms import Content, Form
from ..limits import MESSAGE_CHARACTERS
from ..render.links import link_of
from ..render.text import drawable
from ..render.wording import hint
from ..safety import plain, plain_line

OPTIONS_SHOWN: Final = 12
"""How many options of a choice are listed."""

_ALL_SHOWN: Final = 200
"""How many are, where their values are needed."""

_VALUE: Final = 80


def listed(form: Form[Content]) -> str:
    """A form as lines of a log."""
    message = plain(form.message, limit=MESSAGE_CHARACTERS).splitlines()
    return "\n".join([*(f"  | {line}" for line in message), *(f"  {line_of(field)}" for field in form.fields)])


def line_of(field: Field) -> str:
    """One field on one line.

    >>> line_of(IntegerField("seats", minimum=1, maximum=9, required=True))
    '- Seats (integer, required): a whole number, 1 to 9'
    """
    return _line(drawable(field.label), field, (), _options(field, OPTIONS_SHOWN, _title))


def full_line_of(field: Field) -> str:
    """One field on one line, with all that an answer needs that nobody prompts for: names, values, and the default.

    >>> full_line_of(ChoiceField("speed", options=(Option("std", "Standard"), Option("exp", "Express")), default="std"))
    '- Speed [speed] (choice, optional, default "std"): std = Standard | exp = Express'
    """
    name = f"{drawable(field.label)} [{drawable(field.name)}]"
    return _line(name, field, _default(field), _options(field, _ALL_SHOWN, _option))


def _line(name: str, field: Field, more: Iterable[str], options: str) -> str:
    told = ", ".join((kind(field), "required" if field.required else "optional", *more))
    wanted = " of ".join(filter(None, (hint(field), options)))
    return f"- {name} ({told}): {plain_line(wanted)}" if wanted else f"- {name} ({told})"


def link_lines(url: str | None) -> list[str]:
    """A link as it is shown to be opened: all of it, its host apart, and what to be warned of."""
    link = link_of(url)
    if link.problem:
        return [f"- a link that must not be opened, for it {link.problem}: {link.before}"]
    return [f"- a link to open, at the host {link.host}: {link.url}", *(f"  ! {one}" for one in link.warnings)]


def kind(field: Field) -> str:
    """What kind of field it is, in the words of the specification; a text field by its format."""
    match field:
        case TextField():
            return field.format or "string"
        case IntegerField():
            return "integer"
        case NumberField():
            return "number"
        case BooleanField():
            return "boolean"
        case ChoiceField():
            return "choice"
        case MultiChoiceField():
            return "multiple choice"
        case UnknownField():
            return "unknown"
        case _:
            assert_never(field)


def _options(field: Field, count: int, words: Callable[[Option], str]) -> str:
    if not isinstance(field, (ChoiceField, MultiChoiceField)):
        return ""
    shown = " | ".join(map(words, field.options[:count]))
    more = len(field.options) - count
    return f"{shown} and {more} more" if more > 0 else shown


def _title(option: Option) -> str:
    return drawable(option.label, limit=_VALUE)


def _option(option: Option) -> str:
    value, title = drawable(option.value, limit=_VALUE), _title(option)
    return value if value == title else f"{value} = {title}"


def _default(field: Field) -> Iterator[str]:
    if not isinstance(field, UnknownField) and field.default is not None:
        yield f"default {drawable(json.dumps(field.default, ensure_ascii=False), limit=_VALUE)}"
