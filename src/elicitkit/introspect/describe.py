"""A type as forms see it: each member with the field that asks for it, or why none can. Computed once a type."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias, get_origin

from pydantic import Json

from ..fields import Field, IntegerField, MultiChoiceField, NumberField, TextField
from ..naming import label
from .annotations import Annotations, name_of, unresolved
from .bounds import Bounds, bounds_of
from .checks import Check
from .hints import Hint, unwrap
from .kinds import kind_of
from .mapped import Convert, Mapped, Unmappable
from .mapping import mapped
from .members import MISSING, Kind, Make, Member
from .scalars import NAIVE

_KEPT = "__elicitkit_description__"
"""Where a class keeps its description: in itself, so that neither keeps the other alive."""


REQUIRED: Final = object()
"""What stands for a member that has to be answered, where its value would."""


@dataclass(frozen=True, slots=True)
class Seed:
    """One member of a type: what asks for it, and what its answer becomes."""

    member: Member
    field: Field | None
    """The field, under the member's own name; `None` if no field can carry it."""

    reason: str = ""
    """Why no field can carry it, as the end of a sentence."""

    convert: Convert | None = None
    """From a value of the wire to what the constructor takes; `None` when it takes it as it is."""

    quick: Convert | None = None
    """A quicker way to the same, for nearly all that its own field lets through; see `Mapped.quick`."""

    default: object = MISSING
    """The default to show, as JSON has it."""

    is_secret: bool = False
    """Whether the type itself says that it is a credential."""

    accepts_none: bool = False

    @property
    def may_be_left_out(self) -> bool:
        """Whether a value of the type can be made without an answer for it."""
        return self.member.has_default or self.accepts_none or self.member.may_be_absent

    @property
    def has_default(self) -> bool:
        """Whether the type itself fills it in."""
        return self.member.has_default

    @property
    def when_absent(self) -> object:
        """What the constructor is given without an answer; `MISSING` for nothing, `REQUIRED` if that is a fault."""
        if self.accepts_none and not self.has_default and not self.member.may_be_absent:
            return None
        return MISSING if self.may_be_left_out else REQUIRED

    @property
    def when_cleared(self) -> object:
        """The same for a member that was answered with nothing."""
        return None if self.accepts_none else self.when_absent


Step: TypeAlias = tuple[str, str, Convert | None, Seed]
"""How binding treats one member: what an answer calls it (a form by the name of its field), what the constructor calls
it, its `convert` or `quick`, and the rest. A bare tuple, which takes the least time to unpack."""


@dataclass(frozen=True, slots=True)
class Description:
    """Everything a form needs to know of a type."""

    made: Any
    kind: Kind
    seeds: tuple[Seed, ...]
    steps: tuple[Step, ...] = dataclasses.field(init=False, repr=False, compare=False)
    """What binding does with each seed, in the same order."""

    make: Make = dataclasses.field(init=False, repr=False, compare=False)
    """What makes a value of the type."""

    derived: dict[object, Any] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)
    """What the layers above make of it, kept as long as it is."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(map(_step, self.seeds)))
        object.__setattr__(self, "make", self.kind.maker(self.made))

    def __reduce__(self) -> tuple[Any, ...]:
        return describe, (self.made,)  # A copy, and another process, has the one that its class keeps.


def describe(made: Any) -> Description:
    """Describe a type; once, since the class keeps what is found.

    Raises:
        TypeError: If it is of no kind a form can come from, or a forward reference in it names nothing.
    """
    kept: Description | None = getattr(made, "__dict__", {}).get(_KEPT)
    if kept is not None and kept.made is made:  # A class made anew from another's namespace has the other's.
        return kept
    description = _described(made)
    with suppress(TypeError, AttributeError):  # What cannot be written to is described each time.
        (type if isinstance(made, type) else object).__setattr__(made, _KEPT, description)
    return description


def _described(made: Any) -> Description:
    kind = kind_of(made)
    shown = name_of(made)
    members = kind.members(get_origin(made) or made, Annotations(made).hint_of)
    seeds = (_seed(kind, member, shown) for member in members)
    return Description(made, kind, tuple(seed for seed in seeds if not _is_hidden(seed)))


def _is_hidden(seed: Seed) -> bool:
    """A private member is nobody's business, as long as the type can do without it."""
    return seed.member.name.startswith("_") and seed.may_be_left_out


