"""A process of its own on a store: `python -m tests.tasks.store_process WHAT ADDRESS OPTIONS …`. It prints what it did.

The address is one for `open_store`, the options are JSON.
"""

import asyncio
import json
import sys
import time

from elicitkit import TaskStore, open_store
from elicitkit.tasks.record import TaskInput, new_key
from elicitkit.testing.store_contract.base import accepting, question


async def answer(store: TaskStore, task_id: str, name: str, keys: str) -> None:
    """Answer questions one by one; print the keys of those whose answer won."""

    async def one(key: str) -> None:
        if await store.settle(task_id, [accepting(key, name)]):
            print(key, flush=True)

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*map(one, keys.split(",")))


async def park_for_ever(store: TaskStore) -> None:
    """Park and answer, many at once, and print the id of each task when that was acknowledged."""

    async def again_and_again() -> None:
        while True:
            made = await store.create({"tool": "order"})
            asked: TaskInput = question(store, new_key())
            await store.park(made.id, [asked])
            await store.settle(made.id, [accepting(asked.key)])
            await store.keep_step(made.id, "charge", "1")
            print(made.id, flush=True)

    await asyncio.gather(*(again_and_again() for _ in range(8)))


async def create(store: TaskStore) -> None:
    """Create a task."""
    print((await store.create({})).id, flush=True)


async def create_some(store: TaskStore) -> None:
    """Create tasks one after the other, and print when each was there."""
    for _ in range(20):
        print((await store.create({})).id, time.time(), flush=True)


async def main(what: str, address: str, options: str, *arguments: str) -> None:
    doing = {"answer": answer, "park": park_for_ever, "create": create, "create_some": create_some}[what]
    async with open_store(address, **json.loads(options)) as store:
        await doing(store, *arguments)  # type: ignore[operator]  # each has arguments of its own


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
