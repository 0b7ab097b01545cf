"""The way through a question: fill in, look over, send; or consent, open, say how it went.

Pure: from what was posted to the next page, or to what is to be answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal, NamedTuple, TypeAlias, assert_never

from ...errors import Fault
from ...fields import BooleanField, UnknownField
from ...forms import Form
from ...host.retries import Retry
from ...limits import NOTE_CHARACTERS
from ..text import drawable, fault_line
from . import pages
from .controls import EXACT, ZONE, Posted, first, name_of, untouched
from .pages import Act, Live, Site
from .posted import read
from .questions import Asked, FormAsked, LinkAsked, Unanswerable, UnknownAsked, YesNoAsked
from .views import Asker, FaultShown, Focus, faults_of, fields_of, lone, rows_of

Refusal: TypeAlias = Literal["decline", "cancel", "failed"]
"""How a person does not answer: no, undecided, or a link that did not work."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a page has it."""

    who: Asker
    prompt: str
    asked: Asked
    site: Site
    act: Act
    live: Live | None = None
    kicker: str = "Question"
    retry: Retry | None = None
    """Why it is asked again, where an answer to it was refused."""

    details: str = ""
    """What came with it beside what is asked, in lines."""


class Shown(NamedTuple):
    """The next page."""

    html: str
    status: int = HTTPStatus.OK


class Accept(NamedTuple):
    """The person agreed, with these data."""

    data: Mapping[str, Any] | None


class Refuse(NamedTuple):
    """The person did not agree, and may have said why."""

    how: Refusal
    note: str = ""


Step: TypeAlias = Shown | Accept | Refuse


def begin(question: Question) -> Shown:
    """The first page of a question."""
    match question.asked:
        case FormAsked(form):
            retry = question.retry or Retry(question.prompt)
            page = _fill(question, form, untouched(form.fields, retry.answered), retry.faults, is_new=True)
            return page._replace(status=HTTPStatus.OK)
        case YesNoAsked() as asked:
            page = _yes_no(question, asked, question.retry.faults if question.retry else ())
            return page._replace(status=HTTPStatus.OK)
        case LinkAsked(link):
            return _page(question, "link", link=link, has_consented=False)
        case UnknownAsked(kind, link):
            return _page(question, "unknown", kind=drawable(kind), link=link)
        case Unanswerable(problem, fields):
            return _page(question, "unanswerable", problem=problem, fields=fields_of(fields, {}))
        case _:
            assert_never(question.asked)


def follow(question: Question, posted: Posted) -> Step:
    """What follows from what was posted. A step that the question does not have leads back to its beginning."""
    step, _, place = first(posted, "step").partition(":")
    match step:
        case "decline" | "cancel":
            return Refuse("decline" if step == "decline" else "cancel", _note(posted))
    match question.asked, step:
        case FormAsked() as asked, _:
            return _through_form(question, asked, step, place, posted)
        case YesNoAsked() as asked, "yes":
            return Accept(asked.data())
        case YesNoAsked(BooleanField() as field), "no":
            return Accept({field.name: False})
        case LinkAsked(link), "consent" if not link.problem:
            return _page(question, "link", link=link, has_consented=True)
        case LinkAsked(link), "done" if not link.problem:
            return Accept(None)
        case LinkAsked(), "failed":
            return Refuse("failed")
        case UnknownAsked(), "yes":
            return Accept(None)
    return begin(question)


def again(question: Question, posted: Posted, faults: Sequence[Fault]) -> Shown:
    """The form once more, with what was typed and what is wrong with it."""
    match question.asked:
        case FormAsked(form):
            return _fill(question, form, _known(form, posted), faults)
        case YesNoAsked() as asked:
            return _yes_no(question, asked, faults)
        case _:
            return begin(question)


def _through_form(question: Question, asked: FormAsked, step: str, place: str, posted: Posted) -> Step:
    form, known = asked.form, _known(asked.form, posted)
    if step == "edit":
        return _fill(question, form, known, focus=int(place) if place.isdecimal() and len(place) < 4 else None)
    if step not in ("review", "send"):
        return begin(question)
    reading = read(form, known)
    if reading.faults:
        return _fill(question, form, known, reading.faults)
    if step == "send":
        return Accept(asked.data(reading.content))
    return _page(question, "review", rows=rows_of(form.fields, reading.content), posted=known, faults=())


def _yes_no(question: Question, asked: YesNoAsked, faults: Sequence[Fault] = ()) -> Shown:
    drawn = None if asked.field is None else lone(asked.field)
    told = [FaultShown("", "", fault_line(fault)) for fault in faults]
    shown = _page(question, "yes_no", field=drawn, faults=told)
    return shown._replace(status=HTTPStatus.UNPROCESSABLE_ENTITY) if faults else shown


def _fill(
    question: Question,
    form: Form[Any],
    posted: Posted,
    faults: Sequence[Fault] = (),
    *,
    focus: Focus = None,
    is_new: bool = False,
) -> Shown:
    fields = fields_of(form.fields, posted, faults, focus=focus)
    shown = _page(question, "fill", fields=fields, faults=faults_of(form, faults), is_new=is_new)
    return shown._replace(status=HTTPStatus.UNPROCESSABLE_ENTITY) if faults else shown


def _page(question: Question, template: str, **given: Any) -> Shown:
    html = pages.page(
        template,
        question.site,
        live=question.live,
        who=question.who,
        prompt=question.prompt,
        details=question.details,
        act=question.act,
        kicker=question.kicker,
        **{"faults": (), **given},
    )
    return Shown(html)


def _known(form: Form[Any], posted: Posted) -> Posted:
    """What was posted of the controls of a form, in the order of its fields."""
    answerable = [name_of(at) for at, field in enumerate(form.fields) if not isinstance(field, UnknownField)]
    return {name: posted[name] for one in answerable for name in (one, one + ZONE, one + EXACT) if name in posted}


def _note(posted: Posted) -> str:
    return first(posted, "note").replace("\r\n", "\n").strip()[:NOTE_CHARACTERS]
