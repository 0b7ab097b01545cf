"""Whether connections keep their session. Behind PgBouncer in transaction mode they do not, and no store can work.

What listens, how long a statement may take, and what was prepared belong to a session. In that mode each transaction
gets another, so that nothing is heard, and what one process sets is found by another.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from ...errors import StoreError
from .postgres_connections import Connection, close, cutting

NO_SESSION: Final = (
    "The store of tasks cannot be used: what stands before PostgreSQL gives each transaction another session, and the "
    "store listens, and sets its sessions up. Give it PostgreSQL's own address, or a pooler that keeps sessions "
    "(PgBouncer: pool_mode=session)."
)

_KEEP: Final = b"SELECT set_config('elicitkit.session', %s, false)"
_KEPT: Final = b"SELECT current_setting('elicitkit.session', true)"


def require_session(connection: Connection, connect: Callable[[], Connection], timeout: float) -> None:
    """Make sure that a connection keeps its session from one transaction to the next.

    PostgreSQL itself always does, and is known by the number of its process. A pooler has numbers of its own: then
    another transaction is begun, which gets the session that was used last, if those are shared.

    Args:
        connection: One that is in no transaction.
        connect: What gives another.
        timeout: How long PostgreSQL may take to answer, in seconds.

    Raises:
        StoreError: If it does not.
        psycopg.Error: If that cannot be found out.
    """
    if connection.execute(b"SELECT pg_backend_pid()").fetchone() == (connection.info.backend_pid,):
        return
    token = secrets.token_hex(8)
    connection.execute(_KEEP, (token,))
    other = connect()
    other.prepare_threshold = None  # The names of what is prepared would meet those of others.
    try:
        with cutting(other, after=timeout):
            other.execute(b"BEGIN")
            other.execute(b"SELECT 1")
        with cutting(connection, after=timeout):
            kept = connection.execute(_KEPT).fetchone()
        other.execute(b"ROLLBACK")
    finally:
        close(other)
    if kept != (token,):
        raise StoreError(NO_SESSION)
