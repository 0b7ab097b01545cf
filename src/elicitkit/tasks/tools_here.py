"""Tasks whose tool this process does not have: they are left alone, for a process that has it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple, Protocol

from ..safety import trace_of
from .record import TaskRecord

logger: logging.Logger = logging.getLogger(__name__)

PAUSE: Final = 60.0
"""After how long such a task is looked at again, in seconds; sooner if the tool comes to be here."""


class Tools(Protocol):
    """Which tools there are in this process, at the moment."""

    def has(self, name: str) -> bool:
        """Whether a call would find a tool. It is quick, and may be asked in another thread."""
        ...

    async def names(self) -> Collection[str]:
        """The names of all tools, those included that `has` knows nothing of."""
        ...


class AnyTool:
    """As if every tool were there."""

    def has(self, name: str) -> bool:
        """See `Tools.has`."""
        return True

    async def names(self) -> Collection[str]:
        """See `Tools.names`."""
        return ()


class _Aside(NamedTuple):
    tool: str
    until: float


class ToolsHere:
    """The tools that are here, and the tasks that are left alone since theirs is not.

    Args:
        tools: What there is here.
        clock: What gives the time, in seconds since whenever.
    """

    def __init__(self, tools: Tools, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tools = tools
        self._clock = clock
        self._listed: frozenset[str] = frozenset()
        self._aside: dict[str, _Aside] = {}
        self._told: set[str] = set()
        self.open()

    def __len__(self) -> int:
        """How many tasks are left alone; the store calls them ready."""
        return sum(self.has_set_aside(task_id) for task_id in [*self._aside])

    def open(self) -> None:
        """Begin anew, on whatever event loop runs now."""
        self._aside.clear()
        self._told.clear()
        self._has_failed = False
        self._listing = asyncio.Lock()
        self._lists = 0

    def have_that_of(self, record: TaskRecord) -> bool:
        """Whether the tool of a task is here, as far as can be told at once; it may be asked in another thread."""
        tool = _tool_of(record)
        return tool is None or self._is_here(tool)

    async def find_that_of(self, record: TaskRecord) -> bool:
        """Whether this process has the tool of a task after all: the server is asked for its list.

        Those that ask at once share one. While it fails, what was listed last counts.
        """
        before = self._lists
        async with self._listing:
            if self._lists == before:  # Else one came while this one waited.
                await self._list()
        return self.have_that_of(record)

    def set_aside(self, record: TaskRecord) -> None:
        """Leave a task alone for a while, and say so once for each tool."""
        tool = _tool_of(record) or ""
        self._aside[record.id] = _Aside(tool, self._clock() + PAUSE)
        if tool not in self._told:
            self._told.add(tool)
            logger.warning(
                "the task %s, and all of the tool %r, is left to other processes: this one does not have the tool",
                record.id[:8],
                tool,
            )

    def has_set_aside(self, task_id: str) -> bool:
        """Whether a task is left alone at the moment."""
        if (aside := self._aside.get(task_id)) is None:
            return False
        if self._is_here(aside.tool):
            self._told.discard(aside.tool)
        elif self._clock() < aside.until:
            return True
        del self._aside[task_id]
        return False

    async def _list(self) -> None:
        await asyncio.sleep(0)  # Most servers give theirs at once, and nobody could share it.
        try:
            names = await self._tools.names()
        except Exception as error:
            if not self._has_failed:
                logger.error("the list of the tools of this server failed%s", trace_of(error))
            self._has_failed = True
        else:
            self._has_failed = False
            self._listed = frozenset(name for name in names if not self._tools.has(name))  # The others may be gone.
        self._lists += 1

    def _is_here(self, tool: str) -> bool:
        return self._tools.has(tool) or tool in self._listed


def _tool_of(record: TaskRecord) -> str | None:
    """The name of the tool that a task calls; `None` where its call cannot be read, which whoever runs it finds out."""
    call = record.call
    tool = call.get("tool") if isinstance(call, Mapping) else None
    return tool if isinstance(tool, str) else None
