"""Which links are done: servers may tell it with `notifications/elicitation/complete` (2025-11-25)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager

import anyio


class Completions:
    """Notes the links that are done, while somebody expects them."""

    def __init__(self) -> None:
        self._expected: dict[str, list[asyncio.Event]] = {}

    def note(self, id: str) -> None:
        """Note that the link of an id is done."""
        for event in self._expected.get(id, ()):
            event.set()

    @contextmanager
    def expecting(self, ids: Iterable[str]) -> Iterator[Callable[[float], Awaitable[None]]]:
        """Expect the links of some ids inside the block; an empty id can never be told.

        It gives a function that waits until all are done, but no longer than so many seconds.
        """
        events = {id: asyncio.Event() for id in ids if id}
        for id, event in events.items():
            self._expected.setdefault(id, []).append(event)

        async def wait(seconds: float) -> None:
            with anyio.move_on_after(seconds):
                for event in events.values():
                    await event.wait()

        try:
            yield wait
        finally:
            for id, event in events.items():
                self._expected[id].remove(event)
            self._expected = {id: others for id, others in self._expected.items() if others}
