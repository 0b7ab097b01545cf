"""The terminal as a host's one place for people: from a `Request` to its `Answer`."""

from __future__ import annotations

from ...errors import FormError
from ...forms import Content, Form
from ...host.origins import Origin
from ...host.retries import Retry, retry_of
from ...suspension import Answer, Request
from .filling import fill


async def wait_for(request: Request) -> Answer:
    """A host's `wait_for`: put a request to the person at the terminal, and give the answer.

    It shows forms, and yes-or-no questions (`approval`). Anything else, a link too, is cancelled as `unsupported`.
    One that is asked again, because its answer was wrong, has in its fields what the person filled in.

    Raises:
        MissingExtra: If the extra `terminal` is not installed; nothing was shown.
    """
    retry = retry_of(request) or Retry(request.prompt)
    form = _form(request, retry.prompt)
    if form is None:
        return request.cancel("unsupported")
    until, asker = request.expires_at, _asker(Origin.of(request))
    outcome = await fill(form, asker, filled=retry.answered, faults=retry.faults, until=until)
    if outcome:
        cleared = dict.fromkeys(outcome.content.cleared)
        return request.accept({**outcome.content, **cleared})
    return request.decline() if outcome.action == "decline" else request.cancel(outcome.reason)


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
