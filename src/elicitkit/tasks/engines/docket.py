"""`DocketEngine`: Docket on Redis hands each task that is ready to one of many processes.

Docket has ids and nothing else, and what it does with them is never relied upon:

- It knows an id once: what is added while its job runs is dropped, up to the moment in which Redis learns that the job
  has ended. So a job looks at the store again before it returns, and whoever added an id that was dropped looks again
  soon afterwards, since the drop may have fallen between that look and the end.
- Redis may be flushed, or come back empty: what is ready and was not added lately is added again.
- A job whose worker died comes to another one. Whether it may be run there is for the store to say.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from ...errors import ElicitkitError, MissingExtra, StoreError
from ...safety import trace_of
from ..runner import Runner
from ..troubles import troubles_of
from .background import beside, keep_renewing
from .feed import Feed
from .outage import Outage, hushed
from .untaken import Untaken

try:
    from docket import Disposition, Docket, Worker
    from redis.exceptions import RedisError
except ImportError as _missing:
    raise MissingExtra("docket", "The engine on Docket") from _missing

logger: logging.Logger = logging.getLogger(__name__)

NAME: Final = "elicitkit"
"""What the keys in Redis begin with, unless told otherwise."""

CONCURRENCY: Final = 100
"""How many calls work in a process at once, unless told otherwise."""

_Job: TypeAlias = Callable[[str], Awaitable[None]]

_SCHEMES = frozenset({"redis", "rediss", "unix", "redis+sentinel", "redis+cluster", "rediss+cluster", "memory"})
_JOB = "elicitkit.advance"
_LOGGERS = ("docket.worker", "docket.strikelist", "docket._redelivery")

_KEPT = timedelta(minutes=1)
"""How long Redis knows of a job that has ended: long enough that a worker which only slept cannot undo a newer one."""

_ATTENTION = timedelta(milliseconds=50)
"""How long a worker that had no room waits before it asks for more."""

_PATIENCE = 5.0
"""How long Redis may take for an answer before it counts as unreachable; and jobs, to end. In seconds."""

_GOODBYE = 1.0
"""How long Redis may take to say goodbye to connections that nobody uses, in seconds."""

_HANG_BACK = 0.02
"""How long, about, what became ready is left to the process that made it so, which adds it at once; in seconds."""

_RETRY, _LONGEST_RETRY = 0.5, 2.0
"""How soon it is looked whether Redis can be reached again, and how late after many looks, in seconds."""

_RECONNECT = 1.0
"""How often Docket's worker tries to reach Redis again, in seconds."""


