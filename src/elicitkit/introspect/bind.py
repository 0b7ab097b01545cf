"""From a checked answer to a value of a type."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from ..errors import AnswerError, Fault
from ..fields import BooleanField, ChoiceField, MultiChoiceField
from ..naming import wire_name
from .describe import REQUIRED, Description, Seed
from .mapped import Convert
from .members import MISSING
from .refusals import Refusal, refusals
from .typed import without_typed

_Refused: TypeAlias = list[tuple[Seed | None, Refusal]]
"""What is refused, each with the member it is about, or none for the whole."""

_NOTHING: Mapping[str, Any] = {}
_CHOSEN = (BooleanField, ChoiceField, MultiChoiceField)
_IS_REQUIRED = Refusal("", "is required", may_quote=False)


def bind(
    description: Description,
    answered: Mapping[str, Any],
    *,
    cleared: Collection[str] = (),
    fixed: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """Make a value of a type.

    Args:
        description: The type.
        answered: Checked values, by the members' names.
        cleared: The members that were answered with nothing (`None` among the values says the same): they become
            `None` where they accept it.
        fixed: Values for members that nobody was asked for, as the constructor takes them.
        labels: What a person calls a member, for the faults; its title by default.

    Raises:
        AnswerError: With one fault for each member that cannot be made, or what the type's own validators refuse: in
            their words, but for what was typed. The fields of the faults are the members' names.
        TypeError: If the class does not take its own members, or a validator of it is broken.
    """
    values: dict[str, Any] = {}
    refused: _Refused = []
    fixed = fixed or _NOTHING
    for seed, name, key, convert, when_absent, when_cleared in description.steps:
        value = answered.get(name, MISSING)
        if name in fixed:
            value = fixed[name]
        elif value is MISSING or value is None:
            value = when_cleared if value is None or name in cleared else when_absent
        elif convert is not None:
            value = _converted(seed, convert, value, refused)
        if value is REQUIRED:
            refused.append((seed, _IS_REQUIRED))
        elif value is not MISSING:
            values[key] = value
    made = None if refused else _made(description, values, refused)
    if refused:
        raise AnswerError(_faults(description, refused, answered, values, labels or {}))
    return made


def _converted(seed: Seed, convert: Convert, value: Any, refused: _Refused) -> Any:
    """Give what the constructor takes, or note why it is nothing that it takes."""
    try:
        return convert(value)
    except (ValueError, AssertionError) as error:
        refused += [(seed, refusal) for refusal in refusals(error)]
        return MISSING


def _made(description: Description, values: dict[str, Any], refused: _Refused) -> Any:
    """Make the value, or note what the class refuses; what is no refusal is raised."""
    try:
        return description.kind.make(description.made, values)
    except (ValueError, TypeError, AssertionError) as error:
        found = description.kind.refusals(error)
        if not found:
            raise
        refused += [(_named(description, refusal.member), refusal) for refusal in found]
        return None


def _named(description: Description, name: str) -> Seed | None:
    """The member that a class means, by the attribute's name, the constructor's or the wire's."""
    for seed, member, key, *_ in description.steps:
        if name in (member, key) or name == wire_name(member):
            return seed
    return None


# --- faults -----------------------------------------------------------------------------------------------------------


def _faults(
    description: Description,
    refused: _Refused,
    answered: Mapping[str, Any],
    values: Mapping[str, Any],
    labels: Mapping[str, str],
) -> Iterator[Fault]:
    """One fault for each refusal; it is made after the error of the class is forgotten, which may quote the answer."""
    typed = [*_typed(description, answered, values)]
    for seed, refusal in refused:
        words = without_typed(refusal.words, typed) if refusal.may_quote else refusal.words
        if seed is None:
            yield Fault("", "", words, dict(answered))
        else:
            name = seed.member.name
            label = seed.field.label if seed.field else name
            yield Fault(name, labels.get(name, label), words, answered.get(name))


def _typed(description: Description, answered: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[object]:
    """What a person may have typed, as it came and as it was made: no choice among options, no default come back."""
    for seed, name, key, *_ in description.steps:
        if name in answered and answered[name] != seed.default and not isinstance(seed.field, _CHOSEN):
            yield answered[name]
            yield values.get(key)
