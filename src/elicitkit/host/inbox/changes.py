"""What can happen to an entry, each a pure function from what is kept to what is kept then."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from ...errors import EntryClosed
from ..origins import KEY
from .entry import Entry
from .store import Asking, Closing, Kept

TOKENS: Final = 8
"""How many tokens open one question; a newer one ends the oldest."""


def moment(seconds: float) -> datetime:
    """A moment of a store's clock, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def asked(asking: Asking, now: float) -> Kept:
    """A question that is new."""
    entry = Entry(
        secrets.token_hex(16),
        asking.request,
        asked_at=moment(now),
        until=asking.until,
        host=asking.host,
        owner=asking.owner,
        waited_until=moment(now + asking.lease) if asking.holder else None,
    )
    return Kept(entry, key_of(asking), asking.holder, call=asking.call)


def may_join(kept: Kept, asking: Asking, now: float) -> bool:
    """Tell whether a question that is asked again is this one; see `InboxStore`."""
    is_wanted = kept.is_joinable and (_is_answerable(kept.entry, now) or not kept.entry.is_open)
    return is_wanted and not (asking.holder and kept.holder == asking.holder)


def joined(kept: Kept, asking: Asking, now: float) -> Kept:
    """The entry of a question that was asked again, with whoever waits for it now."""
    if not kept.entry.is_open:
        return replace(kept, holder=asking.holder)
    waited_until = moment(now + asking.lease) if asking.holder else None
    return replace(kept, entry=replace(kept.entry, waited_until=waited_until), holder=asking.holder)


def settled(kept: Kept, closing: Closing, now: float) -> Kept:
    """A question that somebody closes.

    Raises:
        EntryClosed: If it is closed, or its time is over.
    """
    entry, answer = kept.entry, closing.answer
    if not entry.is_open:
        raise EntryClosed(entry.state, entry.closed_by, entry.closed_at)
    if not _is_answerable(entry, now):
        raise EntryClosed("expired", "", entry.until)
    if answer is None:
        closed = _closed(entry, "withdrawn", now, closing.by, closing.reason)
    else:
        reason = None if answer.ok else answer.reason or "cancelled"
        closed = _closed(entry, "answered", now, closing.by, reason)
    return replace(kept, entry=replace(closed, note=closing.note), answer=answer, through=closing.through)


def left(kept: Kept, now: float, by: str) -> Kept:
    """An entry whose holder waits no longer: nobody is to get what it came to."""
    entry = kept.entry
    if entry.is_open:
        entry = overdue(kept, now, abandoned_after=float("inf")) or _closed(entry, "withdrawn", now, by, "cancelled")
    return replace(kept, entry=replace(entry, is_collected=True), holder="")


def overdue(kept: Kept, now: float, *, abandoned_after: float) -> Entry | None:
    """An open entry as it has to be by now, closed; `None` if it stays open."""
    entry = kept.entry
    if not _is_answerable(entry, now):
        return _closed(entry, "expired", now, "", "expired")
    if entry.waited_until is not None and now >= entry.waited_until.timestamp() + abandoned_after:
        return _closed(entry, "withdrawn", now, "", "abandoned")
    return None


def due(kept: Kept, *, abandoned_after: float, retention: float) -> float:
    """When a sweep has to look at an entry, in seconds since the epoch."""
    entry = kept.entry
    if entry.closed_at is not None:
        return entry.closed_at.timestamp() + retention
    until = entry.until.timestamp()
    return until if entry.waited_until is None else min(until, entry.waited_until.timestamp() + abandoned_after)


def with_token(kept: Kept, digest: str) -> Kept:
    """An entry that one token more opens."""
    return replace(kept, tokens=(*kept.tokens, digest)[-TOKENS:])


def key_of(asking: Asking) -> str:
    """What is the same for a question that is asked again, and for no other."""
    request = asking.request
    data = {name: one for name, one in (request.data or {}).items() if name != KEY}
    parts: list[Any] = [asking.host, asking.owner, request.id, request.kind, request.prompt, request.url, data]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _is_answerable(entry: Entry, now: float) -> bool:
    return entry.is_open and now < entry.until.timestamp()


def _closed(entry: Entry, state: Any, now: float, by: str, reason: str | None) -> Entry:
    return replace(entry, state=state, closed_at=moment(now), closed_by=by, reason=reason)
