"""Aligned columns for people, whatever letters stand in them."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from ..safety import plain_line

NONE = "-"
"""What stands where there is nothing."""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines whose columns stand below each other. There is at least one row."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_filled, row, widths)).rstrip() for row in rows]


def cut(text: str, columns: int) -> str:
    """A text on one line, and of no more than so many columns."""
    line = plain_line(text) or NONE
    if width(line) <= columns:
        return line
    while width(line) >= columns:
        line = line[:-1]
    return f"{line}…"


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def _filled(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))
