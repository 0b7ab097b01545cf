"""The way in: a link with a token becomes a cookie and leaves the address; without one there is a page that says so."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ...errors import StoreError, UnknownEntry
from ...safety import trace_of
from . import pages
from .pages import STATIC, Site, static_file
from .requests import Foreign, TooLarge
from .sessions import SECONDS, Session, Sessions
from .steps import Shown

logger: logging.Logger = logging.getLogger(__name__)

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

KEPT_SECONDS: Final = 3600
"""How long a browser keeps a static file; its address changes with it."""

_SHUT: Final = (
    "You need its link",
    "Open this page by the link that you were given: it has the key in it. If you had it open before, the link may be "
    "too old; ask for a new one, or look where the inbox was started.",
)
_FOREIGN: Final = (
    "That was not sent from this page",
    "Nothing was done. Go back, load the page again, and send it once more.",
)
_TOO_LARGE: Final = ("That is too much", "Nothing was sent. Go back, and make your answer shorter.")
_NO_SUCH: Final = ("There is no such question", "It may have been answered long ago, and forgotten since.")
_NOT_STORED: Final = (
    "The inbox cannot be reached",
    "It cannot use its store right now. Nothing was sent. Go back, and try again in a minute.",
)
_FAILED: Final = ("Something went wrong here", "It is not your fault. Go back, and try again.")


class Shut(Exception):
    """Whoever asks may not look."""


class Gate:
    """Lets in who has the token, and turns errors into pages.

    Args:
        sessions: Whose cookies count.
        title: What the pages are called.
    """

    def __init__(self, sessions: Sessions, title: str) -> None:
        self.sessions = sessions
        self._title = title

    def site(self, request: Request, *, has_list: bool) -> Site:
        """What every page has."""
        return Site(self._title, root_of(request), has_list)

    def keeper(self, request: Request) -> Session | None:
        """The session of who keeps the inbox, if the request is one of theirs."""
        return self.sessions.keeper(request.cookies.get(self.sessions.cookie, ""))

    def welcome(self, request: Request) -> Response | None:
        """The response to a link with the token: a cookie, and the same address without it. `None` for another link."""
        given = request.query_params.get("token")
        if given is None or not self.sessions.is_token(given):
            return None
        there = self.keeper(request)  # The forms of other tabs go on with the same cookie.
        cookie = self.sessions.start() if there is None else there.secret
        return self.admitted(request, self.sessions.cookie, cookie, path=f"{root_of(request)}/")

    def admitted(self, request: Request, cookie: str, value: str, *, path: str) -> Response:
        """A cookie for a path, and the address that was asked for, without the token."""
        response = RedirectResponse(root_of(request) + path_of(request), status_code=HTTPStatus.SEE_OTHER)
        set_cookie(request, response, cookie, value, path=path)
        return response

    def handled(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint whose errors are pages."""

        async def handle(request: Request) -> Response:
            try:
                return await endpoint(request)
            except Shut:
                return self.error(request, HTTPStatus.UNAUTHORIZED, *_SHUT)
            except Foreign:
                return self.error(request, HTTPStatus.FORBIDDEN, *_FOREIGN)
            except TooLarge:
                return self.error(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, *_TOO_LARGE)
            except UnknownEntry:
                return self.error(request, HTTPStatus.NOT_FOUND, *_NO_SUCH)
            except StoreError:
                return self.error(request, HTTPStatus.SERVICE_UNAVAILABLE, *_NOT_STORED)
            except Exception as error:  # Whose words may quote what somebody typed.
                logger.error("a page failed: %s", trace_of(error))  # a traceback has those words
                return self.error(request, HTTPStatus.INTERNAL_SERVER_ERROR, *_FAILED)

        return handle

    def error(self, request: Request, status: int, heading: str, words: str) -> Response:
        """A page that says what went wrong."""
        site = self.site(request, has_list=self.keeper(request) is not None)
        return HTMLResponse(pages.page("error", site, heading=heading, words=words), status_code=status)


def set_cookie(request: Request, response: Response, cookie: str, value: str, *, path: str) -> None:
    """A cookie for a path, that no script reads, and no other site makes the browser send."""
    # Lax, not strict: the first page is often opened from another one, a chat or a letter.
    response.set_cookie(
        cookie,
        value,
        max_age=SECONDS,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def page_response(shown: Shown) -> Response:
    """The response that a page of a question is."""
    return HTMLResponse(shown.html, status_code=shown.status)


def root_of(request: Request) -> str:
    """Where the app is mounted, without a slash at the end."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def path_of(request: Request) -> str:
    """The path of a request within the app."""
    path = str(request.scope["path"])
    root = root_of(request)
    return path.removeprefix(root) if root and path.startswith(f"{root}/") else path


async def static(request: Request) -> Response:
    """A static file. They are no secret, and so need no token."""
    name = request.path_params["name"]
    if name not in STATIC:
        return Response(status_code=HTTPStatus.NOT_FOUND)
    headers = {"Cache-Control": f"max-age={KEPT_SECONDS}"}
    return Response(static_file(name), media_type=STATIC[name], headers=headers)
