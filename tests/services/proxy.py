"""A network between a client and a server, on loopback, that can fail: it stops to forward, or cuts a connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit, urlunsplit


class Proxy:
    """Forwards what comes to its port."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._forwards = asyncio.Event()
        self._forwards.set()
        self._dead: set[asyncio.StreamWriter] = set()
        self.lost = 0
        """How often something came on a connection that is forgotten."""
        self.refuses = False
        """Whether new connections are closed at once."""
        self.cut_before: bytes | None = None
        """Cut a connection whose client sends this, before it gets to the server."""
        self.cut_after: bytes | None = None
        """Cut a connection whose server sends this, before it gets to the client."""
        self.cuts = 0
        """How often that happened."""

    @property
    def port(self) -> int:
        assert self._server
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def freeze(self) -> None:
        """Forward nothing, with all connections open, as a network does that is gone."""
        self._forwards.clear()

    def forget(self) -> None:
        """Forward nothing more on the connections that there are, which stay open; new ones are as they should be."""
        self._dead.update(self._writers)

    def thaw(self) -> None:
        """Forward again, first of all what came meanwhile."""
        self._forwards.set()

    def cut(self) -> None:
        """Close every connection."""
        for writer in self._writers:
            writer.transport.abort()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        onward_reader, onward_writer = await asyncio.open_connection(self._host, self._port)
        both = (writer, onward_writer)
        self._writers.update(both)
        for task in (
            asyncio.create_task(self._forward(reader, onward_writer, both, is_upward=True)),
            asyncio.create_task(self._forward(onward_reader, writer, both, is_upward=False)),
        ):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        both: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        *,
        is_upward: bool,
    ) -> None:
        try:
            with suppress(ConnectionError):
                while data := await reader.read(65536):
                    await self._forwards.wait()
                    if writer in self._dead:
                        self.lost += 1
                        continue
                    wanted = self.cut_before if is_upward else self.cut_after
                    if wanted is not None and wanted in data:
                        self.cuts += 1
                        break
                    writer.write(data)
                    await writer.drain()
        finally:
            for one in both:
                one.transport.abort()
                self._writers.discard(one)


@asynccontextmanager
async def before(address: str) -> AsyncIterator[tuple[str, Proxy]]:
    """A proxy before the server of an address, and the address to go through it."""
    parts = urlsplit(address)
    proxy = Proxy(parts.hostname or "127.0.0.1", parts.port or 5432)
    await proxy.start()
    host = f"127.0.0.1:{proxy.port}"
    login, at, _ = parts.netloc.rpartition("@")
    try:
        yield urlunsplit(parts._replace(netloc=f"{login}{at}{host}")), proxy
    finally:
        await proxy.stop()
