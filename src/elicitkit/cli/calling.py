"""One result of one server, from connecting until it is shown, with a person in between."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Final, TextIO, TypeAlias

import anyio
from mcp import Client
from mcp_types import CallToolResult, Implementation

from ..errors import ScriptError
from ..host.servers import Server, transport
from ..tasks.client import TasksClient
from ..testing import ScriptedAnswers
from .calls import Call
from .exits import Exit, Failure
from .output import complain, say
from .people import People, whoever_is_there
from .progress import CommandFor, Progress
from .troubles import trouble
from .version import version

START_SECONDS: Final = 120.0
"""How long a server may take to start and to say what it speaks; `npx` may have to download it first."""

SILENT_SECONDS: Final = 3.0
"""After how long a person is told that the server is still starting."""

Show: TypeAlias = Callable[[CallToolResult], Exit]
"""Prints a result, and gives the exit code for it."""

_TAIL = 4_000
"""How much of what a dead server wrote is shown, in characters."""


def call(
    server: Server,
    wanted: Call,
    *,
    show: Show,
    command_for: CommandFor = lambda task_id: task_id,
    answers: str | None = None,
    takes_null: bool = False,
    debug: bool = False,
) -> Exit:
    """Get a result, and put whatever is asked to the person at the terminal, or take the answers from a file.

    No time limit runs once the connection stands: a person may be typing. A script that does not come out even counts
    for more than what the tool made of it.

    Args:
        server: Where it comes from.
        wanted: What gives it.
        show: Prints the result, and gives the exit code for it.
        command_for: Gives the command that comes back to a task, by its id.
        answers: A file of scripted answers.
        takes_null: Whether the server takes `null` for a field that the person cleared, as one on elicitkit does.
        debug: Let the server write to this process's standard error, instead of keeping it for when the server dies.

    Raises:
        Failure: If the server could not be talked to.
        ScriptError: If the scripted answers ran out, or were left over.
        MissingExtra: If something was asked, and the terminal prompt is not installed.
    """
    script = read_script(answers) if answers is not None else None
    people = People(wanted.described, whoever_is_there(script, takes_null=takes_null))
    progress = Progress(people, command_for)
    try:
        with _error_log(debug=debug) as errlog:
            code = anyio.run(partial(converse, server, wanted, people, progress, show, errlog))
    except Failure as failure:
        if failure.code is not Exit.TOOL_FAILED:
            _note(failure, progress)
            raise
        complain(failure.line, details=failure.details)
        if progress.left:
            say(progress.left)
        code = failure.code
    except BaseException as error:
        _note(error, progress)
        raise
    if script is not None:
        script.finish()
    return code


def _note(error: BaseException, progress: Progress) -> None:
    """Let whoever tells of an error say how to come back to the task, too."""
    if progress.left:
        error.add_note(progress.left)


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
    server: Server, wanted: Call, people: People, progress: Progress, show: Show, errlog: TextIO
) -> Exit:
    """Connect, get one result, put what is asked to *people*, and show the result before the server is stopped.

    Raises:
        Failure: If there is no result, with what the server wrote to *errlog* where the connection failed.
        Exception: What kept *people* from putting a question to anybody.
    """
    shown: Exit | None = None
    try:
        async with _connected(server, people, progress, errlog) as client:
            result = await wanted.result(client, people, progress)
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
async def _connected(server: Server, people: People, progress: Progress, errlog: TextIO) -> AsyncIterator[Client]:
    with anyio.move_on_after(START_SECONDS) as starting:
        waiting = asyncio.get_running_loop().call_later(SILENT_SECONDS, say, f"waiting for {server.described} …")
        try:
            async with _client(server, people, progress, errlog) as client:
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


def _client(server: Server, people: People, progress: Progress, errlog: TextIO) -> Client:
    tasks = TasksClient(created=progress.created, told=progress.told, unreached=progress.unreached)
    return Client(
        transport(server, errlog=errlog),
        elicitation_callback=people,
        extensions=[tasks],
        client_info=Implementation(name="elicitkit", version=version()),
    )


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
