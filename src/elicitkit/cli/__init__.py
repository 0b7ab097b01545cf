"""The command `elicitkit`: to try forms at the terminal, to call tools that ask, and to look after tasks.

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
from . import call, check, demo, inbox, preview, tasks, worker
from .exits import Exit, Failure
from .output import complain, say
from .parsers import add_debug, end_with_exit_codes
from .version import version

__all__ = ["COMMANDS", "Exit", "main"]

COMMANDS: dict[str, ModuleType] = {
    "demo": demo,
    "call": call,
    "preview": preview,
    "check": check,
    "inbox": inbox,
    "tasks": tasks,
    "worker": worker,
}
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
    except KeyboardInterrupt as error:
        complain("interrupted")
        _say_notes(error)
        return Exit.INTERRUPTED
    except Exception as error:
        if args.debug:
            say(traceback.format_exc())
        code = _explained(error)
        _say_notes(error)
        return code


def _say_notes(error: BaseException) -> None:
    for note in getattr(error, "__notes__", ()):
        say(note)


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
    parser = argparse.ArgumentParser(
        "elicitkit", description="Ask a person, from anywhere in an MCP system.", allow_abbrev=False
    )
    add_debug(parser)
    parser.add_argument("--version", action="version", version=f"elicitkit {version()}")
    end_with_exit_codes(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.__doc__, allow_abbrev=False)
        add_debug(command)
        module.add_arguments(command)
        end_with_exit_codes(command)
    return parser


def _quiet_the_logs() -> None:
    """Keep the logs of libraries off the person's screen, to which Python sends them when nobody has set them up."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
