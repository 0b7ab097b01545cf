"""What is left when a crash test is over: the lines of all processes, and the file of tasks."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from elicitkit import SqliteTaskStore
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.record import History
from tests.crash.lines import lines_of


@dataclass(frozen=True)
class Plan:
    tasks: int
    kills: int
    seed: str


@dataclass(frozen=True)
class Evidence:
    plan: Plan

    _: KW_ONLY

    deaths: Mapping[int, float]
    """When each server was killed, by its number."""

    histories: Mapping[str, History]
    """What the store has of each task, by id."""

    effects: Sequence[Mapping[str, Any]] = ()
    answers: Sequence[Mapping[str, Any]] = ()
    client: Sequence[Mapping[str, Any]] = ()
    exits: Mapping[str, int] = field(default_factory=dict)
    """How the processes ended that were not killed."""

    seconds: float = 0.0

    def token(self, task_id: str) -> str:
        token: str = TaskCall.from_dict(self.histories[task_id].record.call).arguments["token"]
        return token


async def collected(plan: Plan, folder: Path, **more: Any) -> Evidence:
    """All that a test has left in its folder."""
    lines = {name: lines_of(folder / name) for name in ("effects", "answers", "client")}
    return Evidence(plan, histories=await histories(folder / "tasks.db"), **lines, **more)


async def histories(file: Path) -> dict[str, History]:
    async with SqliteTaskStore(file) as store:
        return {task_id: await store.history(task_id) for task_id in ids(file)}


def ids(file: Path, where: str = "1") -> list[str]:
    """The tasks of a file: the store itself lists none."""
    with closing(sqlite3.connect(file)) as connection:
        return [task_id for (task_id,) in connection.execute(f"SELECT id FROM tasks WHERE {where}")]


def unfinished(file: Path) -> int:
    return len(ids(file, "status IN ('working', 'input_required')"))
