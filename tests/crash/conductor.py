"""Runs one crash test: starts a server, kills it, starts the next one, while a client and a person go on."""

import random
import time
from pathlib import Path

import anyio
from anyio.abc import Process

from elicitkit import open_store
from tests.crash.evidence import Evidence, Plan, collected, unfinished
from tests.crash.processes import command, ended, killed, ready, server_command, started, told

YOUNG = 0.2
"""How many of the servers die while they start."""

LIFE = (0.05, 2.0)
"""How long a server lives once it serves, or while it starts, in seconds."""

ALONE = 0.3
"""After how many deaths the others go on at once, and not when the next server serves."""

GAP = 0.8
"""The longest for which nothing runs, in seconds."""


async def run(plan: Plan, folder: Path) -> Evidence:
    """Run a test in an empty folder, and give what is left of it."""
    began, file = time.monotonic(), str(folder / "tasks.db")
    async with (
        started(command("answerer", folder, file, plan.seed, plan.kills)) as answerer,
        started(command("client", folder, plan.tasks, plan.kills)) as client,
    ):
        await ready(answerer)
        deaths = await _kill(plan, folder, [answerer, client])
        async with started(_server(plan, folder, plan.kills)) as last, open_store(file) as store:
            await ready(last)
            await tell(plan.kills, [answerer, client])
            exits = {"client": await client.wait()}
            while exits["client"] == 0 and last.returncode is None and await unfinished(store):  # noqa: ASYNC110
                await anyio.sleep(0.1)
            exits |= {"server": await ended(last), "answerer": await ended(answerer)}
    return await collected(plan, folder, file, deaths=deaths, exits=exits, seconds=time.monotonic() - began)


def _server(plan: Plan, folder: Path, number: int) -> list[str]:
    """A server that has room for some of the tasks only, and puts the others down."""
    return server_command(folder, number, max_live=max(1, plan.tasks // 5))


async def _kill(plan: Plan, folder: Path, others: list[Process]) -> dict[int, float]:
    """Start and kill as many servers as planned; give when each was dead."""
    chance, deaths = random.Random(plan.seed), dict[int, float]()
    for number in range(plan.kills):
        is_young, is_alone = chance.random() < YOUNG, chance.random() < ALONE
        async with started(_server(plan, folder, number)) as server:
            if not is_young:
                await ready(server)
            await tell(number, others)
            await anyio.sleep(chance.uniform(*LIFE))
            await killed(server)
        deaths[number] = time.monotonic()
        if is_alone:
            await tell(number + 1, others)
        await anyio.sleep(chance.choice([0.0, chance.uniform(0, GAP)]))
    return deaths


async def tell(kills: int, others: list[Process]) -> None:
    """Tell other processes how many were killed so far."""
    for other in others:
        await told(other, kills)
