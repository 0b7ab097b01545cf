"""One of several servers on one database: `python -m tests.fleet.server FOLDER RUN ADDRESS`.

What its tools do is in `effects` in that folder, and where it is in a file that is called like its number. It ends when
its input does, so that it never outlives who started it.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context

from elicitkit import Tasks, open_store
from elicitkit.tasks.engines.local import LocalEngine
from tests.crash.lines import Lines
from tests.crash.server import Troubles, publish
from tests.crash.tools import Orders
from tests.host.serving import served
from tests.tasks.desk import server


class Tools(Orders):
    async def patient(self, ctx: Context, token: str) -> str:
        """Ask, and write down that it was told to stop."""
        try:
            return await self.ask(ctx, token, "first")
        except asyncio.CancelledError:
            self.note("stopped", token)
            raise

    def __iter__(self) -> Iterator[Callable[..., Awaitable[str]]]:
        yield from super().__iter__()
        yield self.patient


async def serve(given: Any) -> None:
    log = Lines(given.folder / "effects")
    logging.getLogger().addHandler(Troubles(log, given.run))
    tasks = Tasks(open_store(given.store), engine=LocalEngine(look=given.look), lease=given.lease, poll_interval=0.3)
    mcp = server(tasks)
    for tool in Tools(log, given.run):
        mcp.tool()(tasks.task()(tool))
    async with served(mcp.streamable_http_app(stateless_http=True)) as address:
        publish(given.folder / str(given.run), f"{address}/mcp")
        print("ready", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("run", type=int)
    parser.add_argument("store")
    parser.add_argument("--lease", type=float, default=1.0)
    parser.add_argument("--look", type=float, default=0.1)
    anyio.run(serve, parser.parse_args())


if __name__ == "__main__":
    main()
