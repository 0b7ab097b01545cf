"""What the templates are given: who asks, the fields as drawn, the rows of a review, what became of a question.

Every text of a server's is made fit to be seen here or by a filter of `pages`; the templates escape all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from ...errors import Fault
from ...fields import BooleanField, Field, TextField, UnknownField
from ...forms import Form
from ...host.inbox import Entry
from ...safety import plain
from ..text import drawable, fault_line, label, shown
from ..wording import hint, mark, warning
from .controls import Check, Control, Posted, drawn, name_of
from .moments import moment_words

_SHORT: Final = 100
"""How much of the name of a server, a tool or a task is shown, in characters."""

_LONG_DESCRIPTION: Final = 600
"""A description of more characters is folded away."""

_NEAREST: Final = ("Server", "Tool", "Host")
"""What a question is from: whichever of these is known first."""

_PROMPT_IN_LIST: Final = 140

_KINDS: Final = {"input": "Form", "authorization": "Link", "approval": "Approval", "question": "Question"}

Focus: TypeAlias = int | None
"""The position of the field that is to have the focus."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, when, and until when."""

    name: str
    rows: tuple[tuple[str, str], ...] = ()
    """What else is known of them, each with its name."""

    _: KW_ONLY
    role: str = ""
    """What the name is the name of."""

    called: str = ""
    """What they are within a sentence, where the name is a word of ours and no name."""

    asked_at: datetime | None = None
    until: datetime | None = None
    is_waited_for: bool = True


@dataclass(frozen=True, slots=True)
class Drawn:
    """A field as it stands on the page."""

    id: str
    label: str
    mark: str
    description: str
    hint: str
    warning: str
    fault: str
    control: Control
    _: KW_ONLY
    is_required: bool = False
    is_focused: bool = False

    @property
    def is_long(self) -> bool:
        """Whether the description is folded away."""
        return len(self.description) > _LONG_DESCRIPTION

    @property
    def described_by(self) -> str:
        """The ids of what is to be read out with the control."""
        parts = (("about", self.description), ("hint", self.hint), ("warning", self.warning), ("fault", self.fault))
        return " ".join(f"{self.id}-{name}" for name, words in parts if words)


class FaultShown(NamedTuple):
    """A line of the summary above a form, and where it leads; nowhere if it is about the whole answer."""

    id: str
    label: str
    problem: str


class Row(NamedTuple):
    """An answer in the review."""

    position: int
    label: str
    words: str
    is_open: bool
    can_change: bool


class Verdict(NamedTuple):
    """What became of a question that is closed."""

    tone: str
    heading: str
    words: str


class Item(NamedTuple):
    """A question in the list."""

    id: str
    url: str
    prompt: str
    kind: str
    who: Asker
    is_waited_for: bool
    status: str
    closed_at: datetime | None


def asker_of(entry: Entry, now: datetime) -> Asker:
    """Who asks a question of the inbox: the server, or the tool, or the host, whichever is nearest to the person."""
    origin = entry.origin
    told = (
        ("Server", origin.server),
        ("Tool", origin.tool),
        ("Host", entry.host),
        ("Agents", " → ".join(origin.agents)),
        ("Task", origin.task),
        ("For", entry.owner or ""),
    )
    rows = [(name, drawable(words, limit=_SHORT)) for name, words in told if words.strip()]
    role, name = rows.pop(0) if rows and rows[0][0] in _NEAREST else ("", "Somebody")
    return Asker(
        name,
        tuple(rows),
        role=role.lower(),
        called="" if role else "somebody",
        asked_at=entry.asked_at,
        until=entry.until if entry.is_open else None,
        is_waited_for=not entry.is_open or entry.is_waited_for(now),
    )


def kind_of(entry: Entry) -> str:
    """The kind of a question in a word."""
    if entry.request.is_confirmation:
        return "Yes or no"
    return _KINDS.get(entry.request.kind) or drawable(entry.request.kind, limit=40)


def items_of(entries: Sequence[Entry], now: datetime, url: str) -> Iterator[Item]:
    """The questions of a page of the list.

    Args:
        entries: Those of the page.
        now: What time it is.
        url: The address of a question without its id.
    """
    for entry in entries:
        prompt = drawable(entry.request.prompt, limit=_PROMPT_IN_LIST) if entry.request.prompt.strip() else "(no words)"
        who, verdict = asker_of(entry, now), verdict_of(entry)
        waited_for = entry.is_waited_for(now)
        yield Item(entry.id, url + entry.id, prompt, kind_of(entry), who, waited_for, verdict.heading, entry.closed_at)


