"""What holds for any form, and whatever is posted to it."""

from typing import Any

from hypothesis import given, reject
from hypothesis import strategies as st

from elicitkit import AnswerError, ContractError, Form, LimitError, Request
from elicitkit.fields import Field, MultiChoiceField, UnknownField
from elicitkit.render.web.controls import name_of, untouched
from elicitkit.render.web.pages import Act, Site
from elicitkit.render.web.posted import read
from elicitkit.render.web.questions import asked_of, asked_of_form
from elicitkit.render.web.steps import Accept, Question, Shown, begin, follow
from elicitkit.render.web.views import Asker
from elicitkit.safety import plain
from elicitkit.schema.check import Checker
from tests.render.web.visitor import Page
from tests.strategies import forms, hostile_schemas

STEPS = st.sampled_from(["review", "send", "edit", "edit:0", "edit:99", "yes", "no", "consent", "done", "failed", "?"])
TEXTS = st.text(max_size=30) | st.sampled_from(["0", "1", "on", "yes", "2027-05-12T14:30", "+02:00", "1e999999", "٣"])


def question_of(form: Form[Any]) -> Question:
    return Question(Asker("shop"), form.message, asked_of_form(form), Site("Inbox"), Act("/q/1", "secret"))


def can_be_left_alone(field: Field) -> bool:
    """Whether a page that nobody touches says the same as nothing: all but boxes none of which is ticked, which is an
    answer, and a default of which not all can be seen, which is not sent."""
    if isinstance(field, MultiChoiceField):
        return field.default is not None or not field.required
    if isinstance(field, UnknownField):
        return True
    return not isinstance(field.default, str) or plain(field.default) == field.default


def unfilled(fields: tuple[Field, ...]) -> tuple[dict[str, Any], set[str]]:
    """The answer when nobody fills in anything, and the fields that are wrong then."""
    try:
        return Checker(fields).check({}).values, set()
    except AnswerError as error:
        return {}, {fault.field for fault in error.faults}


@given(forms())
def test_a_form_that_nobody_touched_is_answered_like_one_that_nobody_filled_in(form: Form[Any]) -> None:
    fields = tuple(filter(can_be_left_alone, form.fields))
    reading = read(Form(form.message, fields), untouched(fields))

    assert (reading.content, {fault.field for fault in reading.faults}) == unfilled(fields)


@given(st.data())
def test_whatever_is_posted_leads_to_a_page_or_to_an_answer_that_fits(data: st.DataObject) -> None:
    form = data.draw(forms())
    names = st.sampled_from([f"{name_of(at)}{more}" for at in range(6) for more in ("", "z")])
    posted = data.draw(st.dictionaries(names, st.lists(TEXTS, max_size=3)))

    step = follow(question_of(form), {**posted, "step": [data.draw(STEPS)]})

    if isinstance(step, Accept) and form.fields:
        form.check(step.data)
    if isinstance(step, Shown):
        assert Page(step.html).forms


@given(hostile_schemas)
def test_every_schema_there_is_becomes_a_page(schema: Any) -> None:
    try:
        request = Request("r1", "input", "?", data={"schema": schema})
    except (TypeError, ContractError, LimitError):
        reject()

    page = begin(Question(Asker("shop"), "?", asked_of(request), Site("Inbox"), Act("/q/1", "secret")))

    assert "decline" in {step for form in Page(page.html).forms for step in form.steps}
