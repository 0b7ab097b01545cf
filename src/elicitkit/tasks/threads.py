"""The threads in which a framework runs tools that are no coroutines: there are few, and all tools share them.

A call that waits for a person in one of them would keep it for days, and some dozens of them every tool of the server.
"""

from __future__ import annotations

from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter


def limiter() -> CapacityLimiter:
    """What lends the threads of the running event loop."""
    return current_default_thread_limiter()


def are_short(threads: CapacityLimiter) -> bool:
    """Whether more than half of the threads are in use."""
    return threads.borrowed_tokens > threads.total_tokens // 2


def share(threads: CapacityLimiter) -> int:
    """How many threads calls that wait for people may keep."""
    return int(min(threads.total_tokens // 2, 1_000))


def holders(threads: CapacityLimiter) -> frozenset[object]:
    """The tasks of the event loop that each have a thread."""
    return frozenset(threads.statistics().borrowers)
