"""What every parser of the command has: `--debug`, and the exit codes below its help."""

from __future__ import annotations

import argparse

from .exits import MEANINGS


def add_debug(parser: argparse.ArgumentParser) -> None:
    """Add `--debug`, which may stand before the name of a command, and after it."""
    parser.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks, and what the server writes to its standard error",
    )


def end_with_exit_codes(parser: argparse.ArgumentParser) -> None:
    """Have the help end with what each exit code means."""
    parser.epilog = "exit codes:\n" + "\n".join(f"  {code:<5}{meaning}" for code, meaning in MEANINGS.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
