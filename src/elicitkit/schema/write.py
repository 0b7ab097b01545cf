"""From fields to the requested schema, as 2025-11-25 and 2026-07-28 have it (`PrimitiveSchemaDefinition`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

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
    all_titled,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def requested_schema(fields: Iterable[Field]) -> dict[str, Any]:
    """Write the requested schema of a form: `type`, `properties`, and `required` when anything is."""
    fields = list(fields)
    properties = {field.name: property_schema(field) for field in fields if is_described(field)}
    return object_schema(properties, [field.name for field in fields if field.required])


def object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """The root of a requested schema; it has nothing but what the specification lists."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def is_described(field: Field) -> bool:
    """Tell whether a field has a property; a stranger's form may require what it does not describe."""
    return not isinstance(field, UnknownField) or field.described


def property_schema(field: Field) -> Any:
    """Write one property."""
    match field:
        case TextField():
            body = _present(
                format=field.format, minLength=field.min_length, maxLength=field.max_length, default=field.default
            )
            return _property(field, "string", body)
        case IntegerField():
            return _property(field, "integer", _bounded(field))
        case NumberField():
            return _property(field, "number", _bounded(field))
        case BooleanField():
            return _property(field, "boolean", _present(default=field.default))
        case ChoiceField():
            return _property(field, "string", choices(field.options, "oneOf") | _present(default=field.default))
        case MultiChoiceField():
            return _property(field, "array", _several(field))
        case UnknownField():
            return field.schema
        case _:
            assert_never(field)


def choices(options: tuple[Option, ...], titled: str) -> dict[str, Any]:
    """Write options: a plain `enum`, or, when one has a title, `const` and `title` for all under *titled*."""
    options = all_titled(options)
    if any(option.title is not None for option in options):
        return {titled: [{"const": option.value, "title": option.title, **option.extra} for option in options]}
    return {"enum": [option.value for option in options]}


def _property(field: Field, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    head = {"type": kind} | _present(title=field.title, description=field.description)
    return {**head, **body, **field.extra}


def _bounded(field: IntegerField | NumberField) -> dict[str, Any]:
    return _present(minimum=field.minimum, maximum=field.maximum, default=field.default)


def _several(field: MultiChoiceField) -> dict[str, Any]:
    items = choices(field.options, "anyOf")
    if "enum" in items:
        items = {"type": "string", **items}
    default = None if field.default is None else list(field.default)
    return _present(minItems=field.min_items, maxItems=field.max_items) | {"items": items} | _present(default=default)


def _present(**keywords: object) -> dict[str, Any]:
    return {name: value for name, value in keywords.items() if value is not None}
