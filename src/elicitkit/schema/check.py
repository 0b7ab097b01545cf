"""Checking an answer against fields: types made right, defaults filled in, and every fault found at once.

What passes the rules of the kinds also passes the requested schema under `jsonschema-rs` with formats; that is checked
last, with a validator compiled once for each schema, which is made from the keywords we know: a stranger's `$ref` is
never resolved and a stranger's `pattern` never run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeGuard, assert_never

from .. import _json
from ..errors import AnswerError, Fault
from ..fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from ..numbers import LEAST, MOST
from .rules import Problem, Rule, compiled, listed, rule_of
from .write import object_schema, property_schema, requested_schema

_NOTHING: Final = object()
"""What stands for a value that is not there."""

_REQUIRED: Final = Problem("is required")
_NO_NAMES: Final[frozenset[str]] = frozenset()


def _drop(_: object) -> object:
    return _NOTHING


class Checked(NamedTuple):
    """An answer that fits: its values by wire name, and the names that were answered with nothing (`null`)."""

    values: dict[str, Any]
    given: Mapping[str, object]
    """The same as it came, by wire name."""

    cleared: frozenset[str] = _NO_NAMES
    filled: frozenset[str] = _NO_NAMES
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
        self._plain = [(item.name, _types(item.field), item.absent is _NOTHING) for item in self._items]
        self._lists = [(item.name, _chooser(item.field)) for item in self._items if _is_list(item.field)]
        strict = {item.name: _strict(item.field) for item in self._items if not isinstance(item.field, UnknownField)}
        self._keeps = compiled(_json.dumps(object_schema(strict, [])))
        self.written: Mapping[str, str] = {item.name: item.field.written or item.name for item in self._items}
        """The author's name of each field, by wire name."""

    def check(self, answer: Mapping[str, object]) -> Checked:
        """Check an answer, by names in either spelling; unknown ones are dropped.

        Most answers are right as they came, and no rule has to be run for them.

        Raises:
            AnswerError: With one fault for each field that does not fit.
        """
        values: dict[str, Any] = {}
        for name, types, may_be_absent in self._plain:
            value = answer.get(name)
            if type(value) in types:
                values[name] = value
            elif name in answer or not may_be_absent:
                return self._coerced(answer)
        try:
            if len(values) < len(answer) or not self._keeps(values):
                return self._coerced(answer)
        except ValueError:  # half a character
            return self._coerced(answer)
        for name, choose in self._lists:
            if name in values:
                values[name] = [*map(choose, values[name])]
        return Checked(values, answer)

    @cached_property
    def _is_valid(self) -> Callable[[object], bool]:
        known = [_known(item.field) for item in self._items if not isinstance(item.field, UnknownField)]
        return compiled(_json.dumps(requested_schema(known)))

    def _coerced(self, given: Mapping[str, object]) -> Checked:
        """What the rules make of an answer."""
        answer = self._by_wire_name(given)
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
        return Checked(values, answer, frozenset(cleared), frozenset(values.keys() - answer.keys()))

    def _by_wire_name(self, answer: Mapping[str, object]) -> Mapping[str, object]:
        if answer.keys() <= self.written.keys():
            return answer
        wire_names = {name: wire for wire, name in self.written.items() if name not in self.written}
        return {wire_names[key]: value for key, value in answer.items() if key in wire_names} | dict(answer)


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


# --- what is kept as it came ------------------------------------------------------------------------------------------


def _types(field: Field) -> tuple[type, ...]:
    """The types of the values that a rule may keep as they are; of what only the rule understands, none."""
    match field:
        case ChoiceField() if not field.required and any(not option.value for option in field.options):
            return ()  # "" is nothing, though it is an option.
        case TextField() | ChoiceField():
            return (str,)
        case IntegerField():
            return (int,)
        case NumberField():
            return (int, float)
        case BooleanField():
            return (bool,)
        case MultiChoiceField():
            return (list,)
        case UnknownField():
            return ()
        case _:
            assert_never(field)


def _strict(field: Field) -> dict[str, Any]:
    """The schema of what a rule keeps as it is: the wire's, and what the rule asks for beyond it."""
    match field:
        case TextField():
            more: dict[str, Any] = _STRICT_TEXT.get(field.format, {})
        case IntegerField() | NumberField():
            more = {
                "minimum": LEAST if field.minimum is None else max(field.minimum, LEAST),
                "maximum": MOST if field.maximum is None else min(field.maximum, MOST),
            }
        case MultiChoiceField():
            more = {"uniqueItems": True}
        case _:
            more = {}
    return {**property_schema(_known(field)), **more}


def _is_list(field: Field) -> TypeGuard[MultiChoiceField]:
    return isinstance(field, MultiChoiceField)


def _chooser(field: MultiChoiceField) -> Callable[[str], str]:
    """From what is equal to an option, such as a member of an enum, to the option."""
    return {option.value: option.value for option in field.options}.__getitem__


_STRICT_TEXT: dict[str | None, dict[str, Any]] = {
    None: {"pattern": ""},  # All of it is looked at, and half a character is an error.
    "date": {"not": {"pattern": "^0000"}},  # Python has no such year,
    "date-time": {"not": {"pattern": "^0000|:60"}},  # and no leap seconds.
}


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
