"""Tasks that outlive their process: how soon an answer is heard, what ten thousand parked tasks cost, and growth.

Each server is a process of its own on a file; what is compared is compared in one run, in turns. FastMCP's tasks, in
memory, stand beside ours where both can do the same; without `.peers/fastmcp`, which `make test` makes, they are left
out. It takes about two minutes; `--quick` parks a tenth. Run it with `make bench`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from _durable_server import ANSWER, PRINCIPAL
from _fastmcp_tasks import CancelTask, GetTask, KnowsTasks, Raw, TaskParams, UpdateParams, UpdateTask, nobody
from _measure import Growth, Row, note
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolRequest, CallToolRequestParams
from tasks import OWN, PEER, fastmcp, our_bench, peer

from elicitkit import MemoryTaskStore, SqliteTaskStore, TaskStore

HERE = Path(__file__).parent
AT_ONCE = 32
ANSWERED = "an answer to a task, until its tool goes on"
PRINCIPALS = 500
MEGABYTES, IDLE, LATER = 200, 0.02, 0.5
"""The aims: what a server with 10,000 parked may take, of a core when nothing happens, and longer to start."""
NOTICED = 0.05
"""Within how many seconds a change of another process is to be heard."""


def percentiles(spent: Sequence[float]) -> tuple[float, float]:
    return statistics.median(spent), sorted(spent)[int(0.95 * (len(spent) - 1))]


def told(name: str, spent: Sequence[float], beside: float | None = None, aim: float | None = None) -> None:
    """A line with the median and the 95th percentile, in milliseconds, and the same as a row."""
    median, p95 = percentiles(spent)
    ratio = "" if beside is None else f"   {median / beside:8.2f} of FastMCP"
    judged = "" if aim is None else f"   aim: {aim * 1e3:g} ms at p95, {'met' if p95 <= aim else 'MISSED'}"
    print(f"  {name:<44}  {median * 1e3:8.2f}  {p95 * 1e3:8.2f} ms{ratio}{judged}")
    if not name.startswith((OWN, "live")):  # Those that are live are rows of tasks.py.
        heard = name.startswith("...")
        what = "a change on SQLite, until another process hears of it" if heard else f"{ANSWERED}, {name}"
        theirs = [] if beside is None else [beside]
        peer, most = f"{OWN}, live" if theirs else "", None if aim is None else aim * 1e3
        note(Row.of(what, spent, theirs, unit="ms", scale=1e3, beside=peer, aim=most, judged="p95"))


def judged(name: str, found: float, aim: float, unit: str, subject: str) -> None:
    print(f"  {name:<44}  {found:8.2f} {unit:<4}  aim: at most {aim:g}, {'met' if found <= aim else 'MISSED'}")
    note(Row(what=f"{subject}: {name}", unit=unit, ours=found, aim=aim, judged="median"))


# --- processes --------------------------------------------------------------------------------------------------------


@contextmanager
def process(what: str, path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """One of the processes, and the line it prints when it is ready; it is killed at the end of the block."""
    command = [sys.executable, str(HERE / "_durable_server.py"), what, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            if not (line := started.stdout.readline().strip()):
                raise SystemExit(f"a process that should {what} did not start")
            yield started, line
        finally:
            started.kill()


def resident(pid: int) -> float:
    """The size of a process, in megabytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def spent_by(pid: int) -> float:
    """The processor time of a process so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- requests, of many principals -------------------------------------------------------------------------------------


class Caller:
    """Sends what the SDK's client would, in the name of any principal: a request of each kind is taken from it once."""

    def __init__(self, http: httpx2.AsyncClient, address: str) -> None:
        self._http = http
        self._address = address
        self._samples: dict[str, tuple[dict[str, str], dict[str, Any]]] = {}

    async def learn(self) -> None:
        """See what the client sends."""

        async def look(request: httpx2.Request) -> None:
            body = json.loads(request.content)
            self._samples[body["method"]] = (dict(request.headers), body)

        async with httpx2.AsyncClient(headers={PRINCIPAL: "nobody"}, event_hooks={"request": [look]}) as http:
            way: Any = streamable_http_client(self._address, http_client=http)
            async with Client(way, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
                params = CallToolRequestParams(name="ask", arguments={"cart": "42"})
                made = await client.session.send_request(CallToolRequest(params=params), Raw)
                task_id = (made.model_extra or {})["taskId"]
                for request in (
                    GetTask(params=TaskParams(task_id=task_id)),
                    UpdateTask(params=UpdateParams(task_id=task_id, input_responses={})),
                    CancelTask(params=TaskParams(task_id=task_id)),
                ):
                    await client.session.send_request(request, Raw)

    async def send(self, method: str, principal: str, *, of: str | None = None, **params: Any) -> dict[str, Any]:
        headers, body = self._samples[method]
        mine = {key: one for key, one in headers.items() if key not in ("content-length", "host")}
        content = json.dumps({**body, "params": {**body["params"], **params}})
        named = {} if of is None else {"mcp-name": of}
        answer = await self._http.post(self._address, headers={**mine, **named, PRINCIPAL: principal}, content=content)
        found: dict[str, Any] = answer.json()
        if "result" not in found:
            raise SystemExit(f"{method} came to {found}")
        return dict(found["result"])

    async def park(self, principal: str) -> tuple[str, str]:
        return (await self.send("tools/call", principal))["taskId"], principal

    async def get(self, task_id: str, principal: str) -> dict[str, Any]:
        return await self.send("tasks/get", principal, of=task_id, taskId=task_id)

    async def key(self, task_id: str, principal: str) -> str:
        while not (asked := (await self.get(task_id, principal)).get("inputRequests")):  # noqa: ASYNC110  # over HTTP
            await asyncio.sleep(0.002)
        return str(next(iter(asked)))

    async def answer(self, task_id: str, principal: str) -> float:
        """Answer a task's question, and give how long it took until its tool went on."""
        key = await self.key(task_id, principal)
        began = time.monotonic()
        await self.send("tasks/update", principal, of=task_id, taskId=task_id, inputResponses={key: ANSWER})
        while (task := await self.get(task_id, principal))["status"] != "completed":  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.002)
        return float(task["result"]["content"][0]["text"]) - began

    async def counted(self) -> dict[str, int]:
        answer = await self.send("tools/call", "nobody", of="counted", name="counted", arguments={})
        return dict(json.loads(answer["content"][0]["text"]))


