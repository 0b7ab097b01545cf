"""Tasks on several servers: ours on PostgreSQL beside FastMCP's on Redis, one machine, one run, over HTTP.

Each request goes to the next server, as behind a load balancer. A question is answered at another server than the one
that took the call; from the answer until the tool goes on is measured by the tool's own clock, which all processes of a
machine share. Then many calls are parked side by side, and many answered, with 1, 2 and 4 servers. It needs
PostgreSQL (ELICITKIT_POSTGRES, else on 127.0.0.1:5432), and for the other side redis-server and the environment that
`make test` makes. It takes about a minute; numbers behind it are how many servers there are instead. Run it with
`make bench`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import mcp_types
import psycopg
import uvicorn
from _fastmcp_tasks import ANSWER, MESSAGE, GetTask, KnowsTasks, Raw, TaskParams, UpdateParams, UpdateTask, nobody
from _measure import Growth, Row, is_quick, note
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, PostgresTaskStore, Tasks, elicit

HERE = Path(__file__).parent
PEER = HERE.parent / ".peers" / "fastmcp"
ADDRESS = os.environ.get("ELICITKIT_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")

OURS, THEIRS = "elicitkit on PostgreSQL", "fastmcp on Redis"
SERVERS = (1, 2, 4)
LATENCIES, TOGETHER = 30, 48
"""How many answers are measured one by one, and how many calls are parked and answered side by side."""

LOOK = 0.02
"""How often a client looks at its task, in seconds."""

PATIENCE = 60.0
AIM = 0.5

Command = Callable[[int], list[str]]


# --- ours -------------------------------------------------------------------------------------------------------------


def serve(port: int, schema: str) -> None:
    logging.disable(logging.WARNING)
    tasks = Tasks(PostgresTaskStore(ADDRESS, schema=schema, pool_size=4))
    mcp = MCPServer[Any]("ours", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())
    form = FormElicitation.create(MESSAGE).string("full_name").required().email("email").optional().build()

    @mcp.tool(structured_output=False)
    @tasks.task()
    async def ask(cart: str, ctx: Context) -> str:
        await elicit(ctx, form)
        return repr(time.monotonic())

    app = mcp.streamable_http_app(stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


@contextmanager
def postgres() -> Iterator[Command]:
    schema = f"bench_{secrets.token_hex(6)}"
    try:
        yield lambda port: [sys.executable, __file__, "--serve", str(port), schema]
    finally:
        with psycopg.connect(ADDRESS, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())


# --- theirs -----------------------------------------------------------------------------------------------------------


@contextmanager
def redis() -> Iterator[Command]:
    """A Redis of our own, which writes nothing to disk."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder, "--loglevel", "warning"]
        with process(["redis-server", *options]):
            wait_for(port)
            python, script = str(PEER / "bin" / "python"), str(HERE / "_fastmcp_fleet.py")
            yield lambda at: [python, script, str(at), f"redis://127.0.0.1:{port}/0"]


def is_missing() -> str | None:
    """What the other side does not have here."""
    if not (PEER / "installed").exists():
        return "fastmcp-tasks 4.1 in .peers/fastmcp, which `make test` makes"
    return None if shutil.which("redis-server") else "redis-server"


# --- processes --------------------------------------------------------------------------------------------------------


@contextmanager
def process(command: list[str]) -> Iterator[None]:
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as started:
        try:
            yield
        finally:
            started.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > until:
                raise SystemExit(f"nothing answers on port {port}") from None
            time.sleep(0.05)


@contextmanager
def servers(command: Command, count: int) -> Iterator[list[str]]:
    """So many servers, by their addresses."""
    with ExitStack() as stack:
        ports = [free_port() for _ in range(count)]
        for port in ports:
            stack.enter_context(process(command(port)))
        for port in ports:
            wait_for(port)
        yield [f"http://127.0.0.1:{port}/mcp" for port in ports]


# --- measuring --------------------------------------------------------------------------------------------------------


