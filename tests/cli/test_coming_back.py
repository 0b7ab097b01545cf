"""`elicitkit call` and a task that goes on without it: `--task`, and what is said at the end (issue 6, point 6)."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR

from elicitkit import Elicitation, MemoryTaskStore, Tasks, TasksClient, confirm
from elicitkit.cli import Exit
from elicitkit.cli.call import command_for
from elicitkit.tasks.client import TaskHandle
from elicitkit.tasks.messages import TaskState
from tests.cli import travel_server
from tests.cli.terminal import ENTER, Terminal, at_terminal
from tests.host.test_source_troubles import free_port
from tests.tasks.test_waiting import WORKING, state

Called = Callable[..., tuple[int, str, str]]
Write = Callable[..., str]

YES = '{"action": "accept", "content": {"confirm": true}}'
NO_TASK = "0" * 32


@pytest.fixture
def mcp() -> MCPServer[Any]:
    tasks = Tasks(MemoryTaskStore(), poll_interval=0.05)
    mcp: MCPServer[Any] = MCPServer("travel", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task()
    async def plan(ctx: Context) -> str:
        return "booked" if await confirm(ctx, "Book it?") else "not booked"

    @mcp.tool()
    @tasks.task()
    async def fail() -> str:
        raise MCPError(code=-32099, message="closed today")

    return mcp


def begun(mcp: MCPServer[Any], tool: str = "plan") -> str:
    """The id of a task that somebody began and left."""

    async def begin() -> str:
        async with Client(mcp, extensions=[TasksClient()], elicitation_callback=never) as client:
            created: Any = await client.session.call_tool(tool, {}, allow_claimed=True)
            return str(created.task_id)

    return anyio.run(begin)


async def never(*_: Any) -> Any:
    raise AssertionError("nobody is to be asked")


# --- --task -----------------------------------------------------------------------------------------------------------


def test_a_task_is_taken_up_again_and_asks_as_the_call_would(
    called: Called, mcp: MCPServer[Any], answers: Write
) -> None:
    task_id = begun(mcp)

    code, out, err = called(mcp, "--task", task_id, "--answers", answers(YES))

    assert (code, out) == (Exit.FINE, "booked\n")
    assert f"Question 1, from travel (task {task_id}):" in err
    assert "come back" not in err


def test_a_task_that_is_over_gives_its_result_again(called: Called, mcp: MCPServer[Any], answers: Write) -> None:
    task_id = begun(mcp)
    called(mcp, "--task", task_id, "--answers", answers(YES))

    code, out, _ = called(mcp, "--task", task_id, "--json")

    assert code == Exit.FINE
    assert json.loads(out)["structuredContent"] == {"result": "booked"}


def test_a_task_that_failed_says_why(called: Called, mcp: MCPServer[Any]) -> None:
    code, _, err = called(mcp, "--task", begun(mcp, "fail"))

    assert code == Exit.TOOL_FAILED
    assert err.splitlines()[-1] == "elicitkit: the task failed: closed today (error -32099)"


def test_an_id_that_the_server_does_not_know_is_wrong_usage(called: Called, mcp: MCPServer[Any]) -> None:
    code, _, err = called(mcp, "--task", NO_TASK)

    assert code == Exit.USAGE
    assert f"the server has no task {NO_TASK!r}" in err
    assert "come back" not in err


@pytest.mark.parametrize("legacy", [True, False])
def test_a_server_without_tasks_says_so(called: Called, legacy: bool) -> None:
    code, _, err = called(MCPServer("plain"), "--task", NO_TASK, legacy=legacy)

    assert (code, err) == (Exit.TOOL_FAILED, "elicitkit: the server has no tasks\n")


@pytest.mark.parametrize("arguments", [["plan", "--task", NO_TASK], ["--task", NO_TASK, "plan", "{}"]])
def test_a_call_is_of_a_tool_or_of_a_task(called: Called, mcp: MCPServer[Any], arguments: list[str]) -> None:
    code, _, err = called(mcp, *arguments)

    assert code == Exit.USAGE
    assert "the name of a tool, or --task" in err


def test_options_stand_where_they_like(run: Called) -> None:
    """Python's parser would take an argument that may be left out for left out, as soon as an option comes."""
    told = [
        run("call", "nowhere", "--json", "plan", "{}"),
        run("call", "--task", NO_TASK, "nowhere"),
        run("call", "--json", "nowhere", "--task", NO_TASK),
    ]

    assert all("'nowhere' is no URL" in err for _, _, err in told)


def test_the_command_that_comes_back_can_be_pasted_into_a_shell() -> None:
    command = command_for("python 'my shop.py'", "my servers.json", "4f2a")

    assert shlex.split(command) == [
        *("elicitkit", "call", "python 'my shop.py'"),
        *("--config", "my servers.json", "--task", "4f2a"),
    ]


# --- ends -------------------------------------------------------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, *polls: MCPError | TaskState) -> None:
    """Let the next polls fail, or give a state; all that come after them as the last."""
    left = [*polls]

    async def polled(self: TaskHandle) -> TaskState:
        found = left[0] if len(left) == 1 else left.pop(0)
        if isinstance(found, MCPError):
            raise found
        return found

    monkeypatch.setattr(TaskHandle, "state", polled)


REFUSED = MCPError(code=-32099, message="not you")
CLOSED = MCPError(code=CONNECTION_CLOSED, message="Connection closed")


