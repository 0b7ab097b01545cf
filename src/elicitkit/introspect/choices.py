"""Choices: enums, flags, literals, and collections of them."""

from __future__ import annotations

import collections.abc
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, Flag
from functools import partial, reduce
from typing import Any, Literal, get_args, get_origin

from ..fields import ChoiceField, MultiChoiceField, Option
from ..naming import label
from .hints import shown, unwrap
from .mapped import Mapped, Unmappable
from .refusals import Misfit

_SHOWN_OPTIONS = 8
_COLLECTIONS: dict[Any, Callable[[Iterable[Any]], Any]] = {
    list: list,
    set: set,
    frozenset: frozenset,
    tuple: tuple,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: frozenset,
    collections.abc.MutableSet: set,
}
"""The collections that can be chosen, and what each is made with."""


def enum_choice(core: type[Enum]) -> Mapped:
    """One member of an enum, by name. An alias is no option: the member is one already.

    Raises:
        Unmappable: If it has no members.
    """
    if not (members := list(core)):
        raise Unmappable(f"is of {core.__name__}, an enum without members")
    choose = _Choice(_by_name_or_value(members), _names(members))
    return Mapped(ChoiceField, choose, partial(_shown_member, core), core, {"options": _options(members)})


def flag_choices(core: type[Flag]) -> Mapped:
    """Any flags of a set, by name. What stands for several flags, or for none, is no option.

    Raises:
        Unmappable: If it has no single flags.
    """
    if not (members := list(core)):
        raise Unmappable(f"is of {core.__name__}, a flag without single members")
    choose = _Choice(_by_name_or_value(members), _names(members))
    return Mapped(
        MultiChoiceField,
        _Choices(choose, lambda flags: reduce(operator.or_, flags, core(0))),
        lambda default: [flag._name_ for flag in members if flag in core(default)],
        core,
        {"options": _options(members)},
    )


def literal_choice(core: Any) -> Mapped:
    """One of the values of a literal, as text. Blank text is no option: nobody can tell it from nothing.

    Raises:
        Unmappable: If two values are the same as text, one cannot be text, or all are blank.
    """
    values = {_literal_text(value): value for value in get_args(core)}
    if len(values) < len(get_args(core)):
        raise Unmappable("is a literal of values that are the same as text")
    table = {text: value for text, value in values.items() if text.strip()}
    if not table:
        raise Unmappable("is a literal of nothing but blank text")
    members = [value for value in table.values() if isinstance(value, Enum)]
    titled = {option.value: option for option in _options(members)}
    return Mapped(
        ChoiceField,
        _Choice(_by_name_or_value(members) | table, list(table)),
        partial(_shown_literal, table),
        core,
        {"options": tuple(titled.get(text, Option(text)) for text in table)},
        pydantic_reads=all(type(value) is str for value in table.values()),
    )


def collection_choices(core: Any) -> Mapped:
    """Any members of an enum, or values of a literal, in a collection.

    Raises:
        Unmappable: If it is a collection of another kind, or of something else.
    """
    origin, args = get_origin(core), get_args(core)
    make = _COLLECTIONS.get(origin)
    if make is None or not args or (origin is tuple and args[1:] != (...,)):
        raise Unmappable(f"is of the type {shown(core)}, which no field can carry")
    one = _item(core, args[0])
    options = [option.value for option in one.settings["options"]]
    return Mapped(
        MultiChoiceField,
        _Choices(one.convert, make),
        partial(_shown_several, one.to_wire, options),
        make,
        one.settings,
        pydantic_reads=one.pydantic_reads and make is list,
    )


def _item(core: Any, item: Any) -> Mapped:
    """How one item of a collection is chosen."""
    inner = unwrap(item)
    if not inner.accepts_none and isinstance(inner.core, type) and issubclass(inner.core, Enum):
        if not issubclass(inner.core, Flag):
            return enum_choice(inner.core)
    elif not inner.accepts_none and get_origin(inner.core) is Literal:
        return literal_choice(inner.core)
    raise Unmappable(f"is of the type {shown(core)}, and only the members of an enum and literals can be chosen from")


# --- from answers -----------------------------------------------------------------------------------------------------


class _Choice:
    """Looks up what was chosen; what is a value of the type already stays."""

    __slots__ = ("_options", "_table")

    def __init__(self, table: Mapping[str, Any], options: Sequence[str]) -> None:
        self._table = table
        self._options = options

    def __call__(self, text: Any) -> Any:
        try:
            return self._table[text]
        except (KeyError, TypeError):
            return self._known(text)

    def _known(self, value: object) -> Any:
        if any(type(one) is type(value) and one == value for one in self._table.values()):
            return value
        more = f" and {len(self._options) - _SHOWN_OPTIONS} more" if len(self._options) > _SHOWN_OPTIONS else ""
        raise Misfit(f"must be one of {', '.join(self._options[:_SHOWN_OPTIONS])}{more}")


class _Choices:
    """Looks up each of what was chosen, and makes a collection of it."""

    __slots__ = ("_choose", "_make")

    def __init__(self, choose: Callable[[Any], Any], make: Callable[[Iterable[Any]], Any]) -> None:
        self._choose = choose
        self._make = make

    def __call__(self, values: Any) -> Any:
        if not isinstance(values, (list, tuple, set, frozenset)):
            raise Misfit("must be a list of options")
        return self._make([self._choose(value) for value in values])


def _by_name_or_value(members: Iterable[Enum]) -> dict[str, Any]:
    """What may be said for each member: its name, and its value where that is text and no other's name."""
    members = list(members)
    by_value = {member._value_: member for member in members if isinstance(member._value_, str)}
    return by_value | {member._name_: member for member in members}


# --- from types and defaults ------------------------------------------------------------------------------------------


def _options(members: Sequence[Enum]) -> tuple[Option, ...]:
    """The options for members; two that would read the same are shown by name."""
    titles = [_title(name) for name in _names(members)]
    bearers = Counter(titles)
    return tuple(
        Option(name, title if bearers[title] == 1 else name)
        for name, title in zip(_names(members), titles, strict=True)
    )


def _title(name: str) -> str:
    return " ".join(word.capitalize() for word in name.split("_") if word) if name.isupper() else label(name) or name


def _names(members: Iterable[Enum]) -> list[str]:
    """The names: a class may well have its own idea of what `name` is."""
    return [member._name_ for member in members]


def _shown_member(core: type[Enum], default: object) -> str:
    """The name of a default, which may be given by its value where the type takes that."""
    return core(default)._name_


def _literal_text(value: object) -> str:
    match value:
        case Enum():
            return value._name_
        case bool():
            return str(value).lower()
        case str() | int():
            return str(value)
        case _:
            raise Unmappable("is a literal of something else than text and numbers")


def _shown_literal(table: Mapping[str, Any], default: object) -> str:
    found = [text for text, value in table.items() if type(value) is type(default) and value == default]
    if not found:
        raise ValueError
    return found[0]


def _shown_several(to_wire: Callable[[Any], str], options: Sequence[str], default: Iterable[Any]) -> list[str]:
    """The names in a default; those of a set in the order of the options, since its own differs in each process."""
    names = [to_wire(one) for one in default]
    return [option for option in options if option in names] if isinstance(default, collections.abc.Set) else names
