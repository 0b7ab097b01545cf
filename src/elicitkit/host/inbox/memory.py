"""`MemoryInboxStore`: an inbox in this process, for as long as it lives. For tests, and hosts that may forget."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from ...tasks.listing import EVERYBODY
from .changes import moment
from .entry import Entry, Mark, Viewer
from .store import Kept
from .transaction import Transaction
from .transactional import TransactionalInboxStore

T = TypeVar("T")


class MemoryInboxStore(TransactionalInboxStore):
    """An `InboxStore` in memory: all is lost with the process, and no other process sees it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._tables = _Tables()

    async def open(self) -> None:
        """See `InboxStore.open`. There is nothing to do."""

    async def close(self) -> None:
        """See `InboxStore.close`. The entries stay, for when it is opened again."""

    async def _write(self, work: Callable[[Transaction], T]) -> T:
        # Nothing is awaited within, and each work saves only after all its checks: it is a transaction.
        given = work(self._tables)
        self._tell(self._tables.take_changed())
        return given

    async def _read(self, work: Callable[[Transaction], T]) -> T:
        return work(self._tables)


class _Tables:
    """The `Transaction` of the memory store."""

    def __init__(self) -> None:
        self._open: dict[str, Kept] = {}
        self._closed: dict[str, Kept] = {}
        self._due: dict[str, float] = {}
        self._joinable: dict[str, dict[str, None]] = {}
        """The ids of the entries of a key that are open, or answered and not collected."""
        self._number = self._revision = 0
        self._changed: list[str] = []

    def take_changed(self) -> list[str]:
        """The ids of the entries that changed since this was asked last."""
        changed, self._changed = self._changed, []
        return changed

    def load(self, id: str) -> Kept | None:
        """See `Transaction.load`."""
        return self._open.get(id) or self._closed.get(id)

    def of_key(self, key: str) -> Sequence[Kept]:
        """See `Transaction.of_key`."""
        return [kept for id in self._joinable.get(key, ()) if (kept := self.load(id)) is not None]

    def insert(self, kept: Kept, due: float) -> Kept:
        """See `Transaction.insert`."""
        self._number += 1
        return self.save(replace(kept, entry=replace(kept.entry, number=self._number)), due)

    def save(self, kept: Kept, due: float) -> Kept:
        """See `Transaction.save`."""
        self._revision += 1
        entry = replace(kept.entry, revision=self._revision)
        kept = replace(kept, entry=entry)
        if entry.is_open:
            self._open[entry.id] = kept
        else:
            self._open.pop(entry.id, None)
            self._closed[entry.id] = kept
        self._due[entry.id] = due
        self._index(kept)
        self._changed.append(entry.id)
        return kept

    def renew(self, ids: Iterable[str], holder: str, waited_until: float, due: float) -> None:
        """See `Transaction.renew`."""
        for kept in filter(None, map(self._open.get, ids)):
            if kept.holder == holder:
                entry = replace(kept.entry, waited_until=moment(waited_until))
                self._open[entry.id] = replace(kept, entry=entry)
                self._due[entry.id] = min(due, entry.until.timestamp())

    def count(self, *, is_open: bool, viewer: Viewer) -> int:
        """See `Transaction.count`."""
        kept = self._all(is_open=is_open)
        return len(kept) if viewer is EVERYBODY else sum(one.entry.is_seen_by(viewer) for one in kept.values())

    def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: Mark | None) -> list[Entry]:
        """See `Transaction.page`."""
        seen = (kept.entry for kept in self._all(is_open=is_open).values() if kept.entry.is_seen_by(viewer))
        if is_open:  # They are in the order they were asked in.
            return list(islice((entry for entry in seen if after is None or entry.mark > after), limit))
        behind = (entry for entry in seen if after is None or entry.mark < after)
        return heapq.nlargest(limit, behind, key=lambda entry: entry.mark)

    def ready(self, limit: int, host: str | None) -> list[Entry]:
        """See `Transaction.ready`."""
        found = [kept.entry for kept in self._closed.values() if kept.is_ready and host in (None, kept.entry.host)]
        return sorted(found, key=lambda entry: entry.number)[:limit]

    def due(self, limit: int, now: float) -> list[str]:
        """See `Transaction.due`."""
        return list(islice((id for id, due in self._due.items() if due <= now), limit))

    def delete(self, id: str) -> None:
        """See `Transaction.delete`."""
        kept = self._open.pop(id, None) or self._closed.pop(id)
        del self._due[id]
        self._unindex(kept)
        self._changed.append(id)

    def _all(self, *, is_open: bool) -> dict[str, Kept]:
        return self._open if is_open else self._closed

    def _index(self, kept: Kept) -> None:
        if kept.is_joinable:
            self._joinable.setdefault(kept.key, {})[kept.entry.id] = None
        else:
            self._unindex(kept)

    def _unindex(self, kept: Kept) -> None:
        ids = self._joinable.get(kept.key, {})
        ids.pop(kept.entry.id, None)
        if not ids:
            self._joinable.pop(kept.key, None)
