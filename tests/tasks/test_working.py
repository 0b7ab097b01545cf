"""A process that runs the tasks of a server and serves nobody (design, section 8, "The engine")."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import AdapterMissing, MemoryTaskStore, SqliteTaskStore, Tasks
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.engines.local import LocalEngine
from elicitkit.tasks.working import tasks_of, working
from tests.tasks.desk import server, until

pytestmark = pytest.mark.anyio

CALL = TaskCall("greet", "0" * 32, arguments={"name": "Ada"}).to_dict()


@asynccontextmanager
async def words(_: MCPServer[Any]) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "Hello"}


def made(tasks: Tasks) -> MCPServer[Any]:
    mcp = server(tasks, words)

    async def greet(name: str, ctx: Context) -> str:
        return f"{ctx.request_context.lifespan_context['greeting']} {name}"

    mcp.tool()(tasks.task()(greet))
    return mcp


async def test_what_is_ready_is_run_in_the_lifespan_of_the_server(tmp_path: Path) -> None:
    tasks = Tasks(SqliteTaskStore(tmp_path / "tasks.db"))
    async with working(made(tasks), LocalEngine(look=0.02)):
        record = await tasks.store.create(CALL)
        await until(tasks.store, record.id, lambda record: record.is_over)

        assert (await tasks.store.history(record.id)).record.result["content"][0]["text"] == "Hello Ada"


async def test_another_store_stands_in_for_that_of_the_server(tmp_path: Path) -> None:
    other = SqliteTaskStore(tmp_path / "other.db")
    async with SqliteTaskStore(tmp_path / "other.db") as store:
        record = await store.create(CALL)
        async with working(made(Tasks(MemoryTaskStore())), LocalEngine(look=0.02), store=other) as tasks:
            assert tasks.store is other
            await until(store, record.id, lambda record: record.is_over)


async def test_a_server_that_is_served_is_given_no_other_engine(tmp_path: Path) -> None:
    mcp = made(Tasks(SqliteTaskStore(tmp_path / "tasks.db")))
    async with working(mcp, LocalEngine()) as tasks:
        with pytest.raises(RuntimeError, match="these tasks are served at the moment"):
            tasks.run_by(LocalEngine())

    assert tasks_of(mcp) is tasks
    assert not tasks.is_served


@pytest.mark.parametrize("has_tasks", [False, True])
async def test_a_server_without_tasks_or_their_lifespan_cannot_be_worked_for(has_tasks: bool) -> None:
    mcp = MCPServer[Any]("bare", extensions=[Tasks(MemoryTaskStore())] if has_tasks else [])

    with pytest.raises(AdapterMissing, match="need their lifespan" if has_tasks else "'bare' has no tasks"):
        async with working(mcp, LocalEngine()):
            pass
