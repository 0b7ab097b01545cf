"""What a page asks: each kind of request as one of a few things a person can do. Pure, but for reading the entry.

`Asked` is closed; a page is a `match` over it. Kinds that nobody here knows are shown whole, and can be agreed to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ..._json import thawed
from ...errors import FormError
from ...fields import BooleanField, ChoiceField, Field, MultiChoiceField, Option, TextField, UnknownField
from ...forms import Content, Form
from ...host.origins import KEY
from ...host.question_tool import question_prompt
from ...limits import FIELDS, OPTIONS
from ...safety import plain
from ...suspension import Request
from ..links import Link, link_of

DATA_CHARACTERS: Final = 5_000
"""How much of the data of an unknown kind is shown."""


@dataclass(frozen=True, slots=True)
class FormAsked:
    """A form to fill in, look over, and send."""

    form: Form[Content]
    is_questions: bool = False
    """Whether its answers go back as a list, one for each question."""

    def data(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What the answer holds."""
        if not self.is_questions:
            return dict(content)
        return {"answers": [content.get(field.name) for field in self.form.fields]}


@dataclass(frozen=True, slots=True)
class YesNoAsked:
    """One thing to say yes or no to: an empty form, a lone boolean, an approval."""

    field: BooleanField | None = None
    """What the answer goes to; without one, yes is all the answer there is, and no is a refusal."""

    details: str = ""
    """What else came with it, as JSON."""

    def data(self) -> dict[str, bool] | None:
        """What the answer holds that says yes."""
        return None if self.field is None else {self.field.name: True}


@dataclass(frozen=True, slots=True)
class LinkAsked:
    """A link to open, after the person agreed to."""

    link: Link


@dataclass(frozen=True, slots=True)
class UnknownAsked:
    """Something of a kind that nobody here knows."""

    kind: str
    link: Link | None
    details: str


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """A form that cannot be accepted: it can only be declined or cancelled."""

    problem: str
    fields: tuple[Field, ...] = ()


Asked: TypeAlias = FormAsked | YesNoAsked | LinkAsked | UnknownAsked | Unanswerable


def asked_of(request: Request) -> Asked:
    """What a request asks of a person."""
    match request.kind:
        case "input":
            return _form(request)
        case "authorization":
            return LinkAsked(link_of(request.url))
        case "approval":
            return YesNoAsked(details=_details(request))
        case "question" if fields := _questions(request):
            return FormAsked(Form("", fields), is_questions=True)
        case kind:
            link = None if request.url is None else link_of(request.url)
            return UnknownAsked(kind, link, _details(request))


def prompt_of(request: Request) -> str:
    """What is said above what is asked; nothing where the prompt of a `question` only says its questions once more."""
    questions = (request.data or {}).get("questions")
    if request.kind == "question" and _questions(request) and request.prompt == question_prompt(questions or []):
        return ""
    return request.prompt


def asked_of_form(form: Form[Any]) -> Asked:
    """What a form asks of a person."""
    undrawable = tuple(field for field in form.fields if isinstance(field, UnknownField) and field.required)
    if undrawable:
        return Unanswerable("It requires something that cannot be answered here.", undrawable)
    match form.fields:
        case ():
            return YesNoAsked()
        case (BooleanField(required=True) as field,):
            return YesNoAsked(field)
        case _:
            return FormAsked(form)


def _form(request: Request) -> Asked:
    if request.schema is None:
        return Unanswerable("It is a form without a description of its fields.")
    try:
        return asked_of_form(Form.from_schema("", request.schema))
    except FormError:
        return Unanswerable("Its form cannot be read: it is not what the specification allows.")


def _details(request: Request) -> str:
    """What came with a request, but where it comes from, which is told elsewhere."""
    data = {key: thawed(value) for key, value in (request.data or {}).items() if key != KEY}
    return plain(json.dumps(data, ensure_ascii=False, indent=2), limit=DATA_CHARACTERS) if data else ""


def _questions(request: Request) -> tuple[Field, ...]:
    """The questions of a `question` as fields; none where they are not what the tool of that name sends."""
    questions = (request.data or {}).get("questions")
    if not isinstance(questions, list) or not 0 < len(questions) <= FIELDS:
        return ()
    fields = [_question(f"q{number}", one) for number, one in enumerate(questions)]
    return tuple(field for field in fields if field is not None) if all(fields) else ()


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
