"""The fixtures for authors' tests, used as they would: on each revision, with a clock, through restarts."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Context as FastContext
from fastmcp import FastMCP
from mcp.server.mcpserver import Context, MCPServer

import elicitkit.server.fastmcp
from elicitkit import (
    Elicitation,
    FormElicitation,
    MemoryTaskStore,
    ScriptError,
    Tasks,
    confirm,
    elicit,
    step,
    testing,
)
from elicitkit.tasks.store import TaskStore
from elicitkit.testing import Clock, Restarts, ScriptedAnswers, accept, assert_asked, connected, never
from elicitkit.testing.fixtures import (
    Connect,
    elicitation_client,
    elicitation_era,
    task_clock,
    task_restarts,
    task_store,
)
from tests import eras

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
__all__ = ["elicitation_client", "elicitation_era", "task_clock", "task_restarts", "task_store"]


def greeter() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("greeter", middleware=[Elicitation()])

    @mcp.tool()
    async def greet(ctx: Context) -> str:
        name = await elicit(ctx, FormElicitation.create("Who is there?").string("name").required())
        return f"{ctx.session.protocol_version} {name.content['name'] if name else name.reason}"

    return mcp


async def test_a_client_speaks_each_revision(elicitation_client: Connect, elicitation_era: str) -> None:
    with ScriptedAnswers([accept(name="Ada")]) as answers:
        async with elicitation_client(greeter(), answers) as client:
            text = await eras.said(client, "greet")

    assert text == f"{elicitation_era} Ada"
    assert_asked(answers.asked, "Who is there?")


async def test_a_fastmcp_server_is_connected_to_as_well(elicitation_client: Connect) -> None:
    mcp: FastMCP[Any] = FastMCP("greeter", middleware=[elicitkit.server.fastmcp.Elicitation()])

    @mcp.tool
    async def greet(ctx: FastContext) -> str:
        name = await elicit(ctx, FormElicitation.create("Who is there?").string("name").required())
        return str(name.content["name"] if name else name.reason)

    with ScriptedAnswers([accept(name="Ada")]) as answers:
        async with elicitation_client(mcp, answers) as client:
            assert await eras.said(client, "greet") == "Ada"


async def test_without_answers_a_client_cannot_be_asked(elicitation_client: Connect) -> None:
    async with elicitation_client(greeter()) as client:
        assert (await eras.said(client, "greet")).startswith("error: ")


async def test_a_test_that_fails_fails_with_its_own_error(elicitation_client: Connect) -> None:
    with pytest.raises(ZeroDivisionError):
        async with elicitation_client(greeter()):
            raise ZeroDivisionError


async def test_a_revision_that_cannot_ask_can_be_spoken_and_an_unknown_one_is_refused() -> None:
    async with connected(greeter(), ScriptedAnswers(), era="2024-11-05") as client:
        assert "2024-11-05" in await eras.said(client, "greet")
    with pytest.raises(ValueError, match="no revision '2025-06-81' is known: did you mean '2025-06-18'"):
        await connected(greeter(), era="2025-06-81").__aenter__()


async def test_a_connection_that_hangs_ends() -> None:
    with pytest.raises(TimeoutError):
        async with connected(greeter(), ScriptedAnswers([never]), seconds=0.2) as client:
            await client.call_tool("greet")


def test_the_store_is_on_the_clock(task_store: MemoryTaskStore, task_clock: Clock) -> None:
    before = task_store.clock()
    task_clock.advance(60)

    assert task_store.clock() == before + 60


# --- restarts ---------------------------------------------------------------------------------------------------------


def shop(did: list[str]) -> Any:
    def make(store: TaskStore) -> MCPServer[Any]:
        tasks = Tasks(store, poll_interval=0.02)
        mcp: MCPServer[Any] = MCPServer(
            "shop", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan()
        )

        @mcp.tool()
        @tasks.task()
        async def order(ctx: Context) -> str:
            await step(ctx, "reserve", did.append, "reserve")
            size = await elicit(
                ctx, FormElicitation.create("Which size?").choice("size").options(["S", "M"]).required()
            )
            sure = await confirm(ctx, "Buy it?")
            await step(ctx, "pay", did.append, "pay")
            return f"{size.content['size'] if size else ''} {bool(sure)}"

        return mcp

    return make


@pytest.mark.parametrize("is_killed", [True, False])
async def test_a_task_survives_its_process(task_restarts: Any, is_killed: bool) -> None:
    did: list[str] = []
    restarts: Restarts = task_restarts(shop(did))
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "order")
        assert await restarts.until_asked(task_id) == ["Which size?"]
        if is_killed:
            restarts.kill()
    with ScriptedAnswers() as answers:
        answers.when("Which size?").then(accept(size="M"))
        answers.when("Buy it?").then(accept(confirm=True))
        async with restarts.running(answers) as client:
            result = await restarts.result(client, task_id)

    assert result.content[0].text == "M True"
    assert did == ["reserve", "pay"]


async def test_a_killed_process_changes_nothing_any_more(task_restarts: Any) -> None:
    restarts: Restarts = task_restarts(shop([]))
    async with restarts.running() as client:
        task_id = await restarts.begin(client, "order")
        await restarts.until_asked(task_id)
        before = await restarts.store.history(task_id)
        restarts.kill()

    assert await restarts.store.history(task_id) == before


async def test_a_call_that_becomes_no_task_is_said() -> None:
    def make(_: TaskStore) -> MCPServer[Any]:
        mcp: MCPServer[Any] = MCPServer("plain")
        mcp.tool(name="greet")(lambda: "hello")
        return mcp

    restarts = Restarts(make)
    async with restarts.running() as client:
        with pytest.raises(AssertionError, match="the call of 'greet' did not become a task"):
            await restarts.begin(client, "greet")


# --- what was asked ---------------------------------------------------------------------------------------------------


async def test_what_was_asked_is_compared_and_both_are_shown(elicitation_client: Connect) -> None:
    answers = ScriptedAnswers([accept(name="Ada")])
    async with elicitation_client(greeter(), answers) as client:
        await client.call_tool("greet")

    assert_asked(answers.asked, re.compile("^Who"))
    with pytest.raises(ScriptError) as failed:
        assert_asked(answers.asked, "Which size?", "Who is there?")
    assert str(failed.value) == (
        "It was to be asked:\n  'Which size?'\n  'Who is there?'\n"
        "It was asked:\n  'Who is there?'\n    name: {'type': 'string', 'title': 'Name'}, required"
    )


# --- as a plugin ------------------------------------------------------------------------------------------------------


def test_the_fixtures_are_there_where_a_conftest_names_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["elicitkit.testing.fixtures"]\n')
    (tmp_path / "test_it.py").write_text(
        "def test_it(elicitation_era, elicitation_client, task_clock, task_store, task_restarts):\n"
        "    assert elicitation_era and task_store.clock is task_clock\n"
    )

    done = pytest_in(tmp_path)

    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@pytest.mark.slow
def test_the_tests_of_the_example_server_pass() -> None:
    done = pytest_in(ROOT / "examples")

    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


def pytest_in(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_plugin_is_opt_in() -> None:
    """Nobody who installs elicitkit has fixtures in a test run that did not ask for them."""
    pyproject = (ROOT / "pyproject.toml").read_text()

    assert "pytest11" not in pyproject


def test_scripts_alone_load_neither_pytest_nor_a_server() -> None:
    code = "import elicitkit.testing, sys; print(*({'mcp.server', 'pytest', 'starlette'} & {*sys.modules}))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)

    assert done.stdout.strip() == ""


def test_every_name_that_is_listed_is_there() -> None:
    for name in testing.__all__:
        assert getattr(testing, name)
    with pytest.raises(AttributeError, match="has no attribute 'everything_else'"):
        testing.everything_else  # noqa: B018
