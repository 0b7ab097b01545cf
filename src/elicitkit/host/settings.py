"""What a host's file says of one server, beside how to reach it: whether, how long, and which of its tools."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, TypeAlias

from .config import server_from
from .servers import Server

SECONDS: Final = 30.0
"""How long a server may take to connect, to list its tools, and to answer a request, where its entry does not say."""

MOST_SECONDS: Final = 86_400.0
"""The longest `timeout`: more is taken for milliseconds."""

Protocol: TypeAlias = Literal["auto", "handshake"]
"""Which era is spoken: the newest that both sides know, or one in which a server may ask while a call runs."""

Way: TypeAlias = Literal["any", "http", "sse"]
"""How a URL is spoken to: by streamable HTTP with SSE behind it, or by one of the two alone."""

_WAYS: Mapping[str, Way] = {
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "sse": "sse",
}
_OTHER_WAYS: Final = ("websocket", "ws", "wss")
"""How others spoke to servers once; the protocol has no such transport."""

_ALLOWED, _DENIED = ("tools", "allowedTools", "includeTools"), ("disabledTools", "excludeTools")


@dataclass(frozen=True, slots=True)
class Settings:
    """One server as a host uses it."""

    server: Server

    _: KW_ONLY

    seconds: float = SECONDS
    """How long each phase may take: connecting, listing, and each request of a call. A person's time is not counted."""

    way: Way = "any"

    protocol: Protocol = "auto"

    allowed: frozenset[str] | None = None
    """The only tools that are offered, by their server's names; `None` is all."""

    denied: frozenset[str] = frozenset()
    """Tools that are not offered."""

    def offers(self, tool: str) -> bool:
        """Tell whether a tool is one that the host lets be called."""
        return tool not in self.denied and (self.allowed is None or tool in self.allowed)


def settings_from(name: str, entry: object) -> Settings | None:
    """The settings that an entry of a configuration file describes; `None` if the server is not to be used.

    Read beside what `server_from` reads: `disabled` and `enabled`; `timeout` in seconds; `type` or `transport`, where
    `sse` and `http` settle how a URL is spoken to; `protocol`, which is `auto` or `handshake`; the tools to offer in
    `tools` (also `allowedTools`, `includeTools`; `*` is all) and those not to in `disabledTools` (also `excludeTools`).
    Of an entry that is disabled, nothing else is looked at.

    Raises:
        ValueError: If a value has the wrong type, or a variable is not set; with the server and the key.
    """
    given = dict(entry) if isinstance(entry, Mapping) else {}
    if _flag(name, given, "disabled", False) or not _flag(name, given, "enabled", True):
        return None
    allowed = _names(name, given, _ALLOWED)
    return Settings(
        server_from(name, entry),
        seconds=_seconds(name, given.get("timeout")),
        way=_way(name, given),
        protocol=_protocol(name, given),
        allowed=None if allowed is None or "*" in allowed else allowed,
        denied=_names(name, given, _DENIED) or frozenset(),
    )


def _flag(name: str, given: Mapping[str, Any], key: str, default: bool) -> bool:
    value = given.get(key)
    if not (value is None or isinstance(value, bool)):
        raise ValueError(f"server {name!r}: {key} is to be true or false")
    return default if value is None else value


def _seconds(name: str, value: object) -> float:
    if value is None:
        return SECONDS
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise ValueError(f"server {name!r}: timeout is to be a positive number of seconds")
    if value > MOST_SECONDS:
        raise ValueError(f"server {name!r}: timeout is in seconds, and {value:g} of them are more than a day")
    return float(value)


def _way(name: str, given: Mapping[str, Any]) -> Way:
    named = given.get("type") or given.get("transport")
    if not isinstance(named, str):
        return "any"
    if named.lower() in _OTHER_WAYS:
        raise ValueError(f"server {name!r}: there is no type {named!r} here: a url is spoken to by 'http' or 'sse'")
    return _WAYS.get(named.lower(), "any")


def _protocol(name: str, given: Mapping[str, Any]) -> Protocol:
    match given.get("protocol"):
        case None | "auto":
            return "auto"
        case "handshake":
            return "handshake"
        case _:
            raise ValueError(f"server {name!r}: protocol is to be 'auto' or 'handshake'")


def _names(name: str, given: Mapping[str, Any], keys: tuple[str, ...]) -> frozenset[str] | None:
    """The tools under the first key there is."""
    for key in keys:
        if (value := given.get(key)) is not None:
            is_list = isinstance(value, (list, tuple, set, frozenset))
            if not is_list or not all(isinstance(one, str) for one in value):
                raise ValueError(f"server {name!r}: {key} is to be a list of the names of tools")
            return frozenset(value)
    return None
