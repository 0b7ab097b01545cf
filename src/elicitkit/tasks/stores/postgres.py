"""`PostgresTaskStore`: tasks in a PostgreSQL database, which the processes of many machines share."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

from ...errors import MissingExtra, StoreError
from ..record import News, TaskInput, TaskRecord
from .arguments import count, positive
from .postgres_schema import MIGRATIONS, Migration, forget_lines, migrate, require_name
from .telling import Telling
from .transactional import TransactionalStore

if TYPE_CHECKING:  # All of these need psycopg, and the name of the store does not.
    from .postgres_lanes import Lanes
    from .postgres_listening import Listening
    from .postgres_rows import Rows

T = TypeVar("T")


class PostgresDatabase(Telling):
    """What stores in a database share: all about it. Stores of several kinds, and many machines, may have one together.

    A store inherits from this first, and then from what it is a store of; see `PostgresTaskStore`.

    Args:
        address: `postgresql://user@host/database`, or libpq's `name=value …`; `?schema=name` behind it is for *schema*.
        schema: The schema with the tables, `elicitkit` unless given.
        pool_size: How many operations run at once, each on a connection; one more connection listens.
        timeout: How long an operation waits for a connection, and then may take, in seconds.
        rescan: How often to look for changes that were not heard of, in seconds.
        must_exist: Make no tables and bring none up to date: where there are none, or older ones, it is a `StoreError`
            when the store is opened.
        reads_only: Write nothing, and hear of no change; the tables must exist. A role that may read them will do, and
            so will a standby.
        options: What the store it is takes.
    """

    _migrations: ClassVar[Sequence[Migration]] = MIGRATIONS
    _suffix: ClassVar[str] = ""
    """What tells its channel from those of other kinds."""

    def __init__(
        self,
        address: str,
        *,
        schema: str | None = None,
        pool_size: int = 8,
        timeout: float = 10.0,
        rescan: float = 5.0,
        must_exist: bool = False,
        reads_only: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        try:
            from .postgres_connections import Connector, split_schema
        except ImportError as missing:
            raise MissingExtra("postgres", "A store of tasks in PostgreSQL") from missing
        address, named = split_schema(address)
        self._schema = require_name((named or "elicitkit") if schema is None else schema)
        self._timeout = positive("timeout", timeout)
        self._rescan = positive("rescan", rescan)
        self._pool_size = count("pool_size", pool_size, least=1)
        self.must_exist: bool = must_exist or reads_only
        self._reads_only = reads_only
        self._connector = Connector(address, self._schema, timeout)
        self._lanes: Lanes | None = None
        self._listening: Listening | None = None

    def _rows(self) -> type[Rows]:
        """What its works are given."""
        raise NotImplementedError

    @property
    def place(self) -> str:
        """Where the tables are."""
        return f"{self._connector.place}, schema {self._schema}"

    async def open(self) -> None:
        """Make the store ready.

        Raises:
            StoreError: If the database cannot be reached or used, or its tables are of a newer version.
        """
        from .postgres_lanes import Lanes
        from .postgres_listening import Listening
        from .postgres_rows import Place

        await asyncio.to_thread(self._prepare)
        place = Place(self._schema, secrets.token_hex(4), self._suffix)
        lanes = Lanes(
            self._connector,
            place=place,
            rows=self._rows(),
            size=self._pool_size,
            timeout=self._timeout,
            tell=self._tell_own,
        )
        if self._reads_only:  # A standby lets nobody listen.
            self._lanes = lanes
            return
        listening = Listening(
            self._connector,
            place=place,
            every=self._rescan,
            read=lambda work: lanes.run(work, is_reading=True),
            tell=self._tell,
        )
        try:
            await listening.start(self._timeout)
        except BaseException:
            await lanes.stop()
            raise
        self._lanes, self._listening = lanes, listening

    async def close(self) -> None:
        """Finish what was begun, and let go of the database."""
        lanes, listening, self._lanes = self._lanes, self._listening, None
        if listening is not None:
            await listening.stop()
        if lanes is not None:
            await lanes.stop()
        self._listening = None

    async def _write(self, work: Callable[[Any], T]) -> T:
        if self._reads_only:
            raise StoreError("The store of tasks was opened to be read alone. Nothing was stored.")
        return await self._opened.run(work, is_reading=False)

    async def _read(self, work: Callable[[Any], T]) -> T:
        return await self._opened.run(work, is_reading=True)

    async def _read_once(self, work: Callable[[Any], T]) -> T:
        return await self._opened.run(work, is_reading=True, is_once=True)

    @property
    def _opened(self) -> Lanes:
        if self._lanes is None:
            raise StoreError("The store is not open: use it as in `async with store:`.")
        return self._lanes

    def _tell_own(self, changed: Mapping[str, News], deleted: Iterable[str]) -> None:
        if self._listening is not None and (changed or deleted):
            self._listening.changed(changed, deleted)

    def _prepare(self) -> None:
        """Bring the tables up to date."""
        import psycopg

        from .postgres_connections import close, told
        from .postgres_pooling import require_session
        from .postgres_rights import not_allowed

        try:
            connection = self._connector.connect()
            try:
                connection.prepare_threshold = None  # What is done once needs no plan.
                require_session(connection, self._connector.connect, self._connector.timeout)
                migrate(connection, self._schema, must_exist=self.must_exist, migrations=self._migrations)
                if not self._reads_only:
                    forget_lines(connection)
            except psycopg.errors.InsufficientPrivilege as error:
                raise not_allowed(connection, self._schema, error) from error
            finally:
                close(connection)
        except psycopg.Error as error:
            raise told(error) from error


class PostgresTaskStore(PostgresDatabase, TransactionalStore):
    """A `TaskStore` in a PostgreSQL database (13 or newer), which servers and workers on many machines share.

    The tables are made when the store is opened, in a schema of their own, and those of an older version are brought up
    to date; where they are there, a role without the right to make any will do. It needs connections that keep their
    session: PostgreSQL itself, or a pooler in session mode.

        async with PostgresTaskStore("postgresql://app@db.example/app") as store:
            ...

    It outlives a restart of the database. What was under way then is done again where it certainly did not happen; of a
    commit whose answer was lost, it is looked up what became of it. Only where that cannot be found out in time is
    it a `StoreError` that says so.

    Args:
        address: `postgresql://user@host/database`, or libpq's `name=value …`; `?schema=name` behind it is for *schema*.
        schema: The schema with the tables, `elicitkit` unless given; several applications in one database have one
            each.
        pool_size: How many operations run at once, each on a connection; one more connection listens.
        timeout: How long an operation waits for a connection, and then may take, in seconds.
        rescan: How often to look for changes that were not heard of, in seconds.
        must_exist: Make no tables and bring none up to date: where there are none, or older ones, it is a `StoreError`
            when the store is opened.
        reads_only: Write nothing, and hear of no change; the tables must exist. A role that may read them will do, and
            so will a standby.
        options: As for `TaskStore`.

    Raises:
        MissingExtra: If psycopg is not installed.
        ValueError: If the address or the name of the schema is none, or a number is not positive.
    """

    def __init__(self, address: str, **options: Any) -> None:
        super().__init__(address, **options)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def park(self, task_id: str, inputs: Iterable[TaskInput], *, fence: int | None = None) -> TaskRecord:
        """See `TaskStore.park`. What one process asks side by side in a task comes in the order it is asked."""
        async with self._asking.setdefault(task_id, asyncio.Lock()):
            return await super().park(task_id, inputs, fence=fence)

    def _rows(self) -> type[Rows]:
        from .postgres_tables import Tables

        return Tables
