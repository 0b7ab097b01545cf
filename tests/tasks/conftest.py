"""Stores for the tests of the MCP half of tasks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from elicitkit import MemoryTaskStore, PostgresTaskStore, SqliteTaskStore
from elicitkit.tasks.store import TaskStore
from tests.services import postgres


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TaskStore:
    match request.param:
        case "memory":
            return MemoryTaskStore()
        case "sqlite":
            return SqliteTaskStore(tmp_path / "tasks.db")
    schema: str = request.getfixturevalue("empty_schema")
    return PostgresTaskStore(postgres.ADDRESS, schema=schema, pool_size=4)


@pytest.fixture(scope="session")
def session_schema() -> Iterator[str]:
    """One schema for all tests that share no store, since to make one takes its time."""
    postgres.require()
    with postgres.own_schema() as name:
        yield name


@pytest.fixture
def empty_schema(session_schema: str) -> str:
    postgres.empty(session_schema)
    return session_schema
