"""What must not be asked, and what must not be drawn: credentials in forms, and text that plays tricks."""

from __future__ import annotations

import re
import unicodedata

from .naming import words

_CREDENTIALS = (
    "password passwd passphrase passcode secret cvv cvc ssn pin|api key|access token|auth token|private key"
    "|security code|one time code|card number"
)
_SINGLE, *_COMPOUND = _CREDENTIALS.split("|")
_PHRASES = frozenset(
    {(word,) for word in _SINGLE.split()}
    | {tuple(phrase.split()) for phrase in _COMPOUND}
    | {(phrase.replace(" ", ""),) for phrase in _COMPOUND}
)
_HARMLESS = frozenset({("pin", "code"), ("pin", "codes")})  # An Indian postal code, not a secret.
_WORD = re.compile(r"[^\W_]+")
_BREAKS = frozenset("\n\t")
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x1b\\|\x07|\x9c|\Z)"  # OSC, DCS and their like: titles, links
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_SHORT = 5_000
"""What `plain` leaves of a text, in characters, unless told otherwise."""


def asks_for_credential(*texts: str | None) -> bool:
    """Tell whether a field's name or title asks for a credential, by whole words (plurals too).

    >>> asks_for_credential("apiKey"), asks_for_credential("max_tokens"), asks_for_credential("shipping")
    (True, False, False)
    """
    return any(_has_credential(text) for text in texts if text)


def _has_credential(text: str) -> bool:
    found = [word.lower() for part in _WORD.findall(text) for word in words(part)]
    joined = [(*found[i : i + size],) for size in (1, 2, 3) for i in range(len(found) - size + 1)]
    harmless = any(pair in _HARMLESS for pair in joined)
    return any(_singular(phrase) in _PHRASES for phrase in joined if not (harmless and phrase[0].startswith("pin")))


def _singular(phrase: tuple[str, ...]) -> tuple[str, ...]:
    *rest, last = phrase
    return phrase if phrase in _PHRASES else (*rest, last.removesuffix("s"))


def plain(text: str, *, limit: int = _SHORT) -> str:
    """Text that is safe to write to a terminal: no control, ANSI or bidirectional characters, and no more than *limit*.

    Line breaks and tabs stay. What is cut is said.
    """
    kept = "".join(filter(_is_drawable, _ESCAPE_SEQUENCE.sub("", text[: 4 * limit].replace("\r\n", "\n"))))
    if len(kept) <= limit and len(text) <= 4 * limit:
        return kept
    return f"{kept[:limit]}… (cut: {len(text):,} characters in all)"


def plain_line(text: str, *, limit: int = _SHORT) -> str:
    """Like `plain`, on one line."""
    return " ".join(plain(text, limit=limit).split())


def _is_drawable(character: str) -> bool:
    if character in _BREAKS:
        return True
    return character not in _BIDIRECTIONAL and unicodedata.category(character) not in ("Cc", "Cs", "Co", "Cn")
