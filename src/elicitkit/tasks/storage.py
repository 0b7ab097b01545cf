"""`Storage`: how a store is opened and closed; the ports of the tasks and of the inbox stand on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Storage(ABC):
    """What is opened before it is used, and closed after.

    It is an async context manager, is used on the event loop it was opened on, and may be opened again.
    """

    clock: Callable[[], float]
    """What gives the time, in seconds since the epoch."""

    must_exist: bool = False
    """Whether it makes nothing when it is opened, and brings nothing up to date: what is not there, or is of an older
    version, is a `StoreError` then. A store that has nothing to make does not look at it."""

    @property
    def place(self) -> str:
        """Where it is, as people may read it: without a password."""
        return f"a {type(self).__name__}"

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @abstractmethod
    async def open(self) -> None:
        """Make the store ready.

        Raises:
            StoreError: If it cannot be.
        """

    @abstractmethod
    async def close(self) -> None:
        """Finish what was begun, and let go of everything."""
