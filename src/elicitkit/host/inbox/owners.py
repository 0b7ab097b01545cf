"""Who may answer a question: what says so when it is put in."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from ...suspension import Request

OwnerOf = Callable[[Request], "str | None"]
"""Says who may answer a request; `None` is whoever may look into the inbox."""


class OwnerOfInbox(Enum):
    """Who may answer a question when `ask` is not told: `None` is an owner, too, and says whoever may look."""

    OWNER_OF_INBOX = "owner_of"


OWNER_OF_INBOX: Final = OwnerOfInbox.OWNER_OF_INBOX
