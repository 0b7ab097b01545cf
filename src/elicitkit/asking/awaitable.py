"""`Asking`: what the functions that ask give back, to be awaited."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


class Asking(Coroutine[Any, Any, T]):
    """A question that is asked when it is awaited. A forgotten `await` is an error, never a yes."""

    def __init__(self, asking: Coroutine[Any, Any, T]) -> None:
        self._asking = asking

    def __bool__(self) -> NoReturn:
        self.close()
        raise TypeError("the question was not asked: write `await` before elicit(…), confirm(…) and their like")

    def __await__(self) -> Generator[Any, Any, T]:
        return self._asking.__await__()

    def send(self, value: Any, /) -> Any:
        """Go on, as a coroutine does."""
        return self._asking.send(value)

    def throw(self, *error: Any) -> Any:
        """Go on with an error, as a coroutine does."""
        return self._asking.throw(*error)

    def close(self) -> None:
        """End it without asking."""
        self._asking.close()
