"""`PostgresInboxStore`: an inbox in a PostgreSQL database, which may be that of the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...tasks.stores.postgres import PostgresDatabase
from .transactional import TransactionalInboxStore

if TYPE_CHECKING:  # It needs psycopg, and the name of the store does not.
    from ...tasks.stores.postgres_rows import Rows


class PostgresInboxStore(PostgresDatabase, TransactionalInboxStore):
    """An `InboxStore` in a PostgreSQL database (13 or newer), which hosts and people on many machines share.

    The tables are made when the store is opened, in a schema that may be the one of a `PostgresTaskStore`; see there.

        async with Inbox(PostgresInboxStore("postgresql://app@db.example/app"), host="shop agent") as inbox:
            ...

    Args:
        address: `postgresql://user@host/database`, or libpq's `name=value …`.
        schema: The schema with the tables; several applications in one database have one each.
        pool_size: How many operations run at once, each on a connection; one more connection listens.
        timeout: How long an operation waits for a connection, and then may take, in seconds.
        rescan: How often to look for changes that were not heard of, in seconds.
        must_exist: Make no tables and bring none up to date: where there are none, or older ones, it is a `StoreError`
            when the store is opened.
        options: As for `InboxStore`.

    Raises:
        MissingExtra: If psycopg is not installed.
        ValueError: If the address or the name of the schema is none, or a number is not positive.
    """

    _suffix = "_inbox"

    def _rows(self) -> type[Rows]:
        from .postgres_tables import InboxTables

        return InboxTables
