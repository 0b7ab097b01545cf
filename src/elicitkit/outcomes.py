"""What a question can come to: `Accepted`, `Declined` or `Cancelled`.

A refusal is falsy, so that `if result:` can never run the dangerous step after one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T]):
    """The person answered.

    >>> match Accepted({"name": "Ada"}):
    ...     case Accepted(content):
    ...         print(content["name"])
    Ada
    """

    content: T
    """The checked answer; the type the form was made from, if there is one."""

    _: KW_ONLY

    raw: Mapping[str, Any] = field(default_factory=dict)
    """The whole checked answer by wire name."""

    action: ClassVar[Literal["accept"]] = "accept"

    def __bool__(self) -> Literal[True]:
        return True


@dataclass(frozen=True, slots=True)
class Declined:
    """The person said no."""

    reason: str = "declined"
    """Why, as the end of a sentence; advisory."""

    action: ClassVar[Literal["decline"]] = "decline"
    content: ClassVar[None] = None

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The person did not decide: the question was dismissed, expired, or could not be put to anybody."""

    reason: str = "cancelled"
    """Why: `cancelled`, `expired`, `headless`, `unsupported` or `failed`; advisory."""

    action: ClassVar[Literal["cancel"]] = "cancel"
    content: ClassVar[None] = None

    def __bool__(self) -> Literal[False]:
        return False


Outcome: TypeAlias = Accepted[T] | Declined | Cancelled
"""What `elicit` returns."""
