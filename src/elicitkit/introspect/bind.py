"""From a checked answer to a value of a type."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import AnswerError, Fault
from ..fields import BooleanField, ChoiceField, MultiChoiceField
from ..naming import wire_name
from .describe import REQUIRED, Description, Seed, Step
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
    cleared: Collection[str] = (),
    fixed: Mapping[str, Any] = _NOTHING,
    labels: Mapping[str, str] = _NOTHING,
    steps: Sequence[Step] | None = None,
) -> Any:
    """Make a value of a type.

    Args:
        description: The type.
        answered: Checked values, by the members' names.
        cleared: The members that were answered with nothing (`None` among the values says the same): they become
            `None` where they accept it.
        fixed: Values for members that nobody was asked for, as the constructor takes them.
        labels: What a person calls a member, for the faults; its title by default.
        steps: How each member is treated, where *answered* and *cleared* call the members by other names.

    Raises:
        AnswerError: With one fault for each member that cannot be made, or what the type's own validators refuse: in
            their words, but for what was typed. The fields of the faults are the members' names.
        TypeError: If the class does not take its own members, or a validator of it is broken.
    """
    steps = description.steps if steps is None else steps
    values: dict[str, Any] = {}
    refused: _Refused = []
    for name, key, convert, seed in steps:
        value = answered.get(name)
        if value is None:
            value = _unanswered(seed, name in answered or name in cleared, fixed)
            if value is MISSING:
                continue
            if value is REQUIRED:
                refused.append((seed, _IS_REQUIRED))
                continue
        elif convert is not None:
            try:
                value = convert(value)
            except (ValueError, TypeError, AssertionError) as error:
                if (value := _converted(seed, convert, value, error, refused)) is MISSING:
                    continue
        values[key] = value
    if not refused:
        try:
            return description.make(values)
        except (ValueError, TypeError, AssertionError) as error:
            refused += _refused(description, error)
    raise AnswerError(_faults(steps, refused, answered, values, labels))


def _converted(seed: Seed, convert: Convert, value: Any, error: Exception, refused: _Refused) -> Any:
    """Convert what the quick way gave up on; note why it is nothing that the constructor takes."""
    try:
        if convert is seed.convert or seed.convert is None:
            raise error
        return seed.convert(value)
    except (ValueError, AssertionError) as refusal:
        refused += [(seed, one) for one in refusals(refusal)]
        return MISSING


def _unanswered(seed: Seed, is_cleared: bool, fixed: Mapping[str, Any]) -> Any:
    """What the constructor is given for a member that nobody gave a value for."""
    name = seed.member.name
    if name in fixed:
        return fixed[name]
    return seed.when_cleared if is_cleared else seed.when_absent


def _refused(description: Description, error: Exception) -> _Refused:
    """What the class refuses; an error that is no refusal is raised."""
    if not (found := description.kind.refusals(error)):
        raise error
    return [(_named(description, refusal.member), refusal) for refusal in found]


def _named(description: Description, name: str) -> Seed | None:
    """The member that a class means, by the attribute's name, the constructor's or the wire's."""
    for member, key, _, seed in description.steps:
        if name in (member, key) or name == wire_name(member):
            return seed
    return None


# --- faults -----------------------------------------------------------------------------------------------------------


def _faults(
    steps: Sequence[Step],
    refused: _Refused,
    answered: Mapping[str, Any],
    values: Mapping[str, Any],
    labels: Mapping[str, str],
) -> Iterator[Fault]:
    """One fault for each refusal; it is made after the error of the class is forgotten, which may quote the answer."""
    typed = [*_typed(steps, answered, values)]
    given = {seed.member.name: answered[name] for name, _, _, seed in steps if name in answered}
    for seed, refusal in refused:
        words = without_typed(refusal.words, typed) if refusal.may_quote else refusal.words
        if seed is None:
            yield Fault("", "", words, given)
        else:
            name = seed.member.name
            label = seed.field.label if seed.field else name
            yield Fault(name, labels.get(name, label), words, given.get(name))


def _typed(steps: Sequence[Step], answered: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[object]:
    """What a person may have typed, as it came and as it was made: no choice among options, no default come back."""
    for name, key, _, seed in steps:
        if name in answered and answered[name] != seed.default and not isinstance(seed.field, _CHOSEN):
            yield answered[name]
            yield values.get(key)
