"""`Finding`: one thing a review found; and how the findings of several revisions become one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..dialects import DIALECTS

Level: TypeAlias = Literal["fault", "warning", "note"]
"""How bad it is: a fault breaks the specification, or nobody can answer; a warning, hosts are known to choke on; a note
is good to know."""

_LEVELS: Final[dict[Level, int]] = {"fault": 0, "warning": 1, "note": 2}
_SHORT = 60
"""What is left of a stranger's value, in characters."""


class Breach(NamedTuple):
    """A revision of the protocol that is broken, and the section of its page "Elicitation" that says so."""

    era: str
    section: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a requested schema, or may go wrong.

    >>> print(Finding("/properties/age", "warning", "some-rule", "has no title"))
    /properties/age: has no title
    """

    pointer: str
    """Where, as a JSON pointer (RFC 6901); empty for the whole."""

    level: Level

    rule: str
    """The name of the rule, which stays the same when its words change."""

    problem: str
    """What is wrong and what would do, as the end of a sentence that starts with the place."""

    breaks: tuple[Breach, ...] = ()
    """The revisions it breaks; none for what hosts choke on."""

    def __str__(self) -> str:
        where = f" [{'; '.join(_sections(self.breaks))}]" if self.breaks else ""
        return f"{self.pointer or '(root)'}: {self.problem}{where}"

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values."""
        breaks = [breach._asdict() for breach in self.breaks]
        return {
            "pointer": self.pointer,
            "level": self.level,
            "rule": self.rule,
            "problem": self.problem,
            "breaks": breaks,
        }


def pointer(parent: str, key: str | int) -> str:
    """The JSON pointer of what is under a key.

    >>> pointer("/properties", "a/b")
    '/properties/a~1b'
    """
    return f"{parent}/{str(key).replace('~', '~0').replace('/', '~1')}"


def shown(value: object) -> str:
    """A value of a stranger's, on part of a line."""
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def eras_of(era: str | None) -> tuple[str, ...]:
    """The revisions to review for: the one named, or all that can ask.

    Raises:
        ValueError: If it is none of them.
    """
    if era is None:
        return tuple(DIALECTS)
    if era not in DIALECTS:
        raise ValueError(f"no revision {era!r} can ask: there are {', '.join(DIALECTS)}")
    return (era,)


def merged(found: Iterable[Finding], eras: Sequence[str]) -> list[Finding]:
    """What was found revision by revision as one list, faults first.

    What breaks only some of several revisions is a note: it does not break the others.
    """
    one: dict[tuple[str, str, str], Finding] = {}
    for finding in found:
        key = (finding.pointer, finding.rule, finding.problem)
        breaks = (*one[key].breaks, *finding.breaks) if key in one else finding.breaks
        one[key] = replace(finding, breaks=breaks)
    lowered = [_lowered(finding, len(eras)) for finding in one.values()]
    return sorted(lowered, key=lambda finding: _LEVELS[finding.level])


def _lowered(finding: Finding, eras: int) -> Finding:
    is_of_some = finding.level == "fault" and 0 < len(finding.breaks) < eras
    return replace(finding, level="note") if is_of_some else finding


def _sections(breaks: Sequence[Breach]) -> Iterator[str]:
    for section, breaches in groupby(sorted(breaks, key=lambda one: (one.section, one.era)), lambda one: one.section):
        yield f"{section}, {' and '.join(breach.era for breach in breaches)}"
