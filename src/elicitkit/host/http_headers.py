"""The headers of an HTTP tool: `${ENV}` filled in when they are sent, and what they held kept out of every text."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from ..errors import ToolError
from .secrecy import Secrets
from .variables import filled_in, first_unset, is_variable, variables_of

_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_SECRET: Final = re.compile(r"auth|cookie|credential|key|password|secret|session|signature|token", re.IGNORECASE)
"""What a header is called that holds a secret, even if an author wrote it down."""

_OURS: Final = frozenset({"connection", "content-length", "host", "transfer-encoding"})
"""What only whoever sends a request can know; another value would send it elsewhere, or never end it."""


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
            raise ValueError(f"the headers of {tool} have something that is no name of a header")
        if name.lower() in _OURS:
            raise ValueError(f"the header {name!r} of {tool} is not one to be set: it is made when a request is sent")
        if not _is_carried(value) or not all(map(is_variable, variables_of(value))):
            raise ValueError(f"the header {name!r} of {tool} cannot be sent, or has no variable's name in its braces")
    return dict(headers)


def filled_headers(tool: str, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as they are sent now.

    Raises:
        ToolError: If a variable is not set, or holds what a header cannot carry. The text has its name alone.
    """
    filled = {}
    for name, value in headers.items():
        if (unset := first_unset(value)) is not None:
            raise ToolError(f"{tool} needs the environment variable {unset}, which is not set.")
        filled[name] = filled_in(value)
        if not _is_carried(filled[name]):
            raise ToolError(f"{tool} has a header {name!r} with characters that cannot be sent.")
    return filled


def secrets_of(headers: Mapping[str, str], filled: Mapping[str, str]) -> Secrets:
    """What no text may show: what variables held, and what was sent in headers that have one or are called so."""
    in_variables = {os.environ.get(name, "") for value in headers.values() for name in variables_of(value)}
    sent = {filled[name] for name, value in headers.items() if variables_of(value) or _SECRET.search(name)}
    return Secrets(in_variables | sent)


def _is_carried(value: str) -> bool:
    return value.isascii() and value.isprintable() and value == value.strip()
