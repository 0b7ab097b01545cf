"""One form as people will see it, for its author: the same pages, and at the end what would have been sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ...errors import AnswerError
from ...forms import Form
from ...safety import plain
from . import pages
from .gate import Gate, Shut, page_response, root_of, static
from .guard import Guard
from .pages import Act
from .questions import asked_of_form
from .requests import posted_by
from .sessions import Session, Sessions
from .steps import Accept, Question, Refuse, Shown, again, begin, follow
from .views import Asker

TITLE: Final = "Preview"
SHOWN_CHARACTERS: Final = 1_000_000
_ASKER: Final = Asker("Your server", (("Preview", "nothing is sent"),))


def preview_app(form: Form[Any], *, token: str, allowed_hosts: Iterable[str]) -> Starlette:
    """See `elicitkit.render.web.preview_app`."""
    gate = Gate(Sessions(token), TITLE)
    preview = _Preview(form, gate)
    routes = [
        Route("/", gate.handled(preview.page), methods=["GET", "POST"]),
        Route("/static/{name}", static),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=tuple(allowed_hosts))])


class _Preview:
    def __init__(self, form: Form[Any], gate: Gate) -> None:
        self._form = form
        self._gate = gate

    async def page(self, request: Request) -> Response:
        if request.method != "POST" and (welcome := self._gate.welcome(request)):
            return welcome
        if (session := self._gate.keeper(request)) is None:
            raise Shut
        question = self._question(request, session)
        if request.method != "POST":
            return page_response(begin(question))
        posted = await posted_by(request, self._gate.sessions, session)
        step = follow(question, posted)
        if isinstance(step, Shown):
            return page_response(step)
        if isinstance(step, Accept):
            try:
                self._form.check(step.data)
            except AnswerError as error:  # What its type refuses.
                return page_response(again(question, posted, error.faults))
        return self._ended(request, step)

    def _question(self, request: Request, session: Session) -> Question:
        return Question(
            _ASKER,
            self._form.message,
            asked_of_form(self._form),
            self._gate.site(request, has_list=True),
            Act(f"{root_of(request)}/", self._gate.sessions.form_secret(session)),
            kicker=TITLE,
        )

    def _ended(self, request: Request, step: Accept | Refuse) -> Response:
        """What a server would have got."""
        if isinstance(step, Accept):
            answer: dict[str, Any] = {"action": "accept", "content": dict(step.data or {})}
        else:
            answer = {"action": "decline" if step.how == "decline" else "cancel"}
        sent = plain(json.dumps(answer, ensure_ascii=False, indent=2), limit=SHOWN_CHARACTERS)
        site = self._gate.site(request, has_list=True)
        return HTMLResponse(pages.page("previewed", site, sent=sent, action=answer["action"]))
