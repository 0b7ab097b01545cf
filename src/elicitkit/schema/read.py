"""From a requested schema that others wrote to fields.

All five spellings of a choice are read: `enum`, `enum` with `enumNames`, `oneOf`, `items.enum` and `items.anyOf`.
Keywords we do not know are kept with the field. A property that no kind can carry becomes an `UnknownField`: it is
never dropped, and never guessed at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard

from .. import _json, limits
from ..errors import AnswerError, Fault, FormError
from ..fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
    UnknownField,
)
from .check import check_default

_FORMATS = ("email", "uri", "date", "date-time")
_STRUCTURE = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "properties", "patternProperties"}
    | {"prefixItems", "items", "contains", "const", "enum", "dependentSchemas", "dependentRequired"}
)
"""Keywords that change what a value may be: one of them where its kind has no place for it cannot be drawn."""


class _Undrawable(Exception):
    """Why a property cannot be drawn, as the end of a sentence."""


_Reader: TypeAlias = Callable[["_Property"], Field]


class _Property:
    """One property while it is read: what has been taken out of it, and what is left."""

    def __init__(self, name: str, schema: Mapping[str, object], *, required: bool) -> None:
        self.name = name
        self.left = dict(schema)
        self.common: dict[str, Any] = {
            "title": self._text("title"),
            "description": self._text("description"),
            "required": required,
        }

    def take(self, keyword: str) -> object:
        return self.left.pop(keyword, None)

    def count(self, keyword: str) -> int | None:
        """Take a length or a number of items."""
        value = self.take(keyword)
        if value is None:
            return None
        if not _is_number(value) or value < 0 or value != int(value):
            raise _Undrawable(f"its {keyword} is not a whole number")
        return int(value)

    def bound(self, keyword: str) -> int | float | None:
        value = self.take(keyword)
        if value is None or _is_number(value):
            return value
        raise _Undrawable(f"its {keyword} is not a number")

    def options(self) -> tuple[Option, ...] | None:
        """Take the options of a choice, in whichever spelling; `None` when there are none."""
        if "oneOf" in self.left and "enum" not in self.left:
            return _titled(self.take("oneOf"))
        if "const" in self.left and "enum" not in self.left:
            return _plain([self.take("const")], None)
        return _plain(self.take("enum"), self._names()) if "enum" in self.left else None

    def finish(self, field: Field) -> Field:
        """Give the field its default, if it fits, and what was not understood."""
        self.refuse_structure()
        _refuse_empty_ranges(field)
        if "default" in self.left and (fitting := _fitting_default(field, self.left["default"])) is not None:
            del self.left["default"]
            field = replace(field, default=fitting)  # type: ignore[arg-type]  # it fits, and UnknownField has no rule
        return replace(field, extra=self.left) if self.left else field

    def refuse_structure(self) -> None:
        if structure := _STRUCTURE & self.left.keys():
            raise _Undrawable(f"it uses {', '.join(sorted(structure))}, which a form cannot show")

    def _text(self, keyword: str) -> str | None:
        """Take a title or a description; one that is no text stays among what was not understood."""
        text = self.left.get(keyword)
        if not isinstance(text, str):
            return None
        del self.left[keyword]
        return text

    def _names(self) -> Sequence[object] | None:
        names, values = self.left.get("enumNames"), self.left.get("enum")
        if isinstance(names, list) and isinstance(values, list) and len(names) == len(values):
            del self.left["enumNames"]
            return names
        return None


def read_fields(schema: object) -> tuple[Field, ...]:
    """Read the fields of a requested schema, in its order.

    Raises:
        FormError: If it is no object schema, or larger than a limit of `elicitkit.limits` allows.
    """
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        raise _form_error("is not an object schema; a requested schema has the type 'object' and 'properties'")
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, Mapping):
        raise _form_error("has no 'properties' object; a form without fields has an empty one")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise _form_error("has a 'required' that is not a list of names")
    undescribed = [name for name in dict.fromkeys(required) if name not in properties]
    _refuse_excess(schema, [*properties, *undescribed])
    fields = [_read(str(name), prop, required=name in required) for name, prop in properties.items()]
    missing = "the form requires it, but does not describe it"
    return (*fields, *(UnknownField(name, required=True, reason=missing) for name in undescribed))


def _read(name: str, schema: object, *, required: bool) -> Field:
    if not isinstance(schema, Mapping):
        return UnknownField(name, required=required, schema=schema, reason="it is not described by a schema")
    _refuse_many_options(name, schema)
    prop = _Property(name, schema, required=required)
    try:
        return prop.finish(_reader(prop)(prop))
    except _Undrawable as why:
        return UnknownField(name, **prop.common, schema=schema, reason=str(why))


def _reader(prop: _Property) -> _Reader:
    kind = prop.take("type")
    if kind is None and not {"enum", "oneOf"}.isdisjoint(prop.left):
        kind = "string"
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        prop.refuse_structure()
        known = ", ".join(_READERS)
        raise _Undrawable(f"its type is {_named(kind)}, and a form can show {known}")
    return reader


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _named(kind: object) -> str:
    return "not given" if kind is None else repr(kind)[:40]


def _text(prop: _Property) -> Field:
    if (options := prop.options()) is not None:
        return ChoiceField(prop.name, **prop.common, options=options)
    known = prop.left.get("format") in _FORMATS
    return TextField(
        prop.name,
        **prop.common,
        format=prop.take("format") if known else None,  # type: ignore[arg-type]  # one of the four
        min_length=prop.count("minLength"),
        max_length=prop.count("maxLength"),
    )


def _integer(prop: _Property) -> Field:
    return IntegerField(prop.name, **prop.common, minimum=prop.bound("minimum"), maximum=prop.bound("maximum"))


def _number(prop: _Property) -> Field:
    return NumberField(prop.name, **prop.common, minimum=prop.bound("minimum"), maximum=prop.bound("maximum"))


def _boolean(prop: _Property) -> Field:
    return BooleanField(prop.name, **prop.common)


def _array(prop: _Property) -> Field:
    items = prop.take("items")
    if not isinstance(items, Mapping) or items.get("type", "string") != "string":
        raise _Undrawable("it is a list of something else than options")
    if "enum" in items:
        options = _plain(items["enum"], None)
    elif "anyOf" in items:
        options = _titled(items["anyOf"])
    else:
        raise _Undrawable("it is a list without options to choose from")
    return MultiChoiceField(
        prop.name, **prop.common, options=options, min_items=prop.count("minItems"), max_items=prop.count("maxItems")
    )


_READERS: dict[str, _Reader] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
}


def _plain(values: object, names: Sequence[object] | None) -> tuple[Option, ...]:
    if not isinstance(values, list) or not values:
        raise _Undrawable("it has no options to choose from")
    titles = names if names is not None else [None] * len(values)
    return _options(zip(values, titles, strict=True))


def _titled(entries: object) -> tuple[Option, ...]:
    if not isinstance(entries, list) or not entries:
        raise _Undrawable("it has no options to choose from")
    if not all(isinstance(entry, Mapping) and "const" in entry for entry in entries):
        raise _Undrawable("its options are not pairs of const and title")
    return _options((entry["const"], entry.get("title")) for entry in entries)


def _options(pairs: Any) -> tuple[Option, ...]:
    found: dict[str, Option] = {}
    for value, title in pairs:
        if not isinstance(value, str):
            raise _Undrawable("its options are not text")
        found.setdefault(value, Option(value, title if isinstance(title, str) and title else None))
    return tuple(found.values())


def _refuse_empty_ranges(field: Field) -> None:
    match field:
        case TextField(min_length=low, max_length=high) | MultiChoiceField(min_items=low, max_items=high):
            pass
        case IntegerField(minimum=low, maximum=high) | NumberField(minimum=low, maximum=high):
            pass
        case _:
            return
    if low is not None and high is not None and low > high:
        raise _Undrawable("its lower bound is above its upper bound, so that nothing fits")


def _fitting_default(field: Field, default: object) -> object:
    """The default if it is a possible answer; one that is not is kept apart and never offered."""
    try:
        fitting = check_default(field, default)
    except AnswerError:
        return None
    return tuple(fitting) if isinstance(fitting, list) else fitting


def _refuse_excess(schema: Mapping[str, object], names: list[object]) -> None:
    if len(names) > limits.FIELDS:
        raise _form_error(f"has {len(names)} fields, and a form may have {limits.FIELDS}")
    try:
        size = _json.size(schema)
    except TypeError:
        raise _form_error("is nested too deeply, or holds what JSON cannot carry") from None
    if size > limits.SCHEMA_BYTES:
        raise _form_error(f"takes {size:,} bytes, and may take {limits.SCHEMA_BYTES:,}")


def _refuse_many_options(name: str, schema: Mapping[str, object]) -> None:
    items = schema.get("items")
    places = [schema.get("enum"), schema.get("oneOf")]
    if isinstance(items, Mapping):
        places += [items.get("enum"), items.get("anyOf")]
    count = max(len(place) if isinstance(place, list) else 0 for place in places)
    if count > limits.OPTIONS:
        problem = f"has {count:,} options, and a choice may have {limits.OPTIONS:,}"
        raise FormError([Fault(name, name, problem)])


def _form_error(problem: str) -> FormError:
    return FormError([Fault("", "the requested schema", problem)])
