"""From a requested schema that others wrote to fields.

All five spellings of a choice are read: `enum`, `enum` with `enumNames`, `oneOf`, `items.enum` and `items.anyOf`.
Keywords we do not know are kept with the field. A property that no kind can carry becomes an `UnknownField`: it is
never dropped, and never guessed at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from .. import _json, limits
from ..errors import AnswerError, Fault, FormError
from ..fields import (
    FORMAT_LENGTHS,
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    Option,
    TextField,
    UnknownField,
    all_titled,
)
from ..numbers import LEAST, MOST, is_number, is_whole
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
    """One property while it is read: what is left of it, and what was taken but says more than a field can."""

    def __init__(self, name: str, schema: Mapping[str, object], *, required: bool) -> None:
        self.name = name
        self.left = dict(schema)
        self.kept: dict[str, object] = {}
        self.common: dict[str, Any] = {
            "title": self._text("title"),
            "description": self._text("description"),
            "required": required,
        }

    def take(self, keyword: str) -> object:
        return self.left.pop(keyword, None)

    def count(self, keyword: str) -> int | None:
        """Take a length or a number of items."""
        value = self.bound(keyword)
        if value is None:
            return None
        if value < 0 or not is_whole(value) or value > MOST:
            raise _Undrawable(f"its {keyword} is not a whole number")
        return int(value)

    def bound(self, keyword: str) -> int | float | None:
        value = self.take(keyword)
        if value is None or (is_number(value) and isinstance(value, (int, float))):
            return value
        raise _Undrawable(f"its {keyword} is not a number")

    def options(self) -> tuple[Option, ...] | None:
        """Take the options of a choice, in whichever spelling; `None` when there are none."""
        if "enum" in self.left:
            names = self._names()
            return _plain(self.take("enum"), names)
        if "oneOf" in self.left:
            return _titled(self.take("oneOf"))
        return _plain([self.take("const")], None) if "const" in self.left else None

    def items(self) -> tuple[Option, ...]:
        """Take the options of a multiple choice; what else its `items` say is kept with them."""
        items = self.take("items")
        if not isinstance(items, Mapping) or items.get("type", "string") != "string":
            raise _Undrawable("it is a list of something else than options")
        left = {name: value for name, value in items.items() if name not in ("type", "enum", "anyOf")}
        if len({"enum", "anyOf"} & items.keys()) != 1 or _STRUCTURE & left.keys():
            raise _Undrawable("it is a list without options to choose from")
        if left:
            self.kept["items"] = items
        return _plain(items["enum"], None) if "enum" in items else _titled(items["anyOf"])

    def finish(self, field: Field) -> Field:
        """Give the field its default, if it fits, and what was not understood."""
        self.refuse_structure()
        _refuse_impossible(field)
        field = self._with_default(field)
        extra = {**self.left, **self.kept}
        return replace(field, extra=extra) if extra else field

    def refuse_structure(self) -> None:
        if structure := _STRUCTURE & self.left.keys():
            raise _Undrawable(f"it uses {', '.join(sorted(structure))}, which a form cannot show")

    def _with_default(self, field: Field) -> Field:
        default = self.left.get("default")
        if (fitting := _fitting_default(field, default)) is None:
            return field
        if isinstance(default, list) or fitting == default:  # An address that had to be encoded is sent on as it came.
            del self.left["default"]
        return replace(field, default=fitting)  # type: ignore[arg-type]  # it fits, and UnknownField has no rule

    def _text(self, keyword: str) -> str | None:
        """Take a title or a description; one that is no text stays among what was not understood."""
        text = self.left.get(keyword)
        if not isinstance(text, str):
            return None
        del self.left[keyword]
        return text

    def _names(self) -> Sequence[object] | None:
        names, values = self.left.get("enumNames"), self.left.get("enum")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return None
        if not isinstance(values, list) or len(names) != len(values):
            return None
        del self.left["enumNames"]
        return names


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
    _refuse_excess(schema, properties, undescribed)
    fields = [_read(str(name), prop, required=name in required) for name, prop in properties.items()]
    missing = "the form requires it, but does not describe it"
    return (*fields, *(UnknownField(name, required=True, described=False, reason=missing) for name in undescribed))


def _read(name: str, schema: object, *, required: bool) -> Field:
    if not isinstance(schema, Mapping):
        return UnknownField(name, required=required, schema=schema, reason="it is not described by a schema")
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
    low, high = prop.count("minItems"), prop.count("maxItems")
    return MultiChoiceField(prop.name, **prop.common, options=prop.items(), min_items=low, max_items=high)


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
    return _options((value, title, {}) for value, title in zip(values, titles, strict=True))


def _titled(entries: object) -> tuple[Option, ...]:
    if not isinstance(entries, list) or not entries:
        raise _Undrawable("it has no options to choose from")
    return _options(map(_entry, entries))


def _entry(entry: object) -> tuple[object, object, dict[str, object]]:
    """The value and the title of an option, and what else it says."""
    if not isinstance(entry, Mapping) or "const" not in entry:
        raise _Undrawable("its options are not pairs of const and title")
    rest = {name: said for name, said in entry.items() if name not in ("const", "title")}
    if not _STRUCTURE.isdisjoint(rest):
        raise _Undrawable("its options are not pairs of const and title")
    return entry["const"], entry.get("title"), rest


def _options(entries: Iterable[tuple[object, object, dict[str, object]]]) -> tuple[Option, ...]:
    found: dict[str, Option] = {}
    for value, title, extra in entries:
        if not isinstance(value, str):
            raise _Undrawable("its options are not text")
        named = title if isinstance(title, str) and title.strip() else None
        found.setdefault(value, Option(value, named, extra=extra))
    return all_titled(tuple(found.values()))


def _refuse_impossible(field: Field) -> None:
    """Refuse what no answer can fit."""
    low, high = _range(field)
    if low is not None and high is not None and low > high:
        raise _Undrawable("nothing fits between its bounds")


def _range(field: Field) -> tuple[int | float | None, int | float | None]:
    match field:
        case TextField():
            shortest, longest = FORMAT_LENGTHS.get(field.format, (0, None))
            return max(field.min_length or 0, shortest), _least(field.max_length, longest)
        case IntegerField():
            least, most = LEAST, MOST
            low = least if field.minimum is None else max(least, math.ceil(field.minimum))
            return low, _least(most, None if field.maximum is None else math.floor(field.maximum))
        case NumberField():
            return field.minimum, field.maximum
        case MultiChoiceField():
            return field.min_items or 0, _least(field.max_items, len(field.options))
        case _:
            return None, None


def _least(*bounds: int | None) -> int | None:
    return min((bound for bound in bounds if bound is not None), default=None)


def _fitting_default(field: Field, default: object) -> object:
    """The default if it is a possible answer; one that is not is kept apart and never offered."""
    try:
        fitting = check_default(field, default)
    except AnswerError:
        return None
    return tuple(fitting) if isinstance(fitting, list) else fitting


def _refuse_excess(schema: Mapping[str, object], properties: Mapping[str, object], undescribed: list[str]) -> None:
    count = len(properties) + len(undescribed)
    if count > limits.FIELDS:
        raise _form_error(f"has {count} fields, and a form may have {limits.FIELDS}")
    if faults := [fault for name, prop in properties.items() if (fault := _options_fault(name, prop))]:
        raise FormError(faults)
    try:
        size = _json.size(schema)
    except TypeError:
        raise _form_error("is nested too deeply, or holds what JSON cannot carry") from None
    if size > limits.SCHEMA_BYTES:
        raise _form_error(f"takes {size:,} bytes, and may take {limits.SCHEMA_BYTES:,}")


def _options_fault(name: str, schema: object) -> Fault | None:
    if not isinstance(schema, Mapping):
        return None
    items = schema.get("items")
    places = [schema.get("enum"), schema.get("oneOf")]
    if isinstance(items, Mapping):
        places += [items.get("enum"), items.get("anyOf")]
    count = max(len(place) if isinstance(place, list) else 0 for place in places)
    if count <= limits.OPTIONS:
        return None
    return Fault(str(name), str(name), f"has {count:,} options, and a choice may have {limits.OPTIONS:,}")


def _form_error(problem: str) -> FormError:
    return FormError([Fault("", "the requested schema", problem)])
