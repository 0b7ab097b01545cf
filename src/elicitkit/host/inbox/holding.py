"""`Holding`: what an inbox does in the background: say that it still waits for its questions, and sweep."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ...errors import StoreError
from .store import InboxStore

logger: logging.Logger = logging.getLogger(__name__)

LEASE: Final = 30.0
"""How long a host is taken to wait after it said so, in seconds."""

RENEWED_EVERY: Final = 10.0
"""How often it says so, in seconds."""

SWEPT_EVERY: Final = 1.0
"""How often an inbox looks for what is over, in seconds."""


class Holding:
    """Keeps the questions that one running inbox waits for from being taken for those of a dead host."""

    def __init__(self, store: InboxStore) -> None:
        self.name: str = secrets.token_hex(16)
        """What tells this inbox from all others that run, or ran."""
        self._store = store
        self._held: Counter[str] = Counter()
        self._running: asyncio.Task[None] | None = None

    def claim(self) -> tuple[str, float]:
        """Holder and lease of a question that is to be put in.

        Raises:
            StoreError: If the inbox is not open: nobody would say that it waits.
        """
        if self._running is None:
            raise StoreError("The inbox is not open: use it as in `async with inbox:`.")
        return self.name, LEASE

    @contextmanager
    def held(self, id: str) -> Iterator[None]:
        """The time in which a question is waited for."""
        self._held[id] += 1
        try:
            yield
        finally:
            self._held[id] -= 1
            if not self._held[id]:
                del self._held[id]

    def start(self) -> None:
        """Begin."""
        self._running = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        renewed = loop.time()
        while True:
            await asyncio.sleep(SWEPT_EVERY)
            try:
                await self._store.sweep()
                if self._held and loop.time() - renewed >= RENEWED_EVERY:
                    renewed = loop.time()
                    await self._store.renew(tuple(self._held), LEASE, holder=self.name)
            except StoreError:
                logger.exception("the inbox could not be looked after; it is tried again")
