"""Tasks that ask: ours, in memory and on SQLite, beside FastMCP's in memory, one machine, one run, taken in turns.

FastMCP's run in an environment of their own, which `make test` makes; without it there is nothing to compare with. They
are driven twice: by FastMCP's own client, as its users would and as the aims were set; and by the SDK's, as ours are,
which tells the servers apart from the clients. An answer on SQLite is on the disk before the tool goes on: what that
alone takes, a bare commit in the same folder, is measured beside it. It takes about a minute. Run it with `make bench`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from _fastmcp_tasks import KEPT, MESSAGE, SIDE_BY_SIDE, TRACED, Bench, Events, KnowsTasks, nobody, serve
from _measure import Row, is_quick, note, note_rows, versions
from mcp import Client, ClientSession
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, MemoryTaskStore, SqliteTaskStore, Tasks, TaskStore, elicit

HERE = Path(__file__).parent
PEER = HERE.parent / ".peers" / "fastmcp"
ROUNDS = 12
LOG_PAGES = 1_000
"""After how many pages SQLite begins its log anew."""

BUDGET = 55.0
"""After how many seconds no other round is begun."""

OWN, SDK = "fastmcp, its own client", "fastmcp, the SDK's client"
MEMORY, SQLITE = "elicitkit, in memory", "elicitkit, SQLite"
PLAIN = "a plain call"
MILLISECONDS: Any = ("ms", 1e3)
LIVE_AIMS = {MEMORY: 0.25, SQLITE: 0.5}
PARKING: Any = (*MILLISECONDS, {MEMORY: 1 / 8})
COMMIT = "one bare commit there"
FORM = (
    FormElicitation.create(MESSAGE)
    .string("full_name")
    .title("Full name")
    .required()
    .email("email")
    .title("Email")
    .optional()
    .build()
)


# --- ours -------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def our_bench(
    store: TaskStore, commit: Callable[[], float] | None = None, **options: Any
) -> AsyncIterator[Bench]:
    events, park = Events(), store.park

    async def parking(*given: Any, **named: Any) -> Any:
        record = await park(*given, **named)
        events.parked()
        return record

    store.park = parking  # type: ignore[method-assign]
    tasks = Tasks(store, **options)
    mcp = MCPServer[Any]("ours", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool(structured_output=False)
    @tasks.task()
    async def ask(cart: str, ctx: Context) -> str:
        outcome = await elicit(ctx, FORM)
        events.goes_on()
        return str(outcome.content["fullName"]) if outcome else outcome.reason

    async with Client(mcp, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
        session = client.session
        yield Bench(session, events) if commit is None else BesideCommits(session, events, commit)


async def plain_calls() -> list[float]:
    """What the SDK takes for a call that asks nothing."""
    mcp = MCPServer[Any]("plain")

    @mcp.tool(structured_output=False)
    async def plain(cart: str) -> str:
        return "Ada Lovelace"

    spent = []
    async with Client(mcp) as client:
        for _ in range(300):
            start = time.perf_counter()
            await client.session.call_tool("plain", {"cart": "42"})
            spent.append(time.perf_counter() - start)
    return spent


@contextmanager
def bare_commits(folder: Path) -> Iterator[Callable[[], float]]:
    """What the disk alone takes for an answer: one row is written as durably as ours are, with nothing around it.

    The log that it is written to has been filled before, as that of a file in use has: a file that grows costs more.
    """
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:

        def commit() -> float:
            start = time.perf_counter()
            connection.execute("UPDATE bare SET value = value + 1")
            return time.perf_counter() - start

        connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE bare (value); INSERT INTO bare VALUES (0)")
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(2 * LOG_PAGES):
            commit()
        connection.execute("PRAGMA synchronous = FULL")
        yield commit


class BesideCommits(Bench):
    """Measures a bare commit after each answer: how busy the disk is changes from moment to moment."""

    def __init__(self, session: ClientSession, events: Events, commit: Callable[[], float]) -> None:
        super().__init__(session, events)
        self._commit = commit
        self._commits: list[float] = []

    async def round(self) -> dict[str, Any]:
        self._commits.clear()
        found = await super().round()
        return found | {COMMIT: [*self._commits]}

    async def _answered(self) -> tuple[float, float]:
        spent = await super()._answered()
        self._commits.append(self._commit())
        return spent


# --- theirs -----------------------------------------------------------------------------------------------------------


class Peer:
    """A process that measures what it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, what: str, patience: float = 60) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        too_late = threading.Timer(patience, self._process.kill)
        too_late.start()
        try:
            self._process.stdin.write(f"{what}\n")
            self._process.stdin.flush()
            found = self._process.stdout.readline()
        finally:
            too_late.cancel()
        if not found:
            raise SystemExit(f"a process that measures ended, or took longer than {patience:g} seconds")
        return json.loads(found)


@contextmanager
def peer(*command: str) -> Iterator[Peer]:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            yield Peer(process)
        finally:
            process.kill()


def fastmcp(client: str) -> list[str]:
    return [str(PEER / "bin" / "python"), str(HERE / "_fastmcp_tasks.py"), client]


# --- together ---------------------------------------------------------------------------------------------------------


