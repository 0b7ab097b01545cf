"""`Entry`: one question in an inbox, and all that is known of it but what it was answered with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ...suspension import Request
from ...suspension.moments import write_moment
from ...suspension.wire import present
from ...tasks.listing import Everybody
from ..origins import Origin

State: TypeAlias = Literal["open", "answered", "expired", "withdrawn"]
"""Where a question stands. It leaves `open` once, and what it has become it stays."""


Viewer: TypeAlias = str | Everybody | None
"""Who looks. A name sees its own questions and those of nobody in particular; `None` sees only the latter;
`EVERYBODY` sees all, and is for whoever keeps the inbox."""


Mark: TypeAlias = tuple[float, int]
"""Where an entry stands in its list: when it was closed, 0 for one that is open, and its number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A question in an inbox, as it was when it was read. It never holds the answer."""

    id: str
    """The inbox's own name for it, 32 hexadecimal digits nobody can guess; the id in the request is its source's."""

    request: Request
    """What is asked. Its texts are a stranger's."""

    _: KW_ONLY

    asked_at: datetime
    """When it was asked first, in UTC."""

    until: datetime
    """When it is too late to answer, in UTC. There always is an end."""

    host: str = ""
    """The name of the host that asks; it may have none."""

    owner: str | None = None
    """Who may answer; `None` is whoever may look into the inbox."""

    state: State = "open"
    """Where it stands."""

    waited_until: datetime | None = None
    """Until when its host has said that it waits; `None` for a question that waits without one."""

    closed_at: datetime | None = None
    """When it was closed."""

    closed_by: str = ""
    """Who closed it, as far as anybody said."""

    reason: str | None = None
    """Why it is closed: `None` for an accepted one, else `declined`, `cancelled`, `expired`, `abandoned`, …"""

    note: str = ""
    """What whoever refused wants to be known of it here. It never goes to who asked."""

    is_collected: bool = False
    """Whether the host has what it came to."""

    number: int = 0
    """Its place among all entries of its store, in the order they were asked."""

    revision: int = 0
    """Counts the changes of its store; newer is larger."""

    @property
    def origin(self) -> Origin:
        """Where the question comes from, as far as its source could tell."""
        return Origin.of(self.request)

    @property
    def mark(self) -> Mark:
        """Where it stands in its list: open ones come by when they were asked, closed ones by when they were closed."""
        return 0.0 if self.closed_at is None else self.closed_at.timestamp(), self.number

    @property
    def is_open(self) -> bool:
        """Whether it can be answered."""
        return self.state == "open"

    @property
    def is_accepted(self) -> bool:
        """Whether somebody agreed."""
        return self.state == "answered" and self.reason is None

    def is_waited_for(self, at: datetime) -> bool:
        """Tell whether somebody would learn of an answer: a host that waits, or a call that was put aside for one.

        A host that has died may come back and ask again, so that its questions stay open for a while.
        """
        return self.is_open and (self.waited_until is None or at < self.waited_until)

    def is_seen_by(self, viewer: Viewer) -> bool:
        """Tell whether somebody may see and answer it."""
        return isinstance(viewer, Everybody) or self.owner is None or self.owner == viewer

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values; what is empty is absent, and so is whatever is for the host alone."""
        request, origin = self.request.to_dict(), self.origin
        del request["id"]
        data: Mapping[str, Any] = {name: one for name, one in request.pop("data", {}).items() if name != "source"}
        source = {"host": self.host, "server": origin.server, "tool": origin.tool, "task": origin.task}
        found = {
            "id": self.id,
            "state": self.state,
            **request,
            "data": data or None,
            "from": {name: text for name, text in source.items() if text} | _listed("agents", origin.agents) or None,
            "owner": self.owner,
            "askedAt": write_moment(self.asked_at),
            "until": write_moment(self.until),
            "waitedUntil": None if self.waited_until is None else write_moment(self.waited_until),
            "closedAt": None if self.closed_at is None else write_moment(self.closed_at),
            "closedBy": self.closed_by or None,
            "accepted": self.is_accepted if self.state == "answered" else None,
            "reason": self.reason,
            "note": self.note or None,
        }
        return present({name: one for name, one in found.items() if name != "expiresAt"})


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries of a longer list."""

    entries: Sequence[Entry]
    """In the list's order."""

    next: str | None
    """What to ask for the page after this one; `None` if it is the last."""

    total: int
    """How many entries the whole list has."""


def _listed(name: str, found: Sequence[str]) -> dict[str, Any]:
    return {name: list(found)} if found else {}
