"""A question as lines of a log: the message, and for each field its kind and what would do; or the link."""

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
from ..forms import Content, Form
from ..limits import MESSAGE_CHARACTERS
from ..render.links import link_of
from ..render.text import drawable
from ..render.wording import hint
from ..safety import plain, plain_line

OPTIONS_SHOWN: Final = 12
"""How many options of a choice are listed."""


def listed(form: Form[Content]) -> str:
    """A form as lines of a log."""
    message = plain(form.message, limit=MESSAGE_CHARACTERS).splitlines()
    return "\n".join([*(f"  | {line}" for line in message), *(f"  {line_of(field)}" for field in form.fields)])


def line_of(field: Field) -> str:
    """One field on one line.

    >>> line_of(IntegerField("seats", minimum=1, maximum=9, required=True))
    '- Seats (integer, required): a whole number, 1 to 9'
    """
    start = f"- {drawable(field.label)} ({kind(field)}, {'required' if field.required else 'optional'})"
    wanted = " of ".join(filter(None, (hint(field), _options(field))))
    return f"{start}: {plain_line(wanted)}" if wanted else start


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


def _options(field: Field) -> str:
    if not isinstance(field, (ChoiceField, MultiChoiceField)):
        return ""
    shown = " | ".join(drawable(option.label, limit=80) for option in field.options[:OPTIONS_SHOWN])
    more = len(field.options) - OPTIONS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
