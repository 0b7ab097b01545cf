"""`TaskStoreContract`: what every store of tasks has to keep, as a test class to inherit from.

    class TestMyStore(TaskStoreContract):
        def make_store(self, folder, **options):
            return MyStore(folder / "tasks", **options)

It needs pytest, and anyio's plugin for it, which is there where anyio is.
"""

import pytest

_PARTS = ("answering", "asking", "base", "claiming", "clearing", "keeping", "listed", "listening", "losing", "timing")
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))  # So that a failure shows the values.

from ..clock import Clock  # noqa: E402  # Behind the line above, which has to come first.
from .answering import AnsweringContract  # noqa: E402
from .asking import AskingContract  # noqa: E402
from .base import StoreTests  # noqa: E402
from .claiming import ClaimingContract  # noqa: E402
from .clearing import ClearingContract  # noqa: E402
from .keeping import KeepingContract  # noqa: E402
from .listed import ListedContract  # noqa: E402
from .listening import ListeningContract  # noqa: E402
from .losing import LosingContract  # noqa: E402
from .timing import TimingContract  # noqa: E402


class TaskStoreContract(
    KeepingContract,
    AskingContract,
    AnsweringContract,
    ClaimingContract,
    LosingContract,
    ClearingContract,
    TimingContract,
    ListeningContract,
    ListedContract,
):
    """The contract of `TaskStore` as tests. A subclass says how a store is made; see `StoreTests`."""


__all__ = ["Clock", "StoreTests", "TaskStoreContract"]
