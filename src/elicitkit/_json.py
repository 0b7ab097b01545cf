"""JSON as it goes over the wire: compact, UTF-8, and the same bytes for the same value."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson


def dumps(value: object) -> bytes:
    """Write *value* as compact JSON.

    Raises:
        TypeError: If JSON cannot hold it (`orjson.JSONEncodeError` is a `TypeError`).
    """
    return orjson.dumps(value)


def loads(text: str | bytes) -> Any:
    """Read one JSON value.

    Raises:
        ValueError: If *text* is not JSON (`orjson.JSONDecodeError` is a `ValueError`).
    """
    return orjson.loads(text)


def is_sendable(text: str) -> bool:
    """Tell whether *text* can go over the wire: half a character (a lone surrogate) cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def size(value: object) -> int:
    """How many bytes *value* takes on the wire."""
    return len(dumps(value))


def digest(value: Mapping[str, object]) -> str:
    """A fingerprint of *value* that does not depend on the order of its keys: 32 hexadecimal digits."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
