"""What a type brings into a form: a field for each member that can be asked, and the way back to a value."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ..errors import AnswerError, Fault, FormError
from ..fields import BooleanField, ChoiceField, Field, IntegerField, MultiChoiceField, NumberField, TextField
from ..introspect.annotations import name_of
from ..introspect.bind import bind
from ..introspect.constructors import obstacle
from ..introspect.describe import Description, Seed, Step, describe
from ..introspect.hints import unwrap
from ..naming import wire_name
from ..schema.check import Checked, check_default


class Seeds:
    """The members of a type by the names they have on the wire."""

    def __init__(self, description: Description, by_wire_name: Mapping[str, Seed]) -> None:
        self.description = description
        self.by_wire_name = by_wire_name
        asked = {wire: seed.field for wire, seed in by_wire_name.items()}
        self.fields: dict[str, Field] = {w: _on_the_wire(one, w) for w, one in asked.items() if one is not None}
        """The fields of the members that can be asked, in order."""
        self.secret: frozenset[str] = frozenset(wire for wire, seed in by_wire_name.items() if seed.is_secret)
        """The fields whose type says that they are credentials."""
        self.forms: dict[bool, Any] = {}
        """The form of the type as it is, bound and unbound, once it was made."""

    def binding(self, fields: Mapping[str, Field], fixed: Mapping[str, Any], changed: Container[str]) -> Binding:
        """Bind the fields of a form to the members they fill; *changed* are those with a default of the author's."""
        members = {wire: seed.member.name for wire, seed in self.by_wire_name.items() if wire in fields}
        own = frozenset(wire for wire in members if wire not in changed and self.by_wire_name[wire].has_default)
        return binding_for(self.description, members, fields, fixed, own)


def _on_the_wire(field: Field, wire: str) -> Field:
    return field if field.name == wire else replace(field, name=wire)


def seeds_of(made: Any, *, preserve: bool) -> Seeds:
    """Look a type up, with the names its members have on the wire.

    Raises:
        TypeError: If it is of no kind a form can come from.
        FormError: If two members have one name on the wire.
    """
    description = describe(made)
    seeds: Seeds | None = description.derived.get((Seeds, preserve))
    if seeds is None:
        seeds = description.derived[Seeds, preserve] = _seeds(description, preserve=preserve)
    return seeds


def _seeds(description: Description, *, preserve: bool) -> Seeds:
    by_wire_name: dict[str, Seed] = {}
    for seed in description.seeds:
        wire = seed.member.name if preserve else wire_name(seed.member.name)
        if wire in by_wire_name:
            names = f"{by_wire_name[wire].member.name!r} and {seed.member.name!r}"
            problem = f"is the wire name of two members, {names}; naming='preserve' keeps both"
            raise FormError([Fault(wire, wire, problem)])
        by_wire_name[wire] = seed
    return Seeds(description, by_wire_name)


