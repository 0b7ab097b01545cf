"""The host: the pair of mappings beside toolnexus's, and the memory of a thousand pending requests.

toolnexus needs another version of the SDK, and so an environment of its own: `make test` makes `.peers/toolnexus`.
The servers are processes of their own, so that the memory is the host's alone. Run it with `make bench`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _measure import Row, compare, medians, note, report, versions
from forms import ANSWER, described
from mcp import Client
from mcp_types import ElicitRequestFormParams

from elicitkit import Answer, McpSource, Request, Slot, answer_to_elicit_result, elicitation_to_request
from elicitkit.host.servers import HttpServer, transport

ROOT = Path(__file__).parents[1]
PEER = ROOT / ".peers" / "toolnexus" / "bin" / "python"
THEIRS, OURS = "toolnexus: the pair of mappings", "elicitkit: the pair of mappings"
PENDING = 1_000
MOST_MEGABYTES = 50
LATEST = "2026-07-28"

SCHEMA: dict[str, Any] = json.loads(json.dumps(described().schema()))


def mappings() -> None:
    """From an elicitation to a request, to its answer, to the result that goes back."""
    params = ElicitRequestFormParams(message="Your booking", requested_schema=SCHEMA)

    def pair() -> object:
        request = elicitation_to_request(params)
        return answer_to_elicit_result(request.accept(ANSWER))

    found = {OURS: medians({OURS: pair})[OURS]}
    if PEER.exists():
        script = Path(__file__).with_name("_toolnexus_bridge.py")
        done = subprocess.run(
            [PEER, script], input=json.dumps([SCHEMA, ANSWER]), capture_output=True, text=True, check=True, timeout=120
        )
        theirs, spent = json.loads(done.stdout)
        print(f"toolnexus {theirs}")
        note({"toolnexus": theirs})
        both = {THEIRS: spent, **found}
        report("A form of 10 fields and its answer", both, beside=THEIRS, aims={OURS: 1 / 3})
        compare("elicitation to request, and answer to result", both, OURS, THEIRS, "toolnexus", 1 / 3)
    else:
        print(f"\nSKIPPED: {PEER} is missing, so there is nothing to compare with; `make test` makes it.")
        report("A form of 10 fields and its answer", found, beside=OURS, aims={})


class Nobody:
    """A host whose people have not answered yet."""

    def __init__(self) -> None:
        self.pending: list[Request] = []
        self.all_there = asyncio.Event()

    async def __call__(self, request: Request) -> Answer:
        self.pending.append(request)
        if len(self.pending) == PENDING:
            self.all_there.set()
        await asyncio.Event().wait()
        raise AssertionError


@contextmanager
def serving() -> Iterator[str]:
    """A server in a process of its own, and its address."""
    script = Path(__file__).with_name("_host_server.py")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()  # It would take its time to part from a thousand calls.


def megabytes() -> float:
    """The memory of this process that is in use."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


async def waiting_in_a_slot() -> float:
    nobody, schema = Nobody(), SCHEMA
    slot = Slot(nobody, at_once=None)
    requests: Iterator[Request] = (
        elicitation_to_request({"message": "Your booking", "requestedSchema": json.loads(json.dumps(schema))})
        for _ in range(PENDING)
    )
    before = megabytes()
    tasks = [asyncio.create_task(slot.answer(request)) for request in requests]
    return await _grown(nobody, tasks, before)


async def waiting_in_calls(address: str, revision: str, *, suspend: bool = False) -> float:
    nobody = Nobody()
    options: dict[str, Any] = {"suspend": True} if suspend else {"wait_for": nobody, "at_once": None}
    server = {"url": address, "timeout": 300, "protocol": "handshake" if revision < LATEST else "auto"}
    async with McpSource.load({"servers": {"a": server}}, **options) as source:
        assert [status.protocol_version for status in source.statuses.values()] == [revision]
        await source.call("a_plain")
        before = megabytes()
        if suspend:
            kept = [await source.call("a_ask") for _ in range(PENDING)]
            return megabytes() - before if kept else 0
        tasks = [asyncio.create_task(source.call("a_ask")) for _ in range(PENDING)]
        return await _grown(nobody, tasks, before)


async def waiting_in_the_sdk(address: str) -> float:
    """The same calls with the SDK's client alone, whose callback never answers."""
    nobody = Nobody()

    async def callback(_: object, params: Any) -> Any:
        return await nobody(params)

    async with Client(transport(HttpServer(address)), mode="legacy", elicitation_callback=callback) as client:
        await client.call_tool("plain", {})
        before = megabytes()
        tasks = [asyncio.create_task(client.call_tool("ask", {})) for _ in range(PENDING)]
        return await _grown(nobody, tasks, before)


async def _grown(nobody: Nobody, tasks: list[asyncio.Task[Any]], before: float) -> float:
    await asyncio.wait([asyncio.create_task(nobody.all_there.wait()), *tasks], return_when=asyncio.FIRST_COMPLETED)
    assert len(nobody.pending) == PENDING, [task.result() for task in tasks if task.done()][:1]
    after = megabytes()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return after - before


def memory() -> None:
    """Each in a process of its own, so that none finds room that another left."""
    print(f"\n{PENDING:,} pending requests with 10 fields: memory above idle")
    ways = {
        "slot": "in a slot",
        "2026-07-28": "in calls on 2026-07-28, over HTTP",
        "suspend": "suspended on 2026-07-28: values, with their sealed state",
        "2025-11-25": "in calls on 2025-11-25, over HTTP: a stream is open for each",
        "sdk": "the same, in the SDK's client alone",
    }
    for way, what in ways.items():
        done = subprocess.run([sys.executable, __file__, way], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-2000:]
        grown = float(done.stdout)
        verdict = "met" if grown < MOST_MEGABYTES else "MISSED"
        aim = "" if way == "sdk" else f"   aim: under {MOST_MEGABYTES}, {verdict}"
        print(f"  {what:<62} {grown:6.1f} MB{aim}")
        most = None if way == "sdk" else MOST_MEGABYTES
        what = "in calls on 2025-11-25, in the SDK's client alone" if way == "sdk" else what.partition(":")[0]
        note(Row(what=f"{PENDING:,} questions pending, {what}", unit="MB", ours=grown, aim=most, judged="median"))


def measure(way: str) -> None:
    if way == "slot":
        print(asyncio.run(waiting_in_a_slot()))
        return
    with serving() as address:
        match way:
            case "sdk":
                waiting = waiting_in_the_sdk(address)
            case "suspend":
                waiting = waiting_in_calls(address, LATEST, suspend=True)
            case revision:
                waiting = waiting_in_calls(address, revision)
        print(asyncio.run(waiting))


def main() -> None:
    logging.disable(logging.WARNING)
    if ways := [word for word in sys.argv[1:] if not word.startswith("-")]:
        return measure(ways[0])
    print(versions("mcp", "pydantic"))
    mappings()
    memory()
    return None


if __name__ == "__main__":
    main()
