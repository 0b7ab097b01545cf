"""`InboxStoreContract`: what every store of an inbox has to keep, as a test class to inherit from.

    class TestMyInbox(InboxStoreContract):
        def make_store(self, folder, **options):
            return MyInboxStore(folder / "inbox", **options)

It needs pytest, and anyio's plugin for it, which is there where anyio is.
"""

import pytest

_PARTS = ("again", "asking", "base", "listening", "paging", "resuming", "settling", "sweeping")
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))  # So that a failure shows the values.

from .again import AgainContract  # noqa: E402  # Behind the line above, which has to come first.
from .asking import AskingContract  # noqa: E402
from .base import InboxTests  # noqa: E402
from .listening import ListeningContract  # noqa: E402
from .paging import PagingContract  # noqa: E402
from .resuming import ResumingContract  # noqa: E402
from .settling import SettlingContract  # noqa: E402
from .sweeping import SweepingContract  # noqa: E402


class InboxStoreContract(
    AskingContract,
    SettlingContract,
    AgainContract,
    ResumingContract,
    PagingContract,
    SweepingContract,
    ListeningContract,
):
    """The contract of `InboxStore` as tests. A subclass says how a store is made; see `InboxTests`."""


__all__ = ["InboxStoreContract", "InboxTests"]
