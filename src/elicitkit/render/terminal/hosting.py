"""The terminal as a host's one place for people: from a `Request` to its `Answer`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypedDict, assert_never

from ...errors import FormError
from ...forms import Content, Form
from ...host.model_questions import answers_of, form_of_questions
from ...host.origins import Origin
from ...host.retries import Retry, retry_of
from ...host.showing import waiting_here
from ...outcomes import Accepted, Cancelled, Declined, Outcome
from ...suspension import Answer, Request
from ..details import details_of
from .filling import fill, visit


class _Around(TypedDict):
    """What is known around a question, whatever is asked."""

    until: datetime | None
    waiting: Callable[[], int]
    details: str


async def wait_for(request: Request) -> Answer:
    """A host's `wait_for`: put a request to the person at the terminal, and give the answer.

    It shows forms, yes-or-no questions (`approval`), links, and the questions of a model (`question`). Anything else
    is cancelled as `unsupported`. Whatever else is in the data is shown below the prompt.
    One that is asked again, because its answer was wrong, has in its fields what the person filled in.

    Raises:
        MissingExtra: If the extra `terminal` is not installed; nothing was shown.
    """
    asker = _asker(Origin.of(request))
    around = _Around(until=request.expires_at, waiting=waiting_here, details=details_of(request))
    if request.kind == "authorization":
        return _answer(request, await visit(request.prompt, request.url, asker, **around))
    if questions := form_of_questions(request):
        return _answer(request, await fill(questions, asker, **around), questions)
    retry = retry_of(request) or Retry(request.prompt)
    form = _form(request, retry.prompt)
    if form is None:
        return request.cancel("unsupported")
    outcome = await fill(form, asker, filled=retry.answered, faults=retry.faults, **around)
    return _answer(request, outcome)


def _answer(
    request: Request, outcome: Outcome[Content] | Outcome[None], questions: Form[Content] | None = None
) -> Answer:
    match outcome:
        case Accepted(content) if content is not None and questions is not None:
            return request.accept(answers_of(questions, content))
        case Accepted(content):
            return request.accept(None if content is None else {**content, **dict.fromkeys(content.cleared)})
        case Declined():
            return request.decline()
        case Cancelled(reason):
            return request.cancel(reason)
        case _:
            assert_never(outcome)


def _form(request: Request, prompt: str) -> Form[Content] | None:
    """What there is to fill in; nothing in a yes-or-no question, and `None` for what cannot be shown."""
    if request.kind == "approval":
        return Form(prompt)
    if request.schema is None:
        return None
    try:
        return Form.from_schema(prompt, request.schema)
    except FormError:
        return None


def _asker(origin: Origin) -> str:
    name = origin.server or "this program"
    return f"{name} (tool {origin.tool})" if origin.tool else name
