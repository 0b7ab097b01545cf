"""What is printed between the questions: the heading, the head of a field, the review. Pure: from a form to rich.

Text is always a rich `Text`, never a `str`, in which rich would look for markup, links and emoji codes. What a server
wrote in more than a word or two stands beside a bar, so that it cannot pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ...errors import Fault
from ...fields import ChoiceField, Field, MultiChoiceField, UnknownField
from ...host.checking import NOT_HERE
from ...limits import MESSAGE_CHARACTERS
from ...safety import plain
from ..details import CAME_WITH
from ..links import Link
from ..text import apart, brief, drawable, fault_line, label, option_labels, shown
from ..wording import hint, mark, warning
from .asked import Asked

_BAR = "│ "
_INDENT = "    "
_NAMED = 8
_SOON = timedelta(minutes=10)
_ALARM = "bold red"


class _Prefixed:
    """Text with something before its lines, so that what a server wrote never begins one."""

    def __init__(self, text: Text, *, first: str, others: str) -> None:
        self._text = text
        self._first, self._others = first, others

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Wrap the text to what is left of the width, and put the prefix before each line."""
        inside = options.update(width=max(options.max_width - len(self._others), 1))
        prefix = self._first
        for line in console.render_lines(self._text, inside, pad=False):
            yield Segment(prefix)
            yield from line
            yield Segment.line()
            prefix = self._others


class Quoted(_Prefixed):
    """Text of a server's, each line beside a bar."""

    def __init__(self, text: str | Text) -> None:
        super().__init__(Text(text) if isinstance(text, str) else text, first=_BAR, others=_BAR)


class Hanging(_Prefixed):
    """A line of ours with words of a server's in it: what is wrapped stands further in."""

    def __init__(self, text: Text) -> None:
        super().__init__(text, first="", others=_INDENT)


