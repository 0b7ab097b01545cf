"""Requests of a host as the terminal puts them: what of one is a form, and what somebody did with it as the answer."""

from __future__ import annotations

from typing import assert_never

from ...forms import Content, Form
from ...host.checking import Refusal
from ...host.model_questions import answers_of, form_of_questions
from ...host.shapes import shape_of
from ...outcomes import Accepted, Cancelled, Declined, Outcome
from ...suspension import Answer, Request


def form_of(request: Request) -> Form[Content] | Refusal | None:
    """What there is to fill in, nothing in a yes-or-no question; `None` for a kind that nobody here knows, or a link.

    A form that requires what nobody can fill in is given, too: `fill` says so, and takes a refusal. It is a `Refusal`
    where nothing can be shown.
    """
    if request.kind == "approval":
        return Form(request.prompt)
    shape = shape_of(request)
    return shape.form or shape if isinstance(shape, Refusal) else shape


def answer_of(request: Request, outcome: Outcome[Content] | Outcome[None]) -> Answer:
    """The answer that an outcome of `fill` or `visit` comes to."""
    match outcome:
        case Accepted(content) if content is not None and (questions := form_of_questions(request)):
            return request.accept(answers_of(questions, content))
        case Accepted(content):
            return request.accept(None if content is None else {**content, **dict.fromkeys(content.cleared)})
        case Declined():
            return request.decline()
        case Cancelled(reason):
            return request.cancel(reason)
        case _:
            assert_never(outcome)
