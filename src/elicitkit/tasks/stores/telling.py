"""`Telling`: the part of a store that tells its listeners what changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..store import Follower, Listener


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

    def follow(self, follower: Follower) -> Callable[[], None]:
        """As `subscribe`, and tell with each change what is new, where the store knows it."""
        return self.subscribe(_Following(follower))

    def _tell(self, changed: Iterable[str]) -> None:
        """Tell the listeners, on the event loop; one that fails keeps none from hearing it.

        Args:
            changed: The ids of what changed; a mapping has what is new of each.
        """
        loop, news = asyncio.get_running_loop(), changed if isinstance(changed, Mapping) else {}
        for id in changed:
            for listener in self._listeners.values():
                if isinstance(listener, _Following):
                    loop.call_soon(listener.follower, id, news.get(id))
                else:
                    loop.call_soon(listener, id)


@dataclass(frozen=True, slots=True)
class _Following:
    """A listener that is told what is new, too."""

    follower: Follower

    def __call__(self, id: str) -> None:
        self.follower(id, None)
