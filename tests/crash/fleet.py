"""Runs a crash test of a fleet: two servers and three workers on one PostgreSQL and one Redis, none of them spared.

One server runs its tools itself, the other leaves them to the workers. All five are killed, stopped and continued at
random; Redis is flushed twice, and PostgreSQL restarted once.
"""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import anyio
from anyio.abc import Process, TaskGroup

from elicitkit import TaskStore, open_store
from tests.crash.conductor import tell
from tests.crash.evidence import Evidence, Plan, Stop, collected, unfinished
from tests.crash.processes import START_SECONDS, command, ended, killed, ready, server_command, started
from tests.services.postgres_server import PostgresServer, postgres_server
from tests.services.redis_server import RedisServer, redis_server

LEASE = 4.0
"""How long a claim is, in seconds: much longer than anybody who lives needs to renew it on a busy machine."""

SLEEP = (0.2, 2 * LEASE)
"""For how long a process is stopped, in seconds: some are overtaken meanwhile."""

BETWEEN = (0.2, 1.5)
"""How long after a death the next one comes, once enough processes run again, in seconds."""

GAP = 0.8
"""The longest for which a place is empty, in seconds."""

FEWEST = 2
"""How many run at least when the next one is killed."""

ROLES = {
    "server-0": ["--address", "address-0"],
    "server-1": ["--address", "address-1", "--leaves-tools"],
    "worker-0": ["--serves-nobody"],
    "worker-1": ["--serves-nobody"],
    "worker-2": ["--serves-nobody"],
}


@dataclass
class Place:
    """One of the five, in which one process follows another."""

    role: str
    process: Process | None = None
    run: int = -1
    is_ready: bool = False
    is_stopped: bool = False


class Fleet:
    """The five processes, and what was done to them."""

    def __init__(self, plan: Plan, folder: Path, postgres: PostgresServer, redis: RedisServer) -> None:
        self.deaths: dict[int, float] = {}
        self.stops: list[Stop] = []
        self.outages: list[Stop] = []
        self.places = [Place(role) for role in ROLES]
        self._plan = plan
        self._folder = folder
        self._postgres = postgres
        self._redis = redis
        self._chance = random.Random(plan.seed)
        self._numbers = count()
        self._victims = self._in_turn()

    async def keep(self, place: Place, gap: float = 0.0) -> None:
        """Start the next process of a place, and keep it until it has ended."""
        await anyio.sleep(gap)
        place.run, place.is_ready, place.is_stopped = next(self._numbers), False, False
        options = {"store": self._postgres.address, "docket": self._redis.url, "lease": LEASE, "look": 1.0}
        options["max_live"] = max(1, self._plan.tasks // 5)
        arguments = [*server_command(self._folder, place.run, **options), *ROLES[place.role]]
        async with started(arguments) as process:
            place.process = process
            with suppress(anyio.EndOfStream, anyio.IncompleteRead):  # It was killed while it started.
                await ready(process)
                place.is_ready = True
            await process.wait()
            place.is_ready = False

    async def kill_all(self, group: TaskGroup, others: list[Process]) -> None:
        """Kill as many as planned, and do the rest beside it."""
        flushes = {self._plan.kills // 3, 2 * self._plan.kills // 3}
        for number in range(self._plan.kills):
            await tell(number, others)
            await self._enough()
            if number in flushes:
                await self._redis.flush()
            if number == self._plan.kills // 2:
                group.start_soon(self._restart_postgres)
            if self._chance.random() < 0.5:
                group.start_soon(self._stop, next(self._victims), self._chance.uniform(*SLEEP))
            await anyio.sleep(self._chance.uniform(*BETWEEN))
            await self._kill(next(self._victims), group)
        await tell(self._plan.kills, others)

    async def end(self) -> dict[str, int]:
        """Ask all to end, and give their exit codes."""
        with anyio.fail_after(START_SECONDS):
            while not all(place.is_ready and not place.is_stopped for place in self.places):  # noqa: ASYNC110
                await anyio.sleep(0.05)
        return {place.role: await ended(place.process) for place in self.places if place.process}

    def _in_turn(self) -> Iterator[Place]:
        """All of them, again and again, each time in another order."""
        while True:
            yield from self._chance.sample(self.places, len(self.places))

    async def _enough(self) -> None:
        with anyio.fail_after(START_SECONDS):
            while sum(place.is_ready and not place.is_stopped for place in self.places) < FEWEST:  # noqa: ASYNC110
                await anyio.sleep(0.05)

    async def _kill(self, place: Place, group: TaskGroup) -> None:
        while place.process is None or place.process.returncode is not None:  # noqa: ASYNC110  # It is to start yet.
            await anyio.sleep(0.02)
        place.is_ready = False
        await killed(place.process)
        self.deaths[place.run] = time.monotonic()
        place.process = None
        group.start_soon(self.keep, place, self._chance.uniform(0, GAP))

    async def _stop(self, place: Place, seconds: float) -> None:
        """Stop a process for a while; it may be killed meanwhile."""
        if (process := place.process) is None or process.returncode is not None or place.is_stopped:
            return
        run, since = place.run, time.monotonic()
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGSTOP)
            place.is_stopped = True
            await anyio.sleep(seconds)
            if process.returncode is None:
                process.send_signal(signal.SIGCONT)
        if place.run == run:
            place.is_stopped = False
        self.stops.append(Stop(since, time.monotonic(), run))

    async def _restart_postgres(self) -> None:
        since = time.monotonic()
        await self._postgres.stop()
        await anyio.sleep(self._chance.uniform(0, 1))
        await self._postgres.start()
        self.outages.append(Stop(since, time.monotonic()))


async def run(plan: Plan, folder: Path) -> Evidence:
    """Run a test in an empty folder, and give what is left of it."""
    began = time.monotonic()
    async with postgres_server() as postgres, redis_server(folder) as redis, open_store(postgres.address) as store:
        fleet = Fleet(plan, folder, postgres, redis)
        exits = await _ordered(plan, folder, fleet, store, postgres.address)
        fallen = {"deaths": fleet.deaths, "stops": fleet.stops, "outages": fleet.outages}
        return await collected(plan, folder, postgres.address, exits=exits, seconds=time.monotonic() - began, **fallen)


async def _ordered(plan: Plan, folder: Path, fleet: Fleet, store: TaskStore, address: str) -> dict[str, int]:
    """Let a client order and a person answer while the fleet falls over and gets up; give all exit codes."""
    addresses = ["--addresses", "address-0", "address-1"]
    async with (
        started(command("answerer", folder, address, plan.seed, plan.kills)) as answerer,
        started([*command("client", folder, plan.tasks, plan.kills), *addresses]) as client,
    ):
        await ready(answerer)
        async with anyio.create_task_group() as group:
            for place in fleet.places:
                group.start_soon(fleet.keep, place)
            await fleet.kill_all(group, [answerer, client])
            exits = {"client": await client.wait()}
            while exits["client"] == 0 and await unfinished(store):  # noqa: ASYNC110
                await anyio.sleep(0.1)
            exits |= await fleet.end()
            group.cancel_scope.cancel()
        return exits | {"answerer": await ended(answerer)}
