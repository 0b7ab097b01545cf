"""msgspec structs; msgspec is optional, and never imported unless the user's class already did."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .annotations import name_of
from .members import MISSING, Constructed, HintOf, Member


class Structs(Constructed):
    """msgspec structs. Other names on the wire (`rename`) play no part: the constructor takes the attributes'."""

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        msgspec = sys.modules.get("msgspec")
        return msgspec is not None and issubclass(origin, msgspec.Struct) and origin is not msgspec.Struct

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`."""
        hints = {name: hint_of(name) for name in origin.__struct_fields__}
        msgspec = sys.modules["msgspec"]
        try:
            fields = msgspec.structs.fields(origin)
        except NameError as error:  # msgspec knows no class inside a function, not even the one it is in.
            where = f"define what it names at the top level of the module {origin.__module__!r}"
            raise TypeError(f"msgspec cannot find out the types of {name_of(origin)} ({error}): {where}") from error
        return [_member(field, hints[field.name], msgspec.NODEFAULT) for field in fields]


def _member(field: Any, hint: Any, none: object) -> Member:
    return Member(
        field.name,
        hint,
        default=MISSING if field.default is none else field.default,
        has_factory=field.default_factory is not none,
    )
