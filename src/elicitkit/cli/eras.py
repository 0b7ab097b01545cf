"""What a revision of the protocol changes in a form, for the person and the host, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..fields import BooleanField, ChoiceField, Field, MultiChoiceField, UnknownField
from ..forms import Form

_LIVE = "The question is asked in the middle of the call, over a connection that stays open."
_ROADS = {
    "2025-06-18": f"{_LIVE} There are no links.",
    "2025-11-25": _LIVE,
    "2026-07-28": "The call ends with the question, and is made again with the answer: the tool runs from the top.",
}


def era_notes(form: Form[Any], era: str) -> list[str]:
    """What is different for this form in a revision."""
    notes = [_ROADS[era]]
    if era == "2025-06-18":
        notes += [f"{field.label}: {words}." for field in form.fields for words in _first(field)]
    return notes


def _first(field: Field) -> Iterator[str]:
    match field:
        case UnknownField() | BooleanField():
            return
        case MultiChoiceField(options=options):
            yield f"a multiple choice is {len(options)} questions of yes or no, and folded back into one list"
        case ChoiceField(options=options) if any(option.title for option in options):
            yield "the options are titled by 'enumNames', which not every host of this revision shows"
    if field.default is None or isinstance(field, MultiChoiceField):
        return
    yield "the default stands in the description, and is filled in here where the answer leaves it out"
    if field.required:
        yield "it is required, and not so on the wire: the default could never be used otherwise"
