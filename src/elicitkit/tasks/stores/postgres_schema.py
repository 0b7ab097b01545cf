"""The tables of tasks in PostgreSQL, and how those of an older version are brought up to date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from ...errors import StoreError

if TYPE_CHECKING:
    from .postgres_connections import Connection

Migration: TypeAlias = Sequence[str]
"""The statements that take the tables from one version to the next."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,39}")
"""What a schema is called. No quotes are ever needed, and there is room for more in the name of a channel."""

# The collation makes ids and owners come in the same order everywhere, and lets an index serve a prefix.
_FIRST: Final[Migration] = (
    "CREATE SEQUENCE revisions",
    """
    CREATE TABLE tasks (
        id text COLLATE "C" NOT NULL,
        owner text COLLATE "C",
        status text COLLATE "C" NOT NULL,
        status_message text,
        created_at double precision NOT NULL,
        updated_at double precision NOT NULL,
        last_activity double precision NOT NULL,
        ttl double precision,
        poll_interval_ms bigint,
        revision bigint NOT NULL,
        changed xid8 NOT NULL,  -- the transaction of the last change that a client can see
        wake bigint NOT NULL,
        fence bigint NOT NULL,
        worker text,
        lease_until double precision NOT NULL,
        open bigint NOT NULL,  -- how many of its questions are
        waits boolean NOT NULL,  -- for a worker, or has one
        due double precision,  -- when the first thing of it is over
        call text NOT NULL,
        result text,
        error text,
        CONSTRAINT tasks_by_id PRIMARY KEY (id)
    )
    """,
    "CREATE INDEX tasks_by_change ON tasks (changed)",
    "CREATE INDEX tasks_that_wait ON tasks (lease_until, revision) WHERE waits",
    "CREATE INDEX tasks_by_due ON tasks (due) WHERE due IS NOT NULL",
    "CREATE INDEX tasks_that_ask ON tasks (owner, open) WHERE open > 0 AND owner IS NOT NULL",
    "CREATE INDEX tasks_by_age ON tasks (created_at, id)",
    "CREATE INDEX tasks_by_owner ON tasks (owner, created_at, id)",
    "CREATE INDEX tasks_by_status ON tasks (status, created_at, id)",
    """
    CREATE TABLE inputs (
        task_id text COLLATE "C" NOT NULL,
        number bigint GENERATED ALWAYS AS IDENTITY,  -- the order they were parked in
        key text COLLATE "C" NOT NULL,
        name text NOT NULL,
        shape text NOT NULL,
        request text NOT NULL,
        until double precision NOT NULL,
        message text,
        attempt bigint NOT NULL,
        tries bigint NOT NULL,
        state text COLLATE "C" NOT NULL,
        reply text,
        parked_at double precision NOT NULL,
        settled_at double precision,
        CONSTRAINT inputs_by_key PRIMARY KEY (task_id, key)
    )
    """,
    "CREATE INDEX inputs_that_are_open ON inputs (task_id, number) WHERE state = 'open'",
    """
    CREATE TABLE steps (
        task_id text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        given text NOT NULL,
        CONSTRAINT steps_by_name PRIMARY KEY (task_id, name)
    )
    """,
    """
    CREATE TABLE lines (  -- connections, with what they committed last
        id text COLLATE "C" NOT NULL,
        turn bigint NOT NULL,
        used_at double precision NOT NULL,  -- by PostgreSQL's clock
        CONSTRAINT lines_by_id PRIMARY KEY (id)
    ) WITH (fillfactor = 50)
    """,
)

_INBOX: Final[Migration] = (
    """
    CREATE TABLE inbox (
        number bigint GENERATED ALWAYS AS IDENTITY,  -- the order they were asked in
        id text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        host text COLLATE "C" NOT NULL,
        owner text COLLATE "C",
        request text NOT NULL,
        call text,
        asked_at double precision NOT NULL,
        until double precision NOT NULL,
        state text COLLATE "C" NOT NULL,
        waited_until double precision,
        closed_at double precision,
        closed_by text NOT NULL,
        reason text,
        note text NOT NULL,
        collected boolean NOT NULL,
        holder text COLLATE "C" NOT NULL,
        answer text,
        tokens text NOT NULL,
        revision bigint NOT NULL,
        changed xid8 NOT NULL,  -- the transaction of the last change
        due double precision NOT NULL,  -- when a sweep has to look at it
        open boolean NOT NULL,
        joinable boolean NOT NULL,  -- whether it may be found by its key
        ready boolean NOT NULL,  -- whether it has a call that can go on
        CONSTRAINT inbox_by_id PRIMARY KEY (id)
    )
    """,
    "CREATE INDEX inbox_by_change ON inbox (changed)",
    "CREATE INDEX inbox_by_due ON inbox (due)",
    "CREATE INDEX inbox_by_key ON inbox (key) WHERE joinable",
    "CREATE INDEX inbox_that_is_open ON inbox (number, owner) WHERE open",
    "CREATE INDEX inbox_that_is_closed ON inbox (number, owner) WHERE NOT open",
    "CREATE INDEX inbox_that_is_ready ON inbox (number, host) WHERE ready",
)

