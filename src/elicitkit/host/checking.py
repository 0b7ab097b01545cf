"""Between a person and what leaves: the answer to a form is checked, and a wrong one is asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ..asking.questions import message_with_faults
from ..errors import AnswerError, AnswerTooLarge, ContractError, Fault, FormError
from ..fields import UnknownField
from ..forms import Content, Form
from ..limits import ANSWER_BYTES
from ..suspension import Answer, Request
from .retries import Retry, retrying

NOT_HERE: Final = "It requires something that cannot be answered here."
"""What a person is told of a form with a required field that nobody can answer."""


class Refusal(NamedTuple):
    """Why a request comes to no answer of a person's."""

    reason: str
    """For the other side."""

    problem: str
    """For the log, and for developers."""

    told: str = ""
    """For the person, where it can only be declined or cancelled: one sentence."""

    form: Form[Content] | None = None
    """The form, where it can be read and shown all the same."""


async def checked(
    request: Request, wait: Callable[[Request], Awaitable[Answer | Refusal]], tries: int
) -> Answer | Refusal:
    """An answer that may leave. That to a form is asked for again with its faults, *tries* times in all.

    `retry_of` tells a `wait_for` that is asked again what it answered. It is a refusal if the form can be answered by
    nobody, or the last try does not fit either; its faults are told then, which say nothing of what was typed.
    """
    form = answerable_form(request)
    if isinstance(form, Refusal):
        return form
    asked, retry, told = request, None, ""
    for _ in range(tries):
        found: Answer | Refusal | None = None
        try:
            with retrying(request, retry):
                found = await wait(asked)
            return found if isinstance(found, Refusal) else leaving(request, found)
        except AnswerError as error:
            faults = error
        except AnswerTooLarge:  # It cannot even be made.
            faults = AnswerError([Fault("", "", f"The answer is larger than {ANSWER_BYTES // 1024} KiB")])
        asked = replace(request, prompt=message_with_faults(request.prompt, faults))
        answered = found.data if isinstance(found, Answer) else None
        retry = Retry(request.prompt, answered or {}, faults.faults)
        told = "; ".join(map(str, faults.faults))
    return Refusal("failed", f"the form was answered wrongly {tries} times; at last: {told}")


def leaving(request: Request, answer: Answer) -> Answer:
    """What leaves of an answer. That to a form is as the form wants it: types made right, by the names of the wire.

    A field that was cleared is left out: other servers refuse a whole answer for a `null`. A refusal says nothing
    else, and neither does the consent to a link.

    Raises:
        AnswerError: If it does not fit the form, with every fault.
        ContractError: If nobody can answer the form.
    """
    if not answer.ok or request.kind == "authorization":
        return replace(answer, data=None) if answer.data is not None else answer
    form = answerable_form(request)
    if isinstance(form, Refusal):
        raise ContractError(f"the request cannot be answered: {form.problem}")
    return answer if form is None else replace(answer, data=dict(form.check(answer.data)))


def answerable_form(request: Request) -> Form[Content] | Refusal | None:
    """The form of a request; `None` for another kind of request, whose answer nobody here can check.

    It is a refusal if it cannot be read, or has a required field that nobody can answer.
    """
    if request.schema is None:
        return None
    try:
        form = Form.from_schema(request.prompt, request.schema)
    except FormError as error:
        return Refusal("unsupported", f"its form cannot be read. {error}", "Its form cannot be read.")
    if undrawable := undrawable_in(form):
        name, why = undrawable[0].name, undrawable[0].reason
        return Refusal("unsupported", f"its form requires {name!r}: {why}", NOT_HERE, form)
    return form


def undrawable_in(form: Form[Any]) -> tuple[UnknownField, ...]:
    """The required fields that nobody can answer."""
    return tuple(field for field in form.fields if isinstance(field, UnknownField) and field.required)
