"""Questions of an inbox as somebody reads them at a terminal: a table of many, and one with all that is known. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from ..errors import FormError
from ..forms import Form
from ..host.inbox import Entry, Inbox
from ..host.model_questions import form_of_questions
from ..limits import MESSAGE_CHARACTERS
from ..render.details import CAME_WITH, SHOWN_WITHOUT_LINK, details_of
from ..safety import plain, plain_line
from ..suspension import Answer, Request
from .questions import full_line_of, line_of, link_lines
from .spans import since
from .tables import NONE, aligned, cut

ID_SHOWN: Final = 12
"""How much of an id is shown where many are."""

_COLUMNS: Final = ("ID", "ASKED", "STATE", "KIND", "FROM", "FOR", "PROMPT")
_WIDEST: Final = {"KIND": 14, "FROM": 32, "FOR": 20, "PROMPT": 60, "STATE": 30}


def now_of(inbox: Inbox) -> datetime:
    """What time it is for an inbox."""
    return datetime.fromtimestamp(inbox.store.clock(), UTC)


def table(entries: Sequence[Entry], now: datetime) -> str:
    """Questions in aligned columns, one a line."""
    return "\n".join(aligned([_COLUMNS, *(_row(entry, now) for entry in entries)]))


def entry_text(entry: Entry, now: datetime, answer: Answer | None = None) -> str:
    """A question with all that is known of it; what was answered only where it is given."""
    origin = entry.origin
    facts = [
        ("state", _state(entry, now)),
        ("kind", entry.request.kind),
        ("host", entry.host),
        ("server", origin.server),
        ("tool", origin.tool),
        ("task", origin.task),
        ("agents", " > ".join(origin.agents)),
        ("for", entry.owner or ""),
        ("asked", _moment(entry.asked_at, now)),
        ("until", _moment(entry.until, now) if entry.is_open else ""),
        ("note", entry.note),
    ]
    lines = [f"question {entry.id}", *(f"  {name:<8}{plain_line(value)}" for name, value in facts if value)]
    lines += ["", *(f"  | {line}" for line in plain(entry.request.prompt, limit=MESSAGE_CHARACTERS).splitlines())]
    details, asked = _came_with(entry.request), _asked(entry)
    lines += [*details, *([""] if details and asked else []), *(f"  {line}" for line in asked)]
    if answer is not None and answer.data:
        lines += ["", f"  => {plain_line(json.dumps(answer.to_dict()['data'], ensure_ascii=False))}"]
    return "\n".join(lines)


def asker_of(entry: Entry) -> str:
    """Who asks, on one line: the server, or the host."""
    origin = entry.origin
    name = origin.server or entry.host or "somebody"
    return f"{name} (tool {origin.tool})" if origin.tool else name


def _row(entry: Entry, now: datetime) -> tuple[str, ...]:
    cells = {
        "ID": entry.id[:ID_SHOWN],
        "ASKED": since(entry.asked_at.timestamp(), now.timestamp()),
        "STATE": _state(entry, now),
        "KIND": entry.request.kind,
        "FROM": asker_of(entry),
        "FOR": entry.owner or NONE,
        "PROMPT": entry.request.prompt,
    }
    return tuple(cut(cells[name], _WIDEST.get(name, 40)) for name in _COLUMNS)


def _state(entry: Entry, now: datetime) -> str:
    if entry.is_open:
        return "open" if entry.is_waited_for(now) else "open, its host is gone"
    what = "accepted" if entry.is_accepted else entry.reason if entry.state == "answered" else entry.state
    if entry.reason == "abandoned":
        what = "withdrawn, its host is gone"
    return f"{what} by {entry.closed_by}" if entry.closed_by else f"{what}"


def _asked(entry: Entry) -> list[str]:
    """What would be an answer, a line for each field; or the link."""
    request = entry.request
    if questions := form_of_questions(request):
        return [*map(line_of, questions.fields)]
    if request.url is not None and request.kind not in SHOWN_WITHOUT_LINK:
        return link_lines(request.url)
    if request.schema is None:
        return []
    try:
        fields = Form.from_schema(request.prompt, request.schema).fields
    except FormError:
        return ["- a form that cannot be read"]
    return [*map(full_line_of, fields)]


def _came_with(request: Request) -> list[str]:
    details = details_of(request)
    return ["", f"  {CAME_WITH}:", *(f"  | {line}" for line in details.splitlines())] if details else []


def _moment(moment: datetime, now: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC, {since(moment.timestamp(), now.timestamp())}"
