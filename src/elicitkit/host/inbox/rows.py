"""Entries as the rows of a table: what stands in which column, for every store that has tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from ...suspension import Answer, Request
from .changes import moment
from .entry import Entry, State
from .store import Kept

FIXED: Final = ("id", "key", "host", "owner", "request", "call", "asked_at", "until")
"""What is written once."""

CHANGING: Final = (
    *("state", "waited_until", "closed_at", "closed_by", "reason", "note", "collected", "holder", "answer", "tokens"),
    *("revision", "due", "open", "joinable", "ready"),
)
"""What every change writes."""

OF_ENTRY: Final = (
    *("number", "id", "host", "owner", "request", "asked_at", "until", "state", "waited_until", "closed_at"),
    *("closed_by", "reason", "note", "collected", "revision"),
)
"""What an entry is read from."""

OF_KEPT: Final = (*OF_ENTRY, "key", "holder", "answer", "call", "tokens")
"""What an entry with all that is kept of it is read from."""

_THROUGH: Final = ">"
"""What stands before the token that an entry was answered by, in the column of tokens. No digest has it."""


def fixed(kept: Kept) -> tuple[Any, ...]:
    """The values of `FIXED`."""
    entry = kept.entry
    call = None if kept.call is None else _written(kept.call)
    times = entry.asked_at.timestamp(), entry.until.timestamp()
    return (entry.id, kept.key, entry.host, entry.owner, entry.request.to_json(), call, *times)


def changing(kept: Kept, revision: int, due: float) -> tuple[Any, ...]:
    """The values of `CHANGING`."""
    entry = kept.entry
    waits, closed = entry.waited_until, entry.closed_at
    return (
        entry.state,
        None if waits is None else waits.timestamp(),
        None if closed is None else closed.timestamp(),
        entry.closed_by,
        entry.reason,
        entry.note,
        entry.is_collected,
        kept.holder,
        None if kept.answer is None else kept.answer.to_json(),
        " ".join((*kept.tokens, f"{_THROUGH}{kept.through}") if kept.through else kept.tokens),
        revision,
        due,
        entry.is_open,
        kept.is_joinable,
        kept.is_ready,
    )


def entry_of(row: Sequence[Any]) -> Entry:
    """An entry, from the values of `OF_ENTRY`."""
    number, id, host, owner, request, asked_at, until, state, waits, closed, *more = row
    by, reason, note, collected, revision = more
    return Entry(
        id,
        Request.from_json(request),
        asked_at=moment(asked_at),
        until=moment(until),
        host=host,
        owner=owner,
        state=cast("State", state),
        waited_until=None if waits is None else moment(waits),
        closed_at=None if closed is None else moment(closed),
        closed_by=by,
        reason=reason,
        note=note,
        is_collected=bool(collected),
        number=number,
        revision=revision,
    )


def kept_of(row: Sequence[Any]) -> Kept:
    """An entry with all that is kept of it, from the values of `OF_KEPT`."""
    key, holder, answer, call, digests = row[len(OF_ENTRY) :]
    tokens, through = _tokens(digests.split())
    return Kept(
        entry_of(row[: len(OF_ENTRY)]),
        key,
        holder,
        answer=None if answer is None else Answer.from_json(answer),
        call=None if call is None else json.loads(call),
        tokens=tokens,
        through=through,
    )


def _tokens(digests: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The tokens that open an entry, and the one that it was answered by, which stands behind them."""
    through = next((one.removeprefix(_THROUGH) for one in digests if one.startswith(_THROUGH)), "")
    return tuple(one for one in digests if not one.startswith(_THROUGH)), through


def _written(call: Mapping[str, Any]) -> str:
    return json.dumps(call, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
