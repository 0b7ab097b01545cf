"""Run the tasks of a server in this process, beside others, without serving clients.

It takes tasks that are ready from Docket on Redis, and runs their tools in the server's lifespan. SIGTERM and SIGINT
end it: what runs is given back, and others take it at once; a second one ends it immediately.

Addresses may hold passwords, which others on this machine can see on a command line: ELICITKIT_STORE and
ELICITKIT_DOCKET in the environment do the same as --store and --docket.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any

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


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit worker`, and give its exit code.

    Raises:
        Failure: If the server cannot be loaded, has no tasks, or the store cannot be opened.
        MissingExtra: If Docket, or what the store needs, is not installed.
    """
    from .servers import server_at

    _log_to_standard_error(is_debugged=args.debug)
    server = server_at(args.server)
    engine = _engine(server, args)
    asyncio.run(_work(server, engine, _store(server, args.store)))
    say("elicitkit: the worker has ended")
    return Exit.FINE


async def _work(server: MCPServer[Any], engine: DocketEngine, store: TaskStore | None) -> None:
    from ..tasks.working import working

    is_to_end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _end, loop, is_to_end)
    async with AsyncExitStack() as stack:
        await _entered(stack, working(server, engine, store=store))
        takes = f"takes tasks from {engine.address}, {engine.concurrency} at once"
        say(f"elicitkit: a worker of {server.name!r} {takes}")
        await is_to_end.wait()
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


def _end(loop: asyncio.AbstractEventLoop, is_to_end: asyncio.Event) -> None:
    """End in good order; the next signal ends the process as if nobody had asked for the first."""
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)  # Python's own for SIGINT would wait for a tool that does not end.
    is_to_end.set()


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
    """The store that is given in place of the server's, which must be one that processes can share."""
    from ..tasks.stores.addresses import open_store
    from ..tasks.stores.memory import MemoryTaskStore
    from ..tasks.working import tasks_of

    try:
        store = None if address is None else open_store(address)
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error
    tasks = tasks_of(server)
    if isinstance(store or (tasks and tasks.store), MemoryTaskStore):
        raise Failure(Exit.USAGE, "a store in memory is that of one process: give --store one that all have")
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
