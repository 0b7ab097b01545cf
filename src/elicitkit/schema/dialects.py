"""What differs between the revisions of the protocol in how a form is written, in one table.

2025-11-25 and 2026-07-28 write a form alike. 2025-06-18 has no titled options but `enumNames`, no multiple choice,
and no default but a boolean's: there a multiple choice is one boolean for each option, folded back when the answer
comes, and other defaults stand in the description and are filled in by us.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from ..errors import ElicitationUnsupported
from ..fields import BooleanField, ChoiceField, Field, MultiChoiceField, UnknownField
from ..limits import FOLDED_OPTIONS
from .write import choices, is_described, object_schema, property_schema, requested_schema


class Dialect(Protocol):
    """How one revision writes a form, and what else it can ask."""

    @property
    def modes(self) -> frozenset[Literal["form", "url"]]:
        """The modes of elicitation the revision has."""
        ...

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        """Write the requested schema.

        Raises:
            ElicitationUnsupported: If the revision has no way to write one of the fields.
        """
        ...

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        """Turn what was answered to that schema into an answer to the fields."""
        ...


class _Modern:
    """2025-11-25 and later."""

    modes: frozenset[Literal["form", "url"]] = frozenset({"form", "url"})

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        return requested_schema(fields)

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        return content


class _First:
    """2025-06-18."""

    modes: frozenset[Literal["form", "url"]] = frozenset({"form"})

    def schema(self, fields: Sequence[Field]) -> dict[str, Any]:
        parts = _part_names(fields)
        properties: dict[str, Any] = {}
        for field in fields:
            if isinstance(field, MultiChoiceField):
                properties |= _booleans(field, parts[field.name])
            elif is_described(field):
                properties[field.name] = _property(field)
        return object_schema(properties, [field.name for field in fields if _must_be_given(field)])

    def fold(self, fields: Sequence[Field], content: Mapping[str, object]) -> Mapping[str, object]:
        parts = _part_names(fields)
        folded = dict(content)
        for field in fields:
            if isinstance(field, MultiChoiceField) and not content.keys().isdisjoint(parts[field.name]):
                folded[field.name] = _chosen(field, _answered(field, parts[field.name], content))
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
        raise ElicitationUnsupported(no_dialect(revision))
    return dialect


def no_dialect(revision: str | None) -> str:
    """What to tell a person whose client speaks a revision that cannot ask."""
    return (
        f"The connection speaks MCP {revision or 'of an unknown revision'}, which has no way to ask a person "
        f"something. Use a client that speaks {', '.join(DIALECTS)}."
    )


# --- 2025-06-18 ---------------------------------------------------------------------------------------------------


def _must_be_given(field: Field) -> bool:
    """Whether a required field is required there too: not if we fill in its default, or fold it from booleans."""
    if isinstance(field, (BooleanField, UnknownField)):
        return field.required
    return field.required and field.default is None and not isinstance(field, MultiChoiceField)


def _property(field: Field) -> Any:
    written = property_schema(field)
    if isinstance(field, (BooleanField, UnknownField)):
        return written
    if isinstance(field, ChoiceField):
        written = {name: value for name, value in written.items() if name not in ("enum", "oneOf")}
        written |= _named_choices(field)
    written.pop("default", None)
    if field.default is not None:
        written["description"] = _sentence(field.description, f"(default: {_shown(field)})")
    return written


def _named_choices(field: ChoiceField) -> dict[str, Any]:
    titled = choices(field.options, "oneOf").get("oneOf")
    names = {"enumNames": [option.label for option in field.options]} if titled else {}
    return {"enum": [option.value for option in field.options], **names}


def _shown(field: Field) -> object:
    if isinstance(field, ChoiceField):
        return next((option.label for option in field.options if option.value == field.default), field.default)
    return None if isinstance(field, UnknownField) else field.default


def _booleans(field: MultiChoiceField, names: Sequence[str]) -> dict[str, Any]:
    if len(field.options) > FOLDED_OPTIONS:
        raise ElicitationUnsupported(
            f"The connection speaks MCP 2025-06-18, which has no multiple choice, and {field.label!r} has "
            f"{len(field.options)} options: more than the {FOLDED_OPTIONS} that could be asked one by one. "
            "Use a client that speaks a later revision."
        )
    parts: dict[str, Any] = {}
    for name, option in zip(names, field.options, strict=True):
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


def _part_names(fields: Sequence[Field]) -> dict[str, list[str]]:
    """The names of the booleans that stand for each multiple choice; all names of the form differ."""
    taken = {field.name for field in fields}
    parts: dict[str, list[str]] = {}
    for field in fields:
        if isinstance(field, MultiChoiceField):
            stem = f"{field.name}_"
            while any(name.startswith(stem) for name in taken):
                stem += "_"
            parts[field.name] = [f"{stem}{number}" for number in range(1, len(field.options) + 1)]
            taken.update(parts[field.name])
    return parts


def _answered(field: MultiChoiceField, names: Sequence[str], content: Mapping[str, object]) -> dict[str, object]:
    """What was said of each option; of one left out, what was shown beforehand."""
    preset = field.default or ()
    pairs = zip(names, field.options, strict=True)
    return {option.value: content.get(name, option.value in preset) for name, option in pairs}


def _chosen(field: MultiChoiceField, answered: Mapping[str, object]) -> object:
    """The options that were ticked; nothing, where ticking none can only mean "no answer"."""
    if any(not isinstance(ticked, bool) for ticked in answered.values() if ticked is not None):
        return dict(answered)  # No list, so that the check names the field.
    chosen = [value for value, ticked in answered.items() if ticked]
    is_nothing = all(ticked is None for ticked in answered.values()) or (field.min_items and not field.required)
    return None if is_nothing and not chosen else chosen


def _sentence(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
