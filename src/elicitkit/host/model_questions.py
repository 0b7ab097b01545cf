"""The questions of a model (the tool `question`) as a form, and what was filled in as the answer to them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..fields import ChoiceField, Field, MultiChoiceField, Option, TextField
from ..forms import Content, Form
from ..limits import FIELDS, OPTIONS
from ..suspension import Request
from .question_tool import question_prompt


def form_of_questions(request: Request) -> Form[Content] | None:
    """A field for each question; `None` where they are not what the tool of that name sends.

    The message is empty where the prompt only says the questions once more.
    """
    questions = (request.data or {}).get("questions")
    if request.kind != "question" or not isinstance(questions, list) or not 0 < len(questions) <= FIELDS:
        return None
    fields = [field for number, one in enumerate(questions) if (field := _question(f"q{number}", one)) is not None]
    if len(fields) != len(questions):
        return None
    return Form("" if request.prompt == question_prompt(questions) else request.prompt, tuple(fields))


def answers_of(form: Form[Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """What the answer holds: one for each question, `None` for one that was left open."""
    return {"answers": [content.get(field.name) for field in form.fields]}


def beside_questions(request: Request) -> list[dict[str, Any]]:
    """What came in questions beside all that a form of them shows, below the question that it came with."""
    questions = (request.data or {}).get("questions", ()) if form_of_questions(request) else ()
    found = [(one["question"], {key: one[key] for key in one if not _is_drawn(one, key)}) for one in questions]
    return [{"question": words, **others} for words, others in found if others]


def _is_drawn(question: Mapping[str, Any], key: str) -> bool:
    """Whether what a question has by this name is in its field, or says nothing."""
    value = question[key]
    match key:
        case "question" | "options":
            return True
        case "header":
            return isinstance(value, str) or value is None
        case "multiple":
            return isinstance(value, bool) or value is None
        case _:
            return False


def _question(name: str, question: object) -> Field | None:
    if not isinstance(question, Mapping) or not isinstance(question.get("question"), str):
        return None
    words, header, options = question["question"], question.get("header"), question.get("options") or []
    if not isinstance(options, list) or len(options) > OPTIONS or not all(isinstance(one, str) for one in options):
        return None
    told: dict[str, Any] = (
        {"title": header, "description": words} if isinstance(header, str) and header.strip() else {"title": words}
    )
    choices = tuple(Option(one) for one in dict.fromkeys(options))
    if not choices:
        return TextField(name, **told)
    return (MultiChoiceField if question.get("multiple") is True else ChoiceField)(name, options=choices, **told)