@pytest.mark.parametrize("error", [REFUSED, CLOSED], ids=["refused", "closed"])
@pytest.mark.parametrize("again", [True, False])
def test_an_end_that_leaves_a_task_says_how_to_come_back(
    called: Called, mcp: MCPServer[Any], answers: Write, monkeypatch: pytest.MonkeyPatch, error: MCPError, again: bool
) -> None:
    arguments = ["--task", begun(mcp)] if again else ["plan"]
    with monkeypatch.context() as patch:
        failing(patch, error)
        code, _, err = called(mcp, *arguments)
    *_, trouble, last = err.splitlines()
    task_id = last.rpartition(" ")[2]

    assert code == Exit.UNREACHABLE
    assert trouble.startswith("elicitkit: ")
    assert last.endswith(f"to come back to it: elicitkit call http://in.memory/mcp --task {task_id}")
    assert called(mcp, "--task", task_id, "--answers", answers(YES))[:2] == (Exit.FINE, "booked\n")


def test_a_script_that_runs_out_leaves_a_task_that_was_taken_up(
    called: Called, mcp: MCPServer[Any], answers: Write
) -> None:
    task_id = begun(mcp)

    code, _, err = called(mcp, "--task", task_id, "--answers", answers())

    assert code == Exit.SCRIPT
    assert err.splitlines()[-1].endswith(f"--task {task_id}")


def test_a_call_that_ends_with_its_task_has_nothing_to_come_back_to(
    called: Called, mcp: MCPServer[Any], answers: Write
) -> None:
    """A script that runs out is a callback that failed: the task is cancelled."""
    code, _, err = called(mcp, "plan", "--answers", answers())

    assert code == Exit.SCRIPT
    assert err.splitlines()[-1] == "the task was cancelled with its call"
    assert "left as it is" not in err


def test_a_server_that_fails_for_a_while_is_said_once(
    called: Called, mcp: MCPServer[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = begun(mcp)
    failing(monkeypatch, *[MCPError(code=INTERNAL_ERROR, message="no disk")] * 3, REFUSED)

    _, _, err = called(mcp, "--task", task_id)

    assert err.count("the server cannot be reached, or fails") == 1


def test_each_time_that_a_server_fails_is_said_and_that_it_is_there_again(
    called: Called, mcp: MCPServer[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though its task has not changed meanwhile."""
    task_id = begun(mcp)
    works, fails = state(WORKING), MCPError(code=INTERNAL_ERROR, message="no disk")
    failing(monkeypatch, works, fails, works, fails, works, REFUSED)

    _, _, err = called(mcp, "--task", task_id)

    told = [line for line in err.splitlines() if line.startswith("  the server ")]
    assert [line.partition(",")[0] for line in told] == [
        "  the server cannot be reached",
        "  the server is there again",
    ] * 2


# --- servers that are killed ------------------------------------------------------------------------------------------


@contextmanager
def travelling(file: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The server over HTTP, until it is killed."""
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, travel_server.__file__, str(file), str(port)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def typed(terminal: Terminal, head: str, text: str) -> None:
    """Fill in a form of one field, and send it."""
    terminal.is_asked(head)
    terminal.press(ENTER)
    terminal.sees("(required)")
    terminal.press(text, ENTER)
    terminal.sees("Send this?")
    terminal.press(ENTER)


@pytest.mark.slow
def test_a_form_outlives_a_server_over_http_that_is_killed(tmp_path: Path) -> None:
    """What the tasks example promises: kill it while a question is open, start it again, and answer."""
    file, port = tmp_path / "tasks.db", free_port()
    address = f"http://127.0.0.1:{port}/mcp"
    with ExitStack() as stack:
        with travelling(file, port):
            reached(port)
            at = stack.enter_context(at_terminal("call", address, "plan", patience=60))
            at.is_asked("Where to?")
        typed(at, "Where to?", "Oslo")
        at.sees("the server cannot be reached, or fails")
        stack.enter_context(travelling(file, port))
        at.sees("the server is there again")
        typed(at, "When?", "May")
        code = at.ends()

    assert code == Exit.FINE
    assert "Oslo in May" in at.seen()
    assert "withdrawn" not in at.seen()


def reached(port: int) -> None:
    """Wait until something listens there."""

    async def connected() -> None:
        with anyio.fail_after(30):
            while True:
                try:
                    await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                except OSError:
                    await anyio.sleep(0.05)
                else:
                    return

    anyio.run(connected)


@pytest.mark.slow
def test_a_server_over_standard_input_that_dies_ends_the_call_which_says_how_to_come_back(tmp_path: Path) -> None:
    file = tmp_path / "tasks.db"
    command = shlex.join([sys.executable, travel_server.__file__, str(file)])
    with at_terminal("call", command, "plan", patience=60) as at:
        at.is_asked("Where to?")
        os.kill(int(Path(f"{file}.pid").read_text(encoding="ascii")), signal.SIGKILL)
        code = at.ends()
        told = "".join(at.seen().splitlines())  # Long lines are broken at the edge.
    (task_id,) = set(re.findall(r"--task ([0-9a-f]{32})", told))
    with at_terminal("call", command, "--task", task_id, patience=60) as at:
        typed(at, "Where to?", "Oslo")
        typed(at, "When?", "May")
        ended = at.ends()

    assert code == Exit.UNREACHABLE
    assert "ended the connection" in told
    assert "the task was left as it is; to come back to it: elicitkit call " in told
    assert (ended, "Oslo in May" in at.seen()) == (Exit.FINE, True)
