"""For tests of servers and hosts: answers from a script in place of a person; and the contracts of stores.

`TaskStoreContract` and `InboxStoreContract` need pytest, and are loaded when first used: the rest does without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .scripted import Asked, ScriptedAnswers, accept, cancel, decline

if TYPE_CHECKING:
    from .inbox_contract import InboxStoreContract
    from .store_contract import TaskStoreContract

__all__ = ["Asked", "InboxStoreContract", "ScriptedAnswers", "TaskStoreContract", "accept", "cancel", "decline"]


_CONTRACTS = {"InboxStoreContract": "inbox_contract", "TaskStoreContract": "store_contract"}


def __getattr__(name: str) -> Any:
    if name not in _CONTRACTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_CONTRACTS[name]}", __name__), name)
    globals()[name] = value
    return value
