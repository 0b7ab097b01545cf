"""`Waiting`: who waits for changes of which entry. One listener of the store serves all who wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .store import InboxStore


class Waiting:
    """Tells those who wait for an entry that it changed, and nobody else: thousands may wait at once."""

    def __init__(self, store: InboxStore) -> None:
        self._store = store
        self._events: dict[str, list[asyncio.Event]] = {}
        self._unsubscribe: Callable[[], None] | None = None

    @contextmanager
    def changes_of(self, id: str) -> Iterator[asyncio.Event]:
        """An event that is set with each change of an entry inside the block."""
        event = asyncio.Event()
        self._events.setdefault(id, []).append(event)
        if self._unsubscribe is None:
            self._unsubscribe = self._store.subscribe(self._changed)
        try:
            yield event
        finally:
            self._forget(id, event)

    def _forget(self, id: str, event: asyncio.Event) -> None:
        self._events[id].remove(event)
        if not self._events[id]:
            del self._events[id]
        if not self._events and self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def _changed(self, id: str) -> None:
        for event in self._events.get(id, ()):
            event.set()
