"""The stores of the inbox keep their contract, which is a part of the package."""

from pathlib import Path
from typing import Any

from elicitkit import MemoryInboxStore, SqliteInboxStore, testing
from elicitkit.testing import InboxStoreContract


class TestMemoryInboxStore(InboxStoreContract):
    is_shared = False

    def make_store(self, folder: Path, **options: Any) -> MemoryInboxStore:
        return MemoryInboxStore(**options)


class TestSqliteInboxStore(InboxStoreContract):
    def make_store(self, folder: Path, **options: Any) -> SqliteInboxStore:
        return SqliteInboxStore(folder / "inbox.db", **options)


def test_every_test_of_the_contract_has_a_name_of_its_own() -> None:
    """The parts are inherited together: a name that came twice would hide a test."""
    parts = [part for part in InboxStoreContract.__mro__ if part.__module__.startswith("elicitkit.testing")]
    names = [name for part in parts for name in vars(part) if name.startswith("test_")]

    assert len(names) == len(set(names)) >= 45
    assert "InboxStoreContract" in testing.__all__
