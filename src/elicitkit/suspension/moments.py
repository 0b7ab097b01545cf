"""Moments as the wire has them: RFC 3339, with an offset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

from ..errors import ContractError
from .wire import type_of

_HOURS = r"(?:[01]\d|2[0-3]):[0-5]\d"
_RFC_3339 = re.compile(rf"\d{{4}}-\d\d-\d\d[Tt]{_HOURS}:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]{_HOURS})", re.ASCII)


def read_moment(name: str, text: object) -> datetime:
    """A moment as RFC 3339 writes it. A leap second, which Python cannot hold, is refused as well."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is text, not {type_of(text)}")
    if _RFC_3339.fullmatch(text):
        with _refusing(f"{name} is no moment that Python can hold"):
            return datetime.fromisoformat(text.upper())
    raise ContractError(f"{name} is not RFC 3339; write it like 2026-07-28T12:00:00Z")


def at_fixed_offset(name: str, value: object) -> datetime:
    """The same moment at a fixed offset, as the wire has it: a zone with clocks that go back is not even comparable."""
    if not isinstance(value, datetime):
        raise TypeError(f"{name} is a datetime, not {type_of(value)}")
    offset = value.utcoffset()
    if offset is None:
        raise ContractError(f"{name} has no time zone; say which, as in datetime.now(UTC)")
    if offset % timedelta(minutes=1):  # The wire has hours and minutes alone.
        with _refusing(f"{name} is no moment that Python can hold"):
            value, offset = value.astimezone(UTC), timedelta(0)
    return datetime.combine(value.date(), value.time(), timezone(offset)).replace(fold=0)


def write_moment(moment: datetime) -> str:
    """A moment at a fixed offset, as RFC 3339 writes it."""
    text = moment.isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text


@contextmanager
def _refusing(problem: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OverflowError):
        raise ContractError(problem) from None
