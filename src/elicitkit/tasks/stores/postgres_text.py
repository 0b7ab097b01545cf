"""Text that PostgreSQL does not take as it is: with a NUL in it, or half a character (a lone surrogate).

It is kept as JSON in ASCII behind a mark. Equal texts are kept as equal ones, so that rows are found by them.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ... import _json

_MARK: Final = "\x01"


def kept(value: Any) -> Any:
    """A value as it is kept; what is no text stays as it is."""
    if type(value) is str and not value.isascii() and not _json.is_sendable(value):
        return _MARK + json.dumps(value)
    if type(value) is str and ("\x00" in value or value.startswith(_MARK)):
        return _MARK + json.dumps(value)
    return value


def given(value: Any) -> Any:
    """A value as it was before it was kept."""
    if type(value) is str and value.startswith(_MARK):
        return json.loads(value[1:])
    return value
