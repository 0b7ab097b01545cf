"""`NamedTuple`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .members import MISSING, Constructed, HintOf, Member


class NamedTuples(Constructed):
    """`typing.NamedTuple` classes. The members of a `collections.namedtuple` have no types."""

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        return issubclass(origin, tuple) and hasattr(origin, "_field_defaults")

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`."""
        defaults = origin._field_defaults
        return [Member(name, hint_of(name), default=defaults.get(name, MISSING)) for name in origin._fields]
