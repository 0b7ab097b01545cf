"""A server that may be killed at any moment: `python -m tests.crash.server FOLDER RUN`.

Its tasks are in `tasks.db` in that folder, or at `--store`; what its tools do is in `effects`, and its address in
`address`. With `--docket` it is one of a fleet: with `--leaves-tools` others run its tools, and with `--serves-nobody`
it is a worker. It ends when its input does, so that it never outlives who started it.
"""

import argparse
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from elicitkit import DocketEngine, Tasks, open_store
from elicitkit.limits import LOST_RUNS
from elicitkit.tasks.engine import Engine
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.working import tasks_of, working
from tests.crash.lines import Lines
from tests.crash.tools import VERSIONS
from tests.host.serving import served
from tests.tasks.desk import server


class Troubles(logging.Handler):
    """Writes down every error that something logs."""

    def __init__(self, log: Lines, run: int) -> None:
        super().__init__(logging.ERROR)
        self._log = log
        self._run = run

    def emit(self, record: logging.LogRecord) -> None:
        cause = record.exc_info[1] if record.exc_info else None
        self._log.add("trouble", run=self._run, text=record.getMessage(), cause=_told(cause))


def _told(error: BaseException | None) -> str:
    """An error, and what it came from."""
    causes = []
    while error is not None:
        causes.append(repr(error))
        error = error.__cause__ or error.__context__
    return " from ".join(causes)


def made(given: Any, log: Lines) -> Any:
    """The server, with the tools of its version."""
    store = open_store(given.store or given.folder / "tasks.db")
    tasks = Tasks(
        store,
        engine=engine_of(given),
        lease=given.lease,
        max_live=given.max_live,
        lost_runs=given.lost_runs,
        poll_interval=0.3,
    )
    mcp = server(tasks)
    for tool in VERSIONS[given.tools](log, given.run):
        mcp.tool()(tasks.task()(tool))
    return mcp


def engine_of(given: Any) -> Engine:
    if given.docket is None:
        return LocalEngine(look=given.look)
    return DocketEngine(given.docket, runs_here=not given.leaves_tools, concurrency=8, look=given.look)


def publish(path: Path, address: str) -> None:
    """Write a file that is never seen half-written."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(address, encoding="ascii")
    fresh.replace(path)


@asynccontextmanager
async def worker(mcp: Any) -> AsyncIterator[None]:
    tasks = tasks_of(mcp)
    assert tasks
    async with working(mcp, tasks.engine):
        yield


async def serve(given: Any) -> None:
    log = Lines(given.folder / "effects")
    logging.getLogger().addHandler(Troubles(log, given.run))
    mcp = made(given, log)
    async with worker(mcp) if given.serves_nobody else served(mcp.streamable_http_app()) as address:
        if address is not None:
            publish(given.folder / given.address, f"{address}/mcp")
        log.add("ready", run=given.run)
        print("ready", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("run", type=int)
    parser.add_argument("--address", default="address", help="the file for the address")
    parser.add_argument("--store")
    parser.add_argument("--docket")
    parser.add_argument("--leaves-tools", action="store_true")
    parser.add_argument("--serves-nobody", action="store_true")
    parser.add_argument("--tools", choices=VERSIONS, default="orders")
    parser.add_argument("--lease", type=float, default=1.0)
    parser.add_argument("--look", type=float, default=0.1)
    parser.add_argument("--max-live", type=int, default=1_000)
    parser.add_argument("--lost-runs", type=int, default=LOST_RUNS)
    anyio.run(serve, parser.parse_args())


if __name__ == "__main__":
    main()
