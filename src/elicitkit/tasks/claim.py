"""`Claim`: one worker's hold on one task."""

from __future__ import annotations

from dataclasses import dataclass

from .record import TaskRecord
from .store import TaskStore


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's hold on one task."""

    store: TaskStore
    task_id: str
    fence: int
    lease: float
    """For how long it is renewed at a time, in seconds."""
    until: float
    """When it ends, unless renewed; in seconds since the epoch."""

    def is_of(self, record: TaskRecord) -> bool:
        """Whether it holds a task still; one that was put down has the same fence until somebody takes it."""
        return record.fence == self.fence and record.worker is not None
