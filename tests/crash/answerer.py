"""The person, in a process of her own, who answers all: `python -m tests.crash.answerer FOLDER STORE SEED KILLS`.

She has the store of tasks, and no server: she answers while none runs, too. Some questions get two answers, some a
wrong one first. `answers` in the folder tells all of it. She ends when her input does.
"""

import argparse
import asyncio
import logging
import random
import time
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import TaskGroup

from elicitkit import StoreError, TaskStore, open_store
from elicitkit.tasks.answers import judge
from elicitkit.tasks.record import History, Settlement, TaskInput
from tests.crash.lines import Lines
from tests.crash.stages import Stages
from tests.crash.tools import QUESTIONS

TWICE, WRONG = 0.3, 0.1
"""How many questions get a second answer, and how many answers are wrong ones."""

LATE = 1.2
"""The longest that an answer keeps people waiting once its time has come, in seconds."""

OF_THE_REST = 1.5
"""How much of what is left of the test one question may take; where it is more than all, it waits for the last kill."""


class Answerer:
    def __init__(self, store: TaskStore, log: Lines, *, seed: str, kills: int) -> None:
        self._store = store
        self._log = log
        self._seed = seed
        self._kills = kills
        self._stages = Stages()
        self._seen: set[str] = set()
        self._changed: asyncio.Queue[str] = asyncio.Queue()

    async def answer_all(self) -> None:
        """Answer what is asked until the end. What changed is heard from the store alone."""
        unsubscribe = self._store.subscribe(self._changed.put_nowait)
        print("ready", flush=True)
        async with anyio.create_task_group() as group:
            group.start_soon(self._hear, group)
            await self._stages.ended.wait()
            group.cancel_scope.cancel()
        unsubscribe()

    async def _hear(self, group: TaskGroup) -> None:
        while True:
            task_id = await self._changed.get()
            for asked in (await self._history(task_id)).record.inputs.values():
                if asked.key not in self._seen:
                    self._seen.add(asked.key)
                    group.start_soon(self._answer, task_id, asked)

    async def _answer(self, task_id: str, asked: TaskInput) -> None:
        question, token = (asked.message or asked.request["params"]["message"]).split()
        chance = random.Random(f"{self._seed} {token} {question} {asked.attempt}")
        await self._stages.reached(self._stage(QUESTIONS.index(question), chance))
        await anyio.sleep(chance.uniform(0, LATE))
        values = [f"{token} {question} {number} {chance.getrandbits(32):08x}" for number in (1, 2)]
        is_wrong = asked.attempt < asked.tries and chance.random() < WRONG
        first = {} if is_wrong else {"answer": values[0]}
        if chance.random() >= TWICE:
            return await self._settle(task_id, asked, first)
        later = chance.choice([0.0, chance.uniform(0, LATE)])
        async with anyio.create_task_group() as group:
            group.start_soon(self._settle, task_id, asked, first)
            group.start_soon(self._settle, task_id, asked, {"answer": values[1]}, later)
        return None

    def _stage(self, number: int, chance: random.Random) -> int:
        """After how many kills a question is answered: so that the tasks last as long as there are kills."""
        now, left = self._stages.kills, len(QUESTIONS) - number
        return min(self._kills, now + int(chance.uniform(0, OF_THE_REST) * (self._kills - now) / left))

    async def _settle(self, task_id: str, asked: TaskInput, content: dict[str, Any], later: float = 0.0) -> None:
        await anyio.sleep(later)
        settlement, began = judge(asked, {"action": "accept", "content": content}), time.monotonic()
        try:
            is_taken = asked.key in await self._store.settle(task_id, [settlement])
        except StoreError:  # It may have happened, or not: the store says, once it can be read.
            is_taken = await self._is_kept(task_id, settlement)
            if is_taken is None:
                return await self._settle(task_id, asked, content)
        told = {"task": task_id, "key": asked.key, "name": asked.name, "began": began}
        self._log.add("answer", **told, value=content.get("answer"), is_taken=is_taken)
        return None

    async def _is_kept(self, task_id: str, settlement: Settlement) -> bool | None:
        """Whether an answer is the one that was kept; `None` if none was."""
        history = await self._history(task_id)
        (asked,) = [one for one in history.inputs if one.key == settlement.key]
        return None if asked.reply is None else asked.reply == settlement.reply

    async def _history(self, task_id: str) -> History:
        while True:
            try:
                return await self._store.history(task_id)
            except StoreError:
                await anyio.sleep(0.1)


async def main(folder: Path, place: str, seed: str, kills: int) -> None:
    async with open_store(place) as store:
        await Answerer(store, Lines(folder / "answers"), seed=seed, kills=kills).answer_all()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("store")
    parser.add_argument("seed")
    parser.add_argument("kills", type=int)
    given = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())  # The database goes, and comes back.
    anyio.run(main, given.folder, given.store, given.seed, given.kills)
