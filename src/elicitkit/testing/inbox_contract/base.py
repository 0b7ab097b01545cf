"""What the parts of the contract share: a store on a clock that stands still, and questions to put in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ...forms import FormElicitation
from ...host.inbox import Asking, Closing, InboxStore
from ...host.inbox.changes import moment
from ...suspension import Request
from ..clock import Clock

NOBODY = "0" * 32
"""An id that no entry has."""

RETENTION = 1_000.0
ABANDONED_AFTER = 100.0
OPEN_ENTRIES = 20


class InboxTests:
    """The base of the contract's parts. Override `make_store`, and `is_shared` where it is not so."""

    pytestmark: pytest.MarkDecorator = pytest.mark.anyio

    is_shared: ClassVar[bool] = True
    """Whether two stores made in one folder have the same entries; if not, tests that need two have one twice."""

    def make_store(self, folder: Path, **options: Any) -> InboxStore:
        """A store that is not open yet, in a folder of the test's; *options* are those of `InboxStore`."""
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
    async def store(self, tmp_path: Path, clock: Clock) -> AsyncIterator[InboxStore]:
        """The store."""
        async with self._made(tmp_path, clock) as made:
            yield made

    @pytest.fixture
    async def other(self, store: InboxStore, tmp_path: Path, clock: Clock) -> AsyncIterator[InboxStore]:
        """Another store with the same entries, as another process has one."""
        if not self.is_shared:
            yield store
            return
        async with self._made(tmp_path, clock) as made:
            yield made

    def _made(self, folder: Path, clock: Clock) -> InboxStore:
        return self.make_store(
            folder,
            clock=clock,
            retention=RETENTION,
            abandoned_after=ABANDONED_AFTER,
            open_entries=OPEN_ENTRIES,
        )


def sizes(id: str = "r1", message: str = "Which size?", **data: Any) -> Request:
    """A question with a form."""
    form = FormElicitation.create(message).string("size").required().build()
    return Request(id, "input", message, data={"schema": form.schema(), **data})


def asking(store: InboxStore, request: Request | None = None, *, wait: float = 500.0, **more: Any) -> Asking:
    """A question to put in, which waits for so many seconds; *more* is of `Asking`."""
    return Asking(request or sizes(), moment(store.clock() + wait), **more)


def held(store: InboxStore, by: str = "first", request: Request | None = None, **more: Any) -> Asking:
    """A question that a holder waits for, at least for ten seconds."""
    return asking(store, request, holder=by, lease=10.0, **more)


def accepting(size: str = "M", *, by: str = "ada", id: str = "r1") -> Closing:
    """An answer that agrees."""
    return Closing(sizes(id).accept({"size": size}), by=by)


CALL: dict[str, Any] = {"output": "?", "metadata": {}, "call": {"server": "shop", "state": [1, None, "ä"]}}
"""A call to resume."""
