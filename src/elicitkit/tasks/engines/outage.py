"""`Outage`: a server that cannot be reached, told once when it goes and once when it is back.

What fails late belongs to the outage in which it was tried: nothing is told of it but that there is reason to look.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

logger: logging.Logger = logging.getLogger(__name__)


class Outage:
    """Whether a server can be reached at the moment.

    Args:
        server: What it is called, without its password.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._is_over = asyncio.Event()
        self._is_over.set()
        self._is_doubtful = asyncio.Event()
        self.times_reached: int = 0
        """How often it was found that it can be reached. Whoever tries something takes it down before, for `begin`."""

    @property
    def is_on(self) -> bool:
        """Whether the server cannot be reached."""
        return not self._is_over.is_set()

    @property
    def is_doubtful(self) -> bool:
        """Whether somebody had trouble with it since it was reached."""
        return self._is_doubtful.is_set()

    def begin(self, error: object, *, since: int | None = None) -> None:
        """It could not be reached.

        Args:
            error: What was seen.
            since: What `times_reached` was when it was tried; just now unless given. If it was reached since then, that
                says nothing about now.
        """
        if not self.is_on and since in (None, self.times_reached):
            told = str(error) or type(error).__name__  # A timeout has no words.
            logger.warning("%s cannot be reached (%s): tasks wait until it can, and none is lost", self._server, told)
            self._is_over.clear()
        self._is_doubtful.set()

    def doubt(self) -> None:
        """Somebody had trouble with it: a connection of old may be all that is lost."""
        self._is_doubtful.set()

    def end(self) -> None:
        """It was reached just now."""
        self.times_reached += 1
        self._is_doubtful.clear()
        if self.is_on:
            logger.warning("%s can be reached again", self._server)
            self._is_over.set()

    async def doubted(self) -> None:
        """Wait until somebody has, or had, trouble with it."""
        await self._is_doubtful.wait()

    async def over(self) -> None:
        """Wait until it can be reached."""
        await self._is_over.wait()


Judge: TypeAlias = Callable[[logging.LogRecord], bool]
"""Decides about a line that is about to be logged."""


class _Hush(logging.Filter):
    """Keeps some of what a library logs to itself, and tells an outage of the rest of that."""

    def __init__(self, outage: Outage, is_trouble: Judge, is_noise: Judge) -> None:
        super().__init__()
        self._outage = outage
        self._is_trouble = is_trouble
        self._is_noise = is_noise

    def filter(self, record: logging.LogRecord) -> bool:
        if self._is_trouble(record):
            self._outage.doubt()
            return False
        return not self._is_noise(record)


@contextmanager
def hushed(outage: Outage, *loggers: str, is_trouble: Judge, is_noise: Judge) -> Iterator[None]:
    """Inside the block, let loggers that would tell of an outage once a second do so no more.

    Args:
        outage: What is told instead.
        loggers: Whose lines they are.
        is_trouble: Whether a line tells of an outage.
        is_noise: Whether nobody needs it.
    """
    hush = _Hush(outage, is_trouble, is_noise)
    with ExitStack() as stack:
        for name in loggers:
            logging.getLogger(name).addFilter(hush)
            stack.callback(logging.getLogger(name).removeFilter, hush)
        yield
