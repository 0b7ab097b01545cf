"""The inbox with 10, 1,000 and 10,000 questions open: a page of the list, an answer, and how soon a host hears of it.

It takes about half a minute. Run it with `make bench`; ARGS='--full' does each thing more often.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from _measure import Growth, Row, Spent, is_quick, note

from elicitkit import FormElicitation, Inbox, InboxStore, MemoryInboxStore, Request, SqliteInboxStore

COUNTS = (10, 1_000, 10_000)
AIMS = {"a page of 50": 20.0, "an answer": 10.0, "heard elsewhere": 50.0}
"""In milliseconds, with as many open as there are."""

FORM = FormElicitation.create("Where should we send it?").string("full_name").required().email("email").build()
ANSWER = {"fullName": "Ada Lovelace", "email": "ada@example.com"}


def request(number: int) -> Request:
    source = {"server": "shop", "tool": "checkout", "call": f"c{number}"}
    return Request(f"r{number}", "input", FORM.message, data={"schema": FORM.schema(), "source": source})


class Bench:
    """One store, and another that sees the same, as another process does."""

    def __init__(self, here: Inbox, elsewhere: Inbox, times: int) -> None:
        self.here, self.elsewhere, self.times = here, elsewhere, times
        self.asked = 0

    async def fill(self, more: int) -> list[str]:
        """Ask so many questions more, and give the ids of their entries."""
        numbers, ids = iter(range(self.asked, self.asked + more)), list[str]()

        async def ask() -> None:
            for number in numbers:
                ids.append((await self.here.ask(request(number))).id)

        await asyncio.gather(*(ask() for _ in range(64)))
        self.asked += more
        return ids

    async def found(self) -> dict[str, Spent]:
        return {
            "a page of 50": await self.median(lambda: self.here.open(limit=50)),
            "an answer": await self.answers(),
            "heard elsewhere": Spent.of([await self.heard(id) for id in await self.fill(self.times)]),
        }

    async def answers(self) -> Spent:
        ids = iter(await self.fill(self.times))
        return await self.median(lambda: self.here.accept(next(ids), ANSWER, by="ada"))

    async def heard(self, id: str) -> float:
        """How long after an answer the other hears of it, in milliseconds."""
        heard = asyncio.Event()
        unsubscribe = self.elsewhere.subscribe(lambda changed: heard.set() if changed == id else None)
        await asyncio.sleep(0.03)  # Until what came before was heard.
        await self.here.accept(id, ANSWER, by="ada")
        start = time.perf_counter()
        await heard.wait()
        unsubscribe()
        return (time.perf_counter() - start) * 1e3

    async def median(self, work: Callable[[], Awaitable[object]]) -> Spent:
        """The median time of a work, in milliseconds."""
        spent = []
        for _ in range(self.times):
            start = time.perf_counter()
            await work()
            spent.append((time.perf_counter() - start) * 1e3)
        return Spent.of(spent)


async def run(name: str, here: InboxStore, elsewhere: InboxStore, times: int) -> None:
    async with Inbox(here) as one, Inbox(elsewhere) as other:
        bench = Bench(one, other, times)
        grown: dict[str, list[tuple[int, float]]] = {what: [] for what in AIMS}
        for before, count in zip((0, *COUNTS), COUNTS, strict=False):
            await bench.fill(count - before)
            for what, spent in (await bench.found()).items():
                aim = "met" if spent <= AIMS[what] else "MISSED"
                print(f"  {name:<8} {count:>6,} open  {what:<16} {spent:8.2f} ms   at most {AIMS[what]:g}: {aim}")
                grown[what].append((count, spent))
                if count == COUNTS[-1] and name != "memory":
                    told = f"the inbox with {count:,} open, {name}: {what}"
                    note(Row(what=told, unit="ms", ours=spent, p95=spent.p95, aim=AIMS[what], judged="median"))
        for what, sizes in grown.items():
            note(Growth(f"the inbox, {name}: {what}", "open questions", "ms", sizes))


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="do each thing 300 times")
    times = 300 if parser.parse_known_args()[0].full else 10 if is_quick() else 50
    print(f"medians of {times}, by one caller")
    memory = MemoryInboxStore()
    await run("memory", memory, memory, times)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inbox.db"
        await run("SQLite", SqliteInboxStore(path), SqliteInboxStore(path), times)


if __name__ == "__main__":
    asyncio.run(main())
