"""The specification's own schemas and examples, from the folder beside the checkout that only some machines have."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft7Validator, Draft202012Validator

FOLDER = Path(__file__).parents[2] / "shared" / "spec"
REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")

needs_specification = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="missing here: needs the specification's schemas in ../shared/spec, beside the checkout"
)


@cache
def validator(revision: str, definition: str = "PrimitiveSchemaDefinition") -> Any:
    """What the specification of a revision allows for one of its definitions."""
    document = json.loads((FOLDER / f"mcp-{revision}.schema.json").read_text())
    place, kind = ("definitions", Draft7Validator) if "definitions" in document else ("$defs", Draft202012Validator)
    return kind(
        {"$schema": document["$schema"], "$ref": f"#/{place}/{definition}", place: document[place]}, offline=True
    )


def example_files() -> list[Path]:
    """Every example of 2026-07-28; none where the folder is missing."""
    return sorted((FOLDER / "examples-2026-07-28").glob("*/*.json"))


def requested_schemas(value: Any) -> list[Any]:
    """Every requested schema in an example, however deep."""
    if isinstance(value, list):
        return [found for inner in value for found in requested_schemas(inner)]
    if not isinstance(value, dict):
        return []
    deeper = [found for inner in value.values() for found in requested_schemas(inner)]
    return [value["requestedSchema"], *deeper] if "requestedSchema" in value else deeper
