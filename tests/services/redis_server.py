"""A Redis of a test's own: on a free port, in a temporary folder, without persistence; it may be ended and frozen."""

import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.services.ports import free_port

START_SECONDS = 15

needs_redis = pytest.mark.skipif(shutil.which("redis-server") is None, reason="missing here: redis-server")


class RedisServer:
    """One Redis, on one port for its whole life, however often it is started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: Process | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    async def start(self) -> None:
        """Start it with nothing in it, and wait until it answers."""
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = ["redis-server", *options, "--dir", str(self._folder), "--daemonize", "no", "--loglevel", "warning"]
        self._process = await anyio.open_process(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with anyio.fail_after(START_SECONDS):
            while not await self._answers():  # noqa: ASYNC110  # it tells nobody
                await anyio.sleep(0.02)

    async def stop(self) -> None:
        """Kill it: what it had is gone."""
        if self._process is not None:
            self._process.kill()
            await self._process.aclose()
            self._process = None

    def freeze(self) -> None:
        """Let it answer nobody, with all connections open."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process
        self._process.send_signal(signal.SIGCONT)

    async def flush(self) -> None:
        async with Redis.from_url(self.url) as redis:
            await redis.flushall()

    async def keys(self) -> list[str]:
        async with Redis.from_url(self.url) as redis:
            return sorted(key.decode() for key in await redis.keys())

    async def texts(self) -> str:
        """The names of all keys, and what its hashes and streams hold."""
        async with Redis.from_url(self.url) as redis:
            kinds = {key: await redis.type(key) for key in await redis.keys()}
            hashes = [await redis.hgetall(key) for key, kind in kinds.items() if kind == b"hash"]
            streams = [await redis.xrange(key) for key, kind in kinds.items() if kind == b"stream"]
            return repr((kinds, hashes, streams))

    async def _answers(self) -> bool:
        try:
            async with Redis.from_url(self.url) as redis:
                return bool(await redis.ping())
        except (RedisError, OSError):
            return False


@asynccontextmanager
async def redis_server(folder: Path) -> AsyncIterator[RedisServer]:
    """A Redis that has been started; it is killed at the end of the block."""
    server = RedisServer(folder)
    await server.start()
    try:
        yield server
    finally:
        with anyio.CancelScope(shield=True):
            await server.stop()