def _step(seed: Seed) -> Step:
    member = seed.member
    return member.name, member.key or member.name, seed.convert, seed


# --- one member -------------------------------------------------------------------------------------------------------


def _seed(kind: Kind, member: Member, made: str) -> Seed:
    try:
        hint = Hint(MISSING) if member.hint is MISSING else unwrap(member.hint)
    except NameError as error:  # An alias is evaluated when it is looked into.
        raise TypeError(unresolved(f"{made}.{member.name}", member.hint, error)) from error
    try:
        return _mapped_seed(kind, member, hint)
    except Unmappable as why:
        # A form of another make may still ask for it.
        check = None if kind.validates or hint.core is MISSING else Check(hint.core, hint.metadata)
        return Seed(member, None, reason=str(why), convert=check, accepts_none=hint.accepts_none)


def _mapped_seed(kind: Kind, member: Member, hint: Hint) -> Seed:
    bounds = bounds_of((*hint.metadata, *member.metadata))
    asked = _asked(member, hint, bounds)
    default = _shown_default(member, asked)
    convert = _converter(kind, member, asked, hint, bounds)
    if convert is not None and isinstance(member.default, (Decimal, datetime)):
        convert = _keeping(member.default, default, convert)
    return Seed(
        member,
        _field(member, asked, hint, bounds),
        convert=convert,
        quick=asked.quick if convert is asked.convert else None,
        default=default,
        accepts_none=hint.accepts_none,
        is_secret=asked.is_secret,
    )


def _asked(member: Member, hint: Hint, bounds: Bounds) -> Mapped:
    if member.name.startswith("_"):
        raise Unmappable("is private")
    if hint.core is MISSING:
        raise Unmappable("has no type")
    if any(type(one) is Json for one in (*hint.metadata, *member.metadata)):
        raise Unmappable("is read from JSON in a text, which no field asks for")
    asked = mapped(hint.core)
    if bounds.is_naive and asked.settings.get("format") == "date-time":
        raise Unmappable(NAIVE)
    return asked


def _field(member: Member, asked: Mapped, hint: Hint, bounds: Bounds) -> Field:
    """Required is what has neither default nor `None`, and a `Required` key of a `TypedDict` all the same."""
    can_be_without = member.has_default or hint.accepts_none or member.may_be_absent
    made: Field = asked.kind(
        member.name,
        written=member.name,
        title=_said(member.title) or bounds.title or label(member.name) or member.name,
        description=_said(member.description) or bounds.description,
        required=member.must_be_present or not can_be_without,
        **asked.settings,
        **_limits(asked, bounds),
    )
    return made


def _said(text: object) -> str | None:
    """A text that says something; what stands in a field's `metadata` may be anything."""
    return text if isinstance(text, str) and text.strip() else None


def _limits(asked: Mapped, bounds: Bounds) -> dict[str, Any]:
    """What the wire can say of the constraints."""
    if asked.kind is IntegerField:
        return bounds.of_whole()
    if asked.kind is NumberField:
        return bounds.of_number()
    if asked.kind is MultiChoiceField:
        return bounds.lengths("min_items", "max_items")
    return bounds.lengths("min_length", "max_length") if asked.kind is TextField else {}


def _converter(kind: Kind, member: Member, asked: Mapped, hint: Hint, bounds: Bounds) -> Convert | None:
    """From a value of the wire to what the constructor takes, with what the constructor does not enforce."""
    convert = asked.convert
    if kind.validates and asked.pydantic_reads:
        return None
    if kind.validates or not (asked.constrains or bounds.constrains):
        return convert
    check = Check(asked.type, (*hint.metadata, *member.metadata))
    return lambda value: check(convert(value))


def _keeping(default: object, shown: object, convert: Convert) -> Convert:
    """Give a default that came back untouched as the type has it: the wire drops digits and the names of zones."""
    return lambda value: default if value == shown else convert(value)


def _shown_default(member: Member, asked: Mapped) -> object:
    if member.default is MISSING or member.default is None:
        return MISSING
    try:
        return asked.to_wire(member.default)
    except (TypeError, ValueError, KeyError, OverflowError):
        return MISSING  # No value that a field could hold: the type keeps it, and the form does not show it.
