"""The port between the dialogue and a terminal: what a way of asking must be able to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..controls import Control, Line, Pick, Tick


class GoBack(Exception):
    """The person wants to go back to what was asked before. It never leaves the dialogue."""

    def __init__(self, left: Control | None = None) -> None:
        super().__init__()
        self.left = left
        """The control as the person left it, where that is more than its start."""


class RanOut(EOFError):
    """What is piped in has ended: nobody dismissed the question, and nobody will answer it."""


class Prompts(Protocol):
    """Puts controls to the person at the terminal, one at a time.

    Each method gives the control back as the person left it. None checks anything, none blocks the event loop, and all
    leave the terminal as it was: also when they are cancelled. Labels and questions are drawable already, and are
    drawn as text, whatever signs are in them.

    Args of each of them:
        back: Whether there is something to go back to.

    Raises:
        GoBack: From each of them, when the person goes back.
        EOFError: From each of them, when the person wants no more: Ctrl-C, Ctrl-D, or a terminal that is gone.
    """

    @property
    def back_key(self) -> str:
        """What a person types to go back, in words."""
        ...

    def show(self, *screen: RenderableType) -> None:
        """Print something above the next question."""

    async def line(self, control: Line, *, back: bool = False) -> Line:
        """Have a line typed, starting from the one there is."""
        ...

    async def pick(self, control: Pick, *, back: bool = False) -> Pick:
        """Have one of the labels picked. There is at least one."""
        ...

    async def tick(self, control: Tick, *, back: bool = False) -> Tick:
        """Have any number of the labels ticked, none too."""
        ...
