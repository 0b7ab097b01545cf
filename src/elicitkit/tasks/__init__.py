"""The Tasks extension: a call that takes longer than a request, kept in a store (`io.modelcontextprotocol/tasks`).

`Tasks` and its stores are in `elicitkit` itself. Here is what else is needed to write a store or an engine, or to read
what a store gives; each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Engine
    from .engines.local import LocalEngine
    from .listing import EVERYBODY, TaskPage
    from .record import History, Settlement, Swept, TaskInput, TaskRecord

__all__ = [
    "EVERYBODY",
    "Engine",
    "History",
    "LocalEngine",
    "Settlement",
    "Swept",
    "TaskInput",
    "TaskPage",
    "TaskRecord",
]

_HOMES = {
    "EVERYBODY": "listing",
    "Engine": "engine",
    "History": "record",
    "LocalEngine": "engines.local",
    "Settlement": "record",
    "Swept": "record",
    "TaskInput": "record",
    "TaskPage": "listing",
    "TaskRecord": "record",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return globals()[name]
