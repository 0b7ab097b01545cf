"""Links of strangers as every renderer shows them: all of the address, its host apart, and what to be warned of."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple
from urllib.parse import urlsplit

import idna

from ..host.asked import LINK_CHARACTERS, unsafe_link
from ..safety import plain_line

_HOST_CHARACTERS = 253
_SCRIPTS_TOGETHER = (frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"}),)
"""Scripts that one word of a language may be written in (Unicode Technical Standard 39, "Highly Restrictive")."""


class Link(NamedTuple):
    """A link in parts that make up the whole of it, and what is to be said about it."""

    url: str
    before: str
    host: str
    after: str
    warnings: tuple[str, ...] = ()
    problem: str = ""
    """Why it must not be opened, as the end of a sentence; empty if it may be."""


def link_of(url: str | None) -> Link:
    """A link as it is to be shown. One with a problem must never become something to click on.

    >>> link_of("https://pay.example.com/x?y=1")[1:4]
    ('https://', 'pay.example.com', '/x?y=1')
    """
    text = url or ""
    if (problem := unsafe_link(url)) is not None:
        return Link("", plain_line(text, limit=LINK_CHARACTERS), "", "", (), problem)
    netloc = urlsplit(text).netloc
    start = text.index("//") + 2
    before, after = text[:start], text[start + len(netloc) :]
    host, port = _split_port(netloc)
    return Link(text, before, host, port + after, tuple(link_warnings(host)))


def link_warnings(host: str) -> list[str]:
    """What a person should know of a host before going there, as whole sentences.

    >>> link_warnings("shop.example"), len(link_warnings("xn--pypal-4ve.com"))
    ([], 2)
    """
    warnings = []
    spoken = _spoken(host)
    if spoken != host.lower() and "xn--" in host.lower():
        shown = f"for “{spoken}”" if spoken else "that cannot be read"
        warnings.append(f"The address is written in a code (punycode) {shown}. Look at it closely.")
    elif not host.isascii():
        warnings.append(f"The address has letters beyond a to z; its plain form is “{_plain_form(host)}”.")
    if any(_mixes_scripts(label) for label in (spoken or host).split(".")):
        warnings.append("The address mixes letters of several alphabets that look alike. That is often a trick.")
    return warnings


def _split_port(netloc: str) -> tuple[str, str]:
    host, colon, port = netloc.rpartition(":")
    is_port = bool(colon) and (port == "" or port.isdigit())
    return (host, f":{port}") if is_port else (netloc, "")


def _spoken(host: str) -> str:
    """A host with its punycode read; empty where that cannot be done."""
    labels = []
    for label in host[:_HOST_CHARACTERS].lower().split("."):
        if not label.startswith("xn--"):
            labels.append(label)
            continue
        try:
            labels.append(label.removeprefix("xn--").encode("ascii").decode("punycode"))
        except (UnicodeError, ValueError):
            return ""
    return plain_line(".".join(labels))


def _plain_form(host: str) -> str:
    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return ascii(host)[1:-1]


def _mixes_scripts(label: str) -> bool:
    scripts = {_script(character) for character in label if character.isalpha()}
    return len(scripts) > 1 and not any(scripts <= together for together in _SCRIPTS_TOGETHER)


def _script(letter: str) -> str:
    """The script of a letter, which is how the names of Unicode begin."""
    return unicodedata.name(letter, "?").split(" ")[0].split("-")[0]
