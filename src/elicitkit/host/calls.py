"""`Call`: one call of a tool while it runs, with its time limit, and the questions it has open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

from ..suspension import Request, new_id
from .showing import Showing


class Call:
    """One call of a tool. A question belongs to it, stops its clock, and is withdrawn when it ends."""

    def __init__(self, tool: str, *, id: str | None = None, inside: Sequence[Showing] = ()) -> None:
        self.id: str = new_id("call") if id is None else id
        self.tool = tool
        self.inside = inside
        """The questions in whose `wait_for` it was made."""
        self.patience: Patience = Patience()
        self.refused: Request | None = None
        """The last question that could not wait for a later answer, since its connection cannot."""
        self.lost = False
        """Whether the call ended because its connection did."""
        self.ended_by_host = False
        """Whether the host ended, and with it the call."""
        self.refusal = ""
        """The status of HTTP that its last request was refused with."""
        self.was_ignored = False
        """Whether its last request was not looked at, since the server no longer knows the session."""
        self._open: set[anyio.CancelScope] = set()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """The time of a person, who has this question open. The block is left when the call ends before it."""
        with anyio.CancelScope() as scope, self.patience.standing_still():
            self._open.add(scope)
            try:
                yield
            finally:
                self._open.discard(scope)

    def withdraw(self) -> None:
        """Close the questions that are still open: nobody waits for their answers any more."""
        for scope in tuple(self._open):
            scope.cancel()


class Patience:
    """A time limit, in seconds, that stands still while a question is open."""

    def __init__(self) -> None:
        self._scope: anyio.CancelScope | None = None
        self._questions = 0
        self._left = math.inf

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Let the block take so long, and no longer.

        Raises:
            TimeoutError: If it took longer.
        """
        with anyio.CancelScope() as self._scope:
            self._left = seconds
            self._run()
            yield
        if self._scope.cancelled_caught:
            raise TimeoutError

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Stop the clock for the time of the block; it goes on where it stopped."""
        self._questions += 1
        if self._questions == 1 and self._scope is not None:
            self._left = self._scope.deadline - anyio.current_time()
            self._scope.deadline = math.inf
        try:
            yield
        finally:
            self._questions -= 1
            self._run()

    def _run(self) -> None:
        if not self._questions and self._scope is not None:
            self._scope.deadline = anyio.current_time() + self._left


current_call: ContextVar[Call | None] = ContextVar("current_call", default=None)
"""The call that runs here. A question finds its own by it, where the SDK carries a context that far."""
