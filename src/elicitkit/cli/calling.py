"""One call of one tool, from connecting to its result, with a person in between."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final, TextIO, TypeAlias

import anyio
from mcp import Client, MCPError
from mcp_types import CallToolResult, Implementation, Tool

from ..errors import ScriptError
from ..host.servers import Server, transport
from ..naming import nearest
from ..tasks.client import TasksClient
from ..testing import ScriptedAnswers
from .exits import Exit, Failure
from .output import complain, say
from .people import People, whoever_is_there
from .progress import Progress
from .troubles import refusal, required_links, trouble
from .version import version

START_SECONDS: Final = 120.0
"""How long a server may take to start and to say what it speaks; `npx` may have to download it first."""

SILENT_SECONDS: Final = 3.0
"""After how long a person is told that the server is still starting."""

TOOL_PAGES: Final = 100
"""How many pages of tools are read before a list counts as endless."""

Show: TypeAlias = Callable[[CallToolResult], Exit]
"""Prints a result, and gives the exit code for it."""

_TAIL = 4_000
"""How much of what a dead server wrote is shown, in characters."""


def call(
    server: Server,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    show: Show,
    answers: str | None = None,
    takes_null: bool = False,
    debug: bool = False,
) -> Exit:
    """Call a tool, and put whatever it asks to the person at the terminal, or take the answers from a file.

    No time limit runs once the connection stands: a person may be typing. A script that does not come out even counts
    for more than what the tool made of it.

    Args:
        server: Where the tool is.
        tool: Its name.
        arguments: What it is called with.
        show: Prints the result, and gives the exit code for it.
        answers: A file of scripted answers.
        takes_null: Whether the server takes `null` for a field that the person cleared, as one on elicitkit does.
        debug: Let the server write to this process's standard error, instead of keeping it for when the server dies.

    Raises:
        Failure: If the server could not be talked to.
        ScriptError: If the scripted answers ran out, or were left over.
        MissingExtra: If something was asked, and the terminal prompt is not installed.
    """
    script = read_script(answers) if answers is not None else None
    people = People(tool, whoever_is_there(script, takes_null=takes_null))
    try:
        with _error_log(debug=debug) as errlog:
            code = anyio.run(partial(converse, server, tool, arguments, people, show, errlog))
    except Failure as failure:
        if failure.code is not Exit.TOOL_FAILED:
            raise
        complain(failure.line, details=failure.details)
        code = failure.code
    if script is not None:
        script.finish()
    return code


def read_script(path: str) -> ScriptedAnswers:
    """Read scripted answers from a file.

    Raises:
        Failure: If it cannot be read, or a line is no answer.
    """
    try:
        return ScriptedAnswers.from_file(path)
    except (OSError, UnicodeDecodeError, ScriptError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(Exit.USAGE, f"the answers in {path} cannot be read: {reason}") from error


async def converse(
    server: Server, tool: str, arguments: Mapping[str, Any], people: People, show: Show, errlog: TextIO
) -> Exit:
    """Connect, call one tool, put what it asks to *people*, and show what it returns before the server is stopped.

    Raises:
        Failure: If there is no result, with what the server wrote to *errlog* where the connection failed.
        Exception: What kept *people* from putting a question to anybody.
    """
    shown: Exit | None = None
    try:
        async with _connected(server, people, errlog) as client:
            await _require(client, tool)
            result = await _called(client, tool, arguments, people)
            await people.withdraw()  # Or the result would be printed into a question nobody waits for any more.
            if people.failure is not None:
                raise people.failure
            shown = show(result)
            if result.is_error and _has_more(errlog):
                say("what the server wrote to its standard error is shown with --debug")
    except Exception as error:
        if shown is None:  # Else it is only the goodbye that failed.
            raise people.failure or _failure(error, server, errlog) from error
    assert shown is not None
    return shown


@asynccontextmanager
async def _connected(server: Server, people: People, errlog: TextIO) -> AsyncIterator[Client]:
    with anyio.move_on_after(START_SECONDS) as starting:
        waiting = asyncio.get_running_loop().call_later(SILENT_SECONDS, say, f"waiting for {server.described} …")
        try:
            async with _client(server, people, errlog) as client:
                waiting.cancel()
                starting.deadline = math.inf
                yield client
        finally:
            waiting.cancel()
    if starting.cancelled_caught:
        raise TimeoutError(f"it said nothing for {START_SECONDS:g} seconds")


def _failure(error: Exception, server: Server, errlog: TextIO) -> Failure:
    failure = trouble(error, server)
    if failure.code is Exit.UNREACHABLE:
        failure.details = _tail(errlog)
    return failure


def _client(server: Server, people: People, errlog: TextIO) -> Client:
    progress = Progress(people)
    return Client(
        transport(server, errlog=errlog),
        elicitation_callback=people,
        extensions=[TasksClient(created=progress.created, told=progress.told)],
        client_info=Implementation(name="elicitkit", version=version()),
    )


async def _require(client: Client, name: str) -> None:
    """Make sure that the server has the tool; listing it first also tells the SDK which headers the call needs."""
    names = [tool.name for tool in await _tools(client)]
    if name not in names:
        hint = nearest(name, names)
        others = sorted(other for other in names if repr(other) not in hint)
        more = f" (others: {', '.join(others)})" if others else ""
        raise Failure(Exit.TOOL_FAILED, f"the server has no tool {name!r}: {hint}{more}")


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


async def _called(client: Client, name: str, arguments: Mapping[str, Any], people: People) -> CallToolResult:
    """Call a tool; once more where links are to be opened first, and the person did (2025-11-25, error -32042).

    Raises:
        Failure: If there is no result.
    """
    try:
        return await client.call_tool(name, dict(arguments))
    except MCPError as error:
        if not await people.open_first(client.session, required_links(error)):
            raise refusal(error, name) from error
    try:
        return await client.call_tool(name, dict(arguments))
    except MCPError as error:
        raise refusal(error, name) from error


# --- what a server writes to its standard error -----------------------------------------------------------------------


@contextmanager
def _error_log(*, debug: bool) -> Iterator[TextIO]:
    if debug:
        yield sys.stderr
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errlog:
        yield errlog


def _has_more(errlog: TextIO) -> bool:
    """Whether a server that still runs wrote something that nobody has seen; where it writes on is left alone."""
    return errlog is not sys.stderr and os.fstat(errlog.fileno()).st_size > 0


def _tail(errlog: TextIO) -> str:
    if errlog is sys.stderr:
        return ""
    errlog.seek(0)
    return errlog.read()[-_TAIL:]