class Fleet:
    """A client that sends each request to the next server."""

    def __init__(self, clients: list[Client]) -> None:
        self._clients = cycle(clients)

    async def send(self, request: Any) -> dict[str, Any]:
        return dict((await next(self._clients).session.send_request(request, Raw)).model_extra or {})

    async def park(self) -> tuple[str, str]:
        """Call the tool; its task and the key of its question, once that can be seen."""
        params = mcp_types.CallToolRequestParams(name="ask", arguments={"cart": "42"})
        task_id = (await self.send(mcp_types.CallToolRequest(params=params)))["taskId"]
        task = await self.when(task_id, "input_required")
        (key,) = task["inputRequests"]
        return task_id, key

    async def answer(self, parked: tuple[str, str]) -> float:
        """Answer, wait for the result, and give how long it took until the tool went on, in seconds."""
        task_id, key = parked
        began = time.monotonic()
        await self.send(UpdateTask(params=UpdateParams(task_id=task_id, input_responses={key: ANSWER})))
        task = await self.when(task_id, "completed")
        return float(task["result"]["content"][0]["text"]) - began

    async def when(self, task_id: str, status: str) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while (task := await self.send(GetTask(params=TaskParams(task_id=task_id))))["status"] != status:
            if time.monotonic() > until or task["status"] in ("failed", "cancelled"):
                raise SystemExit(f"a task is {task['status']}, and never became {status}")
            await asyncio.sleep(LOOK)
        return task


@asynccontextmanager
async def fleet(addresses: list[str]) -> AsyncIterator[Fleet]:
    async with AsyncExitStack() as stack:
        declared: Any = {"extensions": [KnowsTasks()], "elicitation_callback": nobody}
        yield Fleet([await stack.enter_async_context(Client(one, **declared)) for one in addresses])


async def measured(command: Command, count: int) -> dict[str, float]:
    with servers(command, count) as addresses:
        async with fleet(addresses) as at:
            await at.answer(await at.park())  # It warms up.
            delays = [await at.answer(await at.park()) for _ in range(LATENCIES)]
            began = time.monotonic()
            parked = await asyncio.gather(*(at.park() for _ in range(TOGETHER)))
            parked_at = time.monotonic()
            await asyncio.gather(*map(at.answer, parked))
            ended = time.monotonic()
    return {
        "goes on": statistics.median(delays),
        "p95": sorted(delays)[int(0.95 * (len(delays) - 1))],
        "parks": TOGETHER / (parked_at - began),
        "completions": TOGETHER / (ended - parked_at),
    }


def row(count: int, found: dict[str, dict[str, float]]) -> Row:
    """Ours, beside theirs where they were measured."""
    delays = {name: one["goes on"] * 1e3 for name, one in found.items()}
    counted = f"{count} server{'s' if count > 1 else ''}"
    what = f"an answer to a task, until its tool goes on in another process, PostgreSQL, {counted}"
    beside: dict[str, Any] = {"beside": THEIRS, "theirs": delays[THEIRS], "aim": AIM} if THEIRS in found else {}
    return Row(what=what, unit="ms", ours=delays[OURS], p95=found[OURS]["p95"] * 1e3, **beside)


async def main() -> None:
    logging.disable(logging.INFO)
    with psycopg.connect(ADDRESS) as connection:
        note({"PostgreSQL": str(connection.info.server_version // 10_000)})
    rates: dict[str, list[tuple[int, float]]] = {"parks": [], "completions": []}
    sides: dict[str, Any] = {OURS: postgres}
    if (missing := is_missing()) is None:
        sides[THEIRS] = redis
    else:
        print(f"SKIPPED, missing here: {missing}")
    with ExitStack() as stack:
        commands = {name: stack.enter_context(side()) for name, side in sides.items()}
        print(f"{'servers':>7}  {'':<24}  answer → goes on: median      p95     parks/s  completions/s")
        for count in [int(one) for one in sys.argv[1:] if one.isdigit()] or SERVERS[: 1 if is_quick() else None]:
            found = {name: await measured(command, count) for name, command in commands.items()}
            for name, one in found.items():
                delays = f"{one['goes on'] * 1e3:21.1f} ms  {one['p95'] * 1e3:6.1f} ms"
                print(f"{count:>7}  {name:<24} {delays}  {one['parks']:8.0f}  {one['completions']:13.0f}")
            note(row(count, found))
            for what, kept in rates.items():
                kept.append((count, found[OURS][what]))
            if THEIRS in found:
                ratio = found[OURS]["goes on"] / found[THEIRS]["goes on"]
                judged = "met" if ratio <= AIM else "MISSED"
                print(f"{'':>7}  ratio of the medians: {ratio:.3f}   aim: at most {AIM:g}, {judged}", flush=True)

    for what, kept in rates.items():
        note(Growth(f"tasks on PostgreSQL, {TOGETHER} at once: {what}", "servers", "a second", kept))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]), sys.argv[3])
    else:
        asyncio.run(main())
