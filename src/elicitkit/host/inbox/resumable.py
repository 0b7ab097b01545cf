"""`Resumable`: a call that was put aside in an inbox, and can go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...suspension import Answer, Pending
from ..pending_calls import PendingCall
from .entry import Entry


class Resumable(NamedTuple):
    """A call that was put aside, and what its question came to: `source.resume(pending, answer)` goes on with it."""

    entry: Entry
    pending: Pending
    answer: Answer


def pending_of(call: Mapping[str, Any]) -> Pending:
    """A call that was put aside, from what is kept of it."""
    return PendingCall.from_dict(call) if "call" in call else Pending.from_dict(call)
