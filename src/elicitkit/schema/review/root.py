"""The rules for a requested schema as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ... import limits
from ...naming import nearest
from ...safety import plain
from .finding import Breach, Finding, eras_of, merged, pointer, shown
from .grammar import COMPOSITION, FIRST, ROOT_KEYWORDS, SECTIONS
from .properties import review_property

_RARELY_DRAWN = ("integer", "number", "array")
_NAMED = 5


def review_schema(schema: object, era: str | None = None) -> list[Finding]:
    """What breaks the specification in a requested schema, and what hosts are known to choke on.

    It is pure, and raises for nothing that is in the schema.

    >>> schema = {"type": "object", "properties": {"age": {"type": "int", "title": "Age"}}}
    >>> for finding in review_schema(schema, "2026-07-28"):
    ...     print(finding.level, finding.rule, finding.pointer)
    fault unknown-type /properties/age/type

    Args:
        schema: What a server sends as `requestedSchema`.
        era: The revision of the protocol it is for. Without one it is reviewed for all, and what breaks only some of
            them is a note.

    Raises:
        ValueError: If *era* is no revision that can ask.
    """
    eras = eras_of(era)
    return merged((finding for one in eras for finding in found_in_schema(schema, "", one)), eras)


def found_in_schema(schema: object, at: str, era: str) -> Iterator[Finding]:
    """What is found in a requested schema that stands at a place of a document, for one revision."""
    if not isinstance(schema, Mapping):
        yield _breaks(era, at, "not-an-object", "is no schema: a requested schema is an object")
        return
    yield from _root(schema, at, era)
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        yield _breaks(era, at, "no-properties", "has no 'properties' object; a form without fields has an empty one")
        return
    yield from _required(schema, properties, at, era)
    yield from _hosts(schema, properties, at)
    inside = pointer(at, "properties")
    for name, prop in properties.items():
        yield from review_property(str(name), prop, pointer(inside, name), era)


def hidden_characters(value: object, at: str, *, depth: int = 16) -> Iterator[Finding]:
    """Control, invisible and stacked characters in any text of a message, which play tricks where a host draws them."""
    if isinstance(value, str):
        if plain(value, limit=len(value) + 1) != value.replace("\r\n", "\n"):
            words = "has control, invisible or stacked characters: some hosts draw them, and others take them out"
            yield Finding(at, "warning", "hidden-characters", words)
    elif depth and isinstance(value, (Mapping, list)):
        inside = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, inner in inside:
            place = pointer(at, key)
            if isinstance(key, str):
                yield from hidden_characters(key, place)
            yield from hidden_characters(inner, place, depth=depth - 1)


def _root(schema: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    if schema.get("type") != "object":
        words = 'has no type: add "type": "object"' if "type" not in schema else "is not 'object', as the root must be"
        place = pointer(at, "type") if "type" in schema else at
        yield _breaks(era, place, "root-type", words)
    for keyword in schema:
        place = pointer(at, keyword)
        if keyword == "$schema" and era == FIRST:
            yield _breaks(era, place, "root-keyword", "is not in this revision")
        elif keyword in COMPOSITION - {"properties"}:
            yield _breaks(
                era, place, "composition", "is a part of JSON Schema that forms do not have: write fields out"
            )
        elif keyword not in ROOT_KEYWORDS:
            words = "is not in the subset: one host refused every form that had it, and SDKs drop it or do not send it"
            yield Finding(place, "warning", "root-keyword", words)


def _required(schema: Mapping[str, Any], properties: Mapping[str, Any], at: str, era: str) -> Iterator[Finding]:
    required, place = schema.get("required", []), pointer(at, "required")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield _breaks(era, place, "required-no-names", "is not a list of names")
        return
    for number, name in enumerate(required):
        if name not in properties:
            words = f"requires {shown(name)}, which no property describes, so nobody can answer"
            yield Finding(pointer(place, number), "fault", "required-unknown", f"{words}: {nearest(name, properties)}")
    if len(set(required)) < len(required):
        yield Finding(place, "warning", "required-twice", "has a name more than once: strict validators refuse that")


def _hosts(schema: Mapping[str, Any], properties: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """What hosts are known to choke on in the whole of a form."""
    if not properties:
        words = "has no fields: one host hangs on such a form, and others wave it through. Ask for one yes or no"
        yield Finding(pointer(at, "properties"), "warning", "no-fields", words)
    if len(properties) > limits.FIELDS:
        words = f"has {len(properties)} fields, and elicitkit shows no more than {limits.FIELDS}: ask in several forms"
        yield Finding(pointer(at, "properties"), "warning", "too-many-fields", words)
    kinds = {str(name): prop.get("type") for name, prop in properties.items() if isinstance(prop, Mapping)}
    if rare := [name for name, kind in kinds.items() if kind in _RARELY_DRAWN]:
        words = f"has fields that not every host draws ({_listed(rare)}): whole numbers, numbers and multiple choices"
        yield Finding(pointer(at, "properties"), "note", "rarely-drawn", words)
    if untitled := [name for name, prop in properties.items() if isinstance(prop, Mapping) and not _has_title(prop)]:
        words = f"has fields without a title ({_listed(untitled)}): hosts show their names, and one refused the form"
        yield Finding(pointer(at, "properties"), "note", "no-title", words)
    for name, prop in properties.items():
        if (count := _most_options(prop)) > limits.OPTIONS:
            words = f"has {count:,} options, and elicitkit shows no more than {limits.OPTIONS:,}: ask for a text"
            yield Finding(pointer(pointer(at, "properties"), name), "warning", "too-many-options", words)
    yield from hidden_characters(schema, at)


def _has_title(prop: Mapping[str, Any]) -> bool:
    title = prop.get("title")
    return isinstance(title, str) and bool(title.strip())


def _most_options(prop: object) -> int:
    if not isinstance(prop, Mapping):
        return 0
    holders = [prop, items] if isinstance(items := prop.get("items"), Mapping) else [prop]
    lists = [holder.get(keyword) for holder in holders for keyword in ("enum", "oneOf", "anyOf")]
    return max((len(one) for one in lists if isinstance(one, list)), default=0)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(shown, names[:_NAMED])) + more


def _breaks(era: str, at: str, rule: str, problem: str) -> Finding:
    return Finding(at, "fault", rule, problem, (Breach(era, SECTIONS["schema"][era]),))
