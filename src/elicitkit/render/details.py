"""What came with a question beside what is asked: its data as lines that a person reads. Pure; all renderers share it.

Nobody is to agree to what they have not seen. Data are a stranger's: each entry has its own line, what is inside of it
stands further in, and no text can pass for an entry, a number or a word of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ..host.model_questions import beside_questions, form_of_questions
from ..host.origins import KEY
from ..limits import MESSAGE_CHARACTERS
from ..safety import plain
from ..suspension import Request
from .text import apart, drawable

CAME_WITH: Final = "What came with it"
"""The words above it."""

ENTRIES: Final = 100
"""How many entries of a list or an object are shown."""

LINES: Final = 300
"""How many lines are shown in all."""

SHOWN_WITHOUT_LINK: Final = frozenset({"input", "approval", "question"})
"""The kinds whose link is nothing that is asked, so that it stands among the rest."""

_CHARACTERS: Final = MESSAGE_CHARACTERS
_DEEPEST: Final = 8
_IN: Final = "  "
_AMBIGUOUS: Final = ("-", "|", '"', "…", "[", "{")
"""What begins a line of ours, or a value of JSON's."""


def details_of(request: Request) -> str:
    r"""All that came with a request, but what is asked and where it comes from, which are told elsewhere.

    It is text of several lines, and empty where nothing came. What is too long is cut, and says how much is left out.

    >>> data = {"paths": ["/etc/passwd", "/home"], "why": {"age": 3, "note": "3"}}
    >>> print(details_of(Request("r1", "approval", "Delete 2 files?", data=data)))
    paths:
      - /etc/passwd
      - /home
    why:
      age: 3
      note: "3"
    """
    lines = list(_named(_beside(request), deep=0))
    shown = list(_within(lines))
    left = len(lines) - len(shown)
    return "\n".join([*shown, f"… and {left} more line{'s' if left > 1 else ''}"] if left else shown)


def _beside(request: Request) -> list[tuple[str, Any]]:
    asked = _asked(request)
    link = [("url", request.url)] if request.url is not None and request.kind in SHOWN_WITHOUT_LINK else []
    inside = [("questions", found)] if (found := beside_questions(request)) else []
    others = [(key, value) for key, value in (request.data or {}).items() if key not in (KEY, asked)]
    return [*link, *inside, *others]


def _asked(request: Request) -> str | None:
    """Where in the data that is what is asked, and can be shown as that."""
    if request.schema is not None:
        return "schema"
    return "questions" if form_of_questions(request) else None


def _within(lines: Iterable[str]) -> Iterator[str]:
    """The first lines, as many as a person may be shown."""
    taken = 0
    for line in islice(lines, LINES):
        taken += len(line)
        if taken > _CHARACTERS:
            return
        yield line


def _named(entries: Iterable[tuple[str, Any]], *, deep: int) -> Iterator[str]:
    """The lines of an object."""
    entries = list(entries)
    for key, value in entries[:ENTRIES]:
        lines = list(_value(value, deep=deep + 1))
        if _is_inside(value):
            yield f"{_name(key)}:"
            yield from (f"{_IN}{line}" for line in lines)
        else:
            yield f"{_name(key)}: {lines[0]}"
    yield from _more(len(entries))


def _value(value: Any, *, deep: int) -> Iterator[str]:
    """The lines of a value: one, unless `_is_inside`."""
    if isinstance(value, str):
        yield from (f"| {line}" for line in _lines(value)) if _is_inside(value) else [_text(value)]
    elif not (isinstance(value, (Mapping, list, tuple)) and value):
        yield plain(json.dumps(value))
    elif deep > _DEEPEST:
        yield from _more(len(value), shown=0)
    elif isinstance(value, Mapping):
        yield from _named(value.items(), deep=deep)
    else:
        for one in value[:ENTRIES]:
            first, *others = _value(one, deep=deep + 1)
            yield f"- {first}"
            yield from (f"{_IN}{line}" for line in others)
        yield from _more(len(value))


def _is_inside(value: Any) -> bool:
    """Whether a value stands below its name: a list, an object, or a text of several lines."""
    if isinstance(value, str):
        return len(_lines(value)) > 1
    return isinstance(value, (Mapping, list, tuple)) and bool(value)


def _more(count: int, *, shown: int = ENTRIES) -> Iterator[str]:
    if count > shown:
        yield f"… and {count - shown:,} more"


def _lines(text: str) -> list[str]:
    return plain(text).strip("\n").split("\n")


def _text(text: str) -> str:
    """Text on one line; in quotes where it could be taken for something else, or ends where nobody sees it."""
    if not text:
        return '""'
    line = _lines(text)[0]
    seen = drawable(line, limit=len(line) + 1)
    if not line.strip() or seen.startswith("'\\"):  # Nothing of it would show.
        return json.dumps(text[:ENTRIES])
    return json.dumps(line, ensure_ascii=False) if line != line.strip() or _is_ambiguous(line) else apart(line)


def _is_ambiguous(line: str) -> bool:
    if line.startswith(_AMBIGUOUS) or ": " in line or line.endswith(":"):
        return True
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _name(key: str) -> str:
    name = drawable(key)
    return apart(json.dumps(name, ensure_ascii=False) if _is_ambiguous(name) else name)
