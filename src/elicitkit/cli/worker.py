"""Run the tasks of a server in this process, beside others, without serving clients.

It takes tasks that are ready from Docket on Redis, and runs their tools in the server's lifespan. SIGTERM and SIGINT
end it: what runs is stopped and given back, and others take it at once. A tool that has not ended after --grace seconds
is left behind: its task is given to others all the same, and the process ends. A second signal ends it immediately.

It makes no store: the server does, when it starts for the first time, or with a newer version.

Addresses may hold passwords, which others on this machine can see on a command line: ELICITKIT_STORE and
ELICITKIT_DOCKET in the environment do the same as --store and --docket.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any

from .ending import Ending
from .exits import Exit, Failure
from .output import say

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from ..tasks.engines.docket import DocketEngine
    from ..tasks.store import TaskStore

SUMMARY = "run the tasks of a server, without serving clients"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit worker` takes."""
    parser.add_argument("server", metavar="MODULE:SERVER", help="where the server is, as in shop:mcp or shop.main:mcp")
    parser.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("ELICITKIT_STORE"),
        help="where the tasks are; the store that the server was made with unless given",
    )
    parser.add_argument(
        "--docket",
        metavar="URL",
        default=os.environ.get("ELICITKIT_DOCKET"),
        help="where Redis is; that of the server's DocketEngine unless given",
    )
    parser.add_argument("--concurrency", metavar="N", type=int, help="how many calls work here at once")
    parser.add_argument(
        "--grace",
        metavar="SECONDS",
        type=float,
        help="how long tools have to end when the worker is to end; that of the server's Tasks unless given: 8",
    )


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit worker`, and give its exit code.

    Raises:
        Failure: If the server cannot be loaded, has no tasks, or the store cannot be opened.
        MissingExtra: If Docket, or what the store needs, is not installed.
    """
    from .servers import server_at

    _log_to_standard_error(is_debugged=args.debug)
    server = server_at(args.server)
    if args.grace is not None and not 0 < args.grace < float("inf"):
        raise Failure(Exit.USAGE, f"--grace is a positive number of seconds, not {args.grace:g}")
    if args.concurrency is not None and args.concurrency < 1:
        raise Failure(Exit.USAGE, f"--concurrency is a whole number from 1 on, not {args.concurrency}")
    engine = _engine(server, args)
    asyncio.run(_work(server, engine, _store(server, args.store), args.grace))
    say("elicitkit: the worker has ended")
    return Exit.FINE


async def _work(server: MCPServer[Any], engine: DocketEngine, store: TaskStore | None, grace: float | None) -> None:
    from ..tasks.working import tasks_of, working

    tasks = tasks_of(server)
    own_grace = 0.0 if tasks is None else tasks.grace
    async with AsyncExitStack() as stack:
        ending = stack.enter_context(Ending(grace or own_grace, lambda: () if tasks is None else tasks.left_behind))
        await _entered(stack, working(server, engine, store=store, grace=grace))
        takes = f"takes tasks from {engine.address}, {engine.concurrency} at once"
        where = "" if tasks is None else f"; they are kept in {tasks.store.place}"
        say(f"elicitkit: a worker of {server.name!r} {takes}{where}")
        await ending.asked()
        say("elicitkit: the worker gives back what runs")


async def _entered(stack: AsyncExitStack, worker: AbstractAsyncContextManager[object]) -> None:
    from ..errors import AdapterMissing, StoreError
    from ..host.troubles import leaves

    try:
        await stack.enter_async_context(worker)
    except StoreError as error:
        raise Failure(Exit.UNREACHABLE, str(error)) from error
    except AdapterMissing as error:
        raise Failure(Exit.USAGE, str(error)) from error
    except Exception as error:
        first = next(leaves(error))
        told = f"{type(first).__name__}: {first}"
        raise Failure(Exit.USAGE, f"the server cannot be started: {told} (--debug shows where)") from error


def _engine(server: MCPServer[Any], args: argparse.Namespace) -> DocketEngine:
    """The engine of this process: as the server's own, where that is on Docket."""
    from ..tasks.engines.docket import NAME, DocketEngine
    from ..tasks.working import tasks_of

    tasks = tasks_of(server)
    own = tasks.engine if tasks is not None and isinstance(tasks.engine, DocketEngine) else None
    url = args.docket or (own and own.url)
    if not url:
        raise Failure(Exit.USAGE, "where is Redis? Say it with --docket, or give the server's Tasks a DocketEngine")
    more = {} if args.concurrency is None else {"concurrency": args.concurrency}
    try:
        return own.as_worker(url=url, **more) if own is not None else DocketEngine(url, name=NAME, **more)
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error


def _store(server: MCPServer[Any], address: str | None) -> TaskStore | None:
    """The store that is given in place of the server's. Either must be there, and one that processes can share.

    A worker makes no tasks: one that would make a store looks at the wrong place, and would wait there for ever.
    """
    from ..tasks.stores.addresses import open_store
    from ..tasks.stores.memory import MemoryTaskStore
    from ..tasks.working import tasks_of

    try:
        store = None if address is None else open_store(address)
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error
    tasks = tasks_of(server)
    used = store or (None if tasks is None else tasks.store)
    if isinstance(used, MemoryTaskStore):
        raise Failure(Exit.USAGE, "a store in memory is that of one process: give --store one that all have")
    if used is not None:
        used.must_exist = True
    return store


def _log_to_standard_error(*, is_debugged: bool) -> None:
    """Log as a service does, unless the server's module sets up its own: warnings, and what elicitkit has to tell.

    Docket's lines have whole ids of tasks, which are as good as a key where nobody is authenticated.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("elicitkit").setLevel(logging.DEBUG if is_debugged else logging.INFO)
    logging.getLogger("docket").setLevel(logging.INFO if is_debugged else logging.WARNING)
