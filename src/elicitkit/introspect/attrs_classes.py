"""attrs classes; attrs is optional, and never imported unless the user's class already did."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from .members import MISSING, Constructed, HintOf, Member
from .refusals import UNSAID, Refusal, refusals


class AttrsClasses(Constructed):
    """attrs classes. A `title` or `description` in an attribute's `metadata` is carried over."""

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        return hasattr(origin, "__attrs_attrs__")

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`; `attrs.resolve_types` may have been told what nobody else can know."""
        is_told = vars(origin).get("__attrs_types_resolved__") is origin
        taken = [one for one in origin.__attrs_attrs__ if one.init]
        return [_member(one, one.type if is_told else _hint(one, hint_of)) for one in taken]

    def refusals(self, error: Exception) -> Sequence[Refusal]:
        """See `Kind.refusals`; what attrs' own validators raise says which attribute it is about."""
        if len(error.args) > 1 and hasattr(error.args[1], "alias") and isinstance(error.args[0], str):
            return [Refusal(error.args[1].name, _without_value(error.args[0]))]
        if isinstance(error, ValueError) and (said := _COMPARED.fullmatch(str(error))):
            return [Refusal(said["name"], f"{'its length ' if said['length'] else ''}{said['words']}")]
        return refusals(error)


_COMPARED = re.compile(r"(?P<length>Length of )?'(?P<name>\w+)' (?P<words>must be [<>=]+ .+): .+", re.DOTALL)
"""What the validators `lt`, `max_len` and their like say; behind the colon they quote the value."""


def _without_value(text: str) -> str:
    """Words without the attribute they start with and the value they end with, in brackets."""
    return re.sub(r"^'\w+' ", "", text.partition(" (")[0]) or UNSAID


def _hint(attribute: Any, hint_of: HintOf) -> Any:
    """The annotation, or the `type=` of an attribute that has none."""
    hint, given = hint_of(attribute.name), attribute.type
    return given if hint is MISSING and given is not None and not isinstance(given, str) else hint


def _member(attribute: Any, hint: Any) -> Member:
    attrs = sys.modules["attr"]
    default = attribute.default
    has_factory = isinstance(default, attrs.Factory)
    return Member(
        attribute.name,
        hint,
        key=attribute.alias,
        default=MISSING if default is attrs.NOTHING or has_factory else default,
        has_factory=has_factory,
        title=attribute.metadata.get("title"),
        description=attribute.metadata.get("description"),
    )
