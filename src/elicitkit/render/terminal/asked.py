"""What is put to the person at the terminal: a form, who asks it, and what is known around it. No terminal here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from ...errors import Fault
from ...forms import Form
from ..links import Link

SKIPPED: Final = "skipped"
"""The reason of a question that the person leaves open, to go on with the next."""

STOPPED: Final = "stopped"
"""The reason of a question that the person leaves open, to go on with none."""

INTERRUPTED: Final = "interrupted"
"""The reason of a question that may be left open, and at which Ctrl-C was pressed."""


def nobody() -> int:
    """No question waits."""
    return 0


def withdrawn() -> str:
    """The reason of a question that ends before it is answered, where none is known."""
    return "withdrawn"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the person at the terminal."""

    form: Form[Any]

    asker: str
    """Who asks, as the person knows it. It may be hostile."""

    filled: Mapping[str, object] = field(default_factory=dict, repr=False)
    """What the same person answered before, by wire name: it stands in the fields again."""

    faults: Iterable[Fault] = ()
    """What was wrong with that answer."""

    waiting: Callable[[], int] = nobody
    """How many questions wait for this one."""

    until: datetime | None = None
    """When it is too late to answer."""

    why_ended: Callable[[], str] = withdrawn
    """Why the question ends when it is cancelled: `expired`, `answered` (by somebody else), or anything else."""

    takes_reason: bool = False
    """Whether a person who declines may say why."""

    details: str = ""
    """What else came with it, as lines of text."""

    may_stop: bool = False
    """Whether the person may leave it open."""

    may_skip: bool = False
    """Whether the person may leave it open, and go on with the next."""

    link: Link | None = None
    """What the person is asked to open; the form has no fields then, and says why."""
