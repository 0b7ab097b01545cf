"""Checking an answer against fields: types made right, defaults filled in, and every fault found at once.

What passes the rules of the kinds also passes the requested schema under `jsonschema-rs` with formats; that is checked
last, with a validator compiled once for each schema, which is made from the keywords we know: a stranger's `$ref` is
never resolved and a stranger's `pattern` never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from .. import _json
from ..errors import AnswerError, Fault
from ..fields import ChoiceField, Field, IntegerField, MultiChoiceField, NumberField, TextField, UnknownField
from .rules import Problem, Rule, compiled, listed, rule_of
from .write import requested_schema

_NOTHING: Final = object()
"""What stands for a value that is not there."""

_REQUIRED: Final = Problem("is required")


def _drop(_: object) -> object:
    return _NOTHING


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer that fits: its values by wire name, and the names that were answered with nothing (`null`)."""

    values: dict[str, Any]
    cleared: frozenset[str]
    filled: frozenset[str] = frozenset()
    """The names that nobody answered: their defaults were filled in."""


class _Item(NamedTuple):
    """What checking one field takes, looked up once."""

    name: str
    field: Field
    rule: Rule
    absent: object
    """What a missing key becomes: a default, `_NOTHING`, or `_REQUIRED` if that is a fault."""

    cleared: object
    """The same for an answer of nothing (`null`)."""

    empty_is_nothing: bool
    """Whether `""` is the same as `null`."""


class Checker:
    """Checks answers to one set of fields."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self._items = [_item(field) for field in fields]
        known = [_known(item.field) for item in self._items if not isinstance(item.field, UnknownField)]
        self._is_valid = compiled(_json.dumps(requested_schema(known)))

    def check(self, answer: Mapping[str, object]) -> Checked:
        """Check an answer by wire name; unknown names are dropped.

        Raises:
            AnswerError: With one fault for each field that does not fit.
        """
        values: dict[str, Any] = {}
        cleared: set[str] = set()
        faults: list[Fault] = []
        for name, field, rule, value, when_cleared, empty_is_nothing in self._items:
            if name in answer:
                value = answer[name]
                if value is None or (empty_is_nothing and value == ""):
                    cleared.add(name)
                    value = when_cleared
                else:
                    value = _ruled(rule, value)
            if type(value) is Problem:
                faults.append(Fault(name, field.label, str(value), answer.get(name)))
            elif value is not _NOTHING:
                values[name] = list(value) if type(value) is tuple else value  # a default is never handed out itself
        if not faults and not self._is_valid(values):
            faults = [fault for item in self._items if (fault := _schema_fault(item.field, values))]
        if faults:
            raise AnswerError(faults)
        return Checked(values, frozenset(cleared), frozenset(values.keys() - answer.keys()))


def check_default(field: Field, default: object) -> object:
    """Check a default, which must be of the field's own type: no number in text, and no title for a value.

    Raises:
        AnswerError: With the one fault.
    """
    try:
        fitting = rule_of(field)(default)
        match field:
            case IntegerField() | NumberField() if isinstance(default, str):
                raise Problem("must be a number, not text")
            case ChoiceField() if fitting != default:
                raise Problem(f"must be one of {listed(field.options)}")
            case MultiChoiceField() if fitting != list(default):  # type: ignore[call-overload]  # the rule took it
                raise Problem(f"may only hold {listed(field.options)}")
    except Problem as problem:
        raise AnswerError([Fault(field.name, field.label, str(problem), default)]) from None
    return fitting


def _ruled(rule: Rule, value: object) -> object:
    """What a rule makes of a value, or the problem it has with it."""
    try:
        return rule(value)
    except Problem as problem:
        return problem


def _item(field: Field) -> _Item:
    rule = rule_of(field)
    if isinstance(field, UnknownField):
        # It cannot be answered: whatever comes is a fault when it is required, and dropped when it is not.
        nothing = _ruled(rule, None) if field.required else _NOTHING
        return _Item(field.name, field, rule if field.required else _drop, nothing, nothing, False)
    nothing = _REQUIRED if field.required else _NOTHING
    absent = nothing if field.default is None else field.default
    return _Item(field.name, field, rule, absent, nothing, _is_empty_nothing(field))


def _is_empty_nothing(field: Field) -> bool:
    """A required field's rule decides about `""`, and optional plain text keeps it."""
    return not (field.required or (isinstance(field, TextField) and field.format is None and not field.min_length))


def _known(field: Field) -> Field:
    """A field without what a stranger said that we do not know: no validator is to act on it."""
    if isinstance(field, (ChoiceField, MultiChoiceField)) and any(option.extra for option in field.options):
        field = replace(field, options=tuple(replace(option, extra={}) for option in field.options))
    return replace(field, extra={})


def _schema_fault(field: Field, values: Mapping[str, object]) -> Fault | None:
    """The fault of a field whose value passed our rules but not the schema: a difference between the two."""
    if field.name not in values or isinstance(field, UnknownField):
        return None
    alone = compiled(_json.dumps(requested_schema([_known(field)])))
    value = values[field.name]
    return None if alone({field.name: value}) else Fault(field.name, field.label, "is not what the form allows", value)
