"""`Engine`: the port behind which it is decided who runs a task that nobody runs."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from .runner import Runner


class Engine(Protocol):
    """Sees to it that `runner.advance(task_id)` is called at least once for each task that has something to do.

    It may be called too often, for too many, and in several processes at once: the store lets one of them have the
    task. An engine holds nothing but ids, and may lose them: the store tells again what is ready.
    """

    @property
    def runs_here(self) -> bool:
        """Whether a call that becomes a task goes on in this process; else it is kept alone, and others run it."""
        ...

    def running(self, runner: Runner) -> AbstractAsyncContextManager[None]:
        """Do so inside the block."""
        ...
