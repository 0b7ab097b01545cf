"""Connections to PostgreSQL: how they are made, kept for the next, and cut; and what their errors mean."""

from __future__ import annotations

import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InsufficientPrivilege
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


def split_schema(address: str) -> tuple[str, str | None]:
    """An address as libpq knows it, and the schema that was named behind it."""
    try:
        parts = urlsplit(address)
    except ValueError:  # libpq says what is wrong.
        return address, None
    if parts.scheme not in ("postgresql", "postgres") or "schema=" not in parts.query:
        return address, None
    named = [one for one in parts.query.split("&") if one.startswith("schema=")]
    others = [one for one in parts.query.split("&") if one not in named]
    return urlunsplit(parts._replace(query="&".join(others))), unquote(
        named[-1].removeprefix("schema=")
    ) if named else None


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
        except psycopg.ProgrammingError as error:  # Its text may have the password.
            raise ValueError(f"that is no address of a PostgreSQL database: {_fault(address, str(error))}") from None
        if "@" in str(self._given.get("host") or ""):  # It is the end of the password, which errors would name.
            raise ValueError("that is no address of a PostgreSQL database: an @ in a password is written as %40")
        if not re.fullmatch(r"[\d,]*", str(self._given.get("port") or "")):  # It is the beginning of the password.
            raise ValueError(
                "that is no address of a PostgreSQL database: its port is no number, or a / in a password, which is "
                "written as %2F, ends it too early"
            )
        self._given = {"connect_timeout": _CONNECT, "application_name": "elicitkit", **self._given}
        self.timeout = timeout
        """How long PostgreSQL may take to answer, in seconds."""
        milliseconds = max(1, int(timeout * 1000))
        self._settings = (
            # PostgreSQL gives up a little earlier than we do, so that it says why, and leaves nothing behind.
            f"SET search_path = {schema}; SET statement_timeout = {milliseconds * 3 // 4 or 1}; "
            f"SET lock_timeout = {milliseconds // 2 or 1}; "
            f"SET idle_in_transaction_session_timeout = '{_ABANDONED}s'; "
            # What is read is one state of the store; what writes says that it sees what others committed meanwhile.
            "SET default_transaction_isolation = 'repeatable read'; "
            # What was acknowledged is kept, whatever a database is set to; what waits for more stays as it is.
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )

    @property
    def place(self) -> str:
        """Where the database is, without user and password."""
        given = self._given
        if "service" in given:
            return f"the service {given['service']!r} of PostgreSQL"
        host, port = given.get("host") or given.get("hostaddr") or "", given.get("port")
        return f"postgresql://{host}{f':{port}' if port else ''}/{given.get('dbname') or ''}"

    def connect(self) -> Connection:
        """A new connection.

        Raises:
            psycopg.Error: If there is none to be had.
            StoreError: If what is there cannot keep tasks.
        """
        connection: Connection = psycopg.connect(**self._given, autocommit=True)
        try:
            _require_able(connection)
            with cutting(connection, after=self.timeout):
                connection.execute(self._settings.encode())
            connection.prepare_threshold = 0  # All statements are ours, and come again.
            connection.adapters.register_dumper(int, Int8Dumper)  # One plan for small numbers and large ones.
        except BaseException:
            connection.close()
            raise
        return connection


_FAULTS: Final = {
    "invalid percent-encoded token": "a % in it begins an escape, and stands for itself as %25",
    "forbidden value %00": "it has %00 in it, which nothing may",
    "missing key/value separator": "behind its ? stands name=value, with & between two of them",
    "extra key/value separator": "behind its ? stands name=value, with & between two of them, and = in a value as %3D",
    "IPv6": "an address of IPv6 stands in brackets, as in postgresql://[::1]:5432/database",
    "unexpected character": "behind the brackets of an IPv6 address comes : or /",
    "invalid connection option": "of its name=value pairs one has a name that PostgreSQL does not know, "
    "or a value with spaces in it is not in quotes",
    'missing "="': "it begins with postgresql://, or is name=value pairs with spaces between",
    "unterminated quoted string": "a quote in it is not closed",
}
"""What libpq says of an address, and what we say: its own words may quote the password."""


def _fault(address: str, said: str) -> str:
    """Which part of an address is wrong, without a word of it but the names of its options."""
    _, _, query = address.partition("?")
    if said.startswith("invalid URI query parameter") and "@" not in query:
        known = {default.keyword.decode() for default in psycopg.pq.Conninfo.get_defaults()} | {"schema"}
        wrong = next((name for name in (one.partition("=")[0] for one in query.split("&")) if name not in known), "")
        near = get_close_matches(wrong, sorted(known), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "there are schema, and libpq's own, as sslmode"
        return f"it has no option {wrong!r} behind its ?: {hint}"
    return next((told for part, told in _FAULTS.items() if part in said), "postgresql://user@host/database")


def _require_able(connection: Connection) -> None:
    if connection.info.server_version < _OLDEST:
        raise StoreError("elicitkit needs PostgreSQL 13 or newer.")
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise StoreError(f"elicitkit needs a database whose encoding is UTF8, and this one's is {encoding}.")


@dataclass(slots=True, eq=False)
class Line:
    """A connection, and the name and number under which it writes: so that it can be found out what it committed."""

    connection: Connection
    until: float = field(default_factory=lambda: time.monotonic() + LIFETIME)
    """The moment after which it is used no more."""

    id: str = field(default_factory=lambda: secrets.token_hex(12))
    turn: int = 0
    """The number of the last transaction."""

    @property
    def is_good(self) -> bool:
        """Whether it can be used for the next transaction."""
        is_idle = self.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        return self.until > time.monotonic() and not self.connection.closed and is_idle


class Idle:
    """Lines that nobody uses at the moment. Threads may share it."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._lock = threading.Lock()
        self._idle: list[Line] = []
        """The last that came back is the first to be taken."""

    def take(self) -> Line:
        """One of them, or a new one.

        Raises:
            psycopg.Error: If there is none to be had.
        """
        while True:
            with self._lock:
                line = self._idle.pop() if self._idle else None
            if line is None:
                return Line(self._connector.connect())
            if line.is_good:
                return line
            close(line.connection)

    def give_back(self, line: Line) -> None:
        """Keep one for the next; one that is closed or in the middle of something is dropped."""
        if not line.is_good:
            close(line.connection)
            return
        with self._lock:
            self._idle.append(line)

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            close(line.connection)


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


@contextmanager
def cutting(connection: Connection, *, after: float) -> Iterator[None]:
    """Hang up if the block takes longer than so many seconds. It costs a thread: for what is done once."""
    timer = threading.Timer(after, hang_up, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# --- errors -----------------------------------------------------------------------------------------------------------

_LOST: Final = ("08", "57P", "25P03", "25P04", "25006")
"""Classes and codes of errors after which a connection is of no use: lost, ended by the server, or read-only now."""

_PASSES: Final = ("40001", "40P01", "25P02")
"""What passes when it is tried again: one that lost against another."""

_CAUSES: Final = {
    "53100": "its disk is full",
    "53": "it has no more room: for connections, memory or files",
    "25006": "it is read-only",
    "42501": "this role may not do that",  # It is told what that is, too.
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
    if state == InsufficientPrivilege.sqlstate and error.diag.message_primary:
        cause = f"{cause} ({error.diag.message_primary})"
    outcome = "It is not known whether this was stored." if is_unknown else "Nothing was stored."
    told = StoreError(f"The store cannot be used: {cause or _first_line(error)}. {outcome}")
    told.is_unknown, told.__cause__ = is_unknown, error
    return told


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
