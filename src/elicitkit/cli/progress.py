"""What a person is told of a call that runs as a task, while they wait, and when they no longer do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..safety import plain_line
from .output import say
from .people import People

if TYPE_CHECKING:
    from ..tasks.client import TaskHandle
    from ..tasks.messages import TaskState

_TEXT_CHARACTERS = 200
"""What is left of a server's status message."""

CommandFor: TypeAlias = Callable[[str], str]
"""Gives the command that comes back to a task."""


class Progress:
    """Prints a line when a task starts, and one whenever it says something new; never into a question that is open.

    Args:
        people: Who answers the questions.
        command_for: Gives the command that comes back to a task, by its id.
    """

    def __init__(self, people: People, command_for: CommandFor) -> None:
        self._people = people
        self._command_for = command_for
        self._task: TaskHandle | None = None
        self._last = ""
        self._is_out = False

    def created(self, task: TaskHandle) -> None:
        """A call became a task."""
        self._task = task
        shown = plain_line(task.id, limit=_TEXT_CHARACTERS)
        say(f"the tool runs as a task ({shown}); waiting …\n  to come back to it: {self._command_for(task.id)}")

    def attached(self, task: TaskHandle) -> None:
        """A task is taken up again."""
        self._task = task
        say("waiting for the task …")

    def told(self, state: TaskState) -> None:
        """A task has a new state."""
        if self._is_out:
            self._is_out = False
            say("  the server is there again")
        if state.status != "working" or not state.status_message or self._people.is_asking:
            return
        line = f"  working: {plain_line(state.status_message, limit=_TEXT_CHARACTERS)}"
        if line != self._last:
            self._last = line
            say(line)

    def unreached(self, error: Exception) -> None:
        """A request about the task failed, and is made again."""
        if self._is_out or self._people.is_asking:
            return
        self._is_out = True
        say("  the server cannot be reached, or fails: it is asked again, and what was answered is kept")

    @property
    def left(self) -> str:
        """The line about a task that nobody waits for here any more; blank where there is none, or it has ended."""
        if self._task is None or self._task.is_over:
            return ""
        if self._task.is_cancelled:
            return "the task was cancelled with its call"
        return f"the task was left as it is; to come back to it: {self._command_for(self._task.id)}"
