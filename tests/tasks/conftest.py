"""Stores for the tests of the MCP half of tasks."""

from pathlib import Path

import pytest

from elicitkit import MemoryTaskStore, SqliteTaskStore
from elicitkit.tasks.store import TaskStore


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TaskStore:
    return MemoryTaskStore() if request.param == "memory" else SqliteTaskStore(tmp_path / "tasks.db")
