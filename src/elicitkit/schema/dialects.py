"""What differs between the revisions of the protocol in how a form is written, in one table.

2025-11-25 and 2026-07-28 write a form alike. 2025-06-18 has no titled options but `enumNames`, no multiple choice,
and no default but a boolean's: there a multiple choice is one boolean for each option, folded back when the answer
comes, and other defaults stand in the description and are filled in by us.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..errors import ElicitationUnsupported
from ..fields import BooleanField, ChoiceField, Field, MultiChoiceField, UnknownField
from ..limits import FOLDED_OPTIONS
from .write import choices, property_schema, requested_schema


class Dialect(Protocol):
    """How one revision writes a form."""

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        """Write the requested schema.

        Raises:
            ElicitationUnsupported: If the revision has no way to write one of the fields.
        """

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        """Turn what was answered to that schema into an answer to the fields."""


class _Modern:
    """2025-11-25 and later."""

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        return requested_schema(fields)

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        return content


class _First:
    """2025-06-18."""

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required: list[str] = []
        for field in fields:
            if isinstance(field, MultiChoiceField):
                properties |= _booleans(field, fields)
                continue
            if not (isinstance(field, UnknownField) and field.schema is None):
                properties[field.name] = _property(field)
            if field.required:
                required.append(field.name)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        return {**schema, "required": required} if required else schema

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        several = [field for field in fields if isinstance(field, MultiChoiceField)]
        folded = dict(content)
        for field in several:
            answered = [folded.pop(name) for name in _part_names(field, fields) if name in folded]
            if answered:
                folded[field.name] = _chosen(field, [content.get(name) for name in _part_names(field, fields)])
        return folded


_FIRST, _MODERN = _First(), _Modern()

DIALECTS: Mapping[str, Dialect] = {"2025-06-18": _FIRST, "2025-11-25": _MODERN, "2026-07-28": _MODERN}
"""The dialect of each revision that can ask."""


def dialect_of(revision: str | None) -> Dialect:
    """Look up the dialect of a revision.

    Raises:
        ElicitationUnsupported: If the revision has no elicitation, or is not known.
    """
    if (dialect := DIALECTS.get(revision or "")) is None:
        raise ElicitationUnsupported(
            f"The connection speaks MCP {revision or 'of an unknown revision'}, which has no way to ask a person "
            f"something. Use a client that speaks {', '.join(DIALECTS)}."
        )
    return dialect


# --- 2025-06-18 ---------------------------------------------------------------------------------------------------


def _property(field: Field) -> Any:
    written = property_schema(field)
    if isinstance(field, (BooleanField, UnknownField)):
        return written
    if isinstance(field, ChoiceField):
        written = {name: value for name, value in written.items() if name not in ("enum", "oneOf")}
        written |= _named_choices(field)
    if (default := written.pop("default", None)) is not None:
        written["description"] = _sentence(field.description, f"(default: {_shown(field, default)})")
    return written


def _named_choices(field: ChoiceField) -> dict[str, Any]:
    titled = choices(field.options, "oneOf").get("oneOf")
    names = {"enumNames": [option.label for option in field.options]} if titled else {}
    return {"enum": [option.value for option in field.options], **names}


def _shown(field: Field, default: object) -> object:
    if isinstance(field, ChoiceField):
        return next((option.label for option in field.options if option.value == default), default)
    return default


def _booleans(field: MultiChoiceField, fields: Sequence[Field]) -> dict[str, Any]:
    if len(field.options) > FOLDED_OPTIONS:
        raise ElicitationUnsupported(
            f"The connection speaks MCP 2025-06-18, which has no multiple choice, and {field.label!r} has "
            f"{len(field.options)} options: more than the {FOLDED_OPTIONS} that could be asked one by one. "
            "Use a client that speaks a later revision."
        )
    parts: dict[str, Any] = {}
    for name, option in zip(_part_names(field, fields), field.options, strict=True):
        parts[name] = {"type": "boolean", "title": f"{field.label}: {option.label}"}
        if field.default is not None:
            parts[name]["default"] = option.value in field.default
    if about := _sentence(field.description, _counts(field)):
        parts[next(iter(parts))]["description"] = about
    return parts


def _counts(field: MultiChoiceField) -> str:
    low, high = field.min_items or 0, field.max_items
    if high is None:
        return f"(choose at least {low})" if low else ""
    return f"(choose {low} to {high})" if low else f"(choose at most {high})"


def _part_names(field: MultiChoiceField, fields: Sequence[Field]) -> list[str]:
    """The names of the booleans that stand for a multiple choice; none is the name of another field."""
    taken = {other.name for other in fields}
    stem = f"{field.name}_"
    while any(name.startswith(stem) for name in taken):
        stem += "_"
    return [f"{stem}{number}" for number in range(1, len(field.options) + 1)]


def _chosen(field: MultiChoiceField, answered: Sequence[object]) -> object:
    """The options that were ticked; nothing, where ticking none can only mean "no answer"."""
    if wrong := [value for value in answered if value is not None and not isinstance(value, bool)]:
        return wrong[0]  # No list, so that the check names the field.
    chosen = [option.value for option, ticked in zip(field.options, answered, strict=True) if ticked]
    return chosen if chosen or field.required or not field.min_items else None


def _sentence(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
