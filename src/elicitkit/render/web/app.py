"""The inbox as an ASGI app: the list, a page for each question, and what keeps them up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from ...errors import AnswerError, ContractError, EntryClosed, LimitError, UnknownEntry
from ...host.inbox import EVERYBODY, Entry, Inbox, Page
from ...host.inbox.asked_again import retry_in
from ...suspension import Answer
from ..details import details_of
from ..inbox_api import api_routes
from . import pages
from .gate import Gate, Shut, page_response, path_of, root_of, set_cookie, static
from .guard import Guard
from .live import Streams
from .pages import Act, Live
from .questions import FormAsked, asked_of
from .requests import TooLarge, posted_by
from .sessions import Session, Sessions
from .steps import Accept, Question, Refuse, Shown, again, begin, follow
from .views import asker_of, items_of, kind_of, verdict_of

PAGE: Final = 50
"""How many questions a page of the list has."""


def inbox_app(inbox: Inbox, *, token: str, title: str, allowed_hosts: Iterable[str]) -> Starlette:
    """See `elicitkit.render.web.inbox_app`."""
    gate = Gate(Sessions(token), title)
    streams = Streams(inbox)
    desk = _Desk(inbox, gate, streams)
    routes = [
        Route("/", gate.handled(desk.open_list)),
        Route("/closed", gate.handled(desk.closed_list)),
        Route("/events", gate.handled(desk.list_events)),
        Route("/q/{id}", gate.handled(desk.question), methods=["GET", "POST"]),
        Route("/q/{id}/events", gate.handled(desk.question_events)),
        Route("/static/{name}", static),
        Mount("/api", routes=api_routes(inbox, token)),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, hosts=tuple(allowed_hosts))])
    app.state.streams = streams
    return app


class _Desk:
    def __init__(self, inbox: Inbox, gate: Gate, streams: Streams) -> None:
        self._inbox = inbox
        self._gate = gate
        self._streams = streams

    # --- the list -----------------------------------------------------------------------------------------------------

    async def open_list(self, request: Request) -> Response:
        if welcome := self._gate.welcome(request):
            return welcome
        self._require_keeper(request)
        page = await self._page(request)
        events = f"{root_of(request)}/events{_place(request.query_params.get('after'))}"
        return self._list(request, page, "Open questions", live=Live(events, _state_of(page)))

    async def closed_list(self, request: Request) -> Response:
        if welcome := self._gate.welcome(request):
            return welcome
        self._require_keeper(request)
        return self._list(request, await self._page(request, is_closed=True), "Closed questions", is_closed=True)

    async def list_events(self, request: Request) -> Response:
        self._require_keeper(request)

        async def state() -> str:
            return _state_of(await self._page(request))

        return self._streams.stream(state)

    async def _page(self, request: Request, *, is_closed: bool = False) -> Page:
        read, after = self._inbox.closed if is_closed else self._inbox.open, request.query_params.get("after")
        try:
            return await read(limit=PAGE, after=after or None)
        except ValueError:  # It is no place in the list.
            return await read(limit=PAGE)

    def _list(
        self, request: Request, page: Page, heading: str, *, is_closed: bool = False, live: Live | None = None
    ) -> Response:
        now, here = datetime.now(UTC), root_of(request) + path_of(request)
        html = pages.page(
            "list",
            self._gate.site(request, has_list=True),
            now=now,
            live=live,
            page=page,
            heading=heading,
            is_closed=is_closed,
            items=list(items_of(page.entries, now, f"{root_of(request)}/q/")),
            first=here,
            is_later=bool(request.query_params.get("after")),
            next=here + _place(page.next) if page.next else "",
        )
        return HTMLResponse(html)

    # --- one question -------------------------------------------------------------------------------------------------

    async def question(self, request: Request) -> Response:
        id = request.path_params["id"]
        if request.method != "POST" and "token" in request.query_params:
            return self._gate.welcome(request) or await self._welcome_to(request, id)
        session, entry = await self._seen(request, id)
        respond = self._answered if request.method == "POST" else self._shown
        return await respond(request, session, entry)

    async def question_events(self, request: Request) -> Response:
        id = request.path_params["id"]
        await self._seen(request, id)

        async def state() -> str:
            return (await self._inbox.get(id)).state

        return self._streams.stream(state)

    async def _seen(self, request: Request, id: str) -> tuple[Session, Entry]:
        """The entry, if whoever asks may see it.

        Raises:
            Shut: If not. Who has no key is not told what there is.
            UnknownEntry: If there is none, for who keeps the inbox.
        """
        if keeper := self._gate.keeper(request):
            return keeper, await self._inbox.get(id)
        key = request.cookies.get(self._gate.sessions.entry_cookie, "")
        return Session(key, id), await self._opened(id, key)

    async def _opened(self, id: str, key: str) -> Entry:
        try:
            return await self._inbox.opened_by(id, key)
        except UnknownEntry:
            raise Shut from None

    async def _welcome_to(self, request: Request, id: str) -> Response:
        key, path = request.query_params["token"], f"{root_of(request)}/q/{id}"
        if self._gate.keeper(request) is not None:  # All of the inbox is theirs to see, this too.
            return RedirectResponse(path, status_code=HTTPStatus.SEE_OTHER)
        await self._opened(id, key)
        return self._gate.admitted(request, self._gate.sessions.entry_cookie, key, path=path)

    async def _shown(self, request: Request, session: Session, entry: Entry) -> Response:
        if entry.is_open and entry.until > datetime.now(UTC):
            return page_response(begin(await self._question(request, session, entry)))
        is_ours = self._gate.sessions.is_sent(request.cookies.get(self._gate.sessions.sent_cookie, ""), entry.id)
        return await self._closed(request, session, entry, is_ours=is_ours)

    async def _answered(self, request: Request, session: Session, entry: Entry) -> Response:
        posted = await posted_by(request, self._gate.sessions, session)
        if not entry.is_open:
            return await self._closed(request, session, entry, status=_too_late(entry))
        question = await self._question(request, session, entry)
        step = follow(question, posted)
        if isinstance(step, Shown):
            return page_response(step)
        try:
            await self._inbox.answer(
                entry.id,
                _answer(entry, step),
                note=step.note if isinstance(step, Refuse) else "",
                through=session.secret if session.entry else None,
            )
        except AnswerError as error:
            return page_response(again(question, posted, error.faults))
        except EntryClosed:
            entry = await self._inbox.get(entry.id)
            return await self._closed(request, session, entry, status=_too_late(entry))
        except LimitError:
            raise TooLarge from None
        except ContractError:  # Nobody can answer it, and the page offered no way to.
            return page_response(begin(question))
        sessions, root = self._gate.sessions, root_of(request)
        response = RedirectResponse(f"{root}/q/{entry.id}", status_code=HTTPStatus.SEE_OTHER)
        set_cookie(request, response, sessions.sent_cookie, sessions.sent(entry.id), path=f"{root}/q")
        return response

    async def _closed(
        self, request: Request, session: Session, entry: Entry, *, is_ours: bool = False, status: int = HTTPStatus.OK
    ) -> Response:
        now, root = datetime.now(UTC), root_of(request)
        others = await self._inbox.open(limit=2) if session.is_keeper else None
        following = next((one.id for one in others.entries if one.id != entry.id), "") if others else ""
        html = pages.page(
            "closed",
            self._gate.site(request, has_list=session.is_keeper),
            now=now,
            verdict=verdict_of(entry, is_ours=is_ours),
            who=asker_of(entry, now),
            prompt=entry.request.prompt,
            note=entry.note if is_ours or session.is_keeper else "",  # It was written for who keeps the inbox.
            next=f"{root}/q/{following}" if following else "",
        )
        return HTMLResponse(html, status_code=status)

    async def _question(self, request: Request, session: Session, entry: Entry) -> Question:
        url, asked = f"{root_of(request)}/q/{entry.id}", asked_of(entry.request)
        retry = await retry_in(self._inbox, entry, owner=EVERYBODY if session.is_keeper else entry.owner)
        if retry is not None and not session.is_keeper and entry.owner is None:
            retry = replace(retry, answered={})  # A link to one question tells nothing of another.
        prompt = entry.request.prompt if retry is None else retry.prompt
        return Question(
            asker_of(entry, datetime.now(UTC)),
            asked.form.message if isinstance(asked, FormAsked) and asked.is_questions else prompt,
            asked,
            self._gate.site(request, has_list=session.is_keeper),
            Act(url, self._gate.sessions.form_secret(session)),
            Live(f"{url}/events", entry.state),
            kind_of(entry),
            retry,
            details_of(entry.request),
        )

    def _require_keeper(self, request: Request) -> None:
        if self._gate.keeper(request) is None:
            raise Shut


def _answer(entry: Entry, step: Accept | Refuse) -> Answer:
    match step:
        case Accept(data):
            return entry.request.accept(data)
        case Refuse("decline", _):
            return entry.request.decline()
        case Refuse(how, _):
            return entry.request.cancel("failed" if how == "failed" else "cancelled")


def _place(after: str | None) -> str:
    """The query of a place in the list."""
    return f"?{urlencode({'after': after})}" if after else ""


def _too_late(entry: Entry) -> int:
    return HTTPStatus.CONFLICT if entry.state == "answered" else HTTPStatus.GONE


def _state_of(page: Page) -> str:
    """What tells one page of the list from another."""
    shown = hashlib.sha256("\n".join(entry.id for entry in page.entries).encode()).hexdigest()[:16]
    return f"{page.total}.{shown}"
