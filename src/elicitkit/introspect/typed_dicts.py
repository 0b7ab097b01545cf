"""`TypedDict`: the value is a plain dict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, Required

import typing_extensions

from .annotations import Annotations
from .hints import qualifiers
from .members import Constructed, HintOf, Make, Member


class TypedDicts(Constructed):
    """`TypedDict`, with `total`, `Required` and `NotRequired`."""

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        return typing_extensions.is_typeddict(origin)

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`."""
        return [_member(name, hint_of(name), name in origin.__required_keys__) for name in Annotations(origin)]

    def maker(self, made: Any) -> Make:
        """See `Kind.maker`."""
        return lambda values: values


def _member(name: str, hint: Any, is_required: bool) -> Member:
    """What the hint says is believed first: the class cannot see into annotations that are text."""
    said = qualifiers(hint)
    return Member(
        name,
        hint,
        may_be_absent=NotRequired in said or (Required not in said and not is_required),
        must_be_present=Required in said,
    )
