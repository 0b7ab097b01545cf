"""`Telling`: the part of a store that tells its listeners what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

Listener: TypeAlias = Callable[[str], None]
"""What is told the id of something that changed."""


class Telling:
    """A store that has listeners. It stands before the store's port in the line of classes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._listeners: dict[object, Listener] = {}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with the id of each thing that changed, and give what ends that; see the store's port."""
        token = object()
        self._listeners[token] = listener

        def unsubscribe() -> None:
            self._listeners.pop(token, None)

        return unsubscribe

    def _tell(self, changed: Iterable[str]) -> None:
        """Tell the listeners, on the event loop; one that fails keeps none from hearing it."""
        loop = asyncio.get_running_loop()
        for id in changed:
            for listener in self._listeners.values():
                loop.call_soon(listener, id)
