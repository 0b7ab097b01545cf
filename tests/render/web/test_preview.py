"""One form as people will see it, for its author (issue 9, point 6)."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import pytest

from elicitkit import Form, FormElicitation, FormError
from elicitkit.render.web import preview_app
from tests.render.web.visitor import TOKEN, Visitor

pytestmark = pytest.mark.anyio

FORM = FormElicitation.create("Who are you?").string("name").required().integer("age").default(7)


@pytest.fixture
async def author() -> AsyncIterator[Visitor]:
    visitor = Visitor(preview_app(FORM, token=TOKEN))
    async with visitor.client:
        await visitor.open(f"/?token={TOKEN}")
        yield visitor


async def test_the_author_sees_what_would_have_been_sent(author: Visitor) -> None:
    await author.press("review", f0="Ada", f1="")

    page = await author.press("send")

    assert '{ "action": "accept", "content": { "name": "Ada" } }' in page.text  # As hosts send it.
    assert "And its tool: {'name': 'Ada', 'age': 7}" in page.text


@pytest.mark.parametrize("step", ["decline", "cancel"])
async def test_the_author_sees_how_a_refusal_is_sent(author: Visitor, step: str) -> None:
    page = await author.press(step)

    assert f'"action": "{step}"' in page.text
    assert {"decline": "Declined(reason='declined')", "cancel": "Cancelled(reason='cancelled')"}[step] in page.text


async def test_what_the_type_of_a_form_refuses_is_shown_as_a_person_sees_it() -> None:
    @dataclass
    class Trip:
        start: int
        end: int

        def __post_init__(self) -> None:
            if self.end < self.start:
                raise ValueError("a trip ends after it starts")

    visitor = Visitor(preview_app(FormElicitation.from_type(Trip, "When?"), token=TOKEN))
    await visitor.open(f"/?token={TOKEN}")
    page = await visitor.press("review", f0="2", f1="1")

    assert visitor.status == 422
    assert "a trip ends after it starts" in page.text

    await visitor.press("review", f0="1", f1="2")
    page = await visitor.press("send")

    assert "Trip(start=1, end=2)" in page.text


async def test_what_the_tool_itself_refuses_is_asked_again() -> None:
    """The form that is drawn may be another: that of an older revision, as `elicitkit preview --era` shows it."""

    def refuse(answer: Mapping[str, object]) -> None:
        if answer["a"] == answer["b"]:
            raise ValueError("A and B must differ.")

    form = FormElicitation.create("?").string("a").required().string("b").required().validate(refuse).build()
    drawn = Form.from_schema(form.message, form.schema())
    visitor = Visitor(preview_app(drawn, token=TOKEN, judge=form.accept))
    await visitor.open(f"/?token={TOKEN}")

    await visitor.press("review", f0="x", f1="x")
    page = await visitor.press("send")

    assert visitor.status == 422
    assert "A and B must differ." in page.text

    await visitor.press("review", f0="x", f1="y")
    page = await visitor.press("send")

    assert "{'a': 'x', 'b': 'y'}" in page.text


async def test_the_review_speaks_of_whoever_asks_within_a_sentence(author: Visitor) -> None:
    assert "what your server will get" in (await author.press("review", f0="Ada")).text


async def test_what_the_author_refuses_of_a_yes_or_a_no_is_shown_too() -> None:
    def refuse(answer: Mapping[str, object]) -> None:
        if answer["go"]:
            raise ValueError("not on a Friday")

    form = FormElicitation.create("Deploy?").boolean("go").required().validate(refuse)
    visitor = Visitor(preview_app(form, token=TOKEN))
    await visitor.open(f"/?token={TOKEN}")

    page = await visitor.press("yes")

    assert visitor.status == 422
    assert "There is a problem not on a Friday" in page.text
    assert page.one("div", id="faults") | {"autofocus": ""} == page.one("div", id="faults")  # No field is to blame.


async def test_a_preview_needs_its_token_too() -> None:
    visitor = Visitor(preview_app(FORM, token=TOKEN))

    await visitor.open("/")

    assert visitor.status == 401


def test_a_form_with_faults_is_not_shown() -> None:
    with pytest.raises(FormError):
        preview_app(FormElicitation.create("Which?").choice("size"), token=TOKEN)
