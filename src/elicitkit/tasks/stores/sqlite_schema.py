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

MIGRATIONS: Final[Sequence[Migration]] = (_FIRST, _LISTED)
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


def require_ours(connection: sqlite3.Connection, newest: int, *, may_be_empty: bool) -> None:
    """Make sure that a file is one of tasks, before anything in it is changed.

    Raises:
        StoreError: If it is of a newer version than *newest*, holds something else, or is empty and must not be.
        sqlite3.Error: If it cannot be read.
    """
    version = _version(connection)
    _refuse(connection, version, newest)
    if version == 0 and not may_be_empty:
        raise StoreError("The file is empty: there are no tasks in it.")


def _refuse(connection: sqlite3.Connection, version: int, newest: int) -> None:
    if version > newest:
        raise StoreError(
            f"The file of tasks has version {version}, and this elicitkit knows version {newest}: use the newer one."
        )
    if version == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreError("The file is a database of something else; give the tasks a file of their own.")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
