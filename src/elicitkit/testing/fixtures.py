"""Fixtures for pytest. Opt in, in your `conftest.py`: `pytest_plugins = ["elicitkit.testing.fixtures"]`.

All are plain functions of their tests, so that they go with anyio's plugin as with pytest-asyncio.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeAlias

import pytest
from mcp import Client

from ..tasks.stores.memory import MemoryTaskStore
from .clock import Clock
from .connecting import ERAS, connected
from .restarting import MakeServer, Restarts

Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Client]]
"""`connected` with its era set."""


@pytest.fixture(params=ERAS)
def elicitation_era(request: pytest.FixtureRequest) -> str:
    """A revision of the protocol that can ask; a test that wants it runs once on each."""
    era: str = request.param
    return era


@pytest.fixture
def elicitation_client(elicitation_era: str) -> Connect:
    """Connects to a server in memory, once on each revision: `elicitkit.testing.connected` with its `era` set.

    async with elicitation_client(mcp, answers) as client:
        result = await client.call_tool("greet")
    """
    return partial(connected, era=elicitation_era)


@pytest.fixture
def task_clock() -> Clock:
    """A clock that stands still; `task_clock.advance(seconds)` lets time pass."""
    return Clock()


@pytest.fixture
def task_store(task_clock: Clock) -> MemoryTaskStore:
    """A store of tasks in memory on `task_clock`; the server opens it."""
    return MemoryTaskStore(clock=task_clock)


@pytest.fixture
def task_restarts(task_clock: Clock) -> Callable[[MakeServer], Restarts]:
    """Makes the `Restarts` of a server on `task_clock`, from the function that makes the server."""
    return partial(Restarts, clock=task_clock)
