"""What `call` wants of a server: the result of a tool, or that of a task which was begun before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, Tool

from ..errors import TaskOutOfReach
from ..naming import nearest
from ..tasks.client import TasksClient
from ..tasks.messages import EXTENSION
from .exits import Exit, Failure
from .people import People
from .progress import Progress
from .troubles import refusal, required_links

TOOL_PAGES: Final = 100
"""How many pages of tools are read before a list counts as endless."""


class Call(Protocol):
    """One result of a server's, which may take people."""

    @property
    def described(self) -> str:
        """What it is called beside its questions."""
        ...

    async def result(self, client: Client, people: People, progress: Progress) -> CallToolResult:
        """Wait for it.

        Raises:
            Failure: If there is none.
            TaskOutOfReach: If it is a task's, which cannot be waited for and goes on.
        """
        ...


class ToolCall:
    """The call of a tool.

    Args:
        tool: Its name.
        arguments: What it is called with.
    """

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        self._tool = tool
        self._arguments = arguments

    @property
    def described(self) -> str:
        """What it is called beside its questions."""
        return f"tool {self._tool}"

    async def result(self, client: Client, people: People, progress: Progress) -> CallToolResult:
        """Call the tool; once more where links are to be opened first, and the person did (2025-11-25, error -32042).

        Raises:
            Failure: If there is no such tool, or no result.
            TaskOutOfReach: If the call became a task that cannot be waited for, and goes on.
        """
        await self._require(client)
        try:
            return await client.call_tool(self._tool, dict(self._arguments))
        except MCPError as error:
            if not await people.open_first(client.session, required_links(error)):
                raise refusal(error, self._tool) from error
        try:
            return await client.call_tool(self._tool, dict(self._arguments))
        except MCPError as error:
            raise refusal(error, self._tool) from error

    async def _require(self, client: Client) -> None:
        """Make sure that the server has the tool; the SDK learns from the list which headers the call needs."""
        names = [tool.name for tool in await _tools(client)]
        if self._tool not in names:
            hint = nearest(self._tool, names)
            others = sorted(other for other in names if repr(other) not in hint)
            more = f" (others: {', '.join(others)})" if others else ""
            raise Failure(Exit.TOOL_FAILED, f"the server has no tool {self._tool!r}: {hint}{more}")


class TaskCall:
    """A task that was begun before, by this process or another.

    Args:
        task_id: Its id.
    """

    def __init__(self, task_id: str) -> None:
        self._task_id = task_id

    @property
    def described(self) -> str:
        """What it is called beside its questions."""
        return f"task {self._task_id}"

    async def result(self, client: Client, people: People, progress: Progress) -> CallToolResult:
        """Wait for the end of the task, and let people answer what it asks.

        Raises:
            Failure: If there is no such task, or it failed.
            TaskOutOfReach: If it cannot be waited for, and goes on.
        """
        if EXTENSION not in (client.server_capabilities.extensions or {}):
            raise Failure(Exit.TOOL_FAILED, "the server has no tasks")
        handle = TasksClient.attach(client.session, self._task_id)
        progress.attached(handle)
        try:
            return await handle.wait(progress.told, unreached=progress.unreached)
        except TaskOutOfReach as error:
            if not is_gone(error):
                raise
            line = f"the server has no task {self._task_id!r}: the id is wrong, it is over and erased, or another's"
            raise Failure(Exit.USAGE, line) from error
        except MCPError as error:
            raise Failure(Exit.TOOL_FAILED, f"the task failed: {error.message} (error {error.code})") from error


def is_gone(error: TaskOutOfReach) -> bool:
    """Whether a server says that there is no such task, or no longer."""
    return isinstance(error.__cause__, MCPError) and error.__cause__.code == INVALID_PARAMS


async def _tools(client: Client) -> list[Tool]:
    if client.server_capabilities.tools is None:
        return []
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(TOOL_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools
