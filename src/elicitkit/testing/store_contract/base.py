"""What the parts of the contract share: a store on a clock that stands still, and questions to park."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ...forms import Form, FormElicitation
from ...journal import Reply
from ...tasks.record import Settlement, TaskInput, TaskRecord, new_key
from ...tasks.requests import request_of, shape_of
from ...tasks.store import TaskStore
from ..clock import Clock

NOBODY = "0" * 32
"""An id that no task has."""


class StoreTests:
    """The base of the contract's parts. Override `make_store`, and `is_shared` where it is not so."""

    pytestmark: pytest.MarkDecorator = pytest.mark.anyio

    is_shared: ClassVar[bool] = True
    """Whether two stores made in one folder have the same tasks; if not, tests that need two have one twice."""

    def make_store(self, folder: Path, **options: Any) -> TaskStore:
        """A store that is not open yet, in a folder of the test's; *options* are those of `TaskStore`."""
        raise NotImplementedError("a test of the contract says how its store is made")

    @pytest.fixture
    def anyio_backend(self) -> str:
        """The stores are for asyncio."""
        return "asyncio"

    @pytest.fixture
    def clock(self) -> Clock:
        """The clock of the stores."""
        return Clock()

    @pytest.fixture
    async def store(self, tmp_path: Path, clock: Clock) -> AsyncIterator[TaskStore]:
        """The store."""
        async with self.make_store(tmp_path, clock=clock, open_requests=20) as made:
            yield made

    @pytest.fixture
    async def other(self, store: TaskStore, tmp_path: Path, clock: Clock) -> AsyncIterator[TaskStore]:
        """Another store with the same tasks, as another process has one."""
        if not self.is_shared:
            yield store
            return
        async with self.make_store(tmp_path, clock=clock, open_requests=20) as made:
            yield made


def form(message: str = "Which size?") -> Form[Any]:
    """A form with one required text and one number that has a default."""
    asked = FormElicitation.create(message)
    asked.string("size").required().min_length(1)
    asked.integer("count").default(1)
    return asked.build()


def question(store: TaskStore, key: str | None = None, *, wait: float = 1_000.0, **more: Any) -> TaskInput:
    """A question to park, which waits for so many seconds."""
    request, name = request_of(form()), key or new_key()
    return TaskInput(name, name, shape_of(request), request, store.clock() + wait, **more)


def accepting(key: str, size: str = "M") -> Settlement:
    """An answer that fits."""
    return Settlement(key, Reply("accept", {"size": size}))


async def parked(store: TaskStore, *keys: str, wait: float = 1_000.0, **options: Any) -> TaskRecord:
    """A task of its own with open questions."""
    record = await store.create({"tool": "order"}, **options)
    fence = record.fence or None
    return await store.park(record.id, [question(store, key, wait=wait) for key in keys], fence=fence)


async def current(store: TaskStore, task_id: str) -> TaskRecord:
    """A task as it is now, whoever owns it."""
    return (await store.history(task_id)).record
