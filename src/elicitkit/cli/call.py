"""Call a tool of any MCP server, answer what it asks at the terminal, and print its result."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _json
from .answers import add_answers
from .exits import Exit, Failure

if TYPE_CHECKING:
    from ..host.servers import Server

SUMMARY = "call a tool of any server, and answer what it asks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit call` takes."""
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="a URL (https://…), a command line in one argument ('npx -y my-server'), or a name in the --config file",
    )
    parser.add_argument("tool", metavar="TOOL", help="the name of the tool")
    parser.add_argument(
        "arguments", metavar="JSON", nargs="?", default="{}", help="its arguments, as a JSON object; {} if left out"
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
    arguments, server = _object(args.arguments), _server(args.server, args.config)
    from . import calling, results

    show = partial(results.show, tool=args.tool, as_json=args.json)
    return calling.call(server, args.tool, arguments, show=show, answers=args.answers, debug=args.debug)


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