@dataclass(frozen=True, slots=True)
class Binding:
    """The way from a checked answer to a value of a type."""

    description: Description
    members: Mapping[str, str]
    """The member that each field of the form fills, by wire name."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """What a person calls the members."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """What binding puts where nobody is asked."""

    own_defaults: frozenset[str] = frozenset()
    """The fields whose default is the type's own: unanswered, they are left to it."""

    as_seeded: frozenset[str] = frozenset()
    """The fields that let through what those of the type itself do, as far as there is a quicker way for it."""

    _steps: tuple[Step, ...] | None = field(default=None, init=False, repr=False, compare=False)
    """What is done with each member, by the wire name of its field where it has one; made at the first answer."""

    _decimals: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False)
    """The fields of members that are `Decimal`; likewise."""

    def _prepared(self) -> tuple[Step, ...]:
        wires = {member: wire for wire, member in self.members.items()}
        steps = tuple(
            (wire := wires.get(member, member), key, seed.quick if wire in self.as_seeded else convert, seed)
            for member, key, convert, seed in self.description.steps
        )
        object.__setattr__(self, "_decimals", tuple(wire for wire, _, _, seed in steps if _is_decimal(seed)))
        object.__setattr__(self, "_steps", steps)
        return steps

    def __reduce__(self) -> tuple[Any, ...]:
        return Binding, (self.description, self.members, self.labels, self.fixed, self.own_defaults, self.as_seeded)

    def bind(self, answer: Checked) -> Any:
        """Make the value of a checked answer.

        Raises:
            AnswerError: With one fault for each member that cannot be made, by the wire name of its field.
            FormError: If the type refuses a value that the author put where nobody is asked.
        """
        steps = self._prepared() if self._steps is None else self._steps
        answered = answer.values
        if answer.filled and (left := answer.filled & self.own_defaults):
            answered = {wire: value for wire, value in answered.items() if wire not in left}
        if self._decimals:
            answered = answered | self._digits(answered, answer.given)
        fixed = self._own_fixed() if self.fixed else _NOTHING
        try:
            return bind(self.description, answered, answer.cleared, fixed, self.labels, steps)
        except AnswerError as error:
            raise self._renamed(error) from None

    def _own_fixed(self) -> dict[str, Any]:
        """The fixed values, none of which two answers share."""
        return {name: copy.deepcopy(one) if type(one) in _MUTABLE else one for name, one in self.fixed.items()}

    def _digits(self, answered: Mapping[str, Any], given: Mapping[str, object]) -> dict[str, Decimal]:
        """A number that came as text or as a `Decimal` keeps its digits where the member is a `Decimal`."""
        came = {wire: given[wire] for wire in self._decimals if wire in given and type(answered.get(wire)) is float}
        return {wire: Decimal(one) for wire, one in came.items() if isinstance(one, (str, Decimal))}

    def _renamed(self, error: AnswerError) -> AnswerError | FormError:
        """The error by wire names; what the author fixed is no fault of the person's."""
        of_author = [fault for fault in error.faults if fault.field in self.fixed]
        if of_author:
            told = "was excluded with a value that its type refuses: "
            return FormError([replace(fault, problem=told + fault.problem) for fault in of_author])
        wires = {member: wire for wire, member in self.members.items()}
        return AnswerError([replace(fault, field=wires.get(fault.field, fault.field)) for fault in error.faults])


def _is_decimal(seed: Seed) -> bool:
    is_number = seed.field is None or isinstance(seed.field, NumberField)
    return is_number and unwrap(seed.member.hint).core is Decimal


_NOTHING: Mapping[str, Any] = {}
_MUTABLE = (list, dict, set)
_SHOWN = 8
_BOUNDS = (("minimum", "maximum"), ("min_length", "max_length"), ("min_items", "max_items"))


def binding_for(
    description: Description,
    members: Mapping[str, str],
    fields: Mapping[str, Field],
    fixed: Mapping[str, Any],
    own_defaults: frozenset[str] = frozenset(),
) -> Binding:
    """Bind the fields of a form, by wire name, to the members they fill."""
    labels = {member: fields[wire].label for wire, member in members.items()}
    quick = {seed.member.name: seed.field for seed in description.seeds if seed.quick}
    found = (wire for wire, member in members.items() if member in quick and _is_alike(fields[wire], quick[member]))
    return Binding(description, members, labels, fixed, own_defaults, frozenset(found))


def _is_alike(one: Field, other: Field | None) -> bool:
    return type(one) is type(other) and getattr(one, "format", None) == getattr(other, "format", None)


def bindability_faults(
    seeds: Seeds, fields: Mapping[str, Field], fixed: Mapping[str, Any], has_default: Container[str]
) -> Iterator[Fault]:
    """The members that binding could never fill, each with what would help; and a class that cannot be made at all."""
    yield from _obstacles(seeds.description)
    for wire, seed in seeds.by_wire_name.items():
        asked = fields.get(wire)
        problem = None
        if asked is not None and asked is not seeds.fields.get(wire):
            problem = _untaken(seed, asked) or _apart(seed, asked)
        if problem is None and asked is not None and wire in has_default:
            problem = _misfit_default(seed, asked)
        if problem is None and seed.member.name not in fixed and not seed.may_be_left_out:
            problem = _unfillable(seed, asked, wire in has_default)
        if problem is not None:
            yield Fault(wire, seed.field.label if seed.field else seed.member.name, problem)


def _obstacles(description: Description) -> Iterator[Fault]:
    """Why no value of the type can be made, whatever the answer; looked up once a type."""
    if obstacle not in description.derived:
        description.derived[obstacle] = obstacle(description.made, [key for _, key, _, _ in description.steps])
    if problem := description.derived[obstacle]:
        yield Fault("", name_of(description.made), problem)


