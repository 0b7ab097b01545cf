"""Questions of an earlier run that a changed tool does not come to any more: nobody is to answer them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeAlias

from .errands import Help, persist
from .record import History

SECONDS: Final = 5.0
"""How long a run that asks or does something new has time to come to what was open before."""

Drop: TypeAlias = Callable[[Iterable[str]], Callable[[], Awaitable[bool]]]
"""Asks what has these names no longer, and gives what tells the store, which has to be tried again if that is false."""


class Leftovers:
    """The open questions that the tool itself asked before this run, and which it has not come to yet.

    A tool that is what it was comes to all of them. One that asks or does something new, and does not, has changed:
    what it leaves is withdrawn after a while. It may still come to it, since no one knows what a tool will do, and asks
    it anew then. What others asked, with `TaskStore.set_input_requests`, is theirs.

    Args:
        history: What the store had of the task when the run began.
        help: Does something in the background.
    """

    def __init__(self, history: History, help: Help) -> None:
        theirs = {asked.name for asked in history.inputs if asked.key == asked.name}
        self._names = {asked.name for asked in history.record.inputs.values()} - theirs
        self._help = help
        self._is_watched = False

    def come_to(self, name: str) -> None:
        """Note that the run asks a question."""
        self._names.discard(name)

    def watch(self, drop: Drop, is_parked: Callable[[], bool]) -> None:
        """Note that the run does something new: in a while, what is left is dropped, once nothing is done any more."""
        if self._names and not self._is_watched:
            self._is_watched = True
            asyncio.get_running_loop().call_later(SECONDS, self._look, drop, is_parked)

    def _look(self, drop: Drop, is_parked: Callable[[], bool]) -> None:
        self._is_watched = False
        if not is_parked():
            self.watch(drop, is_parked)
        elif self._names:
            names, self._names = self._names, set()
            self._help(persist(drop(names)))
