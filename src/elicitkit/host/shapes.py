"""Kinds of requests whose shape everybody knows, `input` and `question`: whether one has it, and an answer fits it.

A host may have kinds of its own, and nobody here looks into those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..errors import AnswerError, ContractError, Fault
from ..forms import Content, Form
from ..suspension import Answer, Request
from .checking import Refusal, answerable_form, leaving
from .model_questions import answers_of, form_of_questions

_NO_FIELDS: Final = Refusal(
    "unsupported", "it is a form without a description of its fields", "It does not say what is to be filled in."
)
_NO_QUESTIONS: Final = Refusal(
    "unsupported",
    "its questions cannot be read: they are not what the kind 'question' has",
    "Its questions cannot be read.",
)


def shape_of(request: Request) -> Form[Content] | Refusal | None:
    """What there is to fill in; `None` for a kind that has nothing, or that nobody here knows.

    It is a refusal for what can only be declined or cancelled, since nobody could tell what would be an answer.
    """
    match request.kind:
        case "input" if request.schema is None:
            return _NO_FIELDS
        case "question":
            return form_of_questions(request) or _NO_QUESTIONS
        case _:
            return answerable_form(request)


def fitting(request: Request, answer: Answer) -> Answer:
    """An answer as its request wants it; see `leaving`, which knows of forms alone.

    The answer to a `question` is one to each of its questions, `None` where one was left open; or a text as `output`,
    by which a host says something of its own.

    Raises:
        AnswerError: If it does not fit, with every fault.
        ContractError: If nobody can answer the request.
    """
    shape = shape_of(request) if answer.ok else None
    if isinstance(shape, Refusal):
        raise ContractError(f"nobody can answer this: {shape.problem}")
    if request.kind == "question" and shape is not None:
        return replace(answer, data=_to_questions(shape, answer.data or {}))
    return leaving(request, answer)


def _to_questions(form: Form[Content], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answers to questions, checked one by one."""
    if data.keys() == {"output"} and isinstance(data["output"], str):
        return data
    given, count = data.get("answers"), len(form.fields)
    if not isinstance(given, (list, tuple)) or len(given) != count:
        of = "the one question" if count == 1 else f"each of the {count} questions"
        raise AnswerError([Fault("answers", "", f'"answers" must be a list with one answer to {of}')])
    named = zip(form.fields, given, strict=True)
    try:
        return answers_of(form, form.check({field.name: one for field, one in named if one is not None}))
    except AnswerError as error:  # Whoever answers knows of no field but this; the label has the question.
        raise AnswerError([replace(fault, field="answers") for fault in error.faults]) from None
