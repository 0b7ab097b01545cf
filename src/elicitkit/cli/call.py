"""Call a tool of any MCP server, answer what it asks at the terminal, and print its result.

A call that runs as a task outlives its server, and this process: --task comes back to it. Ctrl-C cancels it.
"""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _json
from .answers import add_answers
from .exits import Exit, Failure

if TYPE_CHECKING:
    from ..host.servers import Server

SUMMARY = "call a tool of any server, and answer what it asks"


class _InPlaceOf(argparse.Action):
    """An option with which an argument may be left out that is required without; wherever the others stand."""

    def __init__(self, option_strings: list[str], dest: str, positional: argparse.Action, **more: Any) -> None:
        super().__init__(option_strings, dest, **more)
        self._positional = positional

    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        self._positional.nargs, self._positional.required = "?", False
        setattr(namespace, self.dest, values)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit call` takes."""
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="a URL (https://…), a command line in one argument ('npx -y my-server'), or a name in the --config file",
    )
    tool = parser.add_argument("tool", metavar="TOOL", help="the name of the tool; none with --task")
    parser.add_argument(
        "arguments", metavar="JSON", nargs="?", default="{}", help="its arguments, as a JSON object; {} if left out"
    )
    parser.add_argument(
        "--task",
        metavar="ID",
        action=_InPlaceOf,
        positional=tool,
        help="in place of a tool: come back to a task, and answer what it asks",
    )
    parser.add_argument("--config", metavar="FILE", help="the file that names servers (default: ./mcp.json)")
    add_answers(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit call`, and give its exit code.

    Raises:
        Failure: If an argument is wrong, or the server could not be talked to.
        ScriptError: If the scripted answers did not come out even.
    """
    if args.task is not None and args.tool:
        raise Failure(Exit.USAGE, "call takes the name of a tool, or --task with an id, and not both")
    arguments, server = _object(args.arguments), _server(args.server, args.config)
    from . import calling, results
    from .calls import Call, TaskCall, ToolCall

    wanted: Call = TaskCall(args.task) if args.task is not None else ToolCall(args.tool, arguments)
    of = "the task" if args.task is not None else f"the tool {args.tool!r}"
    return calling.call(
        server,
        wanted,
        show=partial(results.show, of=of, as_json=args.json),
        command_for=partial(command_for, args.server, args.config),
        answers=args.answers,
        debug=args.debug,
    )


def command_for(server: str, config: str | None, task_id: str) -> str:
    """The command that comes back to a task, as it is typed in a shell.

    >>> command_for("python shop.py", None, "4f2a")
    "elicitkit call 'python shop.py' --task 4f2a"
    """
    options = [] if config is None else ["--config", config]
    return shlex.join(["elicitkit", "call", server, *options, "--task", task_id])


def _object(text: str) -> dict[str, Any]:
    try:
        found = _json.loads(text)
    except ValueError as error:
        raise Failure(Exit.USAGE, f"the arguments of the tool are not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Failure(Exit.USAGE, 'the arguments of the tool are to be a JSON object, such as \'{"city": "Delft"}\'')
    return found


def _server(text: str, config: str | None) -> Server:
    from ..host.config import find_server

    try:
        return find_server(text, config=config)
    except OSError as error:
        raise Failure(Exit.USAGE, f"{config} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error