class _Details:
    """What came with a question, each line beside a bar; what is wrapped stands so far in that it begins none."""

    def __init__(self, text: str) -> None:
        self._lines = plain(text, limit=2 * MESSAGE_CHARACTERS).split("\n")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw each line with its own indentation."""
        for line in self._lines:
            words = line.lstrip(" ")
            start = _BAR + " " * min(len(line) - len(words), options.max_width // 2)
            yield _Prefixed(Text(words), first=start, others=start + _INDENT)


def heading(asked: Asked) -> RenderableType:
    """Who asks, what, what came with it, until when, and how many wait behind."""
    message: list[RenderableType] = []
    if asked.form.message:
        message = [Text(), Quoted(plain(asked.form.message, limit=MESSAGE_CHARACTERS))]
    asker = Text.assemble(("Question from ", "bold"), (drawable(asked.asker), "bold reverse"))
    around = [Text(words, style="dim") for words in (_queue(asked.waiting()), _deadline(asked.until)) if words]
    details: list[RenderableType] = []
    if asked.details:
        details = [Text(), Text(f"{CAME_WITH}:"), _Details(asked.details)]
    return Group(Text(), Hanging(asker), *around, *message, *details)


def outline(fields: Iterable[Field], back_key: str, *, may_stop: bool = False) -> Iterable[RenderableType]:
    """What will be asked, before the person starts; the options of a lone multiple choice too."""
    drawn = [field for field in fields if not isinstance(field, UnknownField)]
    if not drawn:
        return
    if len(drawn) == 1 and isinstance(drawn[0], (ChoiceField, MultiChoiceField)):
        names = option_labels(drawn[0].options)
        start = f"It asks for {brief(label(drawn[0]))}: "
    else:
        names = tuple(label(field) for field in drawn)
        start = f"It asks for {len(drawn)} answers: " if len(drawn) > 1 else "It asks for "
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    yield Text()
    yield Hanging(Text(f"{start}{', '.join(map(brief, names[:_NAMED]))}{more}.", style="dim"))
    ctrl_c = "Ctrl-C stops, and leaves it open" if may_stop else "Ctrl-C cancels"
    words = f"You see it all again before it is sent. {back_key} goes back, {ctrl_c}."
    yield Hanging(Text(words, style="dim"))
    yield Text()


def field_head(field: Field, *, position: str = "· ") -> RenderableType:
    """What a field asks for, above the line where it is answered; its label begins no line."""
    parts: list[RenderableType] = [
        Text(),
        Hanging(Text.assemble((position, "dim"), (label(field), "bold"), " ", (mark(field), "dim"))),
    ]
    if field.description and (described := plain(field.description).strip()):
        parts.append(Quoted(described))
    if words := hint(field):
        parts.append(_indented(Text(drawable(words, limit=500), style="dim")))
    if words := warning(field):
        parts.append(_indented(Text(f"! {words}", style=_ALARM)))
    return Group(*parts)


def undrawable(fields: Iterable[UnknownField]) -> RenderableType:
    """Why a form cannot be accepted here."""
    return Group(
        Text(),
        Hanging(Text(f"This can only be declined or cancelled. {NOT_HERE}")),
        *map(field_head, fields),
        Text(),
    )


def address(link: Link) -> RenderableType:
    """A link that the person is asked to open: all of it, its host apart, and what to be warned of."""
    if link.problem:
        heading = Text(f"You are asked to open an address that is not safe: it {link.problem}.", style=_ALARM)
        return Group(Text(), Hanging(heading), Text(), Quoted(link.before), Text())
    whole = Text.assemble(link.before, (link.host, "bold underline"), link.after)
    warnings = [Hanging(Text(f"! {words}", style=_ALARM)) for words in link.warnings]
    belongs = Text.assemble("It belongs to ", (apart(link.host), "bold"), ". What you do there goes to them.")
    return Group(
        Text(),
        Text("You are asked to open a web page:"),
        Text(),
        Quoted(whole),
        Text(),
        *warnings,
        Hanging(belongs),
        Text(),
    )


def opened(url: str, *, is_open: bool) -> RenderableType:
    """The link that the person has agreed to, alone on its line, as long as that may be: it is to be copied whole."""
    words = "It opens in the browser. If it does not, this is the address:" if is_open else "Open this in a browser:"
    return Group(Text(), Text(words), Text(url, no_wrap=True, overflow="ignore"), Text())


def problems(faults: Iterable[Fault]) -> RenderableType:
    """What is wrong with an answer."""
    return Group(*(Hanging(Text(f"! {fault_line(fault)}", style=_ALARM)) for fault in faults))


def wrong(faults: Sequence[Fault]) -> Iterable[RenderableType]:
    """What is wrong with an answer, and a line of air; nothing where nothing is."""
    return [problems(faults), Text()] if faults else []


def review(
    asker: str, fields: Iterable[Field], entries: Mapping[str, object], *, faults: Sequence[Fault] = ()
) -> RenderableType:
    """All that will be sent, to whom, and what is wrong with it as a whole."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for field in fields:
        is_open = entries.get(field.name) is None
        table.add_row(Text(label(field)), Text(shown(field, entries), style="dim italic" if is_open else "bold"))
    title = Text.assemble("Your answers to ", (drawable(asker), "bold"), ":")
    return Group(Text(), Hanging(title), Text(), _indented(table), Text(), *wrong(faults))


def note(words: str) -> RenderableType:
    """A line of ours."""
    return Text(words, style="italic")


def _queue(waiting: int) -> str:
    if not waiting:
        return ""
    return f"{waiting} more questions wait." if waiting > 1 else "1 more question waits."


def _deadline(until: datetime | None) -> str:
    if until is None:
        return ""
    is_soon = timedelta(0) <= until - datetime.now(UTC) < _SOON
    return f"Open until {until.astimezone():{'%H:%M:%S' if is_soon else '%d %B %Y, %H:%M'}}."


def _indented(content: RenderableType) -> RenderableType:
    return Padding(content, (0, 0, 0, 2), expand=False)
