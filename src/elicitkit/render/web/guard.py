"""What stands before every page: the hosts it may be asked for by, and the headers that keep browsers strict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_UNKNOWN_NAME: Final = (
    "This inbox is not served under that name. Whoever runs it says under which it is: "
    "`--allow-host NAME` of the command, `allowed_hosts` of the app.\n"
)

HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # With `no-referrer` browsers would send forms without their origin.
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every response has. Pages are never kept; the static files say otherwise themselves."""


class Guard:
    """An ASGI app around another: it refuses foreign hosts, and gives every response its headers.

    A site that has its name point to this machine (DNS rebinding) would be of the same origin as the inbox, but its
    requests still carry its own name.

    Args:
        app: What is guarded.
        hosts: The names it may be asked for by, without ports.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.strip("[]").lower().rstrip(".") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if host_name(Headers(scope=scope).get("host", "")) not in self._hosts:
            refusal = PlainTextResponse(_UNKNOWN_NAME, status_code=421)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def host_name(header: str) -> str:
    """The name in a `Host` header, without its port.

    >>> host_name("[::1]:8400"), host_name("LOCALHOST:80"), host_name("::1")
    ('::1', 'localhost', '')
    """
    if header.startswith("["):
        name, end, _ = header[1:].partition("]")
        return name.lower() if end else ""
    name, _, port = header.partition(":")
    return "" if ":" in port else name.lower().rstrip(".")
