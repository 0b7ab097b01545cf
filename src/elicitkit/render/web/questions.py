"""What a page asks: each kind of request as one of a few things a person can do. Pure, but for reading the entry.

`Asked` is closed; a page is a `match` over it. Kinds that nobody here knows are shown whole, and can be agreed to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...fields import BooleanField, Field
from ...forms import Content, Form
from ...host.checking import NOT_HERE, Refusal, undrawable_in
from ...host.model_questions import answers_of
from ...host.shapes import shape_of
from ...suspension import Request
from ..links import Link, link_of


@dataclass(frozen=True, slots=True)
class FormAsked:
    """A form to fill in, look over, and send."""

    form: Form[Content]
    is_questions: bool = False
    """Whether its answers go back as a list, one for each question."""

    def data(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What the answer holds."""
        return answers_of(self.form, content) if self.is_questions else dict(content)


@dataclass(frozen=True, slots=True)
class YesNoAsked:
    """One thing to say yes or no to: an empty form, a lone boolean, an approval."""

    field: BooleanField | None = None
    """What the answer goes to; without one, yes is all the answer there is, and no is a refusal."""

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


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """A form that cannot be accepted: it can only be declined or cancelled."""

    problem: str
    fields: tuple[Field, ...] = ()


Asked: TypeAlias = FormAsked | YesNoAsked | LinkAsked | UnknownAsked | Unanswerable


def asked_of(request: Request) -> Asked:
    """What a request asks of a person."""
    match request.kind:
        case "input" | "question":
            return _shaped(request)
        case "authorization":
            return LinkAsked(link_of(request.url))
        case "approval":
            return YesNoAsked()
        case kind:
            link = None if request.url is None else link_of(request.url)
            return UnknownAsked(kind, link)


def asked_of_form(form: Form[Any]) -> Asked:
    """What a form asks of a person."""
    if undrawable := undrawable_in(form):
        return Unanswerable(NOT_HERE, undrawable)
    match form.fields:
        case ():
            return YesNoAsked()
        case (BooleanField(required=True) as field,):
            return YesNoAsked(field)
        case _:
            return FormAsked(form)


def _shaped(request: Request) -> Asked:
    match shape_of(request):
        case Refusal() as refusal:
            return Unanswerable(refusal.told, () if refusal.form is None else undrawable_in(refusal.form))
        case Form() as form if request.kind == "question":
            return FormAsked(form, is_questions=True)
        case Form() as form:
            return asked_of_form(form)
        case None:
            raise AssertionError("both kinds have a shape")
