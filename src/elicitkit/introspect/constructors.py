"""Whether a class can be made from its members at all, seen before anybody answers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, get_origin

from pydantic import BaseModel


def obstacle(made: Any, keys: Iterable[str]) -> str | None:
    """Why no value can be made by a constructor's names for the members, as the end of a sentence; `None` if it can.

    What cannot be seen from outside, such as the signature of a constructor written in C, is no obstacle.
    """
    origin = get_origin(made) or made
    if inspect.isabstract(origin):
        return f"is abstract, so that no value of it can be made: it leaves out {', '.join(_left_out(origin))}"
    if origin.__init__ in _TAKES_ANY:
        return None
    try:
        signature = inspect.signature(origin.__init__)
    except (ValueError, TypeError, NameError):
        return None
    try:
        signature.bind(None, **dict.fromkeys(keys))
    except TypeError as error:
        return f"has a constructor that does not take its members: {error}"
    return None


_TAKES_ANY = (BaseModel.__init__, object.__init__)
"""The constructors that need no look, which takes longer than all the rest of describing a type."""


def _left_out(origin: Any) -> list[str]:
    return sorted(origin.__abstractmethods__)
