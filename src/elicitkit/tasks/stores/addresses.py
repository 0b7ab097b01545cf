"""A store by its address, as it stands on a command line or in a setting."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from ...errors import MissingExtra, StoreError
from ..store import TaskStore

_SCHEMES: Final = "sqlite:///FILE, postgresql://…, memory: or a path"


def open_store(address: str | Path, *, must_exist: bool = False, **options: Any) -> TaskStore:
    """The store at an address, not open yet.

        async with open_store("sqlite:///tasks.db") as store:
            ...

    A path, or `sqlite:///` and a path, is a file (`sqlite:////var/tasks.db` has an absolute path); `postgresql://…` a
    database; `memory:` nothing that is kept.

    Args:
        address: Where the tasks are.
        must_exist: Make nothing: when it is opened, a store that is not there is a `StoreError`.
        options: For the store, as for `TaskStore`.

    Raises:
        MissingExtra: If what the store needs is not installed.
        ValueError: If it is no address of a store. The text has no password.
        StoreError: If it has to be there, and cannot be.
    """
    scheme = "" if isinstance(address, Path) else _scheme(address)
    if not scheme:
        return _file(Path(address), must_exist=must_exist, **options)
    if (make := _KINDS.get(scheme)) is None:
        raise ValueError(f"there are no stores of tasks at {scheme}: addresses: give {_SCHEMES}")
    return make(str(address), must_exist=must_exist, **options)


def _scheme(address: str) -> str:
    """What stands before the colon; nothing where it is a path, of a drive too."""
    scheme, colon, rest = address.partition(":")
    is_one = colon and len(scheme) > 1 and scheme.isascii() and scheme.replace("+", "").isalnum()
    return scheme.lower() if is_one and (rest.startswith("//") or scheme.lower() in _KINDS) else ""


def _file(path: Path, **options: Any) -> TaskStore:
    from .sqlite import SqliteTaskStore

    return SqliteTaskStore(path, **options)


def _sqlite(address: str, **options: Any) -> TaskStore:
    _, _, rest = address.partition(":")
    path = unquote(rest.removeprefix("///"))
    if not rest.startswith("///") or not path:
        raise ValueError(
            "the address of a file is sqlite:/// and its path: sqlite:///tasks.db, sqlite:////var/tasks.db"
        )
    return _file(Path(path), **options)


def _postgres(address: str, **options: Any) -> TaskStore:
    try:
        import psycopg  # noqa: F401  # So that what is missing is told apart from what is broken.
    except ImportError:
        raise MissingExtra("postgres", "A store of tasks in PostgreSQL") from None
    store: TaskStore = import_module(".postgres", __package__).PostgresTaskStore(address, **options)
    return store


def _memory(address: str, *, must_exist: bool, **options: Any) -> TaskStore:
    from .memory import MemoryTaskStore

    if urlsplit(address).path.strip("/"):
        raise ValueError("a store in memory has no name: its address is memory:")
    if must_exist:
        raise StoreError("A store in memory is gone with the process that had it: there is nothing to look at.")
    return MemoryTaskStore(**options)


_KINDS: Final[dict[str, Callable[..., TaskStore]]] = {
    "sqlite": _sqlite,
    "postgresql": _postgres,
    "postgres": _postgres,
    "memory": _memory,
}
