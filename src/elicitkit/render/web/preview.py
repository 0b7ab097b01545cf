"""One form as people will see it, for its author: the same pages, and then what is sent and what the tool gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pprint import pformat
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ...errors import AnswerError
from ...forms import Content, Form
from ...outcomes import Cancelled, Declined, Outcome
from ...safety import plain
from . import pages
from .gate import Gate, Shut, page_response, root_of, static
from .guard import Guard
from .pages import Act
from .questions import asked_of_form
from .requests import posted_by
from .sessions import Session, Sessions
from .steps import Question, Refuse, Shown, again, begin, follow
from .views import Asker

TITLE: Final = "Preview"
SHOWN_CHARACTERS: Final = 1_000_000
WIDTH: Final = 80
"""In how many characters a line of what the tool gets is to fit."""

_ASKER: Final = Asker("Your server", (("Preview", "nothing is sent"),), called="your server")

_REFUSED: Final[Mapping[bool, Outcome[Any]]] = {True: Declined(), False: Cancelled()}
"""What the tool gets of a refusal, by whether it is a no."""

Judge: TypeAlias = Callable[[Mapping[str, Any]], Outcome[Any]]
"""What becomes of an answer at the tool; it raises an `AnswerError` if the tool would ask again."""


def preview_app(form: Form[Any], *, token: str, allowed_hosts: Iterable[str], judge: Judge | None) -> Starlette:
    """See `elicitkit.render.web.preview_app`."""
    gate = Gate(Sessions(token), TITLE)
    preview = _Preview(form, gate, judge or form.accept)
    routes = [
        Route("/", gate.handled(preview.page), methods=["GET", "POST"]),
        Route("/static/{name}", static),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=tuple(allowed_hosts))])


class _Preview:
    def __init__(self, form: Form[Any], gate: Gate, judge: Judge) -> None:
        self._form = form
        self._gate = gate
        self._judge = judge

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
        if isinstance(step, Refuse):
            declined = step.how == "decline"
            return self._ended(request, {"action": "decline" if declined else "cancel"}, _REFUSED[declined])
        # Hosts leave a field that was cleared out of the answer.
        content = {name: value for name, value in (step.data or {}).items() if value is not None}
        try:
            outcome = self._judge(content)
        except AnswerError as error:  # What its type, or its author, refuses.
            return page_response(again(question, posted, error.faults))
        return self._ended(request, {"action": "accept", "content": content}, outcome)

    def _question(self, request: Request, session: Session) -> Question:
        return Question(
            _ASKER,
            self._form.message,
            asked_of_form(self._form),
            self._gate.site(request, has_list=True),
            Act(f"{root_of(request)}/", self._gate.sessions.form_secret(session)),
            kicker=TITLE,
        )

    def _ended(self, request: Request, answer: Mapping[str, Any], outcome: Outcome[Any]) -> Response:
        """What a server would have got, and what its tool makes of it."""
        sent = plain(json.dumps(answer, ensure_ascii=False, indent=2), limit=SHOWN_CHARACTERS)
        got = plain(_typed(outcome), limit=SHOWN_CHARACTERS)
        site = self._gate.site(request, has_list=True)
        return HTMLResponse(pages.page("previewed", site, sent=sent, got=got, action=answer["action"]))


def _typed(outcome: Outcome[Any]) -> str:
    """What the tool gets: the content, typed, or the refusal."""
    if not outcome:
        return repr(outcome)
    value = outcome.content
    return pformat(dict(value) if isinstance(value, Content) else value, width=WIDTH, sort_dicts=False)
