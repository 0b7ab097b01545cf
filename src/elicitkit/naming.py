"""Names: from the one an author writes to the one on the wire and the one a person reads."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATORS = re.compile(r"[_\-\s]+")
_SHORT = 64
"""Names of so many characters are worth keeping."""
_COMPARED = 200
"""Longer names are not looked at for the nearest: that takes the square of their length."""


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
    return _spellings(name)[0]


def label(name: str) -> str:
    """The title case of a name, as a person reads it.

    >>> [label(name) for name in ("TimeToLive", "HTTPServer", "BLUE_GREEN", "$top")]
    ['Time To Live', 'HTTP Server', 'Blue Green', '$Top']
    """
    return _spellings(name)[1]


def _spellings(name: str) -> tuple[str, str]:
    """Both spellings of a name. Short ones are kept: the same names come again and again."""
    return _kept_spellings(name) if len(name) <= _SHORT else _spell(name)


def _spell(name: str) -> tuple[str, str]:
    parts = words(name)
    named = [_capitalized(part) for part in _unshouted(name, parts)]
    start = next((at for at, word in enumerate(parts, 1) if any(map(str.isalnum, word))), 0)
    return "".join(parts[:start]).lower() + "".join(named[start:]), " ".join(named)


_kept_spellings = lru_cache(maxsize=2048)(_spell)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest of those that exist, or all of them, as the end of a sentence."""
    known = list(known)
    near = [one for one in known if len(one) <= _COMPARED] if len(name) <= _COMPARED else []
    if close := get_close_matches(name, near, n=1):
        return f"did you mean {close[0]!r}?"
    return f"there are {', '.join(map(repr, known))}" if known else "there are none"


def _split_at_case(part: str) -> list[str]:
    """Cut before an upper-case letter that follows something else, or that starts a word after a run of capitals."""
    first = next((at for at, character in enumerate(part) if character.isalnum()), len(part))
    cuts = [0, *(at for at in range(1, len(part)) if _is_upper(part[at]) and _starts_word(part, at, first))]
    return [part[start:end] for start, end in zip(cuts, [*cuts[1:], None], strict=True)]


def _starts_word(part: str, at: int, first: int) -> bool:
    """Tell whether a word starts at an upper-case letter; signs belong to the word before them, if there is one.

    *first* is where the first letter or digit stands.
    """
    if not _is_upper(part[at - 1]):
        return first < at
    following = part[at + 1 : at + 3]
    is_plural = following[:1] == "s" and not following[1:].isalpha()  # as in `userIDs`
    return following[:1].islower() and not is_plural


def _is_upper(text: str) -> bool:
    """Whether lowering changes it: some capitals, such as mathematical ones, have no small letter."""
    return text != text.lower()


def _unshouted(name: str, parts: list[str]) -> list[str]:
    """Lower the words of a name that is all capitals, such as `BLUE_GREEN`; an acronym alone (`URL`) stays."""
    shouted = name.isupper() and len(parts) > 1 and (_is_upper(parts[0]) or _SEPARATORS.search(name))
    return [part.lower() for part in parts] if shouted else parts


def _capitalized(word: str) -> str:
    """Raise the first letter, whatever signs stand before it, and leave the rest."""
    at = next((i for i, character in enumerate(word) if character.isalpha()), 0)
    first = word[at : at + 1]
    return word[:at] + (first if _is_upper(first) else first.upper()) + word[at + 1 :]
