"""The headers of an HTTP tool: `${ENV}` filled in when they are sent, and what they held kept out of every text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..errors import ToolError

_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_SECRET: Final = re.compile(r"auth|cookie|credential|key|password|secret|session|signature|token", re.IGNORECASE)
"""What a header is called that holds a secret, even if an author wrote it down."""

_LEAST: Final = 6
"""Shorter values are no secrets, and stand in texts by chance."""

_TAKEN_OUT: Final = "[taken out]"


def require_headers(tool: str, headers: object) -> dict[str, str]:
    """Refuse headers that could never be sent; no error shows a value.

    Raises:
        TypeError: If they are no texts by name.
        ValueError: If a name is none of a header's, a value cannot be carried, or a variable has no proper name.
    """
    if not isinstance(headers, Mapping) or not all(isinstance(one, str) for pair in headers.items() for one in pair):
        raise TypeError(f"the headers of {tool} are an object (a dict) of texts")
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"the headers of {tool} have {name!r}, which is no name of a header")
        if not _is_carried(value) or not all(map(_IDENTIFIER.fullmatch, _VARIABLE.findall(value))):
            raise ValueError(f"the header {name!r} of {tool} cannot be sent, or has no variable's name in its braces")
    return dict(headers)


def filled_headers(tool: str, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as they are sent now.

    Raises:
        ToolError: If a variable is not set, or holds what a header cannot carry. The text has its name alone.
    """
    filled = {}
    for name, value in headers.items():
        if unset := [variable for variable in _VARIABLE.findall(value) if variable not in os.environ]:
            raise ToolError(f"{tool} needs the environment variable {unset[0]}, which is not set.")
        filled[name] = _VARIABLE.sub(lambda found: os.environ[found[1]], value)
        if not _is_carried(filled[name]):
            raise ToolError(f"{tool} has a header {name!r} with characters that cannot be sent.")
    return filled


def secrets_of(headers: Mapping[str, str], filled: Mapping[str, str]) -> list[str]:
    """What no text may show: what variables held, and what was sent in headers that have one or are called so.

    The longest come first, so that nothing is left of one that holds another.
    """
    found = {os.environ.get(name, "") for value in headers.values() for name in _VARIABLE.findall(value)}
    for name, value in headers.items():
        if _VARIABLE.search(value) or _SECRET.search(name):
            found |= {filled[name], filled[name].rpartition(" ")[2]}  # As in `Bearer abcdef`.
    return sorted((value for value in found if len(value) >= _LEAST), key=len, reverse=True)


def without(secrets: Iterable[str], text: str) -> str:
    """A text in which nothing secret is left: some servers repeat what they were sent."""
    for secret in secrets:
        text = text.replace(secret, _TAKEN_OUT)
    return text


def _is_carried(value: str) -> bool:
    return value.isascii() and value.isprintable() and value == value.strip()
