"""Many calls at once over HTTP: `python -m tests.roads.load --seconds 30 --calls 64`.

Each call carries a random token, is asked two questions, and a step stands between them; the person answers each after
a random delay with the token that the question showed. An answer that reached another call, a question that was shown
twice, a step that ran twice, a task or memory that stays: each is a fault, and the exit code is 1.
"""

import argparse
import random
import secrets
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp_types import ElicitResult

from elicitkit.testing import accept
from tests import eras
from tests.roads import apart
from tests.roads.connections import connected
from tests.roads.frameworks import FRAMEWORKS

REVISIONS = ("2025-11-25", "2026-07-28")
CLIENTS = 4
WARM_UP = 1 / 4
"""How much of the time is spent before the server's memory is looked at first."""

MAY_GROW = {"tasks": 0, "of ours": 20, "kilobytes": 4_000}
"""By how much the server may grow: no task; fewer objects of our classes than calls; what an allocator strays by."""

MAY_GROW_RESTED = MAY_GROW | {"objects": 1_000}
"""The same once it has rested, less than one object of any kind for each call of 30 seconds."""

REST = 6.0
"""How many seconds a server must rest: for five, uvicorn holds on to connections that broke off."""


class Person:
    """Answers the questions of many calls of one connection, each with the token that it shows."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.waiting: set[str] = set()
        """The tokens of the calls that are running."""
        self.shown: Counter[str] = Counter()
        self.strays: list[str] = []
        """Questions of calls that this connection did not make."""

    async def __call__(self, context: object, params: Any) -> ElicitResult:
        token = params.message.split()[1]
        self.shown[params.message] += 1
        if token not in self.waiting:
            self.strays.append(params.message)
        await anyio.sleep(random.random() * self.delay)
        return accept(token=token)


@dataclass
class Load:
    """What came of it."""

    delay: float
    rest: float = 0.0
    people: list[tuple[Client, Person]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """How long each call took."""
    mixed_up: list[str] = field(default_factory=list)
    """What calls gave that had not their own token in it."""
    conditions: list[dict[str, int]] = field(default_factory=list)
    """How the server was after warming up, and at the end."""

    @property
    def grown(self) -> dict[str, int]:
        """By how much the server grew since it was warm."""
        warm, end = self.conditions
        return {name: end[name] - warm[name] for name in warm}

    def faults(self) -> Iterator[str]:
        """What must not be."""
        shown = Counter[str]()
        for _, person in self.people:
            shown += person.shown
            yield from (f"a question of another connection: {message}" for message in person.strays)
        yield from (f"an answer of another call: {text}" for text in self.mixed_up)
        yield from (f"shown {times} times: {message}" for message, times in shown.items() if times != 1)
        if len(shown) != 2 * len(self.seconds):
            yield f"{len(shown)} questions for {len(self.seconds)} calls"
        if self.conditions[-1]["steps"] != len(self.seconds):
            yield f"{self.conditions[-1]['steps']} steps for {len(self.seconds)} calls"
        yield from self._leaks()

    def _leaks(self) -> Iterator[str]:
        limits = MAY_GROW_RESTED if self.rest >= REST else MAY_GROW
        for name, limit in limits.items():
            if self.grown[name] > limit:
                yield f"{self.grown[name]:,} more {name} than when warm"
        if troubles := self.conditions[-1]["troubles"]:
            yield f"{troubles} errors in the server that nobody looked at"

    def report(self) -> str:
        calls, (warm, end) = sorted(self.seconds), self.conditions
        middle, slow = statistics.median(calls), calls[int(len(calls) * 0.99)]
        lines = [f"{len(calls)} calls, median {middle * 1000:.0f} ms, 99 of 100 within {slow * 1000:.0f} ms"]
        lines += [f"{name}: {warm[name]:,} when warm, {end[name]:,} at the end" for name in warm]
        return "\n".join([*lines, *(f"FAULT: {fault}" for fault in self.faults()), ""])


async def run(address: str, *, seconds: float, calls: int, delay: float, rest: float = 0.0) -> Load:
    """Load the server at *address* with so many calls at once, for so long; it rests before it is looked at."""
    load = Load(delay, rest)
    async with connected(address, REVISIONS[-1], None) as watcher:
        await condition(watcher)
        for part in (WARM_UP, 1 - WARM_UP):
            await load_for(seconds * part, address, calls, load)
            await anyio.sleep(rest)
            load.conditions.append(await condition(watcher))
    return load


async def load_for(seconds: float, address: str, calls: int, load: Load) -> None:
    """Let so many callers share connections of each kind of era; nothing stays open behind it."""
    async with AsyncExitStack() as stack:
        for revision in islice(cycle(REVISIONS), CLIENTS):
            person = Person(load.delay)
            client = await stack.enter_async_context(connected(address, revision, person))
            load.people.append((client, person))
        end, here = anyio.current_time() + seconds, load.people[-CLIENTS:]
        async with anyio.create_task_group() as callers:
            for client, person in islice(cycle(here), calls):
                callers.start_soon(call_until, end, client, person, load)


async def call_until(end: float, client: Client, person: Person, load: Load) -> None:
    """Call one time after the other until the end."""
    while (start := anyio.current_time()) < end:
        token = secrets.token_hex(8)
        person.waiting.add(token)
        text = await eras.said(client, "echo", token=token)
        person.waiting.discard(token)
        load.seconds.append(anyio.current_time() - start)
        if text != f"{token} {token} {token}":
            load.mixed_up.append(text)


async def condition(watcher: Client) -> dict[str, int]:
    """How the server is once what was answered or closed has ended there: when nothing gets fewer any more."""
    found: list[dict[str, int]] = []
    while len(found) < 5 or any(
        found[-1][name] < min(one[name] for one in found[-5:-1]) for name in ("tasks", "objects")
    ):
        found.append((await watcher.call_tool("condition")).structured_content or {})
    return found[-1]


async def main(framework: str, seconds: float, calls: int, delay: float) -> int:
    with tempfile.TemporaryDirectory() as folder, anyio.fail_after(seconds + 120):
        async with apart.running(apart.command(framework, "load", Path(folder) / "effects")) as (addresses,):
            load = await run(addresses["http"], seconds=seconds, calls=calls, delay=delay, rest=REST)
    print(load.report(), end="")
    return 1 if any(load.faults()) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--framework", choices=FRAMEWORKS, default="mcpserver")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--calls", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.1, help="the longest a person takes for an answer, in seconds")
    given = parser.parse_args()
    sys.exit(anyio.run(main, given.framework, given.seconds, given.calls, given.delay))
