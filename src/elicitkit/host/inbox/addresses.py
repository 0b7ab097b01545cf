"""The store of an inbox by its address, as it stands on a command line or in a setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from ...tasks.stores.addresses import Kinds, store_at
from .store import InboxStore

_INBOXES: Final = Kinds(
    "questions",
    f"{__package__}.sqlite:SqliteInboxStore",
    f"{__package__}.postgres:PostgresInboxStore",
    f"{__package__}.memory:MemoryInboxStore",
)


def open_inbox_store(address: str | Path, *, must_exist: bool = False, **options: Any) -> InboxStore:
    """The store of an inbox at an address, not open yet; the addresses are those of `open_store`.

    Args:
        address: Where the questions are. A file or a database may have tasks, too.
        must_exist: Make nothing and bring nothing up to date: a store that is not there, or is of an older version, is
            a `StoreError` when it is opened.
        options: For the store, as for `InboxStore`.

    Raises:
        MissingExtra: If what the store needs is not installed.
        ValueError: If it is no address of a store. The text has no password.
        StoreError: If it has to be there, and cannot be.
    """
    store: InboxStore = store_at(address, _INBOXES, must_exist=must_exist, **options)
    return store
