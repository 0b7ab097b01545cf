"""The check of arguments against the JSON Schema of a tool that only has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs

from ..errors import ToolError

_MOST_FAULTS: Final = 10


class ArgumentCheck:
    """Checks the arguments of one tool. The schema is the host's own; even so no `$ref` of it is fetched.

    Raises:
        TypeError: If the schema is no object.
        ValueError: If it is no JSON Schema, or one of something else than an object.
    """

    def __init__(self, tool: str, schema: Mapping[str, Any]) -> None:
        if not isinstance(schema, Mapping):
            raise TypeError(f"the input schema of {tool} is an object (a dict), not {type(schema).__name__}")
        if schema.get("type") != "object":
            raise ValueError(f"the input schema of {tool} is to have the type 'object'")
        self._tool = tool
        try:
            self._validator = jsonschema_rs.validator_for(dict(schema), offline=True, mask="what was given")
        except ValueError as error:
            raise ValueError(f"the input schema of {tool} does not work: {str(error).splitlines()[0]}") from None

    def require_fit(self, arguments: Mapping[str, Any]) -> None:
        """Refuse arguments that do not fit.

        Raises:
            ToolError: With what is wrong, and where, but not with what was given.
        """
        found = [*self._validator.iter_errors(dict(arguments))]
        if not found:
            return
        lines = [": ".join(filter(None, (_place(one.instance_path), one.message))) for one in found[:_MOST_FAULTS]]
        raise ToolError(f"The arguments of {self._tool} do not fit. {'; '.join(lines)}")


def _place(path: list[str | int]) -> str:
    return ".".join(map(str, path))
