"""The end of a process that was asked to end: in good order while that goes, and in time whatever a tool does."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, Final, Self

from .exits import Exit
from .output import say

MARGIN: Final = 15.0
"""How long all but the tools may take to end, in seconds: a store or a queue that does not answer, a lifespan."""

_LOOK = 0.1
"""How often it is looked what was left behind, in seconds."""

_CLEARING_UP = 1.0
"""How long a process stays that has given everything back, for what else is to be cleared up, in seconds."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Ending:
    """What SIGTERM and SIGINT do inside the block: the first ends all in good order, a second the process at once.

    A tool may refuse to end, or wait in a thread for ever, and the event loop, or Python itself, would wait for it.
    So a thread ends the process: soon after everything was given back, or when all of it takes too long. It begins in
    the signal's handler, since a tool may block the event loop, too.

    Args:
        grace: How long tools have to end, in seconds.
        left_behind: What gives the ids of tasks that were given back although their tools did not end.
    """

    def __init__(self, grace: float, left_behind: Callable[[], Collection[str]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._grace = grace
        self._left_behind = left_behind
        self._asked = asyncio.Event()
        self._is_over = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._end) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        """All has ended in good order, but for what Python itself waits for: threads that tools began."""
        self._is_over = True
        if not self._asked.is_set():
            for number, handler in self._before.items():
                signal.signal(number, handler)

    async def asked(self) -> None:
        """Wait until somebody asks for the end."""
        await self._asked.wait()

    def _end(self, *_: object) -> None:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)  # Python's own for SIGINT would wait for a tool that does not end.
        threading.Thread(target=self._watch, name="elicitkit ending", daemon=True).start()
        self._loop.call_soon_threadsafe(self._asked.set)

    def _watch(self) -> None:
        until = time.monotonic() + self._grace + MARGIN
        while time.monotonic() < until:
            time.sleep(_LOOK)
            left = self._left_behind()
            if left or self._is_over:
                time.sleep(_CLEARING_UP)
                tools = ", ".join(sorted(f"the tool of the task {task_id[:8]}, which others have" for task_id in left))
                say(f"elicitkit: the worker has ended, but for {tools or 'a thread that a tool began'}")
                _leave(Exit.FINE)
        say("elicitkit: the worker could not end in good order: what it still has is taken over when its claim is over")
        _leave(Exit.TOOL_FAILED)


def _leave(code: Exit) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
