"""What a person is asked again with: the answer that did not do, for as long as it takes to give a better one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ..errors import Fault
from ..suspension import Request


@dataclass(frozen=True, slots=True)
class Retry:
    """Why a form is asked again. It never leaves the process: neither `repr` nor a request shows what was typed."""

    prompt: str
    """What was asked at first, without the faults above it."""

    answered: Mapping[str, object] = dataclasses.field(default_factory=dict, repr=False)
    """What the person answered, by wire name, to be put into the fields again."""

    faults: tuple[Fault, ...] = ()
    """What is wrong with it."""


_retry: ContextVar[tuple[str, Retry] | None] = ContextVar("_retry", default=None)


def retry_of(request: Request) -> Retry | None:
    """Why a request is asked again, for the `wait_for` that is asked; `None` for one that is asked for the first time.

    It is known inside of `wait_for`, and in the tasks and threads that it starts. A `wait_for` that hands the request
    to somebody else looks here first, and hands this on, too.
    """
    found = _retry.get()
    return found[1] if found is not None and found[0] == request.id else None


@contextmanager
def retrying(request: Request, retry: Retry | None) -> Iterator[None]:
    """The time in which a request is asked again for this reason, or for the first time."""
    token = _retry.set(None if retry is None else (request.id, retry))
    try:
        yield
    finally:
        _retry.reset(token)
