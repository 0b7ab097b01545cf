"""What a person is told of a call that runs as a task, while they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..safety import plain_line
from .output import say
from .people import People

if TYPE_CHECKING:
    from ..tasks.client import TaskHandle
    from ..tasks.messages import TaskState

_TEXT_CHARACTERS = 200
"""What is left of a server's status message."""


class Progress:
    """Prints a line when a task starts, and one whenever it says something new; never into a question that is open."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._last = ""

    def created(self, task: TaskHandle) -> None:
        """A call became a task."""
        say(f"the tool runs as a task ({plain_line(task.id, limit=_TEXT_CHARACTERS)}); waiting …")

    def told(self, state: TaskState) -> None:
        """A task has a new state."""
        if state.status != "working" or not state.status_message or self._people.is_asking:
            return
        line = f"  working: {plain_line(state.status_message, limit=_TEXT_CHARACTERS)}"
        if line != self._last:
            self._last = line
            say(line)
