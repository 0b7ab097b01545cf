"""A PostgreSQL of a test's own: on a free port, in a temporary folder; it may be ended and started again."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from anyio.abc import Process

from tests.services.ports import free_port

START_SECONDS = 30

_PLACES = [*filter(None, [os.environ.get("PATH")]), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))]
_INITDB = shutil.which("initdb", path=os.pathsep.join(_PLACES))

needs_postgres = pytest.mark.skipif(_INITDB is None, reason="missing here: initdb, which comes with PostgreSQL")


class PostgresServer:
    """One PostgreSQL, on one port for its whole life, however often it is started."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._port = free_port()
        self._process: Process | None = None
        # It refuses to run as root.
        self._as_whom: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        if self._as_whom:
            shutil.chown(folder, **self._as_whom)

    @property
    def address(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    async def make(self) -> None:
        """Make its files."""
        assert _INITDB
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
        await anyio.run_process([_INITDB, *options, str(self._data)], **self._as_whom)

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        assert _INITDB
        settings = {"listen_addresses": "127.0.0.1", "port": self._port, "unix_socket_directories": "", "fsync": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(Path(_INITDB).with_name("postgres")), "-D", str(self._data), *options]
        quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self._data}
        self._process = await anyio.open_process(command, **quiet, **self._as_whom)
        with anyio.fail_after(START_SECONDS):
            while not await anyio.to_thread.run_sync(self._answers):  # noqa: ASYNC110  # it tells nobody
                await anyio.sleep(0.02)

    async def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: by SIGINT it ends every connection first, by SIGQUIT it falls over as it stands."""
        if self._process is not None:
            self._process.send_signal(how)
            with anyio.fail_after(START_SECONDS):
                await self._process.wait()
            await self._process.aclose()
            self._process = None

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.address, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@asynccontextmanager
async def postgres_server() -> AsyncIterator[PostgresServer]:
    """A PostgreSQL that has been started; it is ended, and its files are gone, at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="elicitkit-postgres-") as folder:
        server = PostgresServer(Path(folder))
        await server.make()
        await server.start()
        try:
            yield server
        finally:
            with anyio.CancelScope(shield=True):
                await server.stop(signal.SIGQUIT)
