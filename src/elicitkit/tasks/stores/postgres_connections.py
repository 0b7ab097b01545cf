"""Connections to PostgreSQL: how they are made, kept for the next, and cut; and what their errors mean."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from ...errors import StoreError

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

LIFETIME: Final = 1800.0
"""How long a connection is used, in seconds: so that all are new some time after a server was moved."""

_CONNECT: Final = 5
"""How long PostgreSQL has to take a connection, in seconds, where the address does not say."""

_ABANDONED: Final = 5
"""After how many seconds PostgreSQL ends a transaction whose process does nothing: its locks hold up others."""

_OLDEST: Final = 130000
"""The first version of PostgreSQL with 64-bit transaction ids for everybody."""


class Connector:
    """Makes connections.

    Args:
        address: `postgresql://…`, or libpq's `name=value …`.
        schema: Where the tables are.
        timeout: How long a statement may take, in seconds.
    """

    def __init__(self, address: str, schema: str, timeout: float) -> None:
        try:
            self._given: dict[str, Any] = conninfo_to_dict(address)
        except psycopg.ProgrammingError:  # Its text may have the password.
            raise ValueError("that is no address of a PostgreSQL database: postgresql://user@host/database") from None
        self._given = {"connect_timeout": _CONNECT, "application_name": "elicitkit", **self._given}
        milliseconds = max(1, int(timeout * 1000))
        self._settings = (
            f"SET search_path = {schema}; SET statement_timeout = {milliseconds}; SET lock_timeout = {milliseconds}; "
            f"SET idle_in_transaction_session_timeout = '{_ABANDONED}s'; "
            # What is read is one state of the store; what writes says that it sees what others committed meanwhile.
            "SET default_transaction_isolation = 'repeatable read'; "
            # What was acknowledged is kept, whatever a database is set to; what waits for more stays as it is.
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )

    def connect(self) -> Connection:
        """A new connection.

        Raises:
            psycopg.Error: If there is none to be had.
            StoreError: If what is there cannot keep tasks.
        """
        connection: Connection = psycopg.connect(**self._given, autocommit=True)
        try:
            _require_able(connection)
            connection.execute(self._settings.encode())
            connection.prepare_threshold = 0  # All statements are ours, and come again.
            connection.adapters.register_dumper(int, Int8Dumper)  # One plan for small numbers and large ones.
        except BaseException:
            connection.close()
            raise
        return connection


def _require_able(connection: Connection) -> None:
    if connection.info.server_version < _OLDEST:
        raise StoreError("The tasks need PostgreSQL 13 or newer.")
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise StoreError(f"The tasks need a database whose encoding is UTF8, and this one's is {encoding}.")


class Idle:
    """Connections that nobody uses at the moment. Threads may share it."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._lock = threading.Lock()
        self._idle: list[tuple[Connection, float]] = []
        """Each with the moment after which it is used no more; the last that came back is the first to be taken."""
        self._until: dict[Connection, float] = {}

    def take(self) -> Connection:
        """One of them, or a new one.

        Raises:
            psycopg.Error: If there is none to be had.
        """
        while True:
            with self._lock:
                connection, until = self._idle.pop() if self._idle else (None, 0.0)
            if connection is None:
                connection, until = self._connector.connect(), time.monotonic() + LIFETIME
            if until > time.monotonic() and not connection.closed:
                self._until[connection] = until
                return connection
            close(connection)

    def give_back(self, connection: Connection) -> None:
        """Keep one for the next; one that is closed or in the middle of something is dropped."""
        until = self._until.pop(connection)
        if connection.closed or connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            close(connection)
            return
        with self._lock:
            self._idle.append((connection, until))

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            close(connection)


def close(connection: Connection) -> None:
    """Let go of a connection."""
    with suppress(psycopg.Error):  # There is nothing left to save.
        connection.close()


def hang_up(connection: Connection) -> None:
    """End a connection under the feet of the thread that waits on it, which gets an error."""
    with suppress(psycopg.Error, OSError):
        borrowed = socket.socket(fileno=connection.fileno())
        try:
            borrowed.shutdown(socket.SHUT_RDWR)
        finally:
            borrowed.detach()


# --- errors -----------------------------------------------------------------------------------------------------------

_LOST: Final = ("08", "57P", "25P03", "25P04", "25006")
"""Classes and codes of errors after which a connection is of no use: lost, ended by the server, or read-only now."""

_PASSES: Final = ("40001", "40P01", "25P02")
"""What passes when it is tried again: one that lost against another."""

_CAUSES: Final = {
    "53100": "its disk is full",
    "53": "it has no more room: for connections, memory or files",
    "25006": "it is read-only",
    "42501": "this role may not do that",
    "3F000": "its schema is gone",
    "42P01": "its tables are gone",
    "55P03": "another process keeps it locked",
    "57014": "it took too long",
    "57P": "it is being stopped or started",
    "40": "too many write to one task at once",
}


def is_lost(error: BaseException, connection: Connection | None) -> bool:
    """Whether an error says that the connection is of no use any more, or that there was none."""
    if not isinstance(error, psycopg.Error):
        return False
    if connection is None or connection.closed:
        return isinstance(error, psycopg.OperationalError)
    return (error.sqlstate or "").startswith(_LOST)


def passes(error: BaseException) -> bool:
    """Whether PostgreSQL gave up a transaction for another, and would do it if it were asked again."""
    return isinstance(error, psycopg.Error) and (error.sqlstate or "").startswith(_PASSES)


def told(error: psycopg.Error, *, is_unknown: bool = False) -> StoreError:
    """The `StoreError` in place of an error of PostgreSQL's. It never has the address, which may hold a password."""
    state = error.sqlstate or ""
    cause = next((text for start, text in _CAUSES.items() if state.startswith(start) and state), None)
    outcome = "It is not known whether this was stored." if is_unknown else "Nothing was stored."
    told = StoreError(f"The store of tasks cannot be used: {cause or _first_line(error)}. {outcome}")
    told.__cause__ = error
    return told


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
