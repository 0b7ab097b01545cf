"""How many questions a `wait_for` is given at a time: as many as the host says, else as its kind of people can take."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, TypeVar

from .awaiting import unwrapped

_F = TypeVar("_F", bound=Callable[..., Any])

_MARK: Final = "takes_all_at_once"


class Usual(Enum):
    """What a host has not said: one question at a time, and all of them where they are only put down for later."""

    USUAL = "usual"


USUAL: Final = Usual.USUAL


def takes_all_at_once(wait_for: _F) -> _F:
    """Mark a `wait_for` that shows nobody anything itself, but puts questions where people find all of them."""
    setattr(wait_for, _MARK, True)
    return wait_for


def places(at_once: int | Usual | None, wait_for: Callable[..., Any] | None) -> int | None:
    """How many questions are shown at a time; `None` is all of them."""
    if not isinstance(at_once, Usual):
        return at_once
    return None if wait_for is not None and getattr(unwrapped(wait_for), _MARK, False) is True else 1
