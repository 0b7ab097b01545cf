"""A fleet with workers on Docket: ours on PostgreSQL and Redis beside FastMCP's on Redis, one machine, taken in turns.

From an answer at one server to the tool that goes on in another process, and how many tasks a second are completed
whose answers come at once, with 1, 2 and 4 workers. Ours keep what waits for people in memory; `put down` is what the
same takes when they do not, and the tool is run from the top as FastMCP's always is. PostgreSQL and Redis are started
for it; neither waits for its disk. It takes a minute or two.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import psycopg
from _measure import Growth, Row, is_quick, note
from tasks import PEER, Peer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from tests.services.postgres_server import PostgresServer, needs_postgres, postgres_server  # noqa: E402
from tests.services.redis_server import RedisServer, needs_redis, redis_server  # noqa: E402

WORKERS = (1, 2, 4)
ROUNDS = 2
OURS, PUT_DOWN, THEIRS = "elicitkit", "elicitkit, put down", "fastmcp-tasks"
AIM = 0.5


@contextmanager
def worker(command: Sequence[str], settings: dict[str, str]) -> Iterator[None]:
    """A process that takes tasks; it has said so."""
    where: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "cwd": HERE, "env": settings, "text": True}
    with subprocess.Popen(command, **where) as process:
        try:
            assert process.stdout
            while "takes tasks" not in (said := process.stdout.readline()) and said.strip() != "ready":
                if not said:
                    raise SystemExit("a worker ended before it took anything")
            yield
        finally:
            process.kill()


@contextmanager
def measuring(command: Sequence[str], settings: dict[str, str]) -> Iterator[Peer]:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=HERE, env=settings, **pipes) as process:
        try:
            yield Peer(process)
        finally:
            process.kill()


class Side:
    """One of the fleets: a server that measures, and workers."""

    def __init__(self, stack: ExitStack, settings: dict[str, str], serve: list[str], work: list[str]) -> None:
        self._stack = stack
        self._settings = {**os.environ, **settings}
        self._work = work
        self._peer = stack.enter_context(measuring(serve, self._settings))

    def add_worker(self) -> None:
        self._stack.enter_context(worker(self._work, self._settings))

    def ask(self, what: str) -> dict[str, list[float]]:
        found: dict[str, list[float]] = self._peer.ask(what, 120)
        return found


def sides(stack: ExitStack, folder: Path, postgres: PostgresServer, redis: RedisServer) -> dict[str, Side]:
    ours = [sys.executable, "_workers_server.py"]
    ours_works = [sys.executable, "-m", "elicitkit", "worker", "_workers_server:mcp"]
    theirs = [str(PEER / "bin" / "python"), "_fastmcp_workers.py"]
    made = {}
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        note({"PostgreSQL": str(connection.info.server_version // 10_000)})
        for number in (1, 2):
            connection.execute(f"CREATE DATABASE bench{number}")
    for number, (name, most) in enumerate({OURS: "1000", PUT_DOWN: "0", THEIRS: ""}.items(), 1):
        settings = {
            "BENCH_MARKS": str(folder / str(number)),
            "BENCH_REDIS": redis.url.replace("/0", f"/{number}"),
            "BENCH_STORE": postgres.address.removesuffix("/postgres") + (f"/bench{number}"),
            "BENCH_MAX_LIVE": most,
        }
        commands = ([*theirs, "serve"], [*theirs, "work"]) if name == THEIRS else (ours, ours_works)
        made[name] = Side(stack, settings, *commands)
    return made


def row(workers: int, found: dict[str, dict[str, list[float]]]) -> Row:
    what = f"an answer to a task, until a worker's tool goes on, PostgreSQL and Docket, {workers} of them"
    ours, theirs = (found[name]["goes on"] for name in (OURS, THEIRS))
    return Row.of(what, ours, theirs, unit="ms", scale=1e3, beside="fastmcp on Redis", aim=AIM)


def table(workers: int, found: dict[str, dict[str, list[float]]]) -> None:
    print(f"\n{workers} worker{'s' if workers > 1 else ''}")
    print(f"  {'':<22}{'goes on, ms':>12}{'p95':>8}{'completed, ms':>15}{'a second':>10}   goes on, beside FastMCP's")
    beside = statistics.median(found[THEIRS]["goes on"])
    for name, measured in found.items():
        goes_on = measured["goes on"]
        middle, p95 = statistics.median(goes_on), sorted(goes_on)[int(0.95 * (len(goes_on) - 1))]
        completed, rate = statistics.median(measured["completed"]), max(measured["a second"])
        judged = "" if name != OURS else f"   aim: at most {AIM:g}, {'met' if middle <= AIM * beside else 'MISSED'}"
        print(
            f"  {name:<22}{middle * 1e3:12.1f}{p95 * 1e3:8.1f}{completed * 1e3:15.1f}{rate:10.1f}"
            f"   {middle / beside:.2f}{judged}"
        )


def measured(fleets: dict[str, Side]) -> dict[str, dict[str, list[float]]]:
    """What each found; they take turns, and the first time warms up."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in fleets}
    for number in range(ROUNDS + 1):
        for name, side in fleets.items():
            once = side.ask("round") | side.ask("burst")
            for what, numbers in once.items() if number else ():
                found[name].setdefault(what, []).extend(numbers)
    return found


async def main() -> None:
    missing = [mark.kwargs["reason"] for mark in (needs_postgres, needs_redis) if mark.args[0]]
    if not (PEER / "installed").exists():
        missing.append("missing here: fastmcp-tasks 4.1 in .peers/fastmcp, which `make test` makes")
    if missing:
        print(f"SKIPPED, {'; '.join(missing)}")
        return
    folder = Path(tempfile.mkdtemp())
    async with postgres_server() as postgres, redis_server(folder) as redis:
        with ExitStack() as stack:
            fleets = sides(stack, folder, postgres, redis)
            now = 0
            completed: dict[str, list[tuple[int, float]]] = {name: [] for name in fleets}
            for workers in WORKERS[: 1 if is_quick() else None]:
                for side in fleets.values():
                    for _ in range(now, workers):
                        side.add_worker()
                now = workers
                found = measured(fleets)
                table(workers, found)
                note(row(workers, found))
                for name, rates in completed.items():
                    rates.append((workers, max(found[name]["a second"])))
            for name, rates in completed.items():
                note(Growth(f"tasks completed by workers, {name}", "workers", "a second", rates))
    shutil.rmtree(folder)


if __name__ == "__main__":
    anyio.run(main)
