"""What the kinds of types have in common: `Member`, and the port `Kind`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Protocol, TypeAlias

from .refusals import Refusal, refusals

Make: TypeAlias = Callable[[dict[str, Any]], Any]
"""From values by the constructor's names to a value of a type."""


class _Missing:
    """The type of `MISSING`, which is one value."""

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"  # There is one of it, in a copy and in another process too.


MISSING: Final = _Missing()
"""Where a member has no default, or no type."""

HintOf: TypeAlias = Callable[[str], Any]
"""The type hint of a member by its name, resolved and with a generic's arguments filled in; `MISSING` without one.

It raises a `TypeError` where a forward reference names nothing. A member that no answer can fill is not looked up,
so that what its annotation names need not exist.
"""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a type, as its constructor takes it."""

    name: str
    """The attribute's name."""

    hint: Any
    """Its type, resolved, with `Annotated`; `MISSING` if it has none."""

    _: KW_ONLY

    key: str = ""
    """What the constructor calls it; empty when that is its name."""

    default: object = MISSING
    has_factory: bool = False
    """Whether a default is made when the type is, and not before."""

    metadata: tuple[object, ...] = ()
    """Constraints that stand beside the type, not in it."""

    title: str | None = None
    description: str | None = None
    may_be_absent: bool = False
    """Whether the value may lack it altogether (`NotRequired`)."""

    must_be_present: bool = False
    """Whether it has to be there even when it accepts `None` (`Required`)."""

    @property
    def has_default(self) -> bool:
        """Whether the type itself fills it in."""
        return self.default is not MISSING or self.has_factory


class Kind(Protocol):
    """One kind of type that forms can come from. Adding one touches no other but the table in `kinds`."""

    validates: bool
    """Whether the type enforces what the annotations say, as pydantic does; else each member is checked before."""

    def owns(self, origin: Any) -> bool:
        """Tell whether a class (a generic without its arguments) is of this kind."""
        ...

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """The members an answer can fill, in order: no class variables, no computed or derived ones.

        Raises:
            TypeError: If a forward reference names nothing.
        """
        ...

    def maker(self, made: Any) -> Make:
        """Look up what makes a value. It raises a `ValueError` or `AssertionError` for what the type refuses."""
        ...

    def refusals(self, error: Exception) -> Sequence[Refusal]:
        """What an answer was refused for; none if the error is no refusal but a mistake in the class."""
        ...


class Constructed:
    """What most kinds share: the class is called with the values, and what its validators raise is taken as it is."""

    validates = False

    def maker(self, made: Any) -> Make:
        """See `Kind.maker`."""
        return lambda values: made(**values)

    def refusals(self, error: Exception) -> Sequence[Refusal]:
        """See `Kind.refusals`."""
        return refusals(error)
