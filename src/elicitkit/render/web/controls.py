"""What a person is given to answer a field with on a page: the HTML control of each kind of field. Pure.

The state of a form is what a browser posts: texts by the name of their control, `f0`, `f1` …. A page is drawn from it,
`posted` reads it, the review carries it on in hidden inputs. So nothing of what somebody types is kept anywhere here.
Options go by their place in the list, never by their value, which is a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Final, TypeAlias, assert_never

from ...fields import (
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
from ..controls import Answerable, Line, control
from ..text import LEAVE_OPEN, NO, YES, option_labels
from .moments import held_of, is_day, is_held, moment_of, zones

Posted: TypeAlias = Mapping[str, Sequence[str]]
"""What a browser sends of a form: the texts of each control by its name."""

ZONE: Final = "z"
"""What the name of the control of a time zone has behind that of its date and time."""

EXACT: Final = "x"
"""What the name of a control has behind it for the exact text, where the control cannot hold all of it."""

MOST_RADIOS: Final = 7
"""With more options than these, a choice is a list that opens."""

ONE_LINE: Final = 120
"""Text that may have more characters than these, or has to, gets an area."""

PROSE: Final = frozenset(
    (
        *("abstract", "agenda", "bio", "biography", "body", "comment", "comments", "content", "cover"),
        *("describe", "description", "details", "explain", "explanation", "feedback", "instructions"),
        *("introduction", "justification", "letter", "list", "message", "motivation", "note", "notes"),
        *("paragraph", "paragraphs", "prompt", "reason", "reasons", "remark", "remarks", "review", "statement"),
        *("steps", "story", "summary", "text", "thoughts", "transcript"),
    )
)
"""Words of a name or a title of text that has no limit, and is written in lines rather than in one."""

_WORD, _HUMP = re.compile(r"[a-z]+"), re.compile(r"(?<=[a-z])(?=[A-Z])")
"""A word, and where one begins within a name."""

CHECKED, YES_VALUE, NO_VALUE, OPEN_VALUE = "on", "yes", "no", ""


@dataclass(frozen=True, slots=True)
class Choosable:
    """One of the things to choose from."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Input:
    """A line to type in."""

    value: str
    _: KW_ONLY
    type: str = "text"
    inputmode: str = ""
    autocomplete: str = "off"
    is_verbatim: bool = False
    """Whether it is no prose: nothing is to correct its spelling or to raise its first letter."""

    bounds: tuple[str, str] | None = None
    """The least and the largest whole number, empty where there is none; `None` if it does not take whole numbers."""

    kind: ClassVar[str] = "input"


