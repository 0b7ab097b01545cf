"""What an accepted form was answered with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..naming import nearest


class Content(dict[str, Any]):
    """A dict by wire name whose `[]`, `in` and `get` also find a value by the name the author wrote.

    >>> content = Content({"fullName": "Ada"}, written={"fullName": "full_name"})
    >>> content["full_name"], content["fullName"], "full_name" in content
    ('Ada', 'Ada', True)
    """

    __slots__ = ("cleared", "written")

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        written: Mapping[str, str] | None = None,
        cleared: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(values)
        self.written: Mapping[str, str] = written or {}
        """The author's name of each field, by wire name."""
        self.cleared = cleared
        """The wire names that were answered with nothing (`null`): no default was filled in for them."""

    def as_written(self) -> dict[str, Any]:
        """The same values by the names the author wrote."""
        return {self.written.get(name, name): value for name, value in self.items()}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a field by either name, else *default*."""
        return super().get(self._wire_name(key), default)

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(self._wire_name(key))

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._wire_name(key) if isinstance(key, str) else key)

    def __missing__(self, key: str) -> Any:
        if key in self.written:
            raise KeyError(f"{key!r} was left open; content.get({key!r}) is None for such fields")
        raise KeyError(f"the form has no field {key!r}: {nearest(key, self.written)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _content, (dict(self), dict(self.written), self.cleared)

    def _wire_name(self, key: str) -> str:
        if key in self.written:
            return key
        return next((wire for wire, name in self.written.items() if name == key), key)


def _content(values: Mapping[str, Any], written: Mapping[str, str], cleared: frozenset[str]) -> Content:
    return Content(values, written=written, cleared=cleared)