_ORDERED: Final[Migration] = (
    # The order they were kept in. A process of an older version, which may still run, fills it in without knowing.
    "ALTER TABLE steps ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY",
)

_COUNTED: Final[Migration] = (
    # Runs that got nothing done, in a row. A process of an older version leaves it as it is.
    "ALTER TABLE tasks ADD COLUMN begun bigint NOT NULL DEFAULT 0",
)

_CLOSED: Final[Migration] = (  # Questions that were closed are listed by when they were.
    "DROP INDEX inbox_that_is_closed",
    "CREATE INDEX inbox_by_closing ON inbox (closed_at, number, owner) WHERE NOT open",
)

MIGRATIONS: Final[Sequence[Migration]] = (_FIRST, _INBOX, _ORDERED, _COUNTED, _CLOSED)
"""What makes version 1 of nothing, version 2 of version 1, and so on. Never change one that was released."""

_OURS: Final = ("tasks", "inputs", "steps", "lines", "revisions", "inbox")
_FORGET_LINES: Final = "DELETE FROM lines WHERE used_at < extract(epoch FROM now()) - 86400"
_PATIENT: Final = "SET statement_timeout = 0; SET lock_timeout = '60s'; SET idle_in_transaction_session_timeout = '60s'"
_VERSIONS: Final = "CREATE TABLE IF NOT EXISTS versions (what text PRIMARY KEY, version integer NOT NULL)"


def require_name(schema: str) -> str:
    """The name of a schema, if it is a plain one.

    Raises:
        ValueError: If not.
    """
    if not _NAME.fullmatch(schema):
        raise ValueError(f"a schema is called by up to 40 lower-case letters, digits and underscores, not {schema!r}")
    return schema


def migrate(
    connection: Connection,
    schema: str,
    *,
    must_exist: bool = False,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Bring the tables up to date, all of it or nothing, while no other process does.

    Where they are, nothing is done that takes a right to make anything. The connection is of no other use afterwards:
    it keeps a lock, which ends with it.

    Raises:
        StoreError: If they are of a newer version, if there are others of the same names, or if they have to be there
            and are not, or are of an older version.
        psycopg.Error: If they cannot be read or made.
    """
    version = _version(connection, schema)
    if version == len(migrations):
        return
    if must_exist:  # A role that may not write, or a standby, is told so as well.
        _refuse(connection, schema, version, len(migrations), must_exist)
    # A change of many rows may take its time; and two that start at once make the tables once. The lock is not the
    # transaction's: one that begins behind it sees what was made before.
    connection.execute(_PATIENT)
    connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (f"elicitkit {schema} migrates",))
    connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    try:
        version = _version(connection, schema)
        _refuse(connection, schema, version, len(migrations), must_exist)
        if connection.execute("SELECT to_regnamespace(%s)", (schema,)).fetchone() == (None,):
            connection.execute(f"CREATE SCHEMA {schema}".encode())
        if version == 0:
            connection.execute(_VERSIONS)
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement.encode())
        connection.execute(
            "INSERT INTO versions VALUES ('tasks', %s) ON CONFLICT (what) DO UPDATE SET version = EXCLUDED.version",
            (len(migrations),),
        )
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.execute("ROLLBACK")
        raise


def forget_lines(connection: Connection) -> None:
    """Forget the connections that wrote nothing for a day; one that is still there is written down anew.

    Raises:
        psycopg.Error: If that may not be done.
    """
    connection.execute(_FORGET_LINES.encode())


def _refuse(connection: Connection, schema: str, version: int, newest: int, must_exist: bool) -> None:
    if version > newest:
        raise StoreError(
            f"The tables have version {version}, and this elicitkit knows version {newest}: use the newer one."
        )
    if must_exist and version > 0:
        raise StoreError(
            f"The tables have version {version}, and this elicitkit has version {newest}: "
            "a server of this version brings them up to date when it starts."
        )
    if must_exist:
        raise StoreError(f"There is nothing of elicitkit in the schema {schema!r} of this database.")
    if version > 0:
        return
    taken = "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relname = ANY(%s) ORDER BY 1"
    if (found := connection.execute(taken, (schema, list(_OURS))).fetchone()) is not None:
        raise StoreError(
            f"The schema {schema!r} has a {found[0]!r} of something else; give elicitkit a schema of its own."
        )


def _version(connection: Connection, schema: str) -> int:
    """The version of the tables; 0 where there are none."""
    there = "SELECT to_regclass(%s)"
    if connection.execute(there, (f"{schema}.versions",)).fetchone() == (None,):
        return 0
    found = connection.execute("SELECT version FROM versions WHERE what = 'tasks'").fetchone()
    return 0 if found is None else int(found[0])
