"""The web inbox: pages on which people answer, for a browser on this machine or a phone beside it.

The pages are made on the server and work without JavaScript; one small script keeps them up to date. `controls`,
`posted`, `questions`, `steps` and `pages` are pure, from a request and what was posted to HTML; `app` and `preview` put
them on the web behind `gate` and `guard`. Only this module can be imported without the extra `web`; it imports the
others when something is to be shown.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import anyio

from ...errors import MissingExtra

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from ...forms import FormSource
    from ...host.inbox import Inbox
    from ...outcomes import Outcome

__all__ = ["LOOPBACK", "inbox_app", "link_of_app", "preview_app", "serve", "serving"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""The names of this machine, which no other site can have."""

PORT: Final = 8400
"""Where the inbox is served, unless told otherwise."""

_EXTRA = frozenset({"starlette", "jinja2", "uvicorn"})


def inbox_app(inbox: Inbox, *, token: str, title: str = "Inbox", allowed_hosts: Iterable[str] = LOOPBACK) -> Starlette:
    """The pages of an inbox, as an ASGI app to serve or to mount.

    `/?token=…` lets in who keeps the inbox, and `/q/<id>?token=…` whoever has a token of `inbox.token(id)`, to that
    question alone. Below `/api` there is the same for programs. The app does not open the inbox: do that around it, on
    the same loop.

    Args:
        inbox: Whose questions are shown.
        token: What the link of who keeps the inbox holds; at least 16 characters that nobody can guess.
        title: What the pages are called.
        allowed_hosts: The names that the app may be asked for by, without ports.

    Raises:
        TypeError, ValueError: If the token is no text, or too short.
        MissingExtra: If the extra `web` is not installed.
    """
    made: Starlette = _module("app").inbox_app(inbox, token=token, title=title, allowed_hosts=allowed_hosts)
    return made


def preview_app(
    form: FormSource[Any],
    *,
    token: str,
    allowed_hosts: Iterable[str] = LOOPBACK,
    judge: Callable[[Mapping[str, Any]], Outcome[Any]] | None = None,
) -> Starlette:
    """The pages of one form, for its author: nothing is sent, and the last page has what would have been.

    Beside it stands what the tool would get; what its type, or its author, refuses is asked again, as a tool does.

    `/?token=…` lets in.

    Args:
        form: What is shown.
        token: What the link holds; at least 16 characters that nobody can guess.
        allowed_hosts: The names that the app may be asked for by, without ports.
        judge: What the tool makes of an answer; `form.accept` if nothing is said. For a form that is drawn as another.

    Raises:
        TypeError, ValueError: If the token is no text, or too short.
        FormError: If the form has faults.
        MissingExtra: If the extra `web` is not installed.
    """
    built, preview = form.build(), _module("preview")
    made: Starlette = preview.preview_app(built, token=token, allowed_hosts=allowed_hosts, judge=judge)
    return made


@asynccontextmanager
async def serving(app: Starlette, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve an app inside the block, on this event loop, and give its address, such as `http://127.0.0.1:8400`.

    Nothing is logged of what is asked for, since an address may hold a token.

    Args:
        app: What is served.
        host: The address of this machine to listen at. Beyond loopback, put it behind something that speaks TLS.
        port: The port; 0 takes one that is free.

    Raises:
        OSError: If the port cannot be had.
        MissingExtra: If the extra `web` is not installed.
    """
    async with _module("server").serving(app, host=host, port=port) as address:
        yield address


def link_of_app(address: str, token: str) -> str:
    """The link that lets in: to be opened once, and given to nobody."""
    return f"{address}/?token={token}"


async def serve(
    inbox: Inbox,
    *,
    token: str | None = None,
    title: str = "Inbox",
    host: str = "127.0.0.1",
    port: int = PORT,
    allowed_hosts: Iterable[str] = LOOPBACK,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve the pages of an inbox until this is cancelled.

    Args:
        inbox: Whose questions are shown; it is open already.
        token: What the link holds; a new one if there is none.
        title: What the pages are called.
        host: The address of this machine to listen at.
        port: The port; 0 takes one that is free.
        allowed_hosts: The names that the pages may be asked for by, without ports.
        tell: Is called with the link, once the pages are there.

    Raises:
        TypeError, ValueError: If the token is no text, or too short.
        OSError: If the port cannot be had.
        MissingExtra: If the extra `web` is not installed.
    """
    secret = secrets.token_urlsafe(32) if token is None else token
    app = inbox_app(inbox, token=secret, title=title, allowed_hosts=allowed_hosts)
    async with serving(app, host=host, port=port) as address:
        tell(link_of_app(address, secret))
        await anyio.sleep_forever()


def _module(name: str) -> Any:
    """A module of the pages.

    Raises:
        MissingExtra: If the extra `web` is not installed.
    """
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtra("web", "The web inbox") from None
