"""`InboxStore`: the port behind which an inbox is kept. Its docstring is what `InboxStoreContract` tests."""

from __future__ import annotations

import dataclasses
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from ...limits import OPEN_ENTRIES
from ...suspension import Answer, Request
from ...tasks.storage import Storage
from .entry import Entry, Page, Viewer

RETENTION: Final = 30 * 24 * 3600.0
"""How long what is closed is kept when nothing else is said, in seconds."""

ABANDONED_AFTER: Final = 600.0
"""How long a question stays open when its host has stopped waiting without a word, in seconds."""

Listener: TypeAlias = Callable[[str], None]
"""What is told the id of an entry that changed."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as a host puts it into the store."""

    request: Request
    """What is asked."""

    until: datetime
    """When it is too late to answer."""

    host: str = ""
    """The name of the host."""

    owner: str | None = None
    """Who may answer; `None` is whoever may look into the inbox."""

    holder: str = ""
    """Who waits for the answer: one running inbox; empty if nobody does, and the question waits for itself."""

    lease: float = 0.0
    """How long *holder* waits at least, in seconds, unless it says so again."""

    call: Mapping[str, Any] | None = None
    """The call that the answer resumes, as JSON; the store does not look into it."""


@dataclass(frozen=True, slots=True)
class Closing:
    """How a question is closed: by an answer, or without one."""

    answer: Answer | None = None
    """The answer; without one the question is withdrawn."""

    by: str = ""
    """Who closes it."""

    reason: str = "cancelled"
    """Why it is withdrawn."""

    note: str = ""
    """What is to be known of it beside the answer."""

    through: str = dataclasses.field(default="", repr=False)
    """The digest of the token that the answer comes by; empty if it comes by none."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry with what no list of entries shows."""

    entry: Entry

    key: str
    """What is the same for a question that is asked again."""

    holder: str = ""
    """Who waits for the answer."""

    answer: Answer | None = dataclasses.field(default=None, repr=False)
    """What somebody answered."""

    call: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)
    """The call that the answer resumes."""

    tokens: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    """The digests of the tokens that open it, the newest last."""

    through: str = dataclasses.field(default="", repr=False)
    """The digest of the token that it was answered by; empty if it was by none."""

    @property
    def is_joinable(self) -> bool:
        """Whether a question that is asked again may be this one."""
        return self.entry.is_open or (self.entry.state == "answered" and not self.entry.is_collected)

    @property
    def is_ready(self) -> bool:
        """Whether it has a call that can go on."""
        return self.call is not None and not self.entry.is_open and not self.entry.is_collected

    @property
    def outcome(self) -> Answer | None:
        """What the question came to; `None` while it is open."""
        if self.answer is not None or self.entry.is_open:
            return self.answer
        return self.entry.request.cancel(self.entry.reason or "cancelled")


class SweptEntries(NamedTuple):
    """What a sweep has done."""

    expired: int
    abandoned: int
    forgotten: int


class InboxStore(Storage):
    """Where the questions of an inbox are kept, with their answers. The store is the truth.

    **It guarantees:** What a method did is there when it returns, as long as the store's medium keeps it, and is whole.
    Of several answers to one question the first wins, whoever sends them from wherever; the others are told by
    `EntryClosed`. What is closed stays as it is. After its time a question takes no answer, whether or not somebody
    swept. A listener hears of every change but a host's renewal. What is too large is refused before it is stored.

    **A question that is asked again** is the same entry, so that a host which died finds it, and the answer that was
    given meanwhile: if host, owner, the request's id, kind, prompt, link and data (without its source) are the same; if
    the entry is open or was answered, and no host has collected it; and if it is not held by the very holder that asks,
    which then asks twice. What it gives from then on, it gives to all of them.

    **It does not:** check answers, keep any secret token itself, or end what is over by itself: somebody calls `sweep`.
    A call that is cancelled while it waits may have happened or not. Two processes agree on the time as far as their
    clocks do.

    A store is an async context manager, is used on the event loop it was opened on, and may be opened again.

    Args:
        clock: What gives the time, in seconds since the epoch.
        retention: How long what is closed is kept, in seconds.
        abandoned_after: How long a question stays open that its host waits for no longer, in seconds.
        open_entries: How many questions may be open.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        retention: float = RETENTION,
        abandoned_after: float = ABANDONED_AFTER,
        open_entries: int = OPEN_ENTRIES,
    ) -> None:
        self.clock = clock
        self.retention = retention
        self.abandoned_after = abandoned_after
        self.open_entries = open_entries

    @abstractmethod
    async def ask(self, asking: Asking) -> Entry:
        """Keep a question, or find the entry of one that is asked again; see the class.

        Raises:
            LimitError: If it is too large, or too many are open.
        """

    @abstractmethod
    async def get(self, id: str) -> Kept:
        """An entry, with all there is.

        Raises:
            UnknownEntry: If there is none of that id.
        """

    @abstractmethod
    async def settle(self, id: str, closing: Closing) -> Entry:
        """Close a question that is open, and give it as it is now.

        Raises:
            EntryClosed: If it is closed, or its time is over.
            UnknownEntry: If there is none of that id.
        """

    @abstractmethod
    async def collect(self, id: str) -> bool:
        """Note that a host has what a question came to. False if one had it before, or the question is open.

        Raises:
            UnknownEntry: If there is none of that id.
        """

    @abstractmethod
    async def give_back(self, id: str) -> None:
        """Note that a host could do nothing with what it collected: it is `ready` again.

        Raises:
            UnknownEntry: If there is none of that id.
        """

    @abstractmethod
    async def leave(self, id: str, *, holder: str, by: str = "") -> None:
        """Let a holder wait no longer: its question is withdrawn, and an answer that nobody collected is let go.

        Nothing happens where somebody else holds it, or there is no such entry.
        """

    @abstractmethod
    async def renew(self, ids: Iterable[str], seconds: float, *, holder: str) -> None:
        """Say that a holder waits for so many seconds more. Entries that are closed, or another's, are ignored."""

    @abstractmethod
    async def add_token(self, id: str, digest: str) -> None:
        """Keep the digest of one token more that opens a question; only the newest eight are kept.

        Raises:
            UnknownEntry: If there is none of that id.
        """

    @abstractmethod
    async def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: str | None) -> Page:
        """Some of the entries that are open, the oldest first; or of those that are closed, the last closed first.

        Raises:
            ValueError: If *after* is nothing that a page gave.
        """

    @abstractmethod
    async def ready(self, limit: int = 100, *, host: str | None = None) -> list[Entry]:
        """Entries that are closed and not collected, and have a call to resume, the oldest first.

        Args:
            limit: How many at most.
            host: Only those of a host of that name; `None` is every host.
        """

    @abstractmethod
    async def sweep(self, *, now: float | None = None) -> SweptEntries:
        """End questions whose time is over or whose host is gone, and forget what was closed long ago."""

    @abstractmethod
    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with the id of each entry that changed or was forgotten, and give what ends that.

        It is called on the store's event loop, soon after the change; within 50 ms after that of another process. It
        may be called once for several changes, or without one; not for what another process forgot.
        """

    @abstractmethod
    async def forget(self, id: str) -> None:
        """Erase an entry with its answer, whatever its state. One that is not there is no error."""
