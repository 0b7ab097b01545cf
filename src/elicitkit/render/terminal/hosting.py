"""The terminal as a host's one place for people: from a `Request` to its `Answer`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TypedDict

from ...host.checking import Refusal
from ...host.origins import Origin
from ...host.retries import Retry, retry_of
from ...host.showing import waiting_here
from ...suspension import Answer, Request
from ..details import details_of
from .filling import fill, visit
from .requests import answer_of, form_of


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
        return answer_of(request, await visit(request.prompt, request.url, asker, **around))
    retry = retry_of(request) or Retry(request.prompt)
    form = form_of(replace(request, prompt=retry.prompt))
    if form is None or isinstance(form, Refusal):
        return request.cancel("unsupported")
    outcome = await fill(form, asker, filled=retry.answered, faults=retry.faults, **around)
    return answer_of(request, outcome)


def _asker(origin: Origin) -> str:
    name = origin.server or "this program"
    return f"{name} (tool {origin.tool})" if origin.tool else name
