"""What is forgotten in setting tasks up is said where it is forgotten, with the line to add; never in silence."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitResult

from elicitkit import Elicitation, MemoryTaskStore, SqliteTaskStore, Tasks, elicit
from elicitkit.errors import AdapterMissing, StoreError
from elicitkit.testing import connected
from tests.tasks.desk import desk, form, server

pytestmark = pytest.mark.anyio

LINE = "extensions=[tasks], lifespan=tasks.lifespan())"


@pytest.fixture
def tasks() -> Tasks:
    return Tasks(MemoryTaskStore())


async def order(ctx: Context) -> str:
    outcome = await elicit(ctx, form())
    return outcome.content["size"] if outcome else "nothing"


def shop(tasks: Tasks, *, mode: Any = "optional", begins: Any = "at once", **given: Any) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("shop", **given)
    mcp.tool()(tasks.task(mode=mode, begins=begins)(order))
    return mcp


async def begins(tasks: Tasks, mcp: MCPServer[Any]) -> None:
    async with desk(mcp, tasks):
        raise AssertionError("it started")


# --- the extension ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_others", [False, True], ids=["none", "other tasks"])
@pytest.mark.parametrize("mode", ["optional", "required"])
async def test_a_server_whose_tasks_are_not_among_its_extensions_does_not_start(
    tasks: Tasks, mode: str, has_others: bool, caplog: pytest.LogCaptureFixture
) -> None:
    others = [Tasks(MemoryTaskStore())] if has_others else []
    mcp = shop(tasks, mode=mode, middleware=[Elicitation()], extensions=others, lifespan=tasks.lifespan())

    with pytest.raises(AdapterMissing, match=r"extensions=\[tasks\]") as caught:
        await begins(tasks, mcp)

    assert LINE in str(caught.value)
    assert [one.levelno for one in caplog.records if "cannot start" in one.message] == [logging.ERROR]


async def test_an_extension_that_is_added_later_is_one(tasks: Tasks) -> None:
    mcp = shop(tasks, middleware=[Elicitation()], lifespan=tasks.lifespan())
    mcp._add_extension(tasks) if hasattr(mcp, "_add_extension") else mcp._extensions.append(tasks)

    async with desk(mcp, tasks):
        assert tasks.is_served


async def test_a_server_that_can_have_no_tasks_is_told_so(tasks: Tasks) -> None:
    with pytest.raises(TypeError, match="MCPServer of the official SDK, not for object"):
        async with tasks.lifespan()(object()):  # type: ignore[arg-type]  # as FastMCP would enter it
            pass


# --- the lifespan -----------------------------------------------------------------------------------------------------


async def test_the_method_in_place_of_the_lifespan_is_told_of_its_parentheses(tasks: Tasks) -> None:
    mcp = shop(tasks, middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan)

    with pytest.raises(TypeError, match=r"lifespan=tasks\.lifespan\(\) has parentheses.*given MCPServer"):
        await begins(tasks, mcp)


@pytest.mark.parametrize("given", ["mine", 3, {}], ids=repr)
def test_what_is_no_lifespan_of_the_authors_is_refused_before_anything_starts(tasks: Tasks, given: Any) -> None:
    with pytest.raises(TypeError, match=type(given).__name__):
        tasks.lifespan(given)


@pytest.mark.parametrize("has_middleware", [True, False])
async def test_without_the_lifespan_a_call_says_what_to_add_whatever_else_is_missing(
    tasks: Tasks, has_middleware: bool
) -> None:
    mcp = shop(tasks, middleware=[Elicitation()] if has_middleware else [], extensions=[tasks])

    async with desk(mcp, tasks) as at:
        result = await at.send("order")

    assert result["isError"]
    assert LINE in result["content"][0]["text"]


# --- the middleware ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("begins", ["at once", "later"])
async def test_without_the_middleware_a_plain_call_that_asks_says_what_to_add(tasks: Tasks, begins: str) -> None:
    mcp = shop(tasks, begins=begins, extensions=[tasks], lifespan=tasks.lifespan())

    async with connected(mcp, _answer) as client:
        result = await client.call_tool("order", {})

    assert result.is_error
    assert "middleware=[Elicitation()]" in result.content[0].text  # type: ignore[union-attr]


async def test_without_the_middleware_a_task_that_begins_later_says_what_to_add(tasks: Tasks) -> None:
    mcp = shop(tasks, begins="later", extensions=[tasks], lifespan=tasks.lifespan())

    async with desk(mcp, tasks) as at:
        result = await at.send("order")

    assert result["isError"]
    assert "middleware=[Elicitation()]" in result["content"][0]["text"]


async def test_without_the_middleware_tasks_ask_all_the_same(tasks: Tasks) -> None:
    mcp = shop(tasks, extensions=[tasks], lifespan=tasks.lifespan())

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        await at.answer(task_id, size="M")

        assert await at.said(task_id) == "M"


async def _answer(*_: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"size": "M"})


# --- what keeps a server from starting --------------------------------------------------------------------------------


@asynccontextmanager
async def _mine(_: Any) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda folder: Tasks(SqliteTaskStore(folder / "none" / "tasks.db")), StoreError, "The file cannot be made"),
        (lambda _: Tasks(MemoryTaskStore(), tools={"nothing"}), ValueError, "the server does not have: nothing"),
    ],
    ids=["store", "tools"],
)
async def test_what_keeps_a_server_from_starting_is_logged_in_one_line(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    make: Callable[[Path], Tasks],
    error: type[Exception],
    told: str,
) -> None:
    tasks = make(tmp_path)
    with pytest.raises(error, match=told):
        await begins(tasks, server(tasks, _mine))

    (line,) = [one for one in caplog.records if one.name.startswith("elicitkit")]
    assert line.levelno == logging.ERROR
    assert line.getMessage().startswith("the server 'desk' cannot start: ")
    assert told in line.getMessage()
    assert "\n" not in line.getMessage()
    assert line.exc_info is None


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "error", "told"),
    [
        (lambda: Tasks(MemoryTaskStore(), max_live=-5), ValueError, "max_live is a whole number from 0 on, and not -5"),
        (lambda: Tasks(MemoryTaskStore(), max_live=1.5), TypeError, "max_live is a whole number, not float"),  # type: ignore[arg-type]
        (lambda: Tasks(MemoryTaskStore(), max_live=True), TypeError, "max_live is a whole number, not bool"),
        (lambda: MemoryTaskStore(open_requests=0), ValueError, "open_requests is a whole number from 1 on"),
        (lambda: MemoryTaskStore(open_requests="9"), TypeError, "open_requests is a whole number, not str"),  # type: ignore[arg-type]
        (lambda: MemoryTaskStore(max_wait=0), ValueError, "max_wait is positive"),
        (lambda: SqliteTaskStore("x.db", max_wait=float("nan")), ValueError, "max_wait is positive, and not nan"),
    ],
)
def test_a_number_that_would_mean_nothing_is_refused(
    made: Callable[[], object], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        made()
