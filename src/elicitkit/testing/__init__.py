"""For tests of servers and hosts: answers from a script in place of a person; and the contract of stores of tasks.

`TaskStoreContract` needs pytest, and is loaded when it is first used: the rest does without.
"""

from typing import TYPE_CHECKING, Any

from .scripted import Asked, ScriptedAnswers, accept, cancel, decline

if TYPE_CHECKING:
    from .store_contract import TaskStoreContract

__all__ = ["Asked", "ScriptedAnswers", "TaskStoreContract", "accept", "cancel", "decline"]


def __getattr__(name: str) -> Any:
    if name != "TaskStoreContract":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .store_contract import TaskStoreContract

    globals()[name] = TaskStoreContract
    return TaskStoreContract
