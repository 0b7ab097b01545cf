"""Stores of tasks: how many a second, what a parked one takes, and how that grows with their number.

It takes some seconds; `--full` goes on to 100,000 tasks, which takes about a minute. Run it with `make bench`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from _measure import Growth, note

from elicitkit import FormElicitation, MemoryTaskStore, SqliteTaskStore, TaskStore
from elicitkit.journal import Reply
from elicitkit.tasks.record import Settlement, TaskInput, new_key
from elicitkit.tasks.requests import form_request, shape_of

SIDE_BY_SIDE = 128
CALL = {
    "tool": "checkout",
    "arguments": {"cart": "42", "address": {"street": "12 Some Street", "city": "London"}},
    "capabilities": {"elicitation": {"form": {}, "url": {}}},
    "client": {"name": "bench", "version": "1.0"},
}
FORM = FormElicitation.create("Where should we send it?").string("full_name").required().email("email").build()
SHAPE = shape_of(FORM.to_input_request())


async def park(store: TaskStore) -> tuple[str, str]:
    """A task with one open question."""
    made = await store.create(CALL, ttl=3_600, poll_interval_ms=1_000)
    request = form_request(f"{FORM.message} ({made.id[:6]})", FORM.schema())
    asked = TaskInput(new_key(), "where", SHAPE, request, store.clock() + store.max_wait)
    await store.park(made.id, [asked])
    return made.id, asked.key


async def answer(store: TaskStore, task_id: str, key: str) -> None:
    reply = Reply("accept", {"fullName": "Ada Lovelace", "email": "ada@example.com"})
    assert await store.settle(task_id, [Settlement(key, reply)])


async def all_of(works: Iterable[Callable[[], Awaitable[object]]], at_once: int = SIDE_BY_SIDE) -> float:
    """Do works, so many at once, and give how many were done a second."""
    queue, done = iter(works), 0

    async def one_by_one() -> None:
        nonlocal done
        for work in queue:
            await work()
            done += 1

    start = time.perf_counter()
    await asyncio.gather(*(one_by_one() for _ in range(at_once)))
    return done / (time.perf_counter() - start)


async def median(work: Callable[[], Awaitable[object]], times: int = 200) -> float:
    """The median time of a work, in microseconds, done again and again by one caller."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        await work()
        spent.append((time.perf_counter() - start) * 1e6)
    return statistics.median(spent)


async def rates(name: str, store: TaskStore, count: int) -> None:
    grown: dict[str, list[tuple[int, float]]] = {}
    for at_once, number in ((1, count // 4), (SIDE_BY_SIDE, count)):
        parked: list[tuple[str, str]] = []

        async def one(kept: list[tuple[str, str]] = parked) -> None:
            kept.append(await park(store))

        found = {
            "parks": await all_of((one for _ in range(number)), at_once),
            "gets": await all_of((lambda p=p: store.get(p[0], owner=None) for p in parked), at_once),
            "answers": await all_of((lambda p=p: answer(store, *p) for p in parked), at_once),
            "completions": await all_of((lambda p=p: store.complete(p[0], {"content": []}) for p in parked), at_once),
        }
        for what, rate in found.items():
            grown.setdefault(what, []).append((at_once, rate))
        rated = "   ".join(f"{what} {rate:9,.0f}" for what, rate in found.items())
        print(f"  {name:<7} {at_once:>4} at once   {rated}   a second")
    for what, sizes in grown.items():
        note(Growth(f"a store of tasks, {name}: {what}", "at once", "a second", sizes))


async def notice(folder: Path) -> None:
    """How long it takes until a store hears of what another store on the same file did."""
    spent = []
    async with SqliteTaskStore(folder / "notice.db") as here, SqliteTaskStore(folder / "notice.db") as elsewhere:
        heard = asyncio.Event()
        here.subscribe(lambda task_id: heard.set())
        for _ in range(100):
            heard.clear()
            await elsewhere.create({})
            start = time.perf_counter()
            await heard.wait()
            spent.append((time.perf_counter() - start) * 1e3)
        before = time.process_time()
        await asyncio.sleep(1)
        idle = time.process_time() - before
    print(
        f"  a change of another process is heard after {statistics.median(spent):.0f} ms, at most {max(spent):.0f} ms"
    )
    print(f"  listening takes {idle:.1%} of a core while nothing happens")


async def growth(name: str, store: TaskStore, sizes: Iterable[int]) -> None:
    there = 0
    grown: dict[str, list[tuple[int, float]]] = {}
    for size in sizes:
        last: list[tuple[str, str]] = []

        async def one(kept: list[tuple[str, str]] = last) -> None:
            kept.append(await park(store))

        await all_of(one for _ in range(size - there))
        there = size
        task_id, _ = last[len(last) // 2]
        answered = iter(last)
        found = {
            "get": await median(lambda task_id=task_id: store.get(task_id, owner=None)),  # type: ignore[misc]
            "ready": await median(store.ready),
            "sweep": await median(store.sweep),
            "park": await median(lambda: park(store), 20),
            "answer": await median(lambda left=answered: answer(store, *next(left)), 20),  # type: ignore[misc]
        }
        for what, spent in found.items():
            grown.setdefault(what, []).append((size, spent))
        timed = "   ".join(f"{what} {spent:7.0f}" for what, spent in found.items())
        print(f"  {name:<7} {size:>8,} parked   {timed}   µs")
    for what, timings in grown.items():
        note(Growth(f"a store of tasks, {name}: {what}", "parked tasks", "µs", timings))


async def memory(count: int) -> None:
    store = MemoryTaskStore()
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(count):
        await park(store)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"  memory  {(after - before) / count:,.0f} bytes a parked task, of which its call as JSON is about 230")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="go on to 100,000 tasks")
    full = parser.parse_known_args()[0].full
    sizes = [100, 10_000, 100_000] if full else [100, 5_000]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        print("How many a second")
        await rates("memory", MemoryTaskStore(), 4_000)
        async with SqliteTaskStore(path / "rates.db") as store:
            await rates("sqlite", store, 4_000)
        print("Another process")
        await notice(path)
        print("What a parked task takes")
        await memory(5_000)
        print("Growth: the median time of one call")
        await growth("memory", MemoryTaskStore(), sizes)
        async with SqliteTaskStore(path / "growth.db") as store:
            await growth("sqlite", store, sizes)
        print(f"  sqlite  {(path / 'growth.db').stat().st_size / sizes[-1]:,.0f} bytes of file a parked task")


if __name__ == "__main__":
    asyncio.run(main())