async def rounds() -> dict[str, dict[str, list[float]]]:
    """What each found, by what was measured, in seconds. They take turns, so that a slow moment falls on all."""
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as processes:
        peers = {name: processes.enter_context(peer(*fastmcp(how))) for name, how in ((OWN, "own"), (SDK, "sdk"))}
        async with AsyncExitStack() as stack:
            commit = stack.enter_context(bare_commits(Path(folder)))
            made = {
                MEMORY: our_bench(MemoryTaskStore()),
                SQLITE: our_bench(SqliteTaskStore(Path(folder) / "tasks.db"), commit),
            }
            ours = {name: await stack.enter_async_context(bench) for name, bench in made.items()}
            until = time.monotonic() + (BUDGET / 5 if is_quick() else BUDGET)
            for number in range(ROUNDS + 1):
                once = {name: one.ask("round") for name, one in peers.items()}
                once |= {name: await bench.round() for name, bench in ours.items()}
                once[COMMIT] = {"goes on": once[SQLITE].pop(COMMIT)}
                for name, measured in once.items() if number else ():  # The first warms up.
                    for what, spent in measured.items():
                        found.setdefault(what, {}).setdefault(name, []).extend(spent)
                if number and time.monotonic() > until:
                    print(f"(only {number} rounds: this machine is slow)")
                    break
    return found


def memory() -> dict[str, dict[str, list[float]]]:
    """What a parked task takes, in bytes; each in a process of its own."""
    found: dict[str, dict[str, list[float]]] = {}
    commands = {OWN: fastmcp("own"), SDK: fastmcp("sdk"), MEMORY: [sys.executable, __file__, "--serve"]}
    for what in ("resident", "traced"):
        for name, command in commands.items():
            with peer(*command) as process:
                found.setdefault(what, {})[name] = [process.ask(what)[what]]
    return found


def table(
    title: str, found: Mapping[str, Sequence[float]], unit: str, scale: float, aims: Mapping[str, float] | None = None
) -> None:
    """Print each median and 95th percentile, and the ratio of the median to both of FastMCP's."""
    print(f"\n{title}\n  {'':<26}  {'median':>9}  {'p95':>9}         {OWN:>26}   {SDK:>26}")
    medians = {name: statistics.median(spent) for name, spent in found.items()}
    for name, spent in found.items():
        p95 = sorted(spent)[int(0.95 * (len(spent) - 1))]
        aim = (aims or {}).get(name)
        ratios = "   ".join(_ratio(medians[name] / medians[beside], aim) for beside in (OWN, SDK))
        told = "" if aim is None else f"   aim: at most {aim:g}"
        print(f"  {name:<26}  {medians[name] * scale:9.2f}  {p95 * scale:9.2f} {unit:<5}  {ratios}{told}")


def rows(
    what: str, found: Mapping[str, Sequence[float]], unit: str, scale: float, aims: Mapping[str, float]
) -> Iterator[Row]:
    """Ours beside FastMCP's own client, with what is aimed at, and beside its server alone."""
    for ours in (MEMORY, SQLITE):
        for beside in (OWN, SDK) if ours in found else ():
            told, aim = f"{what}, {ours.partition(', ')[2]}", aims.get(ours) if beside == OWN else None
            yield Row.of(told, found[ours], found[beside], unit=unit, scale=scale, beside=beside, aim=aim)


def tell_without_commit(found: Mapping[str, Sequence[float]]) -> None:
    """Print how much of an answer on SQLite is the disk's, and what is left for us."""
    own, whole, commit = (statistics.median(found[name]) for name in (OWN, SQLITE, COMMIT))
    told = f"{commit / whole:.0%} of it is a bare commit there, the rest {(whole - commit) / own:.3f} of {OWN}"
    print(f"  On SQLite {told}, which writes to no disk")


def _ratio(ratio: float, aim: float | None) -> str:
    judged = "" if aim is None else "met" if ratio <= aim else "MISSED"
    return f"{ratio:19.3f} {judged:<6}"


async def main() -> None:
    logging.disable(logging.INFO)
    if not (PEER / "installed").exists():
        print("SKIPPED, missing here: fastmcp-tasks 4.1 in .peers/fastmcp, which `make test` makes")
        return
    if "--serve" in sys.argv:
        async with our_bench(MemoryTaskStore()) as bench:
            return await serve(bench)
    print(versions("mcp", "pydantic"), "beside fastmcp-tasks 4.1.4")
    note({"fastmcp-tasks": "4.1.4"})
    found = await rounds()
    table("An answer is sent, until the tool goes on", found["goes on"], *MILLISECONDS, LIVE_AIMS)
    tell_without_commit(found["goes on"])
    table("... until the client sees the result", found["completed"], *MILLISECONDS)
    table("tasks/get", found["get"], *MILLISECONDS, {MEMORY: 1 / 4})
    title = f"A call, until its question is stored: {SIDE_BY_SIDE} side by side, the time of all by their number"
    table(title, found["park"], *PARKING)
    alone = found["park one by one"] | {PLAIN: await plain_calls()}
    table("... one after the other; and what the SDK alone takes for a call", alone, *PARKING)
    kept = memory()
    table(f"A parked task, by the size of the process with {KEPT}", kept["resident"], "KiB", 1 / 1024, {MEMORY: 1})
    table(f"... by what Python allocated for {TRACED}: not what FastMCP keeps in Rust", kept["traced"], "KiB", 1 / 1024)
    note_rows(rows("an answer to a task, until its tool goes on", found["goes on"], *MILLISECONDS, LIVE_AIMS))
    note_rows(rows("... until the client has the result", found["completed"], *MILLISECONDS, {}))
    note_rows(rows("`tasks/get`", found["get"], *MILLISECONDS, {MEMORY: 1 / 4}))
    note_rows(rows(f"a call, until its question is stored, of {SIDE_BY_SIDE} at once", found["park"], *PARKING))
    note_rows(rows("... one after the other", alone, *PARKING))
    note_rows(rows("memory of a parked task, by the process", kept["resident"], "KiB", 1 / 1024, {MEMORY: 1}))


if __name__ == "__main__":
    asyncio.run(main())
