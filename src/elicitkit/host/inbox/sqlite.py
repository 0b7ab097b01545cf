"""`SqliteInboxStore`: an inbox in a file, which may be the very file of the tasks."""

from __future__ import annotations

from ...tasks.stores.sqlite import SqliteFile
from .sqlite_tables import InboxTables
from .store import SweptEntries
from .transactional import TransactionalInboxStore


class SqliteInboxStore(SqliteFile, TransactionalInboxStore):
    """An `InboxStore` in a file, which several processes of one machine may share. What is stored survives a crash.

    The file is made when the store is opened, for its owner alone (mode 0600). It is of the same make as that of a
    `SqliteTaskStore`, and one file may be both; see there.

        async with Inbox(SqliteInboxStore("tasks.db"), host="shop agent") as inbox:
            ...

    Args:
        path: The file.
        busy_timeout: How long to wait for another process that writes, in seconds.
        must_exist: Make no file and bring none up to date: one that is not there, empty or of an older version is a
            `StoreError` when the store is opened.
        options: As for `InboxStore`.
    """

    _rows = InboxTables
    _in_memory = "MemoryInboxStore"
    _holds = "questions"

    async def sweep(self, *, now: float | None = None) -> SweptEntries:
        """See `InboxStore.sweep`. What is forgotten is overwritten, at the latest with `erase`."""
        swept = await super().sweep(now=now)
        await self._overwrite(swept.forgotten)
        return swept

    async def forget(self, id: str) -> None:
        """See `InboxStore.forget`. The next sweep overwrites it."""
        await super().forget(id)
        self._erasure.add()
