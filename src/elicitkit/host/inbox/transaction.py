"""`Transaction`: what a medium has to do for a `TransactionalInboxStore`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ...errors import UnknownEntry
from .entry import Entry, Mark, Viewer
from .store import Kept


class Transaction(Protocol):
    """What can be read and written in one transaction. It blocks; it is used in the thread or place the store chose."""

    def load(self, id: str) -> Kept | None:
        """An entry; no other transaction changes it until this one ends."""
        ...

    def of_key(self, key: str) -> Sequence[Kept]:
        """The entries of a key that are open, or answered and not collected, the oldest first."""
        ...

    def insert(self, kept: Kept, due: float) -> Kept:
        """Add an entry, with the next number and revision."""
        ...

    def save(self, kept: Kept, due: float) -> Kept:
        """Write an entry, with the next revision. Neither request, call nor owner change."""
        ...

    def renew(self, ids: Iterable[str], holder: str, waited_until: float, due: float) -> None:
        """Let a holder wait for longer, where it holds the entry and it is open; *due* is as long as `until` allows."""
        ...

    def count(self, *, is_open: bool, viewer: Viewer) -> int:
        """How many entries are open, or closed, that somebody may see."""
        ...

    def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: Mark | None) -> list[Entry]:
        """As `InboxStore.page`; *after* is the mark of the last entry of the page before."""
        ...

    def ready(self, limit: int, host: str | None) -> list[Entry]:
        """As `InboxStore.ready`."""
        ...

    def due(self, limit: int, now: float) -> list[str]:
        """The ids of entries that a sweep has to look at: not more than *limit*."""
        ...

    def delete(self, id: str) -> None:
        """Forget an entry."""
        ...


def known(within: Transaction, id: str) -> Kept:
    """An entry that is there.

    Raises:
        UnknownEntry: If it is not.
    """
    kept = within.load(id)
    if kept is None:
        raise UnknownEntry
    return kept
