"""`elicitkit call` on a tool that runs as a task (design, 8 and 9)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from elicitkit import Elicitation, MemoryTaskStore, Tasks, confirm
from elicitkit.cli import Exit

Called = Callable[..., tuple[int, str, str]]


def server() -> MCPServer[Any]:
    tasks = Tasks(MemoryTaskStore(), poll_interval=0.05)
    mcp: MCPServer[Any] = MCPServer("travel", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task(mode="required")
    async def plan(ctx: Context) -> str:
        await ctx.report_progress(0, message="looking \x1b[31mfor rooms")
        return "booked" if await confirm(ctx, "Book it?") else "not booked"

    @mcp.tool()
    @tasks.task(mode="required")
    async def fail() -> str:
        raise ToolError("there is no room left")

    return mcp


def script(folder: Path, *answers: dict[str, Any]) -> str:
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    return str(file)


def test_a_call_that_becomes_a_task_ends_with_its_result(called: Called, tmp_path: Path) -> None:
    answers = script(tmp_path, {"action": "accept", "content": {"confirm": True}})

    code, out, err = called(server(), "plan", "{}", "--answers", answers)

    assert (code, out) == (Exit.FINE, "booked\n")
    assert "the tool runs as a task (" in err
    assert "Book it?" in err


def test_what_the_task_is_doing_is_told_without_its_tricks(called: Called, tmp_path: Path) -> None:
    answers = script(tmp_path, {"action": "decline"})

    _, out, err = called(server(), "plan", "{}", "--answers", answers)

    assert out == "not booked\n"
    assert "\x1b" not in err


def test_a_task_whose_tool_fails_is_a_tool_that_failed(called: Called) -> None:
    code, out, err = called(server(), "fail", "{}")

    assert code == Exit.TOOL_FAILED
    assert "there is no room left" in out + err


def test_a_client_of_an_older_revision_waits_for_the_tool_itself(called: Called, tmp_path: Path) -> None:
    answers = script(tmp_path, {"action": "accept", "content": {"confirm": True}})

    code, out, err = called(server(), "plan", "{}", "--answers", answers, legacy=True)

    assert (code, out) == (Exit.FINE, "booked\n")
    assert "as a task" not in err
