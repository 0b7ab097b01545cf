"""How far the test is: the number of kills so far, which the conductor tells the other processes on their input."""

import asyncio
import sys
import threading


class Stages:
    """Made on the event loop of the process; tells when the conductor wants it to end, too."""

    def __init__(self) -> None:
        self.kills = 0
        self.ended = asyncio.Event()
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._loop.call_soon_threadsafe(self._tell, int(line))
        self._loop.call_soon_threadsafe(self.ended.set)

    def _tell(self, kills: int) -> None:
        self.kills = kills
        self._changed.set()
        self._changed = asyncio.Event()

    async def reached(self, kills: int) -> None:
        """Wait until there were so many kills."""
        while self.kills < kills:
            await self._changed.wait()
