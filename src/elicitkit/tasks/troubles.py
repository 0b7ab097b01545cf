"""`Troubles`: a store that fails for a while is told of in one line, however many tasks and requests need it.

The line says what the store says. What could not be done is told of each at the level of debugging.
"""

from __future__ import annotations

import logging
from typing import Literal, TypeAlias, get_args
from weakref import WeakKeyDictionary

from ..errors import StoreError
from .store import TaskStore

logger: logging.Logger = logging.getLogger(__name__)

Doing: TypeAlias = Literal["read", "write", "look"]
"""What is done with a store. An engine that looks through it reads, and writes what it finds to do."""


class Troubles:
    """Whether a store can be read and written at the moment; told when that ends, and when all of it is so again.

    A full disk can be read, so that what was read is no sign that it can be written; nor that an engine, whose look
    failed, can take what is ready. What was written is a sign for all.
    """

    def __init__(self) -> None:
        self._cannot: set[Doing] = set()

    def begin(self, doing: Doing, error: StoreError, what: str) -> None:
        """Something could not be done just now.

        Args:
            doing: What was tried.
            error: Why not.
            what: What it was, in words for who debugs; no whole id of a task.
        """
        logger.debug("%s: %s", what, str(error))
        if not self._cannot:
            logger.error("the store of tasks fails, and what needs it is tried again until it does not: %s", str(error))
        self._cannot.add(doing)

    def end(self, doing: Doing) -> None:
        """Something was done just now."""
        if not self._cannot:
            return
        self._cannot -= set(get_args(Doing)) if doing == "write" else {doing}
        if not self._cannot:
            logger.warning("the store of tasks can be used again")


_of: WeakKeyDictionary[TaskStore, Troubles] = WeakKeyDictionary()


def troubles_of(store: TaskStore) -> Troubles:
    """The troubles of a store, which all that use it in this process tell of."""
    if (troubles := _of.get(store)) is None:
        troubles = _of[store] = Troubles()
    return troubles
