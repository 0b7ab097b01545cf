"""What the specification lists, revision by revision, in tables: keywords, formats, and where it says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FIRST: Final = "2025-06-18"
"""The first revision that could ask: no titled options but `enumNames`, no multiple choice, one kind of default."""

_ALWAYS = frozenset({"type", "title", "description"})
_TEXT = _ALWAYS | {"minLength", "maxLength", "format"}
_NUMBER = _ALWAYS | {"minimum", "maximum"}

KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": _TEXT | {"default"},
    "choice": _ALWAYS | {"enum", "enumNames", "oneOf", "default"},
    "integer": _NUMBER | {"default"},
    "number": _NUMBER | {"default"},
    "boolean": _ALWAYS | {"default"},
    "array": _ALWAYS | {"items", "minItems", "maxItems", "default"},
}
"""The keywords of each kind of property since 2025-11-25 (`PrimitiveSchemaDefinition`)."""

FIELD_TYPES: Final = ("string", "number", "integer", "boolean", "array")

ROOT_KEYWORDS: Final = frozenset({"$schema", "type", "properties", "required"})

FORMATS: Final = ("email", "uri", "date", "date-time")

COMPOSITION: Final = frozenset(
    {"$ref", "$dynamicRef", "$defs", "definitions", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
    | {"properties", "patternProperties", "prefixItems", "contains", "dependentSchemas", "dependentRequired"}
)
"""Keywords of JSON Schema that build one schema of others: the restricted subset has none of them."""

CONSTRAINTS: Final = frozenset(
    {"pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "contentEncoding"}
    | {"contentMediaType", "additionalProperties", "minProperties", "maxProperties", "propertyNames"}
)
"""Keywords that narrow what may be answered, and that the restricted subset does not list."""

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "schema": {
        FIRST: "Supported Schema Types",
        "2025-11-25": "Requested Schema",
        "2026-07-28": "Requested Schema",
    },
    "request": {
        FIRST: "Creating Elicitation Requests",
        "2025-11-25": "Elicitation Requests",
        "2026-07-28": "Elicitation Requests",
    },
    "form": {
        FIRST: "Creating Elicitation Requests",
        "2025-11-25": "Form Mode Elicitation Requests",
        "2026-07-28": "Form Mode Elicitation Requests",
    },
    "url": {
        FIRST: "Creating Elicitation Requests",
        "2025-11-25": "URL Mode Elicitation Requests",
        "2026-07-28": "URL Mode Elicitation Requests",
    },
}
"""The sections of the page "Elicitation", by what they are about."""
