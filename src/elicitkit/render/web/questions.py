"""What a page asks: each kind of request as one of a few things a person can do. Pure, but for reading the entry.

`Asked` is closed; a page is a `match` over it. Kinds that nobody here knows are shown whole, and can be agreed to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ...errors import FormError
from ...fields import BooleanField, Field, UnknownField
from ...forms import Content, Form
from ...host.checking import Refusal
from ...host.model_questions import answers_of
from ...host.shapes import shape_of
from ...suspension import Request
from ..links import Link, link_of
from ..text import drawable

_PROBLEM: Final = 500
_NOT_HERE: Final = "It requires something that cannot be answered here."


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
    if undrawable := _required_unknown(form):
        return Unanswerable(_NOT_HERE, undrawable)
    match form.fields:
        case ():
            return YesNoAsked()
        case (BooleanField(required=True) as field,):
            return YesNoAsked(field)
        case _:
            return FormAsked(form)


def _shaped(request: Request) -> Asked:
    match shape_of(request):
        case Refusal(_, problem):
            if fields := _undrawable(request):
                return Unanswerable(_NOT_HERE, fields)
            words = drawable(problem, limit=_PROBLEM).removesuffix(".")
            return Unanswerable(f"{words[:1].upper()}{words[1:]}.")
        case Form() as form if request.kind == "question":
            return FormAsked(form, is_questions=True)
        case Form() as form:
            return asked_of_form(form)
        case None:
            raise AssertionError("both kinds have a shape")


def _undrawable(request: Request) -> tuple[Field, ...]:
    """The fields for which nobody can answer a form, where it can be read at all."""
    try:
        return () if request.schema is None else _required_unknown(Form.from_schema("", request.schema))
    except FormError:
        return ()


def _required_unknown(form: Form[Any]) -> tuple[Field, ...]:
    return tuple(field for field in form.fields if isinstance(field, UnknownField) and field.required)
