"""For tests of servers and hosts: answers in place of a person, a server that asks everything, and contracts.

What needs the SDK's server is loaded when it is first used, and so are the contracts of stores, which need pytest: the
rest does without. The fixtures for pytest are in `elicitkit.testing.fixtures`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .answers import Answers, accept, cancel, decline, fail, never
from .asked import Asked, assert_asked
from .clock import Clock
from .random_answers import RandomAnswers
from .scripted import ScriptedAnswers
from .wrong import WrongAnswer

if TYPE_CHECKING:
    from .connecting import connected
    from .everything import everything_server
    from .inbox_contract import InboxStoreContract
    from .restarting import Restarts
    from .store_contract import TaskStoreContract

__all__ = [
    "Answers",
    "Asked",
    "Clock",
    "InboxStoreContract",
    "RandomAnswers",
    "Restarts",
    "ScriptedAnswers",
    "TaskStoreContract",
    "WrongAnswer",
    "accept",
    "assert_asked",
    "cancel",
    "connected",
    "decline",
    "everything_server",
    "fail",
    "never",
]

_LATER = {
    "InboxStoreContract": "inbox_contract",
    "Restarts": "restarting",
    "TaskStoreContract": "store_contract",
    "connected": "connecting",
    "everything_server": "everything",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
    return globals()[name]
