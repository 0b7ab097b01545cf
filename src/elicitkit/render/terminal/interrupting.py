"""Ctrl-C while no prompt reads keys: between two questions the terminal makes a signal of it."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import anyio


class Interruption:
    """The signal of Ctrl-C as the end of a question, and not of the program.

    prompt_toolkit heeds it while it reads; outside of that asyncio would cancel the main task, and nobody could tell
    that from a question that was withdrawn.
    """

    def __init__(self) -> None:
        self.has_come = False
        self._scope = anyio.CancelScope()

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Cancel the block by the signal. Where another thread has the signals, or nobody wants it, it stays there."""
        with self._scope:
            before = signal.getsignal(signal.SIGINT)
            if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
                yield
                return
            loop = asyncio.get_running_loop()

            def interrupted(number: int, frame: FrameType | None) -> None:
                if self.has_come and callable(before):  # The program hangs, or the person wants more than this to end.
                    before(number, frame)
                self.has_come = True
                loop.call_soon_threadsafe(self._scope.cancel)

            signal.signal(signal.SIGINT, interrupted)
            try:
                yield
            finally:
                signal.signal(signal.SIGINT, before)
