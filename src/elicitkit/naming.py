"""Names: from the one an author writes to the one on the wire and the one a person reads."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATORS = re.compile(r"[_\-\s]+")


def words(name: str) -> list[str]:
    """Split a name at `_`, `-`, space and change of case.

    >>> words("HTTPServer"), words("time_to_live"), words("$orderBy")
    (['HTTP', 'Server'], ['time', 'to', 'live'], ['$order', 'By'])
    """
    return [word for part in _SEPARATORS.split(name) if part for word in _split_at_case(part)]


def wire_name(name: str) -> str:
    """The camelCase of a name, as forms send it.

    >>> [wire_name(name) for name in ("first_name", "URL", "IOStream", "USER_NAME")]
    ['firstName', 'url', 'ioStream', 'userName']
    """
    first, *rest = words(name) or [""]
    return first.lower() + "".join(_capitalized(word) for word in _unshouted(name, rest))


def label(name: str) -> str:
    """The title case of a name, as a person reads it.

    >>> [label(name) for name in ("TimeToLive", "HTTPServer", "BLUE_GREEN", "$top")]
    ['Time To Live', 'HTTP Server', 'Blue Green', '$Top']
    """
    return " ".join(_capitalized(word) for word in _unshouted(name, words(name)))


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest of those that exist, or all of them, as the end of a sentence."""
    known = list(known)
    if close := get_close_matches(name, known, n=1):
        return f"did you mean {close[0]!r}?"
    return f"there are {', '.join(map(repr, known))}" if known else "there are none"


def _split_at_case(part: str) -> list[str]:
    """Cut before an upper-case letter that follows a lower-case one, or that starts a word after a run of capitals."""
    cuts = [0]
    for i in range(1, len(part)):
        after_lower = not part[i - 1].isupper() and part[i - 1].isalnum()
        before_lower = i + 1 < len(part) and part[i + 1].islower()
        if part[i].isupper() and (after_lower or (part[i - 1].isupper() and before_lower)):
            cuts.append(i)
    return [part[start:end] for start, end in zip(cuts, [*cuts[1:], None], strict=True)]


def _unshouted(name: str, parts: list[str]) -> list[str]:
    """Lower the words of a name that is all capitals, such as `BLUE_GREEN`; an acronym alone (`URL`) stays."""
    shouted = name.isupper() and len(words(name)) > 1
    return [part.lower() for part in parts] if shouted else parts


def _capitalized(word: str) -> str:
    """Raise the first letter, whatever signs stand before it, and leave the rest."""
    at = next((i for i, character in enumerate(word) if character.isalpha()), 0)
    return word[:at] + word[at : at + 1].upper() + word[at + 1 :]
