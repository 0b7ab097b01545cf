"""Printing between questions, where prompt_toolkit is not drawing."""

from __future__ import annotations

import sys
from typing import TextIO

from prompt_toolkit.application import get_app_session
from rich.console import Console, RenderableType


def show(*screen: RenderableType, end: str = "\n") -> None:
    """Print to the terminal, as wide as it is now; what its encoding does not have becomes question marks.

    Raises:
        EOFError: If the terminal is gone.
    """
    try:
        _print(_screen(), *screen, end=end)
    except OSError:
        raise EOFError from None


def _screen() -> TextIO:
    """Where prompt_toolkit draws; standard output where it does not say."""
    stream: TextIO = getattr(get_app_session().output, "stdout", None) or sys.stdout
    return stream


def _print(stream: TextIO, *screen: RenderableType, end: str) -> None:
    try:
        _console(stream).print(*screen, sep="\n", end=end, crop=False)
    except UnicodeEncodeError:
        console = _console(stream)
        with console.capture() as captured:
            console.print(*screen, sep="\n", end=end, crop=False)
        encoding = stream.encoding
        stream.write(captured.get().encode(encoding, "replace").decode(encoding))
    stream.flush()


def _console(stream: TextIO) -> Console:
    width = get_app_session().output.get_size().columns
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)
