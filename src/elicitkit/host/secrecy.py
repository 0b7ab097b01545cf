"""`Secrets`: values that no text may show, and how they are taken out of what strangers say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

LEAST: Final = 6
"""Shorter values are no secrets: they stand in texts by chance, and half of a text would be blotted out."""

TAKEN_OUT: Final = "[taken out]"
"""What stands in place of a secret."""

LONGEST_SPELLING: Final = 10
"""The most characters that one character of a secret is looked for in."""

_RUN: Final = re.compile(r"\\+|[^\\]")


class Secrets:
    r"""Some values that no text may show. Whoever was sent one may repeat it, also as JSON or a URL spells it.

    >>> Secrets(["Bearer ab/cdef"]).without(r'{"sent": "ab\/cde\u0066"}')
    '{"sent": "[taken out]"}'

    Args:
        values: Each is one, and so is each of its words, which is as `Bearer abcdef` is sent; if it is long enough.
    """

    def __init__(self, values: Iterable[str]) -> None:
        found = {word for value in values for word in (value, *value.split()) if len(word) >= LEAST}
        longest_first = sorted(found, key=len, reverse=True)  # Nothing is left of one that holds another.
        self._pattern = re.compile("|".join(map(_spelt, longest_first))) if found else None
        self.longest: int = max(map(len, found), default=0)

    def without(self, text: str, *, at_most: int | None = None) -> str:
        """A text in which no secret is left.

        Args:
            text: What somebody said.
            at_most: How many characters of it are looked at and kept; a secret that would be cut in two goes before.
        """
        if self._pattern is None:
            return text[:at_most]
        kept = len(text) if at_most is None else min(at_most, len(text))
        pieces, end = [], 0
        for found in self._pattern.finditer(text):
            if found.end() > kept:
                kept = min(kept, found.start())
                break
            pieces += [text[end : found.start()], TAKEN_OUT]
            end = found.end()
        return "".join([*pieces, text[end:kept]])

    def without_in(self, data: Any) -> Any:
        """JSON data in whose texts, and whose keys, no secret is left."""
        match data:
            case str():
                return self.without(data)
            case Mapping():
                return {self.without(key): self.without_in(value) for key, value in data.items()}
            case list():
                return [self.without_in(value) for value in data]
            case _:
                return data


def _spelt(secret: str) -> str:
    """The pattern of a secret: each character as it is, behind backslashes, and by its number in JSON and in URLs.

    No part of it can match in two ways, or a stranger's text could keep us busy for hours.
    """
    return "".join(map(_spellings, _RUN.findall(secret)))


def _spellings(run: str) -> str:
    if run.startswith("\\"):
        return r"(?>(?:\\(?:u005[cC])?|%5[cC]){1,32})"
    in_hex = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(run):02x}")
    return rf"(?:\\{{0,4}}+(?:{re.escape(run)}|u00{in_hex})|%{in_hex})"
