"""The routes: what can be asked of an inbox over HTTP, and who may."""

from __future__ import annotations

import hmac
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from ...errors import UnknownEntry
from ...host.inbox import EVERYBODY, Inbox, Viewer
from ...host.inbox.inbox import LONGEST_LOOK
from ...limits import PAGE_ENTRIES
from ...suspension import Answer
from ...suspension import Request as Asked
from .bodies import body_of
from .problems import Problem, as_json, problem_of

Act: TypeAlias = Callable[[Request], Awaitable[Mapping[str, Any]]]
"""What one method of a route does: from a request to JSON."""

LEAST_TOKEN: Final = 16
"""How many characters a token has at least."""

_PAGE: Final = 50


def routes(inbox: Inbox, token: str) -> list[BaseRoute]:
    """See `elicitkit.render.inbox_api.api_routes`."""
    if not isinstance(token, str):
        raise TypeError(f"a token is text, not {type(token).__name__}")
    if len(token) < LEAST_TOKEN:
        raise ValueError(f"a token has at least {LEAST_TOKEN} characters, or somebody guesses it")
    desk, door = _Desk(inbox), _Door(inbox, token)
    served: dict[str, dict[str, Act]] = {
        "/questions": {"GET": desk.page},
        "/questions/{id}": {"GET": desk.entry},
        "/questions/{id}/answer": {"GET": desk.answer_to, "POST": desk.answer},
        "/questions/{id}/decline": {"POST": desk.decline},
        "/questions/{id}/cancel": {"POST": desk.cancel},
        "/{anything:path}": {},
    }
    return [Route(path, _Resource(acts, door)) for path, acts in served.items()]


class _Door:
    """Who is let in: whoever keeps the inbox, or has a token of the one question asked for."""

    def __init__(self, inbox: Inbox, token: str) -> None:
        self._inbox = inbox
        self._token = token.encode()

    async def let_in(self, request: Request) -> str | None:
        """Let a request in, and give the token of the link that it comes by; `None` for who keeps the inbox.

        Raises:
            Problem: If it may not come in. Who has no token is not told what there is.
        """
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        given = given.strip() if scheme.lower() == "bearer" else ""
        if given and hmac.compare_digest(given.encode(), self._token):
            return None
        if given and await self._opens(request, given):
            return given
        headers = {"WWW-Authenticate": 'Bearer realm="inbox"'}
        raise Problem(HTTPStatus.UNAUTHORIZED, "this needs the token of the inbox, or of the question", headers=headers)

    async def _opens(self, request: Request, given: str) -> bool:
        try:
            return bool(await self._inbox.opened_by(request.path_params.get("id", ""), given))
        except UnknownEntry:
            return False


class _Resource:
    """An ASGI app for one path: it lets in, finds the method, and tells what went wrong."""

    def __init__(self, acts: Mapping[str, Act], door: _Door) -> None:
        self._acts = acts
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._response(Request(scope, receive))
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        try:
            request.state.link = await self._door.let_in(request)
            return as_json(await self._act(request)(request))
        except Exception as error:
            return problem_of(error).response()

    def _act(self, request: Request) -> Act:
        if not self._acts:
            raise Problem(HTTPStatus.NOT_FOUND, "there is nothing here")
        method = "GET" if request.method == "HEAD" else request.method
        if method not in self._acts:
            headers = {"Allow": ", ".join(self._acts)}
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, f"this takes {headers['Allow']}", headers=headers)
        return self._acts[method]


class _Desk:
    """What is done with the inbox."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def page(self, request: Request) -> Mapping[str, Any]:
        """`GET /questions?state=open|closed&owner=&limit=&after=`."""
        state, after = request.query_params.get("state", "open"), request.query_params.get("after")
        if state not in ("open", "closed"):
            raise Problem(HTTPStatus.BAD_REQUEST, "'state' is open or closed")
        limit = _number(request, "limit", _PAGE, PAGE_ENTRIES)
        read = self._inbox.open if state == "open" else self._inbox.closed
        try:
            page = await read(owner=_viewer(request), limit=max(1, int(limit)), after=after)
        except ValueError:
            raise Problem(HTTPStatus.BAD_REQUEST, "'after' is the 'next' of the page before") from None
        found = [entry.to_dict() for entry in page.entries]
        return {"questions": found, "total": page.total, "next": page.next}

    async def entry(self, request: Request) -> Mapping[str, Any]:
        """`GET /questions/{id}?wait=SECONDS`: the note of a refusal is told to no link but the one that it came by."""
        id, owner = request.path_params["id"], _viewer(request)
        wait = _number(request, "wait", 0.0, LONGEST_LOOK)
        entry = await (self._inbox.closing(id, seconds=wait, owner=owner) if wait else self._inbox.get(id, owner=owner))
        if entry.note and not await self._may_know(request):
            entry = replace(entry, note="")
        return entry.to_dict()

    async def answer_to(self, request: Request) -> Mapping[str, Any]:
        """`GET /questions/{id}/answer`: what somebody filled in is told to no link but the one that it came by."""
        answer = await self._inbox.answer_to(request.path_params["id"], owner=_viewer(request))
        if answer is not None and answer.data and not await self._may_know(request):
            raise Problem(HTTPStatus.FORBIDDEN, "this was not answered by your link, so you do not see the answer")
        told = {} if answer is None else answer.to_dict()
        return {"answer": {name: one for name, one in told.items() if name != "id"} or None}

    async def _may_know(self, request: Request) -> bool:
        """Whether what was answered is for who asks: who keeps the inbox, or has the link that it came by."""
        link = _link(request)
        return link is None or await self._inbox.is_answered_through(request.path_params["id"], link)

    async def answer(self, request: Request) -> Mapping[str, Any]:
        """`POST /questions/{id}/answer`: `{"content": {…}, "by": …}`."""
        sent = await body_of(request, {"content": dict, "by": str, "note": str})
        content = sent.pop("content", None)
        return await self._answered(request, lambda asked: asked.accept(content), sent)

    async def decline(self, request: Request) -> Mapping[str, Any]:
        """`POST /questions/{id}/decline`: nothing, or `{"by": …, "note": …}`."""
        sent = await body_of(request, {"by": str, "note": str})
        return await self._answered(request, lambda asked: asked.decline(), sent)

    async def cancel(self, request: Request) -> Mapping[str, Any]:
        """`POST /questions/{id}/cancel`: nothing, or `{"by": …, "note": …}`."""
        sent = await body_of(request, {"by": str, "note": str})
        return await self._answered(request, lambda asked: asked.cancel(), sent)

    async def _answered(
        self, request: Request, answer: Callable[[Asked], Answer], said: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """The entry after an answer. What a link says of who answers does not count."""
        viewer = _viewer(request)
        entry = await self._inbox.get(request.path_params["id"], owner=viewer)
        given = answer(entry.request)
        return (await self._inbox.answer(entry.id, given, owner=viewer, through=_link(request), **said)).to_dict()


def _link(request: Request) -> str | None:
    """The token of the link that a request comes by; `None` for who keeps the inbox."""
    link: str | None = request.state.link
    return link


def _viewer(request: Request) -> Viewer:
    """For whom a request looks: everybody, unless it says who; an empty name is nobody in particular."""
    owner = request.query_params.get("owner")
    return EVERYBODY if owner is None else owner or None


def _number(request: Request, name: str, otherwise: float, most: float) -> float:
    text = request.query_params.get(name)
    if text is None:
        return otherwise
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise Problem(HTTPStatus.BAD_REQUEST, f"{name!r} is a number from 0 to {most:g}")
    return number
