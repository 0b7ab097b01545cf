"""A store by its address, as it stands on a command line or in a setting."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from ...errors import MissingExtra, StoreError
from ..store import TaskStore

_SCHEMES: Final = "sqlite:///FILE, postgresql://…, memory: or a path"


class Kinds(NamedTuple):
    """The classes of one sort of store, each as `module:name`, so that only the one that is needed is loaded."""

    of: str
    """What is in the stores, as people read it."""

    file: str
    database: str
    memory: str


_TASKS: Final = Kinds(
    "tasks",
    f"{__package__}.sqlite:SqliteTaskStore",
    f"{__package__}.postgres:PostgresTaskStore",
    f"{__package__}.memory:MemoryTaskStore",
)


def open_store(address: str | Path, *, must_exist: bool = False, reads_only: bool = False, **options: Any) -> TaskStore:
    """The store at an address, not open yet.

        async with open_store("sqlite:///tasks.db") as store:
            ...

    A path, or `sqlite:///` and a path, is a file (`sqlite:////var/tasks.db` has an absolute path); `postgresql://…` a
    database; `memory:` nothing that is kept.

    Args:
        address: Where the tasks are.
        must_exist: Make nothing and bring nothing up to date: a store that is not there, or is of an older version, is
            a `StoreError` when it is opened.
        reads_only: Write nothing, and hear of no change: for a role of PostgreSQL that may only read, or a standby.
        options: For the store, as for `TaskStore`.

    Raises:
        MissingExtra: If what the store needs is not installed.
        ValueError: If it is no address of a store. The text has no password.
        StoreError: If it has to be there, and cannot be.
    """
    more = {"reads_only": True} if reads_only and _scheme_of(address) in _DATABASES else {}
    store: TaskStore = store_at(address, _TASKS, must_exist=must_exist, **more, **options)
    return store


def store_at(address: str | Path, kinds: Kinds, *, must_exist: bool = False, **options: Any) -> Any:
    """The store of some kind at an address; see `open_store`."""
    match scheme := _scheme_of(address):
        case "":
            return _load(kinds.file)(Path(address), must_exist=must_exist, **options)
        case "sqlite":
            return _load(kinds.file)(_path_of(str(address), kinds), must_exist=must_exist, **options)
        case "postgresql" | "postgres":
            return _database(kinds)(str(address), must_exist=must_exist, **options)
        case "memory":
            _require_memory(str(address), must_exist=must_exist)
            return _load(kinds.memory)(**options)
        case _:
            raise ValueError(f"there are no stores of {kinds.of} at {scheme}: addresses: give {_SCHEMES}")


_DATABASES: Final = frozenset({"postgresql", "postgres"})


def _scheme_of(address: str | Path) -> str:
    return "" if isinstance(address, Path) else _scheme(address)


def _scheme(address: str) -> str:
    """What stands before the colon; nothing where it is a path, of a drive too."""
    scheme, colon, rest = address.partition(":")
    is_one = colon and len(scheme) > 1 and scheme.isascii() and scheme.replace("+", "").isalnum()
    return scheme.lower() if is_one and (rest.startswith("//") or scheme.lower() in _BARE) else ""


_BARE: Final = frozenset({"sqlite", "postgresql", "postgres", "memory"})
"""The schemes that are known as such without slashes, too."""


def _path_of(address: str, kinds: Kinds) -> Path:
    _, _, rest = address.partition(":")
    path = unquote(rest.removeprefix("///"))
    if not rest.startswith("///") or not path:
        example = f"sqlite:///{kinds.of}.db, sqlite:////var/{kinds.of}.db"
        raise ValueError(f"the address of a file is sqlite:/// and its path: {example}")
    return Path(path)


def _database(kinds: Kinds) -> Any:
    try:
        import psycopg  # noqa: F401  # So that what is missing is told apart from what is broken.
    except ImportError:
        raise MissingExtra("postgres", f"A store of {kinds.of} in PostgreSQL") from None
    return _load(kinds.database)


def _require_memory(address: str, *, must_exist: bool) -> None:
    if urlsplit(address).path.strip("/"):
        raise ValueError("a store in memory has no name: its address is memory:")
    if must_exist:
        raise StoreError("A store in memory is gone with the process that had it: there is nothing to look at.")


def _load(kind: str) -> Any:
    module, _, name = kind.partition(":")
    return getattr(import_module(module), name)
