"""`bind`: an answer to any form as a value of a type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import AnswerError
from ..fields import ChoiceField, Field, MultiChoiceField
from ..introspect.bind import bind as bind_members
from ..introspect.describe import describe
from ..naming import wire_name
from ..outcomes import Accepted
from ..schema.check import Checker

if TYPE_CHECKING:
    from mcp_types import ElicitResult

T = TypeVar("T")


def bind(made: type[T], raw: Mapping[str, Any] | Accepted[Any] | ElicitResult) -> T:
    """Make a value of a type of an answer, whatever form it answers.

    Members are found by their names or the names on the wire. An enum takes the exact name of a member, and a value
    that is text where it is no other's name.

    Args:
        made: Any type that `FormElicitation.from_type` takes.
        raw: The content by names in either spelling, an accepted outcome, or the `ElicitResult` of an accepted form.

    Raises:
        AnswerError: With one fault for each member that cannot be made, and what the type's own validators refuse.
        TypeError: If the type is of no kind that can be bound, or *raw* is nothing that can be.
        ValueError: If *raw* is a result that was not accepted.
    """
    content = _content(raw)
    description = describe(made)
    answered: dict[str, Any] = {}
    asked: dict[str, Field] = {}
    for seed in description.seeds:
        name = seed.member.name
        key = name if name in content else wire_name(name)
        if key in content:
            answered[name] = content[key]
            if seed.field is not None:
                asked[name] = replace(seed.field, required=False)
    return _cast(made, bind_members(description, answered | _coerced(asked, answered)))


def _content(raw: object) -> Mapping[str, Any]:
    if isinstance(raw, Accepted):
        return raw.raw
    if (action := getattr(raw, "action", None)) is not None:
        if action != "accept":
            raise ValueError(f"there is nothing to bind: the action is {action!r}")
        return getattr(raw, "content", None) or {}
    if isinstance(raw, Mapping):
        return raw
    raise TypeError(f"what is bound is a mapping, an Accepted or an ElicitResult, not {type(raw).__name__}")


def _coerced(asked: Mapping[str, Field], answered: Mapping[str, Any]) -> dict[str, Any]:
    """The values with their types made right. Options of another form may be spelled otherwise: binding knows them."""
    plain = [field for field in asked.values() if not isinstance(field, (ChoiceField, MultiChoiceField))]
    checked = Checker(plain).check(answered)
    values = checked.values | dict.fromkeys(checked.cleared)
    for name, field in asked.items():
        if isinstance(field, (ChoiceField, MultiChoiceField)):
            values[name] = _chosen(field, answered[name])
    return values


def _chosen(field: Field, value: object) -> object:
    try:
        return Checker([field]).check({field.name: value}).values.get(field.name)
    except AnswerError:
        return value


def _cast(made: type[T], value: Any) -> T:
    bound: T = value
    return bound
