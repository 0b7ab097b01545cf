"""One question with ten fields: ours beside the SDK's resolver and `ctx.elicit`, a hand-made guard and FastMCP.

In memory it is the processor time of both sides together; over HTTP that of the server's process alone, as the server
tells it; then how it grows with the fields of the form and with the calls at once, in memory again. The versions are
those of the environment; they are printed first. Run it with `make bench`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from _asking_server import MESSAGE, server
from _measure import Growth, Spent, compare, is_quick, note, report, versions
from fastmcp import Client as FastClient
from fastmcp import Context as FastContext
from fastmcp import FastMCP
from forms import ANSWER, Booking
from mcp import Client
from mcp_types import ElicitResult

Call = Callable[[], Awaitable[object]]

GUARD, RESOLVER, OURS = "hand-made guard (2026-07-28)", "mcp: Resolve (2026-07-28)", "elicitkit (2026-07-28)"
OURS_LIVE, SDK_LIVE = "elicitkit (2025-11-25)", "mcp: ctx.elicit (2025-11-25)"
FASTMCP = "fastmcp: ctx.elicit (2025-11-25)"


async def answer(*_: object) -> ElicitResult:
    return ElicitResult(action="accept", content=ANSWER)


def calling(client: Any, tool: str) -> Call:
    async def call() -> None:
        result = await client.call_tool(tool, {})
        assert "Ada Lovelace" in str(result.content), result

    return call


async def cpu_medians(calls: Mapping[str, Call], *, rounds: int, loops: int) -> dict[str, float]:
    """The median processor time of one call in microseconds; the works take turns."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(3 if is_quick() else rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(loops):
                await call()
            spent[name].append((time.process_time() - start) / loops * 1e6)
    return {name: Spent.of(times[1:]) for name, times in spent.items()}


async def in_memory() -> dict[str, float]:
    fast = FastMCP("bench")

    @fast.tool
    async def fastmcp_elicit(ctx: FastContext) -> str:
        result = await ctx.elicit(MESSAGE, Booking)
        return result.data.fullName if result.action == "accept" else result.action

    async with AsyncExitStack() as stack:
        theirs = await stack.enter_async_context(Client(server(ours=False), elicitation_callback=answer))
        theirs_live = await stack.enter_async_context(
            Client(server(ours=False), elicitation_callback=answer, mode="legacy")
        )
        ours = await stack.enter_async_context(Client(server(ours=True), elicitation_callback=answer))
        ours_live = await stack.enter_async_context(
            Client(server(ours=True), elicitation_callback=answer, mode="legacy")
        )
        of_fastmcp = await stack.enter_async_context(FastClient(fast, elicitation_handler=fast_answer, mode="legacy"))
        calls = {
            "plain call (2026-07-28)": calling(theirs, "plain"),
            GUARD: calling(theirs, "hand_made_guard"),
            RESOLVER: calling(theirs, "sdk_resolver"),
            SDK_LIVE: calling(theirs_live, "sdk_elicit"),
            FASTMCP: calling(of_fastmcp, "fastmcp_elicit"),
            OURS: calling(ours, "elicitkit"),
            OURS_LIVE: calling(ours_live, "elicitkit"),
        }
        return await cpu_medians(calls, rounds=30, loops=20)


async def fast_answer(*_: object) -> dict[str, Any]:
    return ANSWER


@contextmanager
def serving(whose: str) -> Iterator[str]:
    """A server in a process of its own, on a free port of this machine; the address it answers at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).with_name("_asking_server.py")
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, str(script), str(port), whose], **quiet)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until and not _answers(port):
            assert process.poll() is None, "the server ended"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def over_http() -> dict[str, float]:
    spent: dict[str, list[float]] = {GUARD: [], RESOLVER: [], OURS: []}
    with serving("theirs") as theirs_at, serving("ours") as ours_at:
        async with (
            Client(theirs_at, elicitation_callback=answer) as theirs,
            Client(ours_at, elicitation_callback=answer) as ours,
        ):
            works = {
                GUARD: (theirs, "hand_made_guard"),
                RESOLVER: (theirs, "sdk_resolver"),
                OURS: (ours, "elicitkit"),
            }
            for _ in range(3 if is_quick() else 8):
                for name, (client, tool) in works.items():
                    spent[name].append(await _server_time(client, calling(client, tool)))
    return {name: Spent.of(times[1:]) for name, times in spent.items()}


async def _server_time(client: Client, call: Call, loops: int = 25) -> float:
    async def cpu() -> float:
        return float((await client.call_tool("cpu", {})).content[0].text)  # type: ignore[union-attr]

    start = await cpu()
    for _ in range(loops):
        await call()
    return (await cpu() - start) / loops * 1e6


async def answer_fields(_: object, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=dict.fromkeys(params.requested_schema["properties"], "some text"))


async def growth() -> None:
    """Processor time of a question by round trip, in microseconds, by its fields and by how many are asked at once."""
    async with Client(server(ours=True), elicitation_callback=answer_fields) as client:

        async def asked(fields: int) -> None:
            result = await client.call_tool("fields", {"count": fields})
            assert "accept" in str(result.content), result

        async def at_once(calls: int) -> None:
            await asyncio.gather(*(asked(1) for _ in range(calls)))

        sized: dict[str, tuple[Callable[[int], Awaitable[None]], Sequence[int]]] = {
            "fields": (asked, [1, 4, 16, 64]),
            "calls at once": (at_once, [1, 8, 64]),
        }
        print("\nGrowth of a question by round trip: processor time of one")
        for by, (work, sizes) in sized.items():
            calls = {str(size): partial(work, size) for size in sizes}
            medians = await cpu_medians(calls, rounds=15, loops=5)
            found = [(size, medians[str(size)] / (size if work is at_once else 1)) for size in sizes]
            print(f"  {by:<14}  {'  '.join(f'{size:>3}: {spent:8.1f}' for size, spent in found)}   µs")
            note(Growth("a question by round trip, processor time of one", by, "µs", found))


def main() -> None:
    logging.disable(logging.INFO)
    print(versions("mcp", "fastmcp", "pydantic"))
    found = asyncio.run(in_memory())
    report("One question with 10 fields, in memory: processor time", found, beside=RESOLVER, aims={OURS: 0.5})
    beside_guard = {name: found[name] for name in (GUARD, OURS)}
    report("The same beside the hand-made guard", beside_guard, beside=GUARD, aims={OURS: 1.4})
    served = asyncio.run(over_http())
    report("The same over HTTP: the server's processor time", served, beside=RESOLVER, aims={OURS: 0.8})
    compare("a question by round trip, processor time", found, OURS, RESOLVER, "mcp's resolver", 0.5)
    compare("the same", found, OURS, GUARD, "a hand-made guard", 1.4)
    compare("the same over HTTP, the server's processor time", served, OURS, RESOLVER, "mcp's resolver", 0.8)
    compare("a question on 2025-11-25, processor time", found, OURS_LIVE, SDK_LIVE, "mcp's ctx.elicit")
    compare("the same", found, OURS_LIVE, FASTMCP, "FastMCP's ctx.elicit")
    asyncio.run(growth())


if __name__ == "__main__":
    main()
