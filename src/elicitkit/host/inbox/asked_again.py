"""A form that is asked again because its answer was refused: what was answered, and what is wrong with it.

A server sends such a form anew, with words above the message. Only who looks into the inbox sees that it is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ...asking.questions import CORRECT_THIS
from ...errors import Fault, UnknownEntry
from ...fields import Field
from ...tasks.listing import EVERYBODY
from ..checking import Refusal, answerable_form
from ..retries import Retry
from .entry import Entry, Viewer
from .inbox import Inbox

LOOKED_AT: Final = 30
"""Among so many questions that were closed last, the one before is looked for: it was closed a moment ago."""


async def retry_in(inbox: Inbox, entry: Entry, *, owner: Viewer = EVERYBODY) -> Retry | None:
    """Why a form is asked again, with what was answered to it; `None` for one that is asked for the first time.

    It is one again if the same call has asked the same form before, somebody agreed, and now there are words above the
    message. What was answered is told to those alone who may see the question before.

    Args:
        inbox: Where it is.
        entry: The question.
        owner: Who looks.
    """
    form = answerable_form(entry.request)
    if form is None or isinstance(form, Refusal):
        return None
    closed = (await inbox.closed(limit=LOOKED_AT)).entries
    before = next((one for one in closed if _is_again(entry, one)), None)
    if before is None:
        return None
    prompt = before.request.prompt
    retry = Retry(prompt, {}, tuple(faults_above(entry.request.prompt.removesuffix(prompt), form.fields)))
    if not before.is_seen_by(owner):
        return retry
    try:
        answer = await inbox.answer_to(before.id, owner=owner)
    except UnknownEntry:  # It was forgotten meanwhile.
        return retry
    return replace(retry, answered=answer.data or {} if answer is not None else {})


def faults_above(words: str, fields: Sequence[Field]) -> Iterator[Fault]:
    """The faults that stand above a message, each with its field where the line begins with its label."""
    for line in words.removeprefix(CORRECT_THIS).splitlines():
        if told := line.strip().removeprefix("- "):
            yield _fault(told, fields)


def _fault(told: str, fields: Iterable[Field]) -> Fault:
    named = [field for field in fields if field.label and told.startswith(f"{field.label}: ")]
    if not named:
        return Fault("", "", told)
    field = max(named, key=lambda one: len(one.label))
    return Fault(field.name, field.label, told.removeprefix(f"{field.label}: "))


def _is_again(entry: Entry, before: Entry) -> bool:
    asked, earlier = entry.request, before.request
    return (
        before.is_accepted
        and before.number < entry.number
        and (before.host, before.owner) == (entry.host, entry.owner)
        and _call_of(entry) == _call_of(before)
        and len(asked.prompt) > len(earlier.prompt)
        and asked.prompt.endswith(earlier.prompt)
        and asked.schema == earlier.schema
    )


def _call_of(entry: Entry) -> tuple[Any, ...]:
    """What all questions of one call have in common; where no source said whose it is, the id of the request."""
    origin = entry.origin
    call = (origin.server, origin.tool, origin.call, origin.task)
    return call if origin.call or origin.task else (*call, entry.request.id)
