"""A store by its address, as it stands on a command line or in a setting."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import Parameter, signature
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
        TypeError: If there is an option that a store of that sort does not have.
        StoreError: If it has to be there, and cannot be.
    """
    more = {"reads_only": True} if reads_only and _scheme_of(address) in _DATABASES else {}
    store: TaskStore = store_at(address, _TASKS, must_exist=must_exist, **more, **options)
    return store


def store_at(address: str | Path, kinds: Kinds, *, must_exist: bool = False, **options: Any) -> Any:
    """The store of some kind at an address; see `open_store`."""
    match scheme := _scheme_of(address):
        case "":
            _refuse_database(address)
            return _made(_load(kinds.file), "in a file", Path(address), must_exist=must_exist, **options)
        case "sqlite":
            path = _path_of(str(address), kinds)
            return _made(_load(kinds.file), "in a file", path, must_exist=must_exist, **options)
        case "postgresql" | "postgres":
            return _made(_database(kinds), "in PostgreSQL", str(address), must_exist=must_exist, **options)
        case "memory":
            _require_memory(str(address), must_exist=must_exist)
            return _made(_load(kinds.memory), "in memory", **options)
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


_NAMED: Final = re.compile(r"(^|\s)(host|hostaddr|port|dbname|user|password|service|passfile|sslmode)\s*=")
_AT_HOST: Final = re.compile(r"[^/\\\s]*@[^/\\\s@]+(/[^/\\]*)?|[A-Za-z0-9.-]+:\d+(/[^/\\]*)?")
_FILES: Final = frozenset({".db", ".sqlite", ".sqlite3"})


def _refuse_database(address: str | Path) -> None:
    """Make sure that a path is not the address of a database, written otherwise: it would be a new and empty file.

    Raises:
        ValueError: If it looks like one.
    """
    if isinstance(address, Path) or Path(address).exists():
        return
    is_one = _AT_HOST.fullmatch(address) and Path(address).suffix not in _FILES
    if _NAMED.search(address) or is_one:  # It may hold a password.
        raise ValueError(
            "that looks like a database, and its address begins with postgresql://, as in "
            "postgresql://user@host/database; a file of such a name is written as ./ and its name"
        )


def _made(kind: Any, where: str, *place: Any, **options: Any) -> Any:
    """A store of some kind.

    Raises:
        TypeError: If it has no such option.
    """
    known = sorted(_options_of(kind))
    if unknown := sorted(options.keys() - {*known}):
        raise TypeError(f"a store {where} has no {' and no '.join(unknown)}: its options are {', '.join(known)}")
    return kind(*place, **options)


def _options_of(kind: type) -> set[str]:
    """What may be set where a store of some kind is made: by its class, and by those that it hands the rest to."""
    made = [vars(one)["__init__"] for one in kind.__mro__ if "__init__" in vars(one) and one is not object]
    every = [parameter for one in made for parameter in signature(one).parameters.values()]
    return {one.name for one in every if one.kind is Parameter.KEYWORD_ONLY}


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
