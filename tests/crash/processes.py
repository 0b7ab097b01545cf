"""Processes that are started here and ended by their handle, each told things on its input."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from tests.roads.apart import ROOT, environment

START_SECONDS, END_SECONDS = 90, 30


def command(module: str, *arguments: Any) -> list[str]:
    return [sys.executable, "-m", f"tests.crash.{module}", *map(str, arguments)]


def server_command(folder: Path, run: int, **options: Any) -> list[str]:
    named = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    return command("server", folder, run, *named)


@asynccontextmanager
async def started(arguments: list[str]) -> AsyncIterator[Process]:
    """A process that is killed at the end of the block, if it has not ended."""
    process = await anyio.open_process(arguments, stdout=subprocess.PIPE, stderr=None, cwd=ROOT, env=environment())
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            await killed(process)
            await process.aclose()


@asynccontextmanager
async def serving(folder: Path, run: int, **options: Any) -> AsyncIterator[Process]:
    """A server that is ready; it is killed at the end of the block."""
    async with started(server_command(folder, run, **options)) as process:
        await ready(process)
        yield process


async def ready(process: Process) -> None:
    """Wait until a process says so."""
    assert process.stdout
    with anyio.fail_after(START_SECONDS):
        said = await BufferedByteReceiveStream(process.stdout).receive_until(b"\n", 1_000)
    assert said == b"ready", said


async def killed(process: Process) -> None:
    """Kill a process that may have ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def told(process: Process, line: object) -> None:
    """Tell a process something, which may have ended meanwhile."""
    assert process.stdin
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.send(f"{line}\n".encode())


async def ended(process: Process) -> int:
    """Ask a process to end, and give its exit code."""
    assert process.stdin
    await process.stdin.aclose()
    with anyio.fail_after(END_SECONDS):
        return await process.wait()
