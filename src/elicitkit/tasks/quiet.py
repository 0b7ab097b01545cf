"""Keeps what a tool raised inside a task out of the SDK's log, where it may quote an answer."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from ..safety import trace_of
from .beginning import parked_road

LOGGER: Final = "mcp.server.mcpserver.server"
"""The SDK's logger that writes what a tool raised, with its words and those of its causes."""

_road: ContextVar[object] = ContextVar("_road", default=None)


def runs_on(road: object) -> None:
    """Note, until the running task ends, on which road a tool runs in it."""
    _road.set(road)


class _WithoutWords(logging.Filter):
    """Leaves of what a tool raised in a task its types and the lines that it passed; all else stays as it is."""

    def filter(self, record: logging.LogRecord) -> bool:
        if parked_road(_road.get()) is None:
            return True
        error = record.exc_info[1] if record.exc_info else sys.exc_info()[1]
        tool = record.args[0] if isinstance(record.args, tuple) and record.args else "?"
        record.msg, record.args = "Tool %r failed in a task%s", (tool, "" if error is None else trace_of(error))
        record.exc_info = record.exc_text = None
        return True


_filter: Final = _WithoutWords()
_users: list[None] = []


@contextmanager
def without_words() -> Iterator[None]:
    """Inside the block, let the SDK's log have no words of what tools raise in tasks."""
    logger = logging.getLogger(LOGGER)
    logger.addFilter(_filter)  # It is added once, however often.
    _users.append(None)
    try:
        yield
    finally:
        _users.pop()
        if not _users:
            logger.removeFilter(_filter)
