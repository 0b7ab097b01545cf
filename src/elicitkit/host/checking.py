"""Between a person and what leaves: the answer to a form is checked, and a wrong one is asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from ..asking.questions import message_with_faults
from ..errors import AnswerError, FormError
from ..fields import UnknownField
from ..forms import Content, Form
from ..suspension import Answer, Request


class Refused(Exception):
    """A request that comes to no answer of a person's; `reason` is for the other side, the text for the log."""

    def __init__(self, reason: str, problem: str) -> None:
        super().__init__(problem)
        self.reason = reason


async def checked(request: Request, wait: Callable[[Request], Awaitable[Answer]], tries: int) -> Answer:
    """An answer that may leave. That to a form is asked for again with its faults, *tries* times in all.

    Raises:
        Refused: If the form can be answered by nobody, or the last try does not fit either.
    """
    answerable_form(request)
    asked = request
    for _ in range(tries):
        answer = await wait(asked)
        try:
            return leaving(request, answer)
        except AnswerError as error:
            asked = replace(request, prompt=message_with_faults(request.prompt, error))
    raise Refused("failed", f"the form was answered wrongly {tries} times")


def leaving(request: Request, answer: Answer) -> Answer:
    """What leaves of an answer. That to a form is as the form wants it: types made right, by the names of the wire.

    A field that was cleared is left out: other servers refuse a whole answer for a `null`. A refusal says nothing
    else, and neither does the consent to a link.

    Raises:
        AnswerError: If it does not fit the form, with every fault.
    """
    if not answer.ok or request.kind == "authorization":
        return replace(answer, data=None) if answer.data is not None else answer
    form = answerable_form(request)
    return answer if form is None else replace(answer, data=fitting(form, answer.data))


def fitting(form: Form[Any], data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The data of an answer to a form as they leave, by the names of the wire.

    Raises:
        AnswerError: If they do not fit it, with every fault.
    """
    return dict(form.check(data))


def answerable_form(request: Request) -> Form[Content] | None:
    """The form of a request; `None` for another kind of request, whose answer nobody here can check.

    Raises:
        Refused: If it cannot be read, or has a required field that nobody can answer.
    """
    if request.schema is None:
        return None
    try:
        form = Form.from_schema(request.prompt, request.schema)
    except FormError as error:
        raise Refused("unsupported", f"its form cannot be read. {error}") from None
    if unanswerable := [field for field in form.fields if isinstance(field, UnknownField) and field.required]:
        raise Refused("unsupported", f"it requires {unanswerable[0].name!r}, which {unanswerable[0].reason}")
    return form
