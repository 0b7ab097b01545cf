"""The tables of a file of tasks, and how a file of an older version is brought up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final, TypeAlias

from ...errors import StoreError

Migration: TypeAlias = Sequence[str]
"""The statements that take a file from one version to the next."""

_FIRST: Final[Migration] = (
    """
    CREATE TABLE tasks (
        id TEXT PRIMARY KEY NOT NULL,
        owner TEXT,
        status TEXT NOT NULL,
        status_message TEXT,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        last_activity REAL NOT NULL,
        ttl REAL,
        poll_interval_ms INTEGER,
        revision INTEGER NOT NULL,
        wake INTEGER NOT NULL,
        fence INTEGER NOT NULL,
        worker TEXT,
        lease_until REAL NOT NULL,
        open INTEGER NOT NULL,  -- how many of its questions are
        waits INTEGER NOT NULL,  -- for a worker, or has one
        due REAL,  -- when the first thing of it is over
        call TEXT NOT NULL,
        result TEXT,
        error TEXT
    )
    """,
    "CREATE INDEX tasks_by_revision ON tasks (revision)",
    "CREATE INDEX tasks_that_wait ON tasks (lease_until, revision) WHERE waits = 1",
    "CREATE INDEX tasks_by_due ON tasks (due) WHERE due IS NOT NULL",
    "CREATE INDEX tasks_that_ask ON tasks (owner, open) WHERE open > 0 AND owner IS NOT NULL",
    """
    CREATE TABLE inputs (
        number INTEGER PRIMARY KEY,  -- the order they were parked in
        task_id TEXT NOT NULL,
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        shape TEXT NOT NULL,
        request TEXT NOT NULL,
        until REAL NOT NULL,
        message TEXT,
        attempt INTEGER NOT NULL,
        tries INTEGER NOT NULL,
        state TEXT NOT NULL,
        reply TEXT,
        parked_at REAL NOT NULL,
        settled_at REAL
    )
    """,
    "CREATE UNIQUE INDEX inputs_by_key ON inputs (task_id, key)",
    "CREATE INDEX inputs_that_are_open ON inputs (task_id) WHERE state = 'open'",
    """
    CREATE TABLE steps (
        task_id TEXT NOT NULL,
        name TEXT NOT NULL,
        given TEXT NOT NULL,
        PRIMARY KEY (task_id, name)
    ) WITHOUT ROWID
    """,
    "CREATE TABLE revisions (newest INTEGER NOT NULL)",
    "INSERT INTO revisions VALUES (0)",
)

_LISTED: Final[Migration] = (
    "CREATE INDEX tasks_by_age ON tasks (created_at, id)",
    "CREATE INDEX tasks_by_owner ON tasks (owner, created_at, id)",
    "CREATE INDEX tasks_by_status ON tasks (status, created_at, id)",
)

_INBOX: Final[Migration] = (
    """
    CREATE TABLE inbox (
        number INTEGER PRIMARY KEY,  -- the order they were asked in
        id TEXT NOT NULL UNIQUE,
        key TEXT NOT NULL,
        host TEXT NOT NULL,
        owner TEXT,
        request TEXT NOT NULL,
        call TEXT,
        asked_at REAL NOT NULL,
        until REAL NOT NULL,
        state TEXT NOT NULL,
        waited_until REAL,
        closed_at REAL,
        closed_by TEXT NOT NULL,
        reason TEXT,
        note TEXT NOT NULL,
        collected INTEGER NOT NULL,
        holder TEXT NOT NULL,
        answer TEXT,
        tokens TEXT NOT NULL,
        revision INTEGER NOT NULL,
        due REAL NOT NULL,  -- when a sweep has to look at it
        open INTEGER NOT NULL,
        joinable INTEGER NOT NULL,  -- whether it may be found by its key
        ready INTEGER NOT NULL  -- whether it has a call that can go on
    )
    """,
    "CREATE INDEX inbox_by_revision ON inbox (revision)",
    "CREATE INDEX inbox_by_due ON inbox (due)",
    "CREATE INDEX inbox_by_key ON inbox (key) WHERE joinable = 1",
    "CREATE INDEX inbox_that_is_open ON inbox (number, owner) WHERE open = 1",
    "CREATE INDEX inbox_that_is_closed ON inbox (number, owner) WHERE open = 0",
    "CREATE INDEX inbox_that_is_ready ON inbox (number, host) WHERE ready = 1",
    "CREATE TABLE inbox_revisions (newest INTEGER NOT NULL)",
    "INSERT INTO inbox_revisions VALUES (0)",
)

_ORDERED: Final[Migration] = (
    "ALTER TABLE steps ADD COLUMN number INTEGER NOT NULL DEFAULT 0",  # The order they were kept in.
)

_COUNTED: Final[Migration] = (
    "ALTER TABLE tasks ADD COLUMN begun INTEGER NOT NULL DEFAULT 0",  # Runs that got nothing done, in a row.
)

_CLOSED: Final[Migration] = (  # Questions that were closed are listed by when they were.
    "DROP INDEX inbox_that_is_closed",
    "CREATE INDEX inbox_by_closing ON inbox (closed_at, number, owner) WHERE open = 0",
)

MIGRATIONS: Final[Sequence[Migration]] = (_FIRST, _LISTED, _INBOX, _ORDERED, _COUNTED, _CLOSED)
"""What makes version 1 of an empty file, version 2 of version 1, and so on. Never change one that was released."""


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file up to date, all of it or nothing, while nobody else writes.

    Raises:
        StoreError: If it is of a newer version, or holds something else.
        sqlite3.Error: If it cannot be read or written.
    """
    if _version(connection) == len(migrations):
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Once more: another process may have done it meanwhile.
        version = _version(connection)
        _refuse(connection, version, len(migrations))
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def require_ours(connection: sqlite3.Connection, newest: int, *, may_migrate: bool) -> None:
    """Make sure that a file is one of tasks, before anything in it is changed.

    Raises:
        StoreError: If it is of a newer version than *newest*, or holds something else; if it may not be migrated, of an
            older version, or empty.
        sqlite3.Error: If it cannot be read.
    """
    version = _version(connection)
    _refuse(connection, version, newest)
    if version < newest and not may_migrate:
        if version == 0:
            raise StoreError("The file is empty: nothing was ever kept in it.")
        raise StoreError(
            f"The file has version {version}, and this elicitkit has version {newest}: "
            "a server of this version brings it up to date when it starts."
        )


def _refuse(connection: sqlite3.Connection, version: int, newest: int) -> None:
    if version > newest:
        raise StoreError(
            f"The file has version {version}, and this elicitkit knows version {newest}: use the newer one."
        )
    if version == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreError("The file is a database of something else; give elicitkit a file of its own.")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
