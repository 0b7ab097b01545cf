"""What is left when a crash test is over: the lines of all processes, and the store of tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from elicitkit import TaskStore, open_store
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.record import History
from tests.crash.lines import lines_of


@dataclass(frozen=True)
class Plan:
    tasks: int
    kills: int
    seed: str


@dataclass(frozen=True)
class Stop:
    """For how long something stood still."""

    since: float
    until: float
    run: int = -1
    """The number of the process."""

    def is_within(self, since: float, until: float) -> bool:
        """Whether any of it lies in that time."""
        return self.since <= until and self.until >= since


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

    stops: Sequence[Stop] = ()
    """When processes were stopped, and not killed."""

    outages: Sequence[Stop] = ()
    """When the database could not be reached."""

    @cached_property
    def kept(self) -> Mapping[str, History]:
        """The tasks that are to be done: all but those that were given up.

        Where the store, or a server, stands still, it may be that nobody knows whether a task was made. Its client has
        no id of it, and orders again, so that the server cancels it, or sees to it that it cannot come any more.
        """
        if not (self.outages or self.stops):
            return self.histories
        placed = {line["task"] for line in self.client if line["what"] == "placed"}
        every = self.histories.items()
        return {id: one for id, one in every if id in placed or one.record.status != "cancelled"}

    def token(self, task_id: str) -> str:
        token: str = TaskCall.from_dict(self.histories[task_id].record.call).arguments["token"]
        return token


async def collected(plan: Plan, folder: Path, store: str, **more: Any) -> Evidence:
    """All that a test has left in its folder, and in its store."""
    lines = {name: lines_of(folder / name) for name in ("effects", "answers", "client")}
    return Evidence(plan, histories=await histories(store), **lines, **more)


async def histories(place: str) -> dict[str, History]:
    found: dict[str, History] = {}
    async with open_store(place) as store:
        page = await store.list_tasks()
        while True:
            found |= {record.id: await store.history(record.id) for record in page.records}
            if page.cursor is None:
                return found
            page = await store.list_tasks(cursor=page.cursor)


async def unfinished(store: TaskStore) -> int:
    """How many tasks have not ended; not more than some."""
    return len((await store.list_tasks(statuses=["working", "input_required"])).records)
