"""The option `--answers` of every subcommand that asks."""

from __future__ import annotations

import argparse
from typing import Final

HELP: Final = (
    "scripted answers in place of a person, one JSON object a line for each question in turn: "
    '{"action": "accept", "content": {"fullName": "Ada"}}, {"action": "decline"} or {"action": "cancel"}. '
    "Content goes by the names on the wire: a field that Python calls full_name is fullName there"
)


def add_answers(parser: argparse._ActionsContainer) -> None:
    """Add the option, which says what a line looks like."""
    parser.add_argument("--answers", metavar="FILE", help=HELP)
