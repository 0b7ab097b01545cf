"""JSON made of bytes: every string of bytes is some value, and bytes that are alike are values that are alike.

A fuzzer that changes bytes thereby changes values, and mostly ones that look like the protocol's, because words and
shapes of the protocol are what a byte stands for.
"""

from __future__ import annotations

import json
from typing import Any

WORDS = (
    *("type", "properties", "required", "title", "description", "default", "enum", "enumNames", "oneOf", "anyOf"),
    *("const", "items", "format", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern"),
    *("object", "string", "integer", "number", "boolean", "array", "null", "email", "uri", "date", "date-time"),
    *("action", "content", "accept", "decline", "cancel", "mode", "form", "url", "message", "requestedSchema"),
    *("id", "kind", "prompt", "data", "schema", "questions", "expiresAt", "ok", "reason", "input", "authorization"),
    *("taskId", "status", "inputRequests", "inputResponses", "method", "params", "elicitation/create", "result"),
    *("error", "code", "$ref", "$defs", "exclusiveMinimum", "uniqueItems", "allOf", "not", "name", "age", "pet"),
    *("completed", "failed", "working", "input_required", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"),
    *("https://example.com/x", "ada@example.com", "2026-02-29", "2026-07-28T12:00:00Z", "1e3", "42.0", "", " ", "true"),
    *(
        "\x1b[2J",
        "\u202e",
        "\ud800",
        "\x00",
        "\uff19",
        "ß",
        "a" * 300,
        "http://user:pw@host/",
        "javascript:alert(1)",
        "file:///",
    ),
)
NUMBERS = (0, 1, -1, 2, 3, 10, 0.5, 1e308, 5e-324, -0.0, 2**53, 2**63, 2**64, 10**400, 255, 65536, float("inf"))
DEEPEST = 12


class Bytes:
    """Bytes that are used up one by one; when there are none left, all that follows is 0."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def next(self, below: int = 256) -> int:
        """A number below *below*."""
        if self._at >= len(self._data):
            return 0
        found = self._data[self._at]
        self._at += 1
        return found % below

    def rest(self) -> bytes:
        """All that is left."""
        left, self._at = self._data[self._at :], len(self._data)
        return left


def word(given: Bytes) -> str:
    """A word of the protocol, or one that nobody expects."""
    at = given.next()
    return WORDS[at] if at < len(WORDS) else chr(0x20 + given.next(95)) * (1 + given.next(6))


def value(given: Bytes, depth: int = 0) -> Any:
    """Any JSON value, and numbers that JSON has not."""
    kind = given.next(10 if depth < DEEPEST else 6)
    match kind:
        case 0:
            return None
        case 1:
            return bool(given.next(2))
        case 2:
            return NUMBERS[given.next(len(NUMBERS))]
        case 3:
            return given.next() - 128
        case 4 | 5:
            return word(given)
        case 6:
            return [value(given, depth + 1) for _ in range(given.next(5))]
        case _:
            return mapping(given, depth)


def mapping(given: Bytes, depth: int = 0) -> dict[str, Any]:
    """Any object."""
    return {word(given): value(given, depth + 1) for _ in range(given.next(7))}


def requested_schema(given: Bytes) -> dict[str, Any]:
    """What looks like the schema of a form; one byte in eight makes it something else."""
    if given.next(8) == 7:
        return mapping(given)
    names = [word(given) for _ in range(given.next(6))]
    schema: dict[str, Any] = {"type": "object", "properties": {name: field(given) for name in names}}
    if given.next(2):
        schema["required"] = [name for name in names if given.next(2)]
    if given.next(4) == 3:
        schema[word(given)] = value(given)
    return schema


def field(given: Bytes) -> Any:
    """What looks like one field."""
    if given.next(6) == 5:
        return value(given, 2)
    kind = ("string", "integer", "number", "boolean", "array")[given.next(5)]
    found: dict[str, Any] = {"type": kind}
    if kind == "array":
        found["items"] = options(given) if given.next(4) else value(given, 3)
    elif kind == "string" and given.next(2):
        found.update(options(given))
    for _ in range(given.next(4)):
        found[word(given)] = value(given, 3)
    return found


def options(given: Bytes) -> dict[str, Any]:
    """Options in one of the spellings there are."""
    values = [word(given) for _ in range(given.next(5))]
    match given.next(4):
        case 0:
            return {"type": "string", "enum": values}
        case 1:
            return {"type": "string", "enum": values, "enumNames": [word(given) for _ in values]}
        case 2:
            return {"oneOf": [{"const": one, "title": word(given)} for one in values]}
        case _:
            return {"anyOf": [{"const": one, "title": word(given)} for one in values]}


def message(given: Bytes, *keys: str) -> bytes:
    """What may come as the JSON of an object that has these keys; now and then it is anything else."""
    if given.next(4) == 3:
        return text(given)
    found = {key: value(given) for key in keys if given.next(8)}
    return json.dumps({**found, **mapping(given)}, ensure_ascii=bool(given.next(2))).encode(errors="surrogatepass")


def text(given: Bytes) -> bytes:
    """What may come as JSON: mostly JSON, sometimes broken, sometimes bytes."""
    match given.next(4):
        case 0:
            return given.rest()
        case 1:
            whole = json.dumps(value(given), ensure_ascii=bool(given.next(2))).encode(errors="surrogatepass")
            at = given.next() * len(whole) // 256
            return whole[:at] + bytes([given.next()]) + whole[at:]
        case _:
            return json.dumps(value(given), ensure_ascii=bool(given.next(2))).encode(errors="surrogatepass")
