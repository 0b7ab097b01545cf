"""`Rows`: what a kind of store is to the connections to PostgreSQL that it shares with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from psycopg.errors import UniqueViolation

from .postgres_connections import Connection


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rows of a store are, and who it is."""

    schema: str

    origin: str
    """What tells its notifications from those of others."""

    suffix: str = ""
    """What tells the channel of its kind from those of other kinds in the schema."""

    @property
    def channel(self) -> str:
        """Where changes are notified."""
        return f"elicitkit_{self.schema}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What changed since another scan."""

    changed: Mapping[str, int]
    """The revisions of what can be seen to have changed, by id; some of them the scan before has, too."""

    since: str
    """The oldest transaction that was not finished: all before it are in this scan, or in one before."""


class Rows(Protocol):
    """What works are given, inside a transaction and a pipeline that the lane has begun."""

    changed: dict[str, int]
    """What was changed here so that it can be seen, each with its newest revision."""

    deleted: list[str]
    """The ids of what was deleted here."""

    transaction: str | None
    """The id of the transaction; `None` as long as nothing was looked at that could be written."""

    def __init__(self, connection: Connection, place: Place, *, is_reading: bool) -> None: ...

    def changes_since(self, transaction: str | None) -> Scan:
        """What was changed by a transaction and those after it; and a sign of life for whoever listens."""
        ...

    @staticmethod
    def refused(error: UniqueViolation) -> Exception:
        """What it means that something is there already."""
        ...
