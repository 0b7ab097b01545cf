"""The states of a task, and what takes it from one to another: one table, and nothing else decides.

A task is `input_required` exactly while something is asked of a person. What has ended stays ended.
(Tasks extension, "Task Status Lifecycle".)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from ..errors import CallOver

Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
"""What a task is doing, in the specification's words."""

Event: TypeAlias = Literal["ask", "settle", "settle_last", "complete", "fail", "cancel"]
"""What happens to a task. `settle` leaves other questions open, `settle_last` does not."""

TERMINAL: Final[frozenset[Status]] = frozenset({"completed", "failed", "cancelled"})
"""The states that never change."""

TRANSITIONS: Final[Mapping[tuple[Status, Event], Status]] = MappingProxyType(
    {
        ("working", "ask"): "input_required",
        ("working", "complete"): "completed",
        ("working", "fail"): "failed",
        ("working", "cancel"): "cancelled",
        ("input_required", "ask"): "input_required",
        ("input_required", "settle"): "input_required",
        ("input_required", "settle_last"): "working",
        ("input_required", "complete"): "completed",
        ("input_required", "fail"): "failed",
        ("input_required", "cancel"): "cancelled",
    }
)
"""Where each event leads from each state. What is not in it cannot happen."""


def next_status(status: Status, event: Event) -> Status:
    """Where an event leads.

    >>> next_status("working", "ask")
    'input_required'

    Raises:
        CallOver: If the task has ended.
        ValueError: If it cannot happen in that state.
    """
    if status in TERMINAL:
        raise CallOver(f"The task is {status}, and stays so: nothing can be asked, told or changed any more.")
    if (status, event) not in TRANSITIONS:
        raise ValueError(f"a task that is {status} has nothing to {event}")
    return TRANSITIONS[status, event]
