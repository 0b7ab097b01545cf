"""What `Annotated` and its like say about a member: bounds, lengths, titles, descriptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotated_types import BaseMetadata, Timezone
from pydantic.fields import FieldInfo

from ..numbers import LEAST, MOST, is_number, wire_number
from .mapped import Unmappable

_STRICTEST = {
    "ge": ("minimum", max),
    "gt": ("above", max),
    "le": ("maximum", min),
    "lt": ("below", min),
    "min_length": ("min_length", max),
    "max_length": ("max_length", min),
}
"""Constraints by their usual names: what we call each, and which of two that are given is in force."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The constraints of one member, as far as a form can show them."""

    minimum: Any = None
    maximum: Any = None
    above: Any = None
    """A lower bound that is not included."""

    below: Any = None
    min_length: Any = None
    max_length: Any = None
    title: str | None = None
    description: str | None = None
    constrains: bool = False
    """Whether there is anything to enforce, shown or not."""

    is_naive: bool = False
    """Whether a time must be without a zone."""

    def lengths(self, least: str, most: str) -> dict[str, Any]:
        """The lengths as a field has them, under its own names; a least of nothing is none."""
        return {least: self.min_length or None, most: self.max_length}

    def of_whole(self) -> dict[str, Any]:
        """The bounds of a whole number, which steps past those that are not included.

        Raises:
            Unmappable: If no number of 64 bits is within.
        """
        lows = [low for low in (_up(self.minimum), _step(_down(self.above), 1)) if low is not None]
        highs = [high for high in (_down(self.maximum), _step(_up(self.below), -1)) if high is not None]
        low, high = max(lows, default=LEAST), min(highs, default=MOST)
        if low > MOST or high < LEAST:
            raise Unmappable("has bounds that no number of 64 bits is within")
        return {
            "minimum": low if low > LEAST else None,
            "maximum": high if high < MOST else None,
        }

    def of_number(self) -> dict[str, Any]:
        """The bounds of any number; those that are not included are left to binding."""
        lows = [low for low in (self.minimum, self.above) if low is not None]
        highs = [high for high in (self.maximum, self.below) if high is not None]
        return {"minimum": _plain(max(lows, default=None)), "maximum": _plain(min(highs, default=None))}


def bounds_of(metadata: Iterable[object]) -> Bounds:
    """Read what is known of annotated-types, pydantic (`Field`, `StringConstraints`) and msgspec (`Meta`)."""
    found: dict[str, Any] = {}
    for item in _unpacked(metadata):
        _take_limits(found, item)
        _take_texts(found, item)
        found["constrains"] = found.get("constrains", False) or _constrains(item)
        found["is_naive"] = found.get("is_naive", False) or _is_naive(item)
    return Bounds(**found)


def _unpacked(metadata: Iterable[object]) -> Iterator[object]:
    """Unpack what carries others: pydantic's `Field`, and the groups of annotated-types."""
    for item in metadata:
        if isinstance(item, FieldInfo):
            yield from _unpacked(item.metadata)
        elif _is_group(item):
            yield from _unpacked(item)  # type: ignore[arg-type]  # a group is its items
        yield item


def _is_group(item: object) -> bool:
    """Whether it is a `GroupedMetadata`; asking a protocol takes much longer."""
    return getattr(item, "__is_annotated_types_grouped_metadata__", False) is True and not isinstance(item, type)


def is_meta(item: object) -> bool:
    """Tell whether a piece of metadata is a `msgspec.Meta`; msgspec itself is never imported."""
    return type(item).__name__ == "Meta" and type(item).__module__.partition(".")[0] == "msgspec"


def _take_limits(found: dict[str, Any], item: object) -> None:
    for name, (ours, strictest) in _STRICTEST.items():
        if is_number(given := getattr(item, name, None)):
            found[ours] = strictest(given, found[ours]) if ours in found else given


def _take_texts(found: dict[str, Any], item: object) -> None:
    """Titles and descriptions; what is said further out is said later, and counts."""
    for name, ours in (("title", "title"), ("description", "description"), ("documentation", "description")):
        if isinstance(text := getattr(item, name, None), str) and text.strip():
            found[ours] = text


def _constrains(item: object) -> bool:
    """Whether pydantic, which enforces it, or msgspec takes notice of a piece of metadata."""
    if is_meta(item):
        return any(getattr(item, name) is not None for name in (*_STRICTEST, "pattern", "multiple_of", "tz"))
    return isinstance(item, BaseMetadata) or _is_group(item) or hasattr(item, "__get_pydantic_core_schema__")


def _is_naive(item: object) -> bool:
    if isinstance(item, Timezone):
        return item.tz is None
    return is_meta(item) and getattr(item, "tz", None) is False


def _up(bound: Any) -> int | None:
    return None if bound is None else math.ceil(bound)


def _down(bound: Any) -> int | None:
    return None if bound is None else math.floor(bound)


def _step(bound: int | None, by: int) -> int | None:
    return None if bound is None else bound + by


def _plain(bound: Any) -> int | float | None:
    """A bound as JSON has it: beyond 64 bits a float, and none for one that no float reaches."""
    if bound is None:
        return None
    if (kept := wire_number(bound)) is not None:
        return kept
    try:
        inexact = float(bound)
    except OverflowError:
        return None
    return None if math.isinf(inexact) else inexact
