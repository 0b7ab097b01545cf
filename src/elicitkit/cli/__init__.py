"""The command `elicitkit`: to try forms at the terminal, and to call tools that ask.

Each subcommand is a module with `SUMMARY`, `add_arguments(parser)` and `run(args) -> int`, and a row in `COMMANDS`. It
imports the SDK only when it runs, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import logging
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from ..errors import MissingExtra, ScriptError
from . import call, demo, worker
from .exits import MEANINGS, Exit, Failure
from .output import complain, say
from .version import version

__all__ = ["COMMANDS", "Exit", "main"]

COMMANDS: dict[str, ModuleType] = {"demo": demo, "call": call, "worker": worker}
"""The subcommands by name, in the order `--help` lists them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command, and give its exit code (see `Exit`). Errors are one line on standard error.

    Args:
        argv: The arguments, without the name of the command; those of the process if none are given.
    """
    parser = _parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has printed what it had to.
        return Exit.USAGE if stop.code else Exit.FINE
    if args.command is None:
        parser.print_help(sys.stderr)
        return Exit.USAGE
    args.debug = "debug" in args  # It may stand before the name of a command, and after it.
    if not args.debug:
        _quiet_the_logs()
    return _run(args)


def _run(args: argparse.Namespace) -> int:
    try:
        return int(COMMANDS[args.command].run(args))
    except KeyboardInterrupt:
        complain("interrupted")
        return Exit.INTERRUPTED
    except Exception as error:
        if args.debug:
            say(traceback.format_exc())
        return _explained(error)


def _explained(error: Exception) -> Exit:
    match error:
        case Failure():
            complain(error.line, details=error.details)
            return error.code
        case MissingExtra():
            complain(str(error))
            return Exit.MISSING_EXTRA
        case ScriptError():
            complain(str(error))
            return Exit.SCRIPT
        case _:
            complain(f"this is a fault of elicitkit itself, {type(error).__name__}: {error} (--debug shows where)")
            return Exit.BUG


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks, and what the server writes to its standard error",
    )
    parser = argparse.ArgumentParser(
        "elicitkit", description="Ask a person, from anywhere in an MCP system.", parents=[shared], allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"elicitkit {version()}")
    _end_with_exit_codes(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name, help=module.SUMMARY, description=module.__doc__, parents=[shared], allow_abbrev=False
        )
        module.add_arguments(command)
        _end_with_exit_codes(command)
    return parser


def _end_with_exit_codes(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit codes:\n" + "\n".join(f"  {code:<5}{meaning}" for code, meaning in MEANINGS.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def _quiet_the_logs() -> None:
    """Keep the logs of libraries off the person's screen, to which Python sends them when nobody has set them up."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
