"""Keeping what a person typed out of the words of others: validators like to quote it, and no text may."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from enum import Enum

from ..numbers import is_number
from .refusals import UNSAID

_CUT = "…"
_ANYWHERE = 4
"""From so many characters on a text is found inside words too; below it, only as a word of its own."""

_QUOTED_ONLY = 2
"""Up to so many characters a text is found in quotes only: `a` and `no` stand in many a sentence."""

_PIECE = 3
"""From so many characters on a part of what was typed is found in quotes: functions quote what they were given."""

_IN_QUOTES = re.compile(r"(?P<quote>['\"`])(?P<piece>[^\n]*?)(?P=quote)")

_ITEM_ENDS = re.compile(r"[,;|\n]")
_FEW = 3
"""An item of more words is a sentence, whose words stand in many another."""

_WORD = re.compile(r"[^\s'\"`,;|()\[\]:]+")

_LONG = 24
_END = 12
"""Errors that quote a long text leave out its middle: one end of it, of so many characters, tells."""

_LARGE = 10**18
"""Larger numbers are looked for as they are: writing them in other ways may take forever."""


def without_typed(words: str, typed: Iterable[object]) -> str:
    """Cut out of *words* what was typed, however it is written there; if too little is left, say it in our own."""
    forms = {form for value in typed for form in _forms(value)}
    findable = [form for form in forms if len(form[0]) <= len(words)]
    for _, pattern in sorted(findable, key=lambda form: len(form[0]), reverse=True):
        words = re.sub(pattern, _CUT, words, flags=re.IGNORECASE)
    words = _without_pieces(words, [text.casefold() for text, _ in forms])
    words = _without_items(words, {item for text, _ in forms for item in _items(text.casefold())})
    is_quoted = any(end.lower() in words.lower() for text, _ in forms for end in _ends(text))
    return UNSAID if is_quoted or not any(map(str.isalpha, words)) else words


def _without_pieces(words: str, typed: list[str]) -> str:
    """Cut out what stands in quotes and is part of what was typed, such as one of the items of a list."""

    def cut(found: re.Match[str]) -> str:
        piece = found["piece"].strip().casefold()
        is_typed = len(piece) >= _PIECE and any(piece in text for text in typed)
        return f"{found['quote']}{_CUT}{found['quote']}" if is_typed else found[0]

    return _IN_QUOTES.sub(cut, words)


def _without_items(words: str, items: set[str]) -> str:
    """Cut out the words that were typed as an item of a list, or as one of a few words."""

    def cut(found: re.Match[str]) -> str:
        word = found[0].rstrip(".!?")
        return _CUT + found[0][len(word) :] if word.casefold() in items else found[0]

    return _WORD.sub(cut, words) if items else words


def _items(text: str) -> Iterator[str]:
    for item in _ITEM_ENDS.split(text):
        if len(parts := item.split()) <= _FEW:
            yield from (part for part in parts if len(part) >= _ANYWHERE)


def _forms(value: object) -> Iterator[tuple[str, str]]:
    """The ways to write a value, each with a pattern that finds it. What can only be chosen is no secret."""
    match value:
        case None | bool() | Enum():
            return
        case str():
            yield from ((text, _text_pattern(text)) for text in _texts(value) if text.strip())
            yield from _forms(_time(value))
        case int() | float() | Decimal():
            yield from ((text, _number_pattern(text)) for text in _numbers(value))
        case date():
            yield from ((text, re.escape(text)) for text in (str(value), value.isoformat(), repr(value)))
        case Mapping():
            yield from (form for one in value.values() for form in _forms(one))
        case list() | tuple() | set() | frozenset():
            yield from (form for one in value for form in _forms(one))
        case _:
            yield from _forms(str(value))


def _texts(text: str) -> Iterator[str]:
    """A text as it was typed, trimmed, and as `repr` and `ascii` escape it; of an address also its halves."""
    yield from (text, text.strip(), repr(text)[1:-1], ascii(text)[1:-1])
    if text.count("@") == 1:
        yield from text.split("@")


def _time(text: str) -> date | None:
    """The date or time that a text is: a class has made it one before it refuses it."""
    for kind in (date, datetime):
        with suppress(ValueError):
            return kind.fromisoformat(text.upper())
    return None


def _numbers(number: int | float | Decimal) -> Iterator[str]:
    """A number as text, in the common ways. One digit alone tells nothing, and stands in many a sentence."""
    if not is_number(number) or not -_LARGE < number < _LARGE:
        return
    is_whole = number == int(number)
    if is_whole and -10 < number < 10:
        return
    yield from (str(number), f"{number:,}", f"{number:.2f}", f"{number:g}")
    if is_whole:
        yield from (str(int(number)), f"{int(number):,}")


def _text_pattern(text: str) -> str:
    escaped = re.escape(text)
    if text.isdecimal() and len(text) > 1:
        return _number_pattern(text)
    if len(text) >= _ANYWHERE:
        return escaped
    if len(text) > _QUOTED_ONLY:
        return rf"(?<!\w){escaped}(?!\w)"
    return rf"(?<=['\"`]){escaped}(?=['\"`])"


def _number_pattern(text: str) -> str:
    return rf"(?<![\w.,]){re.escape(text)}(?!\w|[.,]\d)"


def _ends(text: str) -> tuple[str, ...]:
    return (text[:_END], text[-_END:]) if len(text) > _LONG else ()