def _untaken(seed: Seed, asked: Field) -> str | None:
    """What is wrong with choices of the author's that the member's type does not know."""
    if seed.convert is None or asked == seed.field:
        return None
    match asked:
        case BooleanField():
            choices: list[tuple[str, object]] = [("yes", True), ("no", False)]
        case ChoiceField():
            choices = [(option.value, option.value) for option in asked.options]
        case MultiChoiceField():
            choices = [(option.value, [option.value]) for option in asked.options]
        case _:
            return None
    untaken = [shown for shown, value in choices if not _takes(seed.convert, value)]
    return f"can be answered with what its type does not take: {', '.join(untaken[:_SHOWN])}" if untaken else None


def _apart(seed: Seed, asked: Field) -> str | None:
    """What is wrong with bounds of the author's that leave nothing of what the type takes."""
    if type(asked) is not type(seed.field):
        return None
    for least, most in _BOUNDS:
        ours, theirs = (_range(field, least, most) for field in (asked, seed.field))
        if max(ours[0], theirs[0]) > min(ours[1], theirs[1]) and ours[0] <= ours[1]:
            return f"has a {least} or {most} that leaves nothing of what its type takes"
    return None


def _range(field: object, least: str, most: str) -> tuple[float, float]:
    low, high = getattr(field, least, None), getattr(field, most, None)
    return -math.inf if low is None else low, math.inf if high is None else high


def _misfit_default(seed: Seed, asked: Field) -> str | None:
    """What is wrong with a default of the author's that the member's type would refuse each time it came back."""
    default, typed = getattr(asked, "default", None), seed.field
    try:
        if type(asked) is type(typed) and isinstance(typed, (TextField, IntegerField, NumberField)):
            check_default(typed, default)
    except AnswerError as error:
        return f"has a default that its type does not take: it {error.faults[0].problem}"
    if seed.convert is None or _takes(seed.convert, [*default] if isinstance(default, tuple) else default):
        return None
    return "has a default that its type does not take"


def _takes(convert: Callable[[Any], Any], value: object) -> bool:
    try:
        convert(value)
    except (ValueError, TypeError, AssertionError):
        return False
    return True


def _unfillable(seed: Seed, asked: Field | None, has_default: bool) -> str | None:
    name = seed.member.name
    if asked is None and seed.field is None:
        return (
            f"{seed.reason}: exclude({name!r}, value=…) says what to put there, and "
            "from_type(…, skip_unmapped=True) leaves it out and gives a plain dict"
        )
    if asked is None:
        return f"was excluded, and its type needs it: exclude({name!r}, value=…), or give the member a default"
    if not asked.required and not has_default:
        return "is optional here, and its type needs it: .required(), .default(…), or give the member a default"
    return None


def binding_to(made: Any, fields: Sequence[Field]) -> Binding:
    """Bind the fields of a form that came from elsewhere to the members of their names.

    Raises:
        TypeError: If the type is of no kind a form can come from.
        FormError: With every member that needs an answer and has no field, or if the type cannot be made at all.
    """
    description = describe(made)
    by_name = {name: field for field in fields for name in (field.written, field.name) if name}
    found = {
        seed.member.name: by_name.get(seed.member.name) or by_name.get(wire_name(seed.member.name))
        for seed in description.seeds
    }
    members = {field.name: member for member, field in found.items() if field is not None}
    if faults := [*_obstacles(description), *_unfilled(description, found)]:
        raise FormError(faults)
    return binding_for(description, members, {field.name: field for field in fields}, {})


def _unfilled(description: Description, found: Mapping[str, Field | None]) -> Iterator[Fault]:
    for seed in description.seeds:
        asked = found[seed.member.name]
        if asked is None and not seed.may_be_left_out:
            yield Fault("", seed.member.name, "is a member that needs a value, and the form has no field for it")
        elif asked is not None and not (asked.required or seed.may_be_left_out or _has_default(asked)):
            yield Fault(asked.name, asked.label, "is optional, and the member it fills needs a value")


def _has_default(field: Field) -> bool:
    return getattr(field, "default", None) is not None