class DocketEngine:
    """Hands tasks to as many processes as there are, through Docket on Redis (`elicitkit[docket]`).

        tasks = Tasks(PostgresTaskStore(…), engine=DocketEngine("redis://localhost:6379/0", runs_here=False))

    and, as often as wanted, `elicitkit worker shop:mcp --docket redis://localhost:6379/0`. Redis holds ids, which it
    may lose; the store is the truth. All processes have the same store. Whoever may write to Redis can run code in the
    workers, since Docket keeps pickles there: it is to be guarded like the store.

    Args:
        url: Where Redis is, as Docket takes it: `redis://`, `rediss://`, `unix://`, `redis+sentinel://`,
            `redis+cluster://`; or `memory://`, for tests in one process.
        runs_here: Whether this process runs tools. If so, a call that becomes a task goes on where it began, and this
            process takes work from the others, too. If not, it keeps the task and answers the client, and a worker runs
            the tool from the top.
        concurrency: How many calls may work in this process at once. One that waits for people does not count; one that
            is answered while so many work is given to another process. Those that begin here are never held up.
        name: What the keys in Redis begin with. All processes of one server have the same, and no other server has it.
        look: How often the store is asked what is ready, in seconds: after so long what Redis has lost is found.

    Raises:
        MissingExtra: If Docket is not installed.
        ValueError: If the address, or a number, is none.
    """

    def __init__(
        self,
        url: str,
        *,
        runs_here: bool = True,
        concurrency: int = CONCURRENCY,
        name: str = NAME,
        look: float = 5.0,
    ) -> None:
        _require_address(url)
        if concurrency < 1 or look <= 0 or not name.strip():
            raise ValueError("concurrency is at least 1, look is more than 0 seconds, and name is not blank")
        self.url = url
        self.name = name
        self.concurrency = concurrency
        self._runs_here = runs_here
        self._look = look

    @property
    def runs_here(self) -> bool:
        """See `Engine.runs_here`."""
        return self._runs_here

    def as_worker(self, *, url: str | None = None, concurrency: int | None = None) -> DocketEngine:
        """The same engine for a process that runs tools."""
        return DocketEngine(
            url or self.url,
            concurrency=self.concurrency if concurrency is None else concurrency,
            name=self.name,
            look=self._look,
        )

    @property
    def address(self) -> str:
        """The URL without user, password and options, as logs may have it."""
        parts = urlsplit(self.url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

    @asynccontextmanager
    async def running(self, runner: Runner) -> AsyncIterator[None]:
        """See `Engine.running`. It does not wait for Redis, which may be reached later."""
        runner.most_working = self.concurrency if self.runs_here else None
        outage = Outage(f"Redis at {self.address}")
        with hushed(outage, *_LOGGERS, is_trouble=_is_trouble, is_noise=self._is_noise):
            async with Docket(self.name, self.url, execution_ttl=_KEPT) as docket:
                feed = Feed(
                    runner.store,
                    partial(_add, docket, outage),
                    outage,
                    look=self._look,
                    patience=_HANG_BACK,
                    set_aside=lambda: runner.set_aside,
                    untaken=None if self.runs_here else Untaken(),
                )
                jobs = _Jobs(runner, feed.give_back)
                docket.register(jobs.job(), names=[_JOB])
                watching = _keep_watching(docket, outage, feed)
                async with (
                    runner.open(feed.nudge),
                    beside(
                        watching=watching,
                        feeding=feed.keep_feeding(),
                        adding=feed.keep_adding(),
                        renewing=keep_renewing(runner),
                    ),
                    self._taking(docket, runner, jobs),
                ):
                    yield

    def _is_noise(self, record: logging.LogRecord) -> bool:
        """Whether a line of Docket's is one of each job: it has the whole id, which may be as good as a key."""
        return record.levelno < logging.WARNING and getattr(record, "docket.name", None) == self.name

    @asynccontextmanager
    async def _taking(self, docket: Docket, runner: Runner, jobs: _Jobs) -> AsyncIterator[None]:
        """Take jobs inside the block, if this process runs tools. What runs at its end is left to the runner."""
        if not self.runs_here:
            yield
            return
        taking = asyncio.create_task(self._keep_taking(docket, runner), name="elicitkit tasks: taking")
        try:
            yield
        finally:
            jobs.stop()
            taking.cancel()
            _, late = await asyncio.wait({taking}, timeout=_PATIENCE)
            if late:
                logger.warning("Redis does not answer: what it has of this worker is taken over later")
                taking.cancel()
                await asyncio.wait({taking}, timeout=_PATIENCE)

    async def _keep_taking(self, docket: Docket, runner: Runner) -> None:
        # The job of a dead worker comes to another one while the claim in the store still lives. It does nothing there,
        # and so Docket takes the id again by the time the claim has ended.
        patience = timedelta(seconds=runner.lease / 3)
        while True:
            try:
                async with Worker(
                    docket,
                    name=f"{socket.gethostname()}#{os.getpid()}#{runner.worker}",
                    concurrency=self.concurrency,
                    redelivery_timeout=patience,
                    reconnection_delay=timedelta(seconds=_RECONNECT),
                    minimum_check_interval=_ATTENTION,
                    schedule_automatic_tasks=False,
                ) as worker:
                    await worker.run_forever()
                return  # That is how it ends when it is cancelled.
            except Exception as error:
                logger.error("Docket's worker failed; it is started again%s", trace_of(error))
            await asyncio.sleep(_RECONNECT)


class _Jobs:
    """What Docket runs: a job lasts for as long as the call works, and holds Docket's place for it.

    Args:
        runner: What runs the calls.
        give_back: Told the id of a task that this process has no tool for.
    """

    def __init__(self, runner: Runner, give_back: Callable[[str], None]) -> None:
        self._runner = runner
        self._give_back = give_back
        self._is_stopping = False

    def stop(self) -> None:
        """Let all jobs return; the calls are stopped by the runner."""
        self._is_stopping = True
        self._runner.pausing.beat()

    def job(self) -> _Job:
        """The function that Docket knows."""

        async def advance(task_id: str) -> None:
            try:
                await self._advance(task_id)
            except StoreError as error:
                told = f"the task {task_id[:8]} could not be taken up, and is tried again later"
                troubles_of(self._runner.store).begin("write", error, told)
            except ElicitkitError as error:
                logger.warning("the task %s could not be taken up, and is tried again later: %s", task_id[:8], error)
            except Exception as error:
                logger.error("the task %s could not be taken up%s", task_id[:8], trace_of(error))

        return advance

    async def _advance(self, task_id: str) -> None:
        """Run a task until it waits for people or ends; again, if something came for it by then."""
        runner = self._runner
        while True:
            while runner.is_busy and not self._is_stopping:
                await runner.pausing.felt()
            if self._is_stopping or not await self._begun(task_id):
                break
            while runner.is_working(task_id) and not self._is_stopping:
                await runner.pausing.felt()
        if runner.lacks_the_tool_of(task_id):
            self._give_back(task_id)

    async def _begun(self, task_id: str) -> bool:
        with self._runner.beginning():
            return await self._runner.advance(task_id)


def _require_address(url: str) -> None:
    """Make sure that it is an address of Redis. What is said of one that is none has nothing of a password in it.

    Raises:
        ValueError: If it is none.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme in ("redis", "rediss"):
            _ = parts.port  # It is read when it is asked for. The other kinds have several hosts, or none.
    except ValueError:
        raise ValueError(
            "that is no address of Redis: redis://user@host:6379/0; in a password a / is written as %2F, and a # as %23"
        ) from None
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"the address of Redis begins with redis://, or another of {', '.join(sorted(_SCHEMES))}")


async def _add(docket: Docket, outage: Outage, ids: Sequence[str]) -> list[str] | None:
    """Add ids, and give those that Docket dropped; `None` if Redis cannot be reached."""
    since = outage.times_reached
    try:
        async with asyncio.timeout(_PATIENCE):
            if len(ids) == 1:  # It is quicker alone.
                executions = [await docket.add(_JOB, key=ids[0])(ids[0])]
            else:
                executions = await docket.add_many(docket.call(_JOB, key=task_id)(task_id) for task_id in ids)
    except (RedisError, TimeoutError, OSError) as error:
        outage.begin(error, since=since)
        return None
    if failed := [one.schedule_exception for one in executions if one.disposition is Disposition.FAILED]:
        outage.begin(failed[0], since=since)
        return None
    return [one.key for one in executions if one.disposition is not Disposition.SCHEDULED]


async def _keep_watching(docket: Docket, outage: Outage, feed: Feed) -> None:
    """Find out when Redis can be reached again: then it may have lost everything."""
    pause = _RETRY
    while True:
        if await _is_reached(docket, outage):
            if outage.is_doubtful:
                feed.forget()
            outage.end()
            await outage.doubted()
            pause = _RETRY / 2
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_RETRY)


async def _is_reached(docket: Docket, outage: Outage) -> bool:
    """Whether something can be written: there are servers that can be read alone."""
    try:
        async with asyncio.timeout(_PATIENCE), docket.redis() as redis:
            await _hang_up(redis)
            await redis.set(docket.key("leases:reached"), "", px=1_000)
    except (RedisError, TimeoutError, OSError) as error:
        outage.begin(error)
        return False
    return True


async def _hang_up(redis: Any) -> None:
    """Let go of connections that nobody uses: after an outage they may be dead without a word.

    A client of a cluster sees to that itself, and one of `memory://` has none.
    """
    if (pool := getattr(redis, "connection_pool", None)) is None:
        return
    with suppress(RedisError, TimeoutError, OSError):  # It is no sign of anything that a dead one does not say goodbye.
        async with asyncio.timeout(_GOODBYE):
            await pool.disconnect(inuse_connections=False)


def _is_trouble(record: logging.LogRecord) -> bool:
    """Whether a line of Docket's says that Redis failed."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return record.levelno >= logging.WARNING and record.getMessage().startswith("Redis ")
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return isinstance(error, RedisError)