def fields_of(
    fields: Sequence[Field], posted: Posted, faults: Sequence[Fault] = (), *, focus: Focus = None
) -> list[Drawn]:
    """The fields of a form after what was posted, each with its faults; the first that is wrong has the focus."""
    wrong: dict[str, list[str]] = {}
    for fault in faults:
        wrong.setdefault(fault.field, []).append(drawable(fault.problem, limit=500))
    if focus is None:
        focus = next((position for position, field in enumerate(fields) if field.name in wrong), None)
    return [
        field_of(field, name_of(position), posted, "; ".join(wrong.get(field.name, ())), is_focused=position == focus)
        for position, field in enumerate(fields)
    ]


def field_of(field: Field, name: str, posted: Posted, fault: str = "", *, is_focused: bool = False) -> Drawn:
    """One field as it stands on the page."""
    control = drawn(field, name, posted)
    return Drawn(
        name,
        label(field),
        mark(field),
        plain(field.description or "").strip(),
        "" if _says_itself(control) else drawable(hint(field), limit=500) if hint(field) else "",
        warning(field),
        fault,
        control,
        is_required=field.required,
        is_focused=is_focused,
    )


def _says_itself(control: Control) -> bool:
    """Whether nobody has to be told how to fill in a control, other than one for text."""
    return getattr(control, "type", "") in ("date", "datetime-local")


def faults_of(form: Form[Any], faults: Sequence[Fault]) -> list[FaultShown]:
    """The summary of what is wrong, each line with the place on the page it leads to."""
    positions = {field.name: position for position, field in enumerate(form.fields)}
    found = []
    for fault in faults:
        position = positions.get(fault.field)
        if position is None:
            found.append(FaultShown("", "", fault_line(fault)))
        else:
            named = label(form.fields[position])
            found.append(FaultShown(name_of(position), named, drawable(fault.problem, limit=500)))
    return found


def rows_of(fields: Sequence[Field], entries: Mapping[str, object]) -> list[Row]:
    """The review: every answer as it will be sent."""
    return [
        Row(
            position,
            label(field),
            _words(field, entries),
            entries.get(field.name) is None,
            not isinstance(field, UnknownField),
        )
        for position, field in enumerate(fields)
    ]


def _words(field: Field, entries: Mapping[str, object]) -> str:
    value = entries.get(field.name)
    if isinstance(field, TextField) and field.format == "date-time" and isinstance(value, str):
        return moment_words(plain(value))
    return shown(field, entries)


def verdict_of(entry: Entry, *, is_ours: bool = False) -> Verdict:
    """What became of a question.

    Args:
        entry: The question.
        is_ours: Whether whoever looks has just answered it here.
    """
    who = drawable(entry.closed_by, limit=_SHORT) if entry.closed_by.strip() else "Somebody"
    by = f" by {who}" if entry.closed_by.strip() else ""
    match entry.state:
        case "answered" if entry.is_accepted and is_ours:
            return Verdict("good", "Sent", "Your answer is on its way. There is nothing more to do.")
        case "answered" if entry.is_accepted:
            return Verdict("calm", "Answered", f"This question was answered{by}. Nothing more can be sent.")
        case "answered" if entry.reason == "declined":
            words = "You said no" if is_ours else f"{who} said no to this"
            return Verdict("calm", "Declined", _refused(words, is_ours))
        case "answered":
            words = "You left it undecided" if is_ours else f"This was left undecided{by}"
            return Verdict("calm", "Cancelled", _refused(words, is_ours))
        case "expired" | "open":  # Its time is over, and nobody has noted it yet.
            return Verdict("late", "Too late", "The time for an answer is over. Whoever asked was told so.")
        case _ if entry.reason == "abandoned":
            return Verdict("late", "Given up", "Whoever asked is gone, so an answer would reach nobody.")
        case _:
            return Verdict("late", "Withdrawn", "Whoever asked needs no answer any more.")


def _refused(words: str, is_ours: bool) -> str:
    return f"{words}, and whoever asked is told so." if is_ours else f"{words}. Nothing more can be sent."


def lone(field: BooleanField) -> Drawn:
    """A boolean that is all a form asks: the buttons answer it."""
    return Drawn("f0", label(field), "", plain(field.description or "").strip(), "", warning(field), "", Check(False))