@dataclass(frozen=True, slots=True)
class Area:
    """Lines to type in."""

    value: str
    kind: ClassVar[str] = "area"


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time, with the offset of its zone beside it."""

    local: str
    step: str
    zones: tuple[Choosable, ...]
    exact: str = ""
    """What it is until somebody changes it, where the control cannot hold all of it."""

    kind: ClassVar[str] = "moment"

    @property
    def type(self) -> str:
        """A line for what is no time: the control of a browser would show nothing in its place."""
        return "datetime-local" if not self.local or is_held(self.local) else "text"

    @property
    def has_zone(self) -> bool:
        """Whether an offset is chosen."""
        return any(zone.is_chosen and zone.value for zone in self.zones)


@dataclass(frozen=True, slots=True)
class Check:
    """A box to tick, for what is yes or no and has a default."""

    is_checked: bool
    kind: ClassVar[str] = "check"


@dataclass(frozen=True, slots=True)
class Radios:
    """A few things to choose one from, all in sight."""

    choices: tuple[Choosable, ...]
    kind: ClassVar[str] = "radios"


@dataclass(frozen=True, slots=True)
class Select:
    """Many things to choose one from."""

    choices: tuple[Choosable, ...]
    kind: ClassVar[str] = "select"


@dataclass(frozen=True, slots=True)
class Checks:
    """Several boxes to tick."""

    choices: tuple[Choosable, ...]
    kind: ClassVar[str] = "checks"


@dataclass(frozen=True, slots=True)
class Nothing:
    """What is shown and cannot be answered."""

    kind: ClassVar[str] = "nothing"


Control: TypeAlias = Input | Area | Moment | Check | Radios | Select | Checks | Nothing


def name_of(position: int) -> str:
    """The name of the control of the field at a position of its form, which is also its id on the page."""
    return f"f{position}"


def untouched(fields: Sequence[Field], answered: Mapping[str, object] | None = None) -> Posted:
    """What a browser would send of a form that nobody has touched: the defaults.

    Args:
        fields: Those of the form.
        answered: What was answered to it before, by wire name, right or wrong: it stands in the fields again.
    """
    posted: dict[str, Sequence[str]] = {}
    for position, field in enumerate(fields):
        posted |= _untouched(field, name_of(position), answered or {})
    return posted


def _untouched(field: Field, name: str, answered: Mapping[str, object]) -> dict[str, Sequence[str]]:
    match field:
        case TextField(format="date-time"):
            text = _text(field, answered)
            local, zone = moment_of(text)
            exact: dict[str, Sequence[str]] = {} if held_of(local) == local else {name + EXACT: [text]}
            return {name: [held_of(local)], name + ZONE: [zone], **exact}
        case TextField() | IntegerField() | NumberField():
            return {name: [_text(field, answered)]}
        case BooleanField(default=None):
            if isinstance(value := answered.get(field.name), bool):
                return {name: [YES_VALUE if value else NO_VALUE]}
            return {} if field.required else {name: [OPEN_VALUE]}
        case BooleanField():
            return {name: [CHECKED]} if answered.get(field.name, field.default) is True else {}
        case ChoiceField():
            value = answered.get(field.name, field.default)
            chosen = [str(i) for i, option in enumerate(field.options) if option.value == value]
            return {name: chosen[:1]} if chosen else {name: [OPEN_VALUE]}
        case MultiChoiceField():
            values = answered.get(field.name, field.default)
            wanted = values if isinstance(values, (list, tuple)) else ()
            return {name: [str(i) for i, option in enumerate(field.options) if option.value in wanted]}
        case UnknownField():
            return {}
        case _:
            assert_never(field)


def _text(field: Answerable, answered: Mapping[str, object]) -> str:
    line = control(field, answered)
    return line.text if isinstance(line, Line) else ""


def drawn(field: Field, name: str, posted: Posted) -> Control:
    """The control of a field, as it stands after what was posted."""
    text = first(posted, name)
    match field:
        case TextField(format="date-time"):
            return _moment(text, first(posted, name + ZONE), first(posted, name + EXACT))
        case TextField():
            return _typed_text(field, text)
        case IntegerField():
            mode = "numeric" if _is_positive(field) else ""
            return Input(text, inputmode=mode, is_verbatim=True, bounds=(_whole(field.minimum), _whole(field.maximum)))
        case NumberField():
            return Input(text, inputmode="decimal" if _is_positive(field) else "", is_verbatim=True)
        case BooleanField(default=None):
            return Radios(_yes_or_no(field, text if name in posted else None))
        case BooleanField():
            return Check(text == CHECKED)
        case ChoiceField():
            return _choice(field, text)
        case MultiChoiceField():
            return Checks(_choosable(field.options, posted.get(name, ())))
        case UnknownField():
            return Nothing()
        case _:
            assert_never(field)


def first(posted: Posted, name: str) -> str:
    """The first text of a control; empty if there is none."""
    return next(iter(posted.get(name, ())), "")


def takes_lines(field: TextField, text: str) -> bool:
    """Whether free text gets an area: when it is long, and wherever a line would lose some of it.

    How long it may be says so. Where nothing does, it is what its name and its title call it, and how much of it there
    is; in doubt it is one line, in which Enter does what people expect of it.
    """
    if field.format is not None:
        return False
    if "\n" in text or max(len(text), field.min_length or 0) > ONE_LINE:
        return True
    if field.max_length is not None:
        return field.max_length > ONE_LINE
    return not PROSE.isdisjoint(_WORD.findall(_HUMP.sub(" ", f"{field.name} {field.title or ''}").lower()))


def _typed_text(field: TextField, text: str) -> Control:
    if takes_lines(field, text):
        return Area(text)
    match field.format:
        case "email":
            return Input(text, type="email", inputmode="email", autocomplete="email", is_verbatim=True)
        case "uri":
            return Input(text, type="url", inputmode="url", is_verbatim=True)
        case "date":
            return Input(text, type="date" if not text or is_day(text) else "text")
        case _:
            return Input(text)


def _moment(local: str, zone: str, exact: str) -> Moment:
    choices = (Choosable("", "Choose …", not zone), *(Choosable(one, label, one == zone) for one, label in zones(zone)))
    return Moment(local, _step(local), choices, exact)


def _step(local: str) -> str:
    """How fine the control has to be, in seconds, so that it can hold a time: it refuses what is finer."""
    return "any" if "." in local else "1" if local.count(":") > 1 else "60"


def _choice(field: ChoiceField, chosen: str) -> Radios | Select:
    choices = _choosable(field.options, (chosen,))
    if len(field.options) <= MOST_RADIOS:
        left_open = () if field.required else (Choosable(OPEN_VALUE, LEAVE_OPEN, not _any(choices)),)
        return Radios((*choices, *left_open))
    if field.required and field.default is not None:
        return Select(choices)
    nothing = Choosable(OPEN_VALUE, "Choose …" if field.required else LEAVE_OPEN, not _any(choices))
    return Select((nothing, *choices))


def _yes_or_no(field: BooleanField, chosen: str | None) -> tuple[Choosable, ...]:
    choices = [Choosable(YES_VALUE, YES, chosen == YES_VALUE), Choosable(NO_VALUE, NO, chosen == NO_VALUE)]
    if not field.required:
        choices.append(Choosable(OPEN_VALUE, LEAVE_OPEN, not _any(choices)))
    return tuple(choices)


def _choosable(options: tuple[Option, ...], chosen: Sequence[str]) -> tuple[Choosable, ...]:
    values = frozenset(chosen)
    return tuple(Choosable(str(i), label, str(i) in values) for i, label in enumerate(option_labels(options)))


def _any(choices: Sequence[Choosable]) -> bool:
    return any(choice.is_chosen for choice in choices)


def _is_positive(field: IntegerField | NumberField) -> bool:
    """Whether it takes no minus, which the number pads of some phones do not have."""
    return field.minimum is not None and field.minimum >= 0


def _whole(bound: float | None) -> str:
    return "" if bound is None or bound != int(bound) else str(int(bound))
