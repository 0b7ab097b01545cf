"""The rules for one property of a requested schema, in the revision at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...errors import FormError
from ...fields import Field, UnknownField
from ...naming import nearest
from ...numbers import is_number
from ...safety import asks_for_credential
from ..read import read_fields
from .finding import Breach, Finding, Level, pointer, shown
from .grammar import COMPOSITION, CONSTRAINTS, FIELD_TYPES, FIRST, FORMATS, KEYWORDS, SECTIONS

_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_BOUNDS = ("minimum", "maximum")
_CREDENTIAL: Final = (
    "sounds like a password or a key, which form mode must never ask for: ask by a link (url mode), or give it a name "
    "that does not sound like one"
)


@dataclass(frozen=True, slots=True)
class Property:
    """One property while it is reviewed."""

    name: str
    schema: Mapping[str, Any]
    at: str
    """Its JSON pointer."""

    era: str

    @property
    def kind(self) -> str:
        """Its row in the table of keywords: its type, or `choice` for text with options."""
        kind = self.schema.get("type")
        has_options = kind in ("string", None) and not {"enum", "oneOf"}.isdisjoint(self.schema)
        return "choice" if has_options else str(kind)

    def breaks(self, rule: str, problem: str, *keys: str | int) -> Finding:
        """What the revision does not allow."""
        return Finding(self._place(keys), "fault", rule, problem, (Breach(self.era, SECTIONS["schema"][self.era]),))

    def troubles(self, level: Level, rule: str, problem: str, *keys: str | int) -> Finding:
        """What no revision forbids, and yet goes wrong."""
        return Finding(self._place(keys), level, rule, problem)

    def _place(self, keys: tuple[str | int, ...]) -> str:
        place = self.at
        for key in keys:
            place = pointer(place, key)
        return place


def review_property(name: str, schema: object, at: str, era: str) -> Iterator[Finding]:
    """What is found in one property."""
    if not isinstance(schema, Mapping):
        whole = Property(name, {}, at, era)
        yield whole.breaks("property-not-schema", "is no schema: a property is an object with a 'type'")
        return
    prop = Property(name, schema, at, era)
    shape = [*_shape(prop)]
    yield from shape
    if not shape:
        for rule in _RULES:
            yield from rule(prop)


# --- shape: what else is looked at only where this is right -----------------------------------------------------------


def _shape(prop: Property) -> Iterator[Finding]:
    schema, kind = prop.schema, prop.schema.get("type")
    if "$ref" in schema:
        yield prop.breaks(
            "reference", "is a $ref: write out what it points to; hosts draw a text box, or nothing", "$ref"
        )
    elif isinstance(kind, list):
        yield prop.breaks("several-types", _several_types(kind), "type")
    elif kind == "object":
        yield prop.breaks("nested-object", "is an object, and forms are flat: give each part a field of its own")
    elif kind is None:
        yield from _without_type(prop)
    elif kind not in FIELD_TYPES:
        known = nearest(kind, FIELD_TYPES) if isinstance(kind, str) else f"there are {', '.join(FIELD_TYPES)}"
        yield prop.breaks("unknown-type", f"has the type {shown(kind)}, which no field has: {known}", "type")
    elif kind == "array":
        yield from _array_shape(prop)
    elif kind != "string" and not {"enum", "oneOf"}.isdisjoint(schema):
        yield prop.breaks("options-of-another-type", f"has options and the type {kind!r}: options are text", "type")
    else:
        yield from _composition(prop, "oneOf" if kind == "string" else "")


def _several_types(kinds: list[object]) -> str:
    if "null" in kinds:
        return "may be null: leave 'null' out, and leave the field out of 'required'"
    return "has several types, and a field has one"


def _without_type(prop: Property) -> Iterator[Finding]:
    if "anyOf" in prop.schema or "allOf" in prop.schema:
        yield from _composition(prop, "")
    elif prop.kind == "choice":
        yield prop.breaks("no-type", 'has options and no type: add "type": "string"; hosts refuse the whole form')
    else:
        yield prop.breaks("no-type", f"has no type: there are {', '.join(FIELD_TYPES)}")


def _composition(prop: Property, allowed: str) -> Iterator[Finding]:
    for keyword in sorted(COMPOSITION & prop.schema.keys() - {allowed}):
        parts = prop.schema[keyword]
        nullable = keyword == "anyOf" and isinstance(parts, list) and {"type": "null"} in parts
        words = "leave 'null' out, and leave the field out of 'required'" if nullable else "forms are flat and plain"
        yield prop.breaks("composition", f"is one of the parts of JSON Schema that forms do not have: {words}", keyword)


def _array_shape(prop: Property) -> Iterator[Finding]:
    items = prop.schema.get("items")
    if not isinstance(items, Mapping):
        yield prop.breaks("list-without-options", "is a list without 'items': a list is a choice of several options")
    elif "enum" in items:
        if items.get("type") != "string":
            yield prop.breaks("no-type", "have options and not the type 'string'", "items")
    elif "anyOf" not in items:
        words = (
            "hold the options under 'oneOf': in a list they are under 'anyOf'"
            if "oneOf" in items
            else ("have no 'enum' and no 'anyOf': a list that is typed freely, or holds objects, is no field")
        )
        yield prop.breaks("list-without-options", words, "items")
    yield from _composition(prop, "")


# --- rules ------------------------------------------------------------------------------------------------------------


def _texts(prop: Property) -> Iterator[Finding]:
    for keyword in ("title", "description"):
        if keyword in prop.schema and not isinstance(prop.schema[keyword], str):
            yield prop.breaks("text-not-text", "is not text", keyword)


def _numbers(prop: Property) -> Iterator[Finding]:
    for keyword in _COUNTS:
        value = prop.schema.get(keyword)
        if keyword in prop.schema and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            yield prop.breaks("count-not-whole", "is not a whole number from 0 on", keyword)
    for keyword in _BOUNDS:
        if keyword in prop.schema and not is_number(prop.schema[keyword]):
            yield prop.breaks("bound-not-number", "is not a number", keyword)


def _format(prop: Property) -> Iterator[Finding]:
    if (given := prop.schema.get("format")) is None or prop.kind != "string" or given in FORMATS:
        return
    hint = nearest(given, FORMATS) if isinstance(given, str) else f"there are {', '.join(FORMATS)}"
    yield prop.breaks("unknown-format", f"is {shown(given)}, which is no format of forms: {hint}", "format")


def _keywords(prop: Property) -> Iterator[Finding]:
    listed = KEYWORDS[prop.kind]
    for keyword in prop.schema:
        if keyword in listed or keyword in COMPOSITION:
            continue
        if any(keyword in others for others in KEYWORDS.values()):
            words = f"does not go with {_of(prop.kind)}: hosts ignore it, and one SDK does not send the form"
            yield prop.troubles("warning", "keyword-of-another-kind", words, keyword)
        elif keyword in CONSTRAINTS:
            words = (
                "is not in the subset: no host tells the person, and one SDK does not send the form. Check it yourself"
            )
            yield prop.troubles("warning", "unlisted-constraint", words, keyword)
        else:
            yield prop.troubles("note", "unlisted-keyword", "is not in the subset: hosts drop it", keyword)


def _first_revision(prop: Property) -> Iterator[Finding]:
    if prop.era != FIRST:
        return
    if prop.kind == "array":
        yield prop.breaks("multiple-choice", "is a list, and this revision has no multiple choice", "type")
    if "oneOf" in prop.schema:
        words = "titles its options with 'oneOf', which this revision does not have: use 'enum' and 'enumNames'"
        yield prop.breaks("titled-options", words, "oneOf")
    if "default" in prop.schema and prop.kind != "boolean":
        words = "is a default, which this revision has for yes and no alone: say it in the description"
        yield prop.breaks("default", words, "default")


def _options(prop: Property) -> Iterator[Finding]:
    if prop.kind == "array":
        items = prop.schema["items"]
        yield from _plain_options(prop, items, "items") if "enum" in items else _titled_options(prop, items, "items")
    elif "enum" in prop.schema:
        yield from _plain_options(prop, prop.schema)
        yield from _names(prop)
        if "oneOf" in prop.schema:
            yield prop.breaks("two-lists", "has its options twice, under 'enum' and 'oneOf'")
    elif prop.kind == "choice":
        yield from _titled_options(prop, prop.schema)


def _plain_options(prop: Property, holder: Mapping[str, Any], *keys: str) -> Iterator[Finding]:
    values = holder["enum"]
    if not isinstance(values, list) or not values:
        yield prop.breaks(
            "no-options", "has no options: leave the field out where there is nothing to choose", *keys, "enum"
        )
    elif any(not isinstance(value, str) for value in values):
        yield prop.breaks("options-not-text", "has options that are not text", *keys, "enum")
    else:
        yield from _repeated(prop, values, *keys, "enum")


def _titled_options(prop: Property, holder: Mapping[str, Any], *keys: str) -> Iterator[Finding]:
    place = (*keys, "anyOf" if keys else "oneOf")
    entries = holder.get(place[-1])
    if not isinstance(entries, list) or not entries:
        yield prop.breaks("no-options", "has no options: leave the field out where there is nothing to choose", *place)
        return
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("const"), str):
            yield prop.breaks("option-without-value", "has no 'const' that is text", *place, number)
        elif not isinstance(entry.get("title"), str) or not entry["title"].strip():
            yield prop.breaks(
                "option-without-title", "has no title: all options have one, or none ('enum')", *place, number
            )
    values = [entry.get("const") for entry in entries if isinstance(entry, Mapping)]
    yield from _repeated(prop, [value for value in values if isinstance(value, str)], *place)


def _repeated(prop: Property, values: list[str], *keys: str) -> Iterator[Finding]:
    for value, times in Counter(values).most_common(1):
        if times > 1:
            yield prop.troubles("warning", "option-twice", f"has {shown(value)} more than once", *keys)


def _names(prop: Property) -> Iterator[Finding]:
    if (names := prop.schema.get("enumNames")) is None:
        return
    values = prop.schema["enum"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield prop.breaks("names-not-text", "is not a list of text", "enumNames")
    elif isinstance(values, list) and len(names) != len(values):
        words = f"has {len(names)} names for {len(values)} options: hosts then show the wrong ones, or none"
        yield prop.breaks("names-without-options", words, "enumNames")
    elif prop.era != FIRST:
        words = "is the old way to title options, which a later revision will not have: use 'oneOf'"
        yield prop.troubles("note", "old-titles", words, "enumNames")


def _answerable(prop: Property) -> Iterator[Finding]:
    """What the reader of forms finds: whether any answer fits, and whether the default is one."""
    field = _read(prop)
    if isinstance(field, UnknownField):
        if field.reason.startswith("nothing fits"):
            yield prop.troubles("fault", "nothing-fits", "has bounds that no answer can be between")
        return
    if field is not None and "default" in field.extra and _is_of_kind(prop.kind, prop.schema["default"]):
        words = "is a default that is no possible answer: a host that fills it in sends a wrong answer, or none"
        yield prop.troubles("warning", "default-no-answer", words, "default")


def _defaults(prop: Property) -> Iterator[Finding]:
    if "default" in prop.schema and not _is_of_kind(prop.kind, prop.schema["default"]):
        yield prop.breaks("default-of-another-type", "is a default of another type than its field's", "default")


def _is_of_kind(kind: str, value: object) -> bool:
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "integer" | "number":
            return is_number(value)
        case "array":
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case _:
            return isinstance(value, str)


def _read(prop: Property) -> Field | None:
    try:
        (field,) = read_fields({"type": "object", "properties": {prop.name: prop.schema}})
    except FormError:
        return None
    return field


def _credentials(prop: Property) -> Iterator[Finding]:
    title = prop.schema.get("title")
    typed = prop.kind in ("string", "integer", "number")
    if typed and asks_for_credential(prop.name, title if isinstance(title, str) else None):
        yield prop.troubles("warning", "credential", _CREDENTIAL)


def _of(kind: str) -> str:
    return "options" if kind == "choice" else f"the type {kind!r}"


_RULES: tuple[Callable[[Property], Iterator[Finding]], ...] = (
    _options,
    _format,
    _numbers,
    _defaults,
    _answerable,
    _texts,
    _keywords,
    _first_revision,
    _credentials,
)
