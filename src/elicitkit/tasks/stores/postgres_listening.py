"""How a process hears what others change: by `LISTEN`, on a connection of its own, and by a scan now and then.

A notification is sent in the transaction of its change, and heard as soon as that is committed. What is committed while
the connection is down, or dead without anybody knowing, is found by the next scan. Revisions are no help there: one
that was drawn earlier may be committed later. So each row has the id of the transaction that changed it, and a scan
looks at all from the oldest transaction on that was not finished when the scan before looked. It finds some twice,
which is why it is remembered what was told.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import psycopg

from ...errors import StoreError
from ...safety import trace_of
from ..record import News
from .postgres_connections import Connection, Connector, close, cutting, hang_up
from .postgres_hearing import Hearing
from .postgres_rows import Place, Rows, Scan, read

logger: logging.Logger = logging.getLogger(__name__)

_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""The first and the longest pause between two tries to listen, in seconds."""

_GIVEN_AGAIN: Final = 10_000
"""How many ids of transactions PostgreSQL may give a second time after a crash: those of which nothing was kept."""

_DEAD_AFTER: Final = 3
"""After how many scans without a word, its own included, a connection is given up."""


class Listening:
    """Tells what other processes change, on the event loop.

    Args:
        connector: What gives connections.
        place: Where changes are notified.
        every: How often to scan, in seconds.
        read: What runs a read of the store.
        tell: What is told the ids of tasks that changed.
    """

    def __init__(
        self,
        connector: Connector,
        *,
        place: Place,
        every: float,
        read: Callable[[Callable[[Rows], Scan]], Coroutine[Any, Any, Scan]],
        tell: Callable[[Iterable[str]], None],
    ) -> None:
        self._connector = connector
        self._place = place
        self._every = every
        self._read = read
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._is_listening: asyncio.Future[None] = self._loop.create_future()
        self._has_to_scan = asyncio.Event()
        self._scanning: asyncio.Task[None] | None = None
        self._since: int | None = None
        """The oldest transaction that the last scan may have missed."""
        self._told: dict[str, int] = {}
        """The newest revision that was told, of all tasks that the next scan may find."""
        self._heard_at = time.monotonic()
        self._is_hearing = False
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._main, name="elicitkit postgres listener", daemon=True)

    async def start(self, timeout: float) -> None:
        """Listen, from now on.

        Raises:
            StoreError: If the store cannot be read, or does not let us listen within so many seconds.
        """
        self._since = (await self._read(self._look)).since
        self._thread.start()
        try:
            async with asyncio.timeout(timeout):
                await self._is_listening
        except BaseException as error:
            await self.stop()
            if not isinstance(error, TimeoutError):
                raise
            raise StoreError("The store cannot be used: PostgreSQL takes no connection to listen on.") from None
        self._scanning = asyncio.create_task(self._keep_scanning(), name="elicitkit postgres scanning")

    async def stop(self) -> None:
        """Listen no longer."""
        if self._scanning is not None:
            self._scanning.cancel()
            await asyncio.gather(self._scanning, return_exceptions=True)
        self._stopping.set()
        self._cut()
        while self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def changed(self, changed: Mapping[str, News], deleted: Iterable[str]) -> None:
        """Tell of what this process did itself."""
        self._told.update(_revisions(changed))
        self._tell({**changed, **dict.fromkeys(deleted)})

    # --- scans -------------------------------------------------------------------------------------------------------

    async def _keep_scanning(self) -> None:
        while True:
            with suppress(TimeoutError):  # Not `wait_for`, which may swallow that it is cancelled before Python 3.12.
                async with asyncio.timeout(self._every):
                    await self._has_to_scan.wait()
            self._has_to_scan.clear()
            try:
                await self._scan()
            except StoreError:
                logger.debug("what other processes changed could not be looked for; the next look is soon")
            except Exception as error:
                logger.error("what other processes changed could not be looked for%s", trace_of(error))
            if time.monotonic() - self._heard_at > _DEAD_AFTER * self._every:
                self._heard_at = time.monotonic()
                self._cut()

    async def _scan(self) -> None:
        before, self._told = self._told, {}  # What is heard while the scan is under way.
        try:
            found = await self._read(self._look)
        except BaseException:
            self._told = {**before, **self._told}
            raise
        told = {**before, **self._told}
        self._since = found.since
        self._told = {**_revisions(found.changed), **self._told}
        self._tell({id: news for id, news in found.changed.items() if told.get(id) != news.revision})

    def _look(self, within: Rows) -> Scan:
        return within.changes_since(self._since)

    # --- notifications -----------------------------------------------------------------------------------------------

    def _heard(self, payload: str) -> None:
        """Take a notification, on the event loop."""
        self._heard_at = time.monotonic()
        if (told := read(payload)) is None:
            return
        id, news, origin = told
        if origin != self._place.origin and self._told.get(id) != news.revision:
            self._told[id] = news.revision
            self._tell({id: news})

    def _began(self) -> None:
        """It is listened; what was missed until now is looked for."""
        self._heard_at = time.monotonic()
        self._has_to_scan.set()
        if not self._is_listening.done():
            self._is_listening.set_result(None)
        elif self._since is not None:
            logger.info("the changes of other processes are heard again")
            self._since = max(self._since - _GIVEN_AGAIN, 0)

    # --- in the thread -----------------------------------------------------------------------------------------------

    def _main(self) -> None:
        pause = _PAUSE
        while not self._stopping.is_set():
            try:
                self._listen()
            except (psycopg.Error, StoreError) as error:
                if self._is_hearing and not self._stopping.is_set():
                    logger.warning("the changes of other processes are not heard at the moment: %s", error)
            pause = _PAUSE if self._is_hearing else min(2 * pause, _LONGEST_PAUSE)
            self._is_hearing = False
            self._stopping.wait(pause)

    def _listen(self) -> None:
        connection = self._connector.connect()
        try:
            with self._lock:
                self._connection = connection
            if self._stopping.is_set():
                return
            with cutting(connection, after=self._connector.timeout):
                connection.execute(f"LISTEN {self._place.channel}".encode())
            self._is_hearing = True
            self._call(self._began)
            if not Hearing(self._loop, connection, self._heard).run():
                for note in connection.notifies():
                    self._call(self._heard, note.payload)
        except RuntimeError:  # The loop was closed: nobody listens any more.
            self._stopping.set()
        finally:
            with self._lock:
                self._connection = None
            close(connection)

    def _cut(self) -> None:
        with self._lock:
            if self._connection is not None:
                hang_up(self._connection)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # The loop was closed: nobody listens any more.
            self._stopping.set()


def _revisions(changed: Mapping[str, News]) -> dict[str, int]:
    return {id: news.revision for id, news in changed.items()}