@asynccontextmanager
async def calling(address: str) -> AsyncIterator[Caller]:
    async with httpx2.AsyncClient(timeout=60) as http:
        caller = Caller(http, address)
        await caller.learn()
        yield caller


async def all_of(works: Iterable[Callable[[], Awaitable[Any]]], at_once: int = AT_ONCE) -> list[Any]:
    """What works give that so many do side by side."""
    left, given = iter(works), []

    async def one_by_one() -> None:
        for work in left:
            given.append(await work())

    await asyncio.gather(*(one_by_one() for _ in range(at_once)))
    return given


# --- an answer, until the tool goes on --------------------------------------------------------------------------------


async def answers(folder: Path, times: int) -> None:
    print("\nAn answer is sent, until the tool goes on: median and 95th percentile")
    beside = None
    if (PEER / "installed").exists():
        with peer(*fastmcp("own")) as theirs:
            spent = [one for _ in range(times // 8 + 1) for one in theirs.ask("round")["goes on"]]
        beside = statistics.median(spent)
        told(f"{OWN}, in memory", spent, beside)
    for name, store in {"in memory": MemoryTaskStore(), "SQLite": SqliteTaskStore(folder / "live.db")}.items():
        async with our_bench(store) as bench:
            told(f"live in its process, {name}", [await one_answer(bench) for _ in range(times)], beside)
        async with our_bench(store, max_live=1) as bench:
            told(f"after it was put down, {name}", await put_down_answers(bench, store, times), beside)
    await from_elsewhere(folder / "elsewhere.db", times, beside)


async def one_answer(bench: Any) -> float:
    goes_on, _ = await bench._answered()
    return float(goes_on)


async def put_down_answers(bench: Any, store: TaskStore, times: int) -> list[float]:
    """Answers to tasks that have no worker any more: all but the last of those that wait."""
    ids = await bench._park(times + 1)
    spent = []
    for task_id in ids[:-1]:
        while (record := (await store.history(task_id)).record).worker is not None:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.001)
        bench._events.went_on = asyncio.get_running_loop().create_future()
        (key,) = record.inputs
        request = UpdateTask(params=UpdateParams(task_id=task_id, input_responses={key: ANSWER}))
        began = time.perf_counter()
        await bench._send(request, Raw)
        spent.append(await bench._events.went_on - began)
    return spent


async def from_elsewhere(path: Path, times: int, beside: float | None) -> None:
    """Answers that another process writes into the file: when the tool goes on, and when the change is heard."""
    store, heard, went_on = SqliteTaskStore(path), list[float](), list[float]()
    async with our_bench(store) as bench:
        with process("answer", path) as (other, _):
            for _ in range(times):
                began, noticed, gone_on = await one_from_elsewhere(bench, store, other)
                heard.append(noticed - began)
                went_on.append(gone_on - began)
    told("from another process, SQLite", went_on, beside)
    told("... of that, until the change is heard", heard, aim=NOTICED)


async def one_from_elsewhere(bench: Any, store: SqliteTaskStore, other: Any) -> tuple[float, float, float]:
    (task_id,) = await bench._park(1)
    (key,) = (await store.history(task_id)).record.inputs
    bench._events.went_on = asyncio.get_running_loop().create_future()
    noticed: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    unsubscribe = store.subscribe(lambda _: noticed.done() or noticed.set_result(time.monotonic()))
    other.stdin.write(f"{task_id} {key}\n")
    other.stdin.flush()
    gone_on = await bench._events.went_on
    found = await noticed, gone_on
    unsubscribe()
    return float(await asyncio.to_thread(other.stdout.readline)), *found


# --- many parked ------------------------------------------------------------------------------------------------------


async def many(folder: Path, count: int, seconds: float) -> None:
    path, subject = folder / "many.db", f"{count:,} parked tasks, SQLite"
    print(f"\n{count:,} tasks of {PRINCIPALS} principals, parked through a server in a process of its own")
    with process("serve", path) as (server, address):
        base = resident(server.pid)
        async with calling(address) as caller:
            began = time.monotonic()
            parked = await all_of((lambda n=n: caller.park(f"p{n % PRINCIPALS}")) for n in range(count))
            await all_of((lambda one=one: caller.key(*one)) for one in parked[-2 * AT_ONCE :])
            print(f"  {'parked, over HTTP':<44}  {count / (time.monotonic() - began):8,.0f} a second")
            live = (await caller.counted())["live"]
        judged("the process, in all", resident(server.pid), MEGABYTES, "MB", subject)
        print(f"  {'... of that, before anything was parked':<44}  {base:8.2f} MB")
        print(f"  {'calls in its memory':<44}  {live:8,}")
        before = spent_by(server.pid)
        await asyncio.sleep(seconds)
        judged(f"idle for {seconds:g} s", 100 * (spent_by(server.pid) - before) / seconds, 100 * IDLE, "%", subject)
    started(path, folder / "empty.db", "as many parked, after a kill", LATER, subject)
    await answered_after_a_kill(path, parked, subject)


def started(path: Path, empty: Path, name: str, aim: float, subject: str, times: int = 7) -> None:
    """How much later a server is ready than one on another file: the quickest start of each; they take turns.

    On a busy machine the processor time says more.
    """
    spent: dict[Path, list[tuple[float, float]]] = {empty: [], path: []}
    for _ in range(times):
        for one, kept in spent.items():
            began = time.monotonic()
            with process("serve", one) as (server, _):
                kept.append((time.monotonic() - began, spent_by(server.pid)))
    (wall, cpu), (wall_then, cpu_then) = (map(min, zip(*kept, strict=True)) for kept in spent.values())
    print(f"  {'ready on the other file after':<44}  {wall:8.2f} s, of the processor {cpu:.2f} s")
    judged(f"ready later with {name}", wall_then - wall, aim, "s", subject)
    judged("... by the time of the processor", cpu_then - cpu, aim, "s", subject)


async def answered_after_a_kill(path: Path, parked: Sequence[tuple[str, str]], subject: str) -> None:
    with process("serve", path) as (_, address):
        async with calling(address) as caller:
            runs = (await caller.counted())["runs"]
            judged("tools that ran though nothing was answered", runs - 1, 0, "", subject)  # One is ours, of `learn`.
            spent = [await caller.answer(*one) for one in parked[:40]]
            told("over HTTP, after a kill", spent)
            began = time.monotonic()
            await all_of((lambda one=one: caller.answer(*one)) for one in parked[40:440])
            print(f"  {'answered, run again and completed':<44}  {400 / (time.monotonic() - began):8,.0f} a second")
            after = await caller.counted()
            print(f"  {'runs for 440 answers':<44}  {after['runs'] - 1:8,}")


# --- growth -----------------------------------------------------------------------------------------------------------


async def growth(folder: Path, source: Path, sizes: Sequence[int]) -> None:
    print("\nGrowth: a server on so many parked rows, and the time of a request over HTTP")
    paths = [folder / f"{size}.db" for size in sizes]
    for path, size in zip(paths, sizes, strict=True):
        grow(source, path, size)
    medians = {path: await asked_for(path) for path in paths}
    for path, size in zip(paths, sizes, strict=True):
        get, update = medians[path]
        ratios = f"{get / medians[paths[0]][0]:5.2f} and {update / medians[paths[0]][1]:5.2f} times those of the first"
        print(f"  {size:>8,} rows   tasks/get {get * 1e3:7.2f} ms   an answer {update * 1e3:7.2f} ms   {ratios}")
    for number, what in enumerate(("`tasks/get`", "an answer, until its tool goes on")):
        grown = [(size, medians[path][number] * 1e3) for path, size in zip(paths, sizes, strict=True)]
        note(Growth(f"over HTTP, SQLite: {what}", "parked tasks", "ms", grown))
    subject = f"{sizes[-1]:,} parked tasks, SQLite"
    started(paths[-1], paths[0], f"{sizes[-1]:,} rows than with {sizes[0]:,}", LATER, subject)
    print(f"  {'a parked row on the disk':<44}  {paths[-1].stat().st_size / sizes[-1]:8,.0f} bytes")


def grow(source: Path, path: Path, size: int) -> None:
    """A file with so many copies of one parked task, each with an id of its own."""
    with closing(sqlite3.connect(source)) as had, closing(sqlite3.connect(path)) as made:
        had.backup(made)
        (one,) = made.execute("SELECT id FROM tasks WHERE open = 1 LIMIT 1").fetchone()
        made.execute("DELETE FROM tasks WHERE id <> ?", (one,))
        made.execute("DELETE FROM inputs WHERE task_id <> ?", (one,))
        tasks = [row[1] for row in made.execute("PRAGMA table_info(tasks)")]
        inputs = [row[1] for row in made.execute("PRAGMA table_info(inputs)")]
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        id_of = "printf('%032x', i)"
        owner = f"'p' || (i % {PRINCIPALS})"
        given = {"id": id_of, "task_id": id_of, "number": "NULL", "owner": owner, "revision": "revision + i"}
        for table, columns in (("tasks", tasks), ("inputs", inputs)):
            chosen = ", ".join(given.get(name, f"t.{name}") for name in columns)
            of = f"t.{'id' if table == 'tasks' else 'task_id'} = ?"
            made.execute(f"INSERT INTO {table} {numbers} SELECT {chosen} FROM n, {table} t WHERE {of}", (size - 1, one))
        made.execute("UPDATE revisions SET newest = newest + ?", (size,))
        made.commit()


async def asked_for(path: Path) -> tuple[float, float]:
    """The median times of `tasks/get` and of an answer, in seconds."""
    with process("serve", path) as (_, address):
        async with calling(address) as caller:
            mine = [(f"{number:032x}", f"p{number % PRINCIPALS}") for number in range(1, 60)]
            gets = []
            for one in mine * 3:
                began = time.monotonic()
                await caller.get(*one)
                gets.append(time.monotonic() - began)
            return statistics.median(gets), statistics.median([await caller.answer(*one) for one in mine[:30]])


async def main() -> None:
    logging.disable(logging.INFO)
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="park a tenth, and look for a shorter time")
    quick = parser.parse_known_args()[0].quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        await answers(folder, 40 if quick else 120)
        await many(folder, 1_000 if quick else 10_000, 5 if quick else 20)
        await growth(folder, folder / "many.db", [100, 10_000] if quick else [100, 10_000, 100_000])


if __name__ == "__main__":
    asyncio.run(main())
