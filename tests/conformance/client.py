"""A host for the suite's client scenario: our own way to connect and to ask, and a person who only presses Enter.

`python -m tests.conformance.client URL`: everything between the connection and the answer is what `elicitkit call`
runs, the terminal prompt too; only the keyboard is a pipe. So what goes back is what the prompt offers by itself.
"""

import sys
from typing import Final

import anyio
from mcp_types import CallToolResult, ElicitResult
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from elicitkit.cli.calling import converse
from elicitkit.cli.calls import ToolCall
from elicitkit.cli.exits import Exit
from elicitkit.cli.people import AtTerminal, People, Question
from elicitkit.cli.progress import Progress
from elicitkit.host.servers import HttpServer

TOOL: Final = "test_client_elicitation_defaults"
ENTER: Final = "\r"


async def press_enter(question: Question) -> ElicitResult:
    """Take "Fill in", what each field offers, and "Send"."""
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        keyboard.send_text(ENTER * (len(question.form.fields) + 2))
        return await AtTerminal()(question)


def show(result: CallToolResult) -> Exit:
    return Exit.TOOL_FAILED if result.is_error else Exit.FINE


async def call(url: str) -> Exit:
    people = People(TOOL, press_enter)
    progress = Progress(people, lambda task_id: task_id)
    return await converse(HttpServer(url), ToolCall(TOOL, {}), people, progress, show, sys.stderr)


if __name__ == "__main__":
    sys.exit(anyio.run(call, sys.argv[1]))
