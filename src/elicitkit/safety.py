"""What must not be asked, drawn or logged: credentials in forms, text that plays tricks, errors that quote answers."""

from __future__ import annotations

import ipaddress
import re
import traceback
import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

from .errors import ElicitkitError
from .naming import words

_CREDENTIALS = frozenset(
    {"password", "passwd", "passphrase", "passcode", "secret", "cvv", "cvc", "ssn", "pin", "apikey", "accesstoken"}
    | {"authtoken", "privatekey", "securitycode", "onetimecode", "cardnumber"}
)
"""Each is looked for in up to three words that follow each other: `api_key`, `APIKey` and `apikey` are one."""

_HARMLESS = frozenset({"pincode", "pincodes"})  # An Indian postal code, not a secret.
_WORD = re.compile(r"[^\W_]+")
_BREAKS = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")  # Invisible, and yet letters and emoji of many scripts need them.
_SEPARATORS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f]).*?(?:\x1b\\|\x07|\x9c|\Z)"  # OSC, DCS and their like: titles, links
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_STACKED = 8
"""The most marks on one letter: more than any script has, and no tower over the lines above."""
_SHORT = 5_000
"""What `plain` leaves of a text, in characters, unless told otherwise."""


def asks_for_credential(*texts: str | None) -> bool:
    """Tell whether a field's name or title asks for a credential, by whole words (plurals too).

    >>> asks_for_credential("apiKey"), asks_for_credential("max_tokens"), asks_for_credential("shipping")
    (True, False, False)
    """
    return any(_has_credential(text) for text in texts if text)


def _has_credential(text: str) -> bool:
    found = [word.lower() for part in _WORD.findall(text) for word in words(_common(part))]
    phrases = {"".join(found[at : at + size]) for size in (1, 2, 3) for at in range(len(found) - size + 1)}
    credentials = (phrases | {phrase.removesuffix("s") for phrase in phrases}) & _CREDENTIALS
    return bool(credentials - {"pin"} if phrases & _HARMLESS else credentials)


def _common(word: str) -> str:
    """A word in common letters: one in fullwidth or bold ones reads the same to a person."""
    return unicodedata.normalize("NFKC", word)


def link_problem(url: object) -> str | None:
    """Why a person must not be asked to open *url*, as the end of a sentence; `None` if they may be.

    Only `https` is, and `http` to this machine, without credentials in it.

    >>> link_problem("http://example.org/pay")
    'is not https'
    """
    if not isinstance(url, str):
        return f"is {type(url).__name__}, not text"
    if any(not character.isprintable() or character in " \\" for character in url):
        return "has a space, a backslash or an invisible character in it"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL"
    if not host:
        return "is not a URL with a host"
    if "@" in parts.netloc:
        return "has credentials in it"
    return None if parts.scheme == "https" or (parts.scheme == "http" and _is_this_machine(host)) else "is not https"


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def plain(text: str, *, limit: int = _SHORT) -> str:
    """Text that is safe to write to a terminal, and no more than *limit* characters of it.

    ANSI sequences, control, bidirectional and other invisible characters are taken out, and towers of marks; line
    breaks and tabs stay. What is cut is said.
    """
    lines = text[: 4 * limit].replace("\r\n", "\n").translate(_SEPARATORS)
    kept = _unstacked("".join(filter(_is_drawable, _ESCAPE_SEQUENCE.sub("", lines))))
    if len(kept) <= limit and len(text) <= 4 * limit:
        return kept
    return f"{kept[:limit]}… (cut: {len(text):,} characters in all)"


def _unstacked(text: str) -> str:
    """Text with no more marks on a letter than it can carry."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        is_mark = character in _JOINERS or unicodedata.category(character) in ("Mn", "Me")
        marks = marks + 1 if is_mark else 0
        if marks <= _STACKED:
            kept.append(character)
    return "".join(kept)


def plain_line(text: str, *, limit: int = _SHORT) -> str:
    """Like `plain`, on one line."""
    return " ".join(plain(text, limit=limit).split())


def _is_drawable(character: str) -> bool:
    """All categories that begin with C are invisible: control, format (bidirectional, zero width, tags), surrogates."""
    return character in _BREAKS or character in _JOINERS or not unicodedata.category(character).startswith("C")


def trace_of(error: BaseException) -> str:
    """An error for a log: its type and the lines that it passed, and those of its causes, without their words.

    What code that had an answer raises may quote it, and so may what was raised while it handled that. An error of ours
    never does: its words are there.
    """
    return "\n".join(["", _told(error), *_lines(error, seen=set())]).rstrip()


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    for how, other in (*(("with", one) for one in inner), ("after", before)):
        if other is not None and id(other) not in seen:
            yield f"{how} {_told(other)}"
            yield from _lines(other, seen)


def _told(error: BaseException) -> str:
    return f"{_type_of(error)}: {error}" if isinstance(error, ElicitkitError) else _type_of(error)


def _type_of(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "errno", None)  # Which are words of no person.
    return f"{name} ({code})" if isinstance(code, (int, str)) else name
