"""Processes of their own on one store, for the tests of every store that several may share; see `store_process`."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from elicitkit.tasks.record import History

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def store_process(what: str, address: str, options: Mapping[str, Any], *arguments: str) -> AsyncIterator[Process]:
    """A process that does *what* on a store. It is killed at the end of the block."""
    command = [sys.executable, "-m", "tests.tasks.store_process", what, address, json.dumps(options), *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=PIPE, stdout=PIPE)
    try:
        with anyio.fail_after(60):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def lines_of(process: Process) -> list[str]:
    assert process.stdout is not None
    return (await process.stdout.read()).decode().split()


async def answered_by_two(
    first: AbstractAsyncContextManager[Process], second: AbstractAsyncContextManager[Process]
) -> dict[str, list[str]]:
    """Let two processes answer at the same time, and give the keys of those whose answer won."""
    async with first as one, second as other:
        for process in (one, other):
            assert process.stdout is not None
            assert await process.stdout.readline() == b"ready\n"
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.write(b"go\n")
        return {"first": await lines_of(one), "second": await lines_of(other)}


def assert_first_answers_won(keys: Sequence[str], won: Mapping[str, Sequence[str]], history: History) -> None:
    assert sorted([*won["first"], *won["second"]]) == sorted(keys)
    assert history.record.status == "working"
    for asked in history.inputs:
        assert asked.reply is not None
        assert asked.reply.content is not None
        assert asked.key in won[asked.reply.content["size"]]
