"""Servers in a process of their own: `python -m tests.roads.apart FRAMEWORK TOOLS EFFECTS [KEYS]`.

It serves each way of HTTP at a free port of this machine, and tells the addresses in a line of JSON. With `--stdio`
it serves that instead. It ends when its input does, so that it never outlives who started it.
"""

import argparse
import json
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.host import serving
from tests.roads.frameworks import FRAMEWORKS, HTTP, http_app
from tests.roads.load_tools import LoadTools
from tests.roads.ten_tools import TenTools

ROOT = Path(__file__).parents[2]
TOOLS = {"ten": TenTools, "load": LoadTools}
START_SECONDS, END_SECONDS = 30, 10


def command(framework: str, tools: str, effects: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "tests.roads.apart", framework, tools, str(effects), *more]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@asynccontextmanager
async def running(*commands: list[str]) -> AsyncIterator[list[dict[str, str]]]:
    """Each command in a process; the addresses of each, by the way they are served."""
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(_process(one)) for one in commands]
        with anyio.fail_after(START_SECONDS):
            addresses = [await _told(process) for process in processes]
        stack.push_async_callback(_ask_to_end, processes)
        yield addresses


@asynccontextmanager
async def _process(arguments: list[str]) -> AsyncIterator[Process]:
    process = await anyio.open_process(arguments, stderr=None, cwd=ROOT, env=environment())
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            await _ask_to_end([process])
            with anyio.move_on_after(END_SECONDS):
                await process.wait()
            if process.returncode is None:
                process.kill()
            await process.aclose()


async def _told(process: Process) -> dict[str, str]:
    assert process.stdout
    return json.loads(await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 10_000))


async def _ask_to_end(processes: list[Process]) -> None:
    for process in processes:
        assert process.stdin
        await process.stdin.aclose()


async def _serve_http(framework: str, bodies: Any, keys: str | None) -> None:
    async with AsyncExitStack() as stack:
        addresses = {}
        for way in HTTP:
            app = http_app(FRAMEWORKS[framework](bodies, keys), way)
            addresses[way] = f"{await stack.enter_async_context(serving.served(app))}/mcp"
        print(json.dumps(addresses), flush=True)
        await anyio.to_thread.run_sync(sys.stdin.read)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("framework", choices=FRAMEWORKS)
    parser.add_argument("tools", choices=TOOLS)
    parser.add_argument("effects", type=Path)
    parser.add_argument("keys", nargs="?")
    parser.add_argument("--stdio", action="store_true")
    given = parser.parse_args()
    logging.disable(logging.ERROR)  # Tools that cannot ask fail by the dozen; to draw a traceback takes half a second.
    bodies = TOOLS[given.tools](given.effects).bodies
    if given.stdio:
        anyio.run(FRAMEWORKS[given.framework](bodies, given.keys).run_stdio_async)
    else:
        anyio.run(_serve_http, given.framework, bodies, given.keys)


if __name__ == "__main__":
    main()
