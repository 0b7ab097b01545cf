"""Answers that are piped in, a line each."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import Future

from ...limits import ANSWER_BYTES
from .prompts import RanOut

_reading: Future[str] | None = None
"""The line that is being read. A read cannot be stopped: where its question was withdrawn, it is the next one's."""


async def piped_line() -> str:
    """The next line of standard input, without its end. The loop runs on meanwhile.

    Raises:
        RanOut: If there is none.
    """
    global _reading
    if _reading is None:
        _reading = Future()
        threading.Thread(target=_read, args=(_reading,), daemon=True).start()  # or it would keep the program alive
    line = await asyncio.shield(asyncio.wrap_future(_reading))
    _reading = None
    if not line:
        raise RanOut
    return line.removesuffix("\n")


def _read(into: Future[str]) -> None:
    try:
        into.set_result("" if sys.stdin is None else sys.stdin.readline(ANSWER_BYTES))
    except (OSError, ValueError):  # It is closed, or no text.
        into.set_result("")
