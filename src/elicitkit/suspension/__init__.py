"""The contract of a host: a `Request` for a person, its `Answer`, and `pending`, what a tool returns to wait for one.

They are wire data, shared with programs in other languages: the keys are fixed, and what is empty is absent. Reading is
lenient about keys it does not know, and strict about the rest.
"""

from .contract import (
    Answer,
    Request,
    answer_accepted,
    answer_cancelled,
    answer_declined,
    declined_or_expired,
    new_id,
    unresolved,
)
from .results import Pending, auth_required, pending, pending_of

__all__ = [
    "Answer",
    "Pending",
    "Request",
    "answer_accepted",
    "answer_cancelled",
    "answer_declined",
    "auth_required",
    "declined_or_expired",
    "new_id",
    "pending",
    "pending_of",
    "unresolved",
]
