"""See it work: a small server asks two forms with every kind of field, and a question.

The server is part of elicitkit, and runs in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from .answers import add_answers
from .output import give

SUMMARY = "see it work: a small server asks, you answer"

TOOL = "plan_talk"

INTRO = """\
A small server, started on this machine, plans a talk with you: two forms with
every kind of field, then a last question. Decline or cancel wherever you like.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit demo` takes."""
    how = parser.add_mutually_exclusive_group()
    add_answers(how)
    how.add_argument("--web", action="store_true", help="answer on a page in a browser, in place of the terminal")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit demo`, and give its exit code.

    Raises:
        Failure: If the server could not be talked to.
        ScriptError: If the scripted answers did not come out even.
        MissingExtra: If an extra that it needs is not installed.
    """
    from ..host.servers import StdioServer
    from . import calling, demo_web, results
    from .calls import ToolCall

    give(INTRO)
    if args.web:
        return demo_web.run(TOOL, debug=args.debug)
    server = StdioServer(sys.executable, args=("-m", "elicitkit.cli.demo_server"), env=dict(os.environ))
    show = partial(results.show, of=f"the tool {TOOL!r}")
    return calling.call(server, ToolCall(TOOL, {}), show=show, answers=args.answers, takes_null=True, debug=args.debug)
