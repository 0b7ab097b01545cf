"""What an accepted form was answered with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ..naming import nearest


class Content(dict[str, Any]):
    """A dict by wire name that also knows the name the author wrote, wherever it reads or writes by name.

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
        dict.__init__(self, values)
        self.written: Mapping[str, str] = written or {}
        """The author's name of each field, by wire name."""
        self.cleared: frozenset[str] = cleared
        """The wire names that were answered with nothing (`null`): no default was filled in for them."""

    def as_written(self) -> dict[str, Any]:
        """The same values by the names the author wrote."""
        return {self.written.get(name, name): value for name, value in self.items()}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a field by either name, else *default*."""
        return super().get(self._wire_name(key), default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a field by either name; if it has none, *default*, which it then has."""
        return super().setdefault(self._wire_name(key), default)

    def pop(self, key: str, *default: Any) -> Any:
        """Take the value of a field by either name out, else give *default*.

        Raises:
            KeyError: If there is neither.
        """
        wire = self._wire_name(key)
        return super().pop(wire, *default) if default or super().__contains__(wire) else self.__missing__(wire)

    def update(self, *others: Any, **named: Any) -> None:
        """Take values by either name, as a dict does."""
        for key, value in dict(*others, **named).items():
            self[key] = value

    def copy(self) -> Content:
        """The same values, which know both names too."""
        return _content(self, self.written, self.cleared)

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(self._wire_name(key))

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(self._wire_name(key), value)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __or__(self, other: Any) -> Content:  # type: ignore[override]  # a dict has it overloaded
        if not isinstance(other, Mapping):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Content:  # type: ignore[override]  # as above
        if not isinstance(other, Mapping):
            return NotImplemented
        made = _content({}, self.written, self.cleared)
        made.update(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Self:  # type: ignore[override]  # as above
        self.update(other)
        return self

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._wire_name(key) if isinstance(key, str) else key)

    def __missing__(self, key: str) -> Any:
        if key in self.written:
            name = self.written[key]
            raise KeyError(f"{name!r} was left open; content.get({name!r}) is None for such fields")
        raise KeyError(f"the form has no field {key!r}: {nearest(str(key), self.written.values())}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _content, (dict(self), dict(self.written), self.cleared)

    def _wire_name(self, key: str) -> str:
        if key in self.written:
            return key
        return next((wire for wire, name in self.written.items() if name == key), key)


def _content(values: Mapping[str, Any], written: Mapping[str, str], cleared: frozenset[str]) -> Content:
    return Content(values, written=written, cleared=cleared)
