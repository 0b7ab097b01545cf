"""Which calls become tasks: the server's choice, call by call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import Any, Literal, TypeAlias, get_args

from ..asking.road import seconds_of
from .store import TaskStore

Mode: TypeAlias = Literal["forbidden", "optional", "required"]
"""Whether a tool may run as a task. `optional` is a task for clients that know tasks, and a plain call for others."""

Predicate: TypeAlias = Callable[[str, Mapping[str, Any]], "Mode | bool"]
"""Chooses by the tool's name and arguments; true is `optional`, false `forbidden`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How one call runs."""

    mode: Mode = "forbidden"

    _: KW_ONLY

    ttl: float | None = None
    """How long the task is kept after the last activity, in seconds."""

    begins: Literal["at once", "later"] = "at once"
    """Whether it is a task from the start, or from `Tasks.begin` on."""


class Choices:
    """What was chosen for tools by name; the rest is asked of a predicate."""

    def __init__(self, tools: Iterable[str] | Predicate | None, ttl: float | None) -> None:
        self._ttl = ttl
        self._predicate = tools if callable(tools) else None
        names = () if tools is None or callable(tools) else tools
        if isinstance(names, str):
            raise TypeError(f"the tools that become tasks are a set of names: {{{names!r}}}")
        self._named = {name: Choice("optional", ttl=ttl) for name in names}

    def require_known(self, tools: Iterable[str]) -> None:
        """Make sure that a server has every tool that something was chosen for by name.

        Raises:
            ValueError: If it lacks one.
        """
        if missing := sorted(self._named.keys() - set(tools)):
            raise ValueError(f"tasks were chosen for tools that the server does not have: {', '.join(missing)}")

    def add(self, name: str, choice: Choice) -> None:
        """Choose for one tool.

        Raises:
            ValueError: If the mode is none.
        """
        if choice.mode not in get_args(Mode):
            raise ValueError(f"mode is one of {', '.join(get_args(Mode))}, not {choice.mode!r}")
        self._named[name] = choice

    def of(self, tool: str, arguments: Mapping[str, Any]) -> Choice:
        """How a call is to run.

        Raises:
            ValueError: If the predicate gives no mode.
        """
        if tool in self._named:
            return self._named[tool]
        if self._predicate is None:
            return Choice()
        mode = self._predicate(tool, arguments)
        if isinstance(mode, bool):
            mode = "optional" if mode else "forbidden"
        if mode not in get_args(Mode):
            raise ValueError(f"the choice of tasks gave {mode!r} for {tool!r}, and no mode")
        return Choice(mode, ttl=self._ttl)


def kept_in(store: TaskStore) -> TaskStore:
    """Where tasks are kept.

    Raises:
        TypeError: If that is an address, and no store yet.
    """
    if isinstance(store, (str, PurePath)):
        raise TypeError(f"Tasks takes a store, not its address: Tasks(open_store({str(store)!r}))")
    return store


def kept_for(ttl: timedelta | float | None, lease: float) -> float | None:
    """How long tasks are kept, in seconds.

    Raises:
        ValueError: If that is no time, or shorter than a process has a task.
    """
    seconds = seconds_of(ttl, what="ttl")
    if seconds is not None and seconds < lease:
        raise ValueError(f"ttl is at least the lease of {lease:g} s: a task that runs would expire before")
    return seconds
