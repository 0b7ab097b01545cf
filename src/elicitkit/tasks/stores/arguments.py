"""What is given to a store, checked before anything is stored."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ... import _json
from ...errors import LimitError
from ...limits import ANSWER_BYTES
from ..record import Settlement, to_json
from ..requests import require_small

_ID = re.compile(r"[0-9a-f]{32,128}")


def require_small_answer(settlement: Settlement) -> None:
    """Make sure that an answer may be stored.

    Raises:
        LimitError: If it is too large.
    """
    content = settlement.reply.content
    if content is not None and (size := _size(content)) > ANSWER_BYTES:
        raise LimitError(f"The answer takes {size:,} bytes, and may take {ANSWER_BYTES:,}.")
    if settlement.replacement is not None:
        require_small(settlement.replacement.request)


def _size(content: Mapping[str, Any]) -> int:
    try:
        return _json.size(content)
    except TypeError:  # Half a character, or a very large number.
        return len(to_json("the answer", content))


def positive(what: str, value: float) -> float:
    """A time, if it is one.

    Raises:
        TypeError: If it is no number.
        ValueError: If it is not positive, or has no end.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} is a number, not {type(value).__name__}")
    if not 0 < value < math.inf:
        raise ValueError(f"{what} is positive, and not {value!r}")
    return value


def count(what: str, value: int, *, least: int = 0) -> int:
    """A number of things, if it is one.

    Raises:
        TypeError: If it is no whole number.
        ValueError: If it is less than *least*.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{what} is a whole number from {least} on, and not {value!r}")
    return value


def whole(what: str, value: float) -> int:
    """A time in whole milliseconds, as `positive`."""
    return max(1, int(positive(what, value)))


def task_id_of(task_id: str) -> str:
    """An id that somebody chose, if nobody can guess it.

    Raises:
        ValueError: If it could be guessed.
    """
    if not isinstance(task_id, str) or not _ID.fullmatch(task_id):
        raise ValueError("the id of a task is 32 hexadecimal digits, or more, nobody can guess: leave it out")
    return task_id
