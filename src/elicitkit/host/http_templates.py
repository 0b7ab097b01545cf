"""Where arguments stand in an HTTP request: in the URL, in its query, in its body. Pure, and nothing is sent.

An argument only ever fills the place its author gave it: it is percent-encoded, and can change neither the host, nor
how many segments a path has, nor the query beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

from ..errors import ToolError

_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}", re.ASCII)
_IN_TEXT: Final = re.compile(r"\{\{|\}\}|\{(\w+)\}|[{}]", re.ASCII)
_URL: Final = re.compile(r"(?P<origin>https?://[^/?#{}]+)(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?", re.IGNORECASE)
_CLIMBING: Final = frozenset({".", ".."})
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class UrlTemplate:
    """A URL with `{placeholders}` in its path and in the values of its query."""

    origin: str
    """Scheme, host and port, in which nothing is ever filled in."""

    path: tuple[str, ...]
    """The segments between the slashes."""

    query: tuple[tuple[str, str], ...]
    """Names and values, as they were written."""

    @classmethod
    def parse(cls, text: str) -> UrlTemplate:
        """Read a template.

        Raises:
            TypeError: If it is no text.
            ValueError: If it is no such URL, or has a placeholder somewhere else.
        """
        if not isinstance(text, str):
            raise TypeError(f"the URL of a tool is text, not {type(text).__name__}")
        found = _URL.fullmatch(text)
        if found is None or not _is_written_well(text, found["origin"]):
            raise ValueError(
                "the URL of a tool is http:// or https://, has a host, no credentials, no fragment, nothing to be "
                "encoded, and {placeholders} in its path and in the values of its query alone"
            )
        pairs = [pair.partition("=") for pair in (found["query"] or "").split("&") if pair]
        if odd := [name for name, _, _ in pairs if "{" in name or "}" in name]:
            raise ValueError(f"the query of a tool's URL has a placeholder in the name {odd[0]!r}; only values may")
        return cls(
            found["origin"], tuple((found["path"] or "").split("/")[1:]), tuple((name, at) for name, _, at in pairs)
        )

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that the path cannot do without, in its order."""
        return tuple(dict.fromkeys(name for segment in self.path for name in _PLACEHOLDER.findall(segment)))

    @property
    def names(self) -> tuple[str, ...]:
        """All arguments that stand in the URL, in its order."""
        in_query = (name for _, value in self.query for name in _PLACEHOLDER.findall(value))
        return tuple(dict.fromkeys([*self.required, *in_query]))

    def filled(self, arguments: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> str:
        """The URL with its arguments. A value of the query is left out, with its name, if an argument of it is missing.

        Args:
            arguments: What there is to fill in.
            more: What is put into the query as well, each under its own name; a list comes once for each of its values.

        Raises:
            ToolError: If a segment of the path would be missing, empty or climb, or something is no text or number.
        """
        path = "".join(f"/{self._segment(segment, arguments)}" for segment in self.path)
        pairs = [*self._pairs(arguments), *pairs_of(more or {})]
        return self.origin + path + ("?" + "&".join(pairs) if pairs else "")

    def _segment(self, template: str, arguments: Mapping[str, Any]) -> str:
        names = _PLACEHOLDER.findall(template)
        texts = _texts_of(names, arguments)
        if missing := [name for name in names if name not in texts]:
            raise ToolError(f"The argument {missing[0]!r} is needed.")
        plain = _put(template, texts)
        if names and (not plain or not _CLIMBING.isdisjoint(_steps(plain))):
            raise ToolError(f"The argument {names[0]!r} is empty, or has '.' or '..' as a step of a path.")
        return _put(template, {name: _encoded(text) for name, text in texts.items()})

    def _pairs(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        for name, template in self.query:
            names = _PLACEHOLDER.findall(template)
            texts = _texts_of(names, arguments)
            if texts.keys() == set(names):
                yield f"{name}={_put(template, {one: _encoded(text) for one, text in texts.items()})}"


def _texts_of(names: Iterable[str], arguments: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that there are, as texts."""
    texts = {name: _text(name, arguments.get(name)) for name in names}
    return {name: text for name, text in texts.items() if text is not None}


def _put(template: str, texts: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], template)


def pairs_of(values: Mapping[str, Any]) -> Iterator[str]:
    """Names and values as a query or a form has them; a list comes once for each of its values, and `None` not at all.

    Raises:
        ToolError: If a value is no text or number.
    """
    for name, value in values.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if (text := _text(name, one)) is not None:
                yield f"{_encoded(name)}={_encoded(text)}"


def placeholders_of(template: Any) -> tuple[str, ...]:
    """The arguments that stand in the texts of a JSON template, in its order.

    Raises:
        ValueError: If a text has a brace that belongs to no placeholder, and is not doubled.
    """
    return tuple(dict.fromkeys(name for text in _texts(template) for name in _names_in(text)))


def filled_json(template: Any, arguments: Mapping[str, Any]) -> Any:
    """A JSON template with its arguments: a text that is one placeholder becomes the argument as it is.

    A member whose argument is missing is left out. Braces are written twice, as in `str.format`.

    Raises:
        ToolError: If an argument within a longer text is no text or number.
    """
    found = _filled(template, arguments)
    return None if found is _MISSING else found


def _filled(template: Any, arguments: Mapping[str, Any]) -> Any:
    match template:
        case str():
            return _filled_text(template, arguments)
        case Mapping():
            members = ((name, _filled(inner, arguments)) for name, inner in template.items())
            return {name: inner for name, inner in members if inner is not _MISSING}
        case list() | tuple():
            return [found for inner in template if (found := _filled(inner, arguments)) is not _MISSING]
        case _:
            return template


def _filled_text(template: str, arguments: Mapping[str, Any]) -> Any:
    if whole := _PLACEHOLDER.fullmatch(template):
        return arguments.get(whole[1], _MISSING)

    def argument(found: re.Match[str]) -> str:
        return (_text(found[1], arguments.get(found[1])) or "") if found[1] else found[0][0]

    return _IN_TEXT.sub(argument, template)


def _texts(template: Any) -> Iterator[str]:
    match template:
        case str():
            yield template
        case Mapping() | list() | tuple():
            for inner in template.values() if isinstance(template, Mapping) else template:
                yield from _texts(inner)
        case _:
            pass


def _names_in(text: str) -> Iterator[str]:
    for found in _IN_TEXT.finditer(text):
        if found[0] in "{}":
            raise ValueError("a body has a brace that belongs to no {placeholder}; write it twice if it is meant")
        if found[1]:
            yield found[1]


def _is_written_well(text: str, origin: str) -> bool:
    """Whether a template can be sent as it is, and means the host it seems to."""
    rest = _PLACEHOLDER.sub("", text)
    if not text.isascii() or not text.isprintable() or set(rest) & set(' \\"<>^`|{}') or "@" in origin or "${" in text:
        return False
    try:
        parts = urlsplit(origin)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _steps(text: str) -> list[str]:
    """The steps a path would have for a server that decodes before it splits, and takes `%2e` for a dot."""
    return re.split(r"[/\\]", text.lower().replace("%2f", "/").replace("%5c", "\\").replace("%2e", "."))


def _text(name: str, value: object) -> str | None:
    """An argument as text; `None` if there is none."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise ToolError(f"The argument {name!r} is to be text or a number here.")


def _encoded(text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise ToolError("An argument holds half a character (a lone surrogate), which cannot be sent.") from None
