"""`RandomAnswers`: whatever a form asks, an answer that fits; and wrong ones that break what they say."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult

from elicitkit import AnswerError, Elicitation, Form, FormElicitation, FormError, ScriptError, elicit
from elicitkit.fields import Field, TextField, UnknownField
from elicitkit.testing import RandomAnswers, ScriptedAnswers
from tests import eras, strategies
from tests.validators import passes

pytestmark = pytest.mark.anyio

seeds = st.integers(0, 10_000)


def sizes() -> FormElicitation[Any]:
    form = FormElicitation.create("Which sizes?")
    form.choice("size").options(["S", "M"]).required()
    form.string("note").min_length(2).max_length(60)
    return form


@given(strategies.forms(), seeds)
def test_an_answer_to_any_form_passes_its_check_and_its_schema(form: Form[Any], seed: int) -> None:
    answers = RandomAnswers(seed)

    for _ in range(3):
        checked = form.check(answers.content(form))
        assert passes(form.schema(), dict(checked))


def answered(form: Form[Any], seed: int) -> dict[str, Any] | None:
    """A checked answer; nothing where there is said to be none."""
    try:
        content = RandomAnswers(seed).content(form)
    except ScriptError:
        return None
    return dict(form.check(content))


def may_have_no_answer(field: Field) -> bool:
    """Whether a required field cannot be answered, or has a length that its format may not have."""
    if isinstance(field, UnknownField):
        return field.required
    is_short = isinstance(field, TextField) and (field.max_length or 99) < 10
    return isinstance(field, TextField) and field.required and (is_short or field.format in ("date", "date-time"))


@given(st.dictionaries(strategies.words, strategies.legal_properties, max_size=4), st.booleans(), seeds)
def test_so_does_one_to_a_strangers_form(properties: dict[str, Any], are_required: bool, seed: int) -> None:
    required = list(properties) if are_required else []
    form = Form.from_schema("?", {"type": "object", "properties": properties, "required": required})

    assert answered(form, seed) is not None or any(map(may_have_no_answer, form.fields))


@given(strategies.hostile_schemas, seeds)
def test_whatever_a_stranger_sends_is_answered_or_said_to_have_no_answer(schema: Any, seed: int) -> None:
    try:
        form = Form.from_schema("?", schema)
    except FormError:
        return

    assert answered(form, seed) is not None or any(map(may_have_no_answer, form.fields))


@given(st.sampled_from([*strategies.FORMATTED]), st.integers(0, 300), st.integers(0, 300), seeds)
def test_a_format_of_any_length_is_met_where_it_can_be(name: Any, low: int, more: int, seed: int) -> None:
    field = TextField("a", format=name, min_length=low, max_length=low + more, required=True)

    assert answered(Form("?", (field,)), seed) is not None or low > 240 or more < 25 or name == "date"


@given(strategies.forms(), seeds)
def test_a_wrong_answer_breaks_the_one_field_it_says(form: Form[Any], seed: int) -> None:
    for wrong in RandomAnswers(seed).wrong(form):
        with pytest.raises(AnswerError) as refused:
            form.check(wrong.content)

        assert [fault.field for fault in refused.value.faults] == [wrong.field], wrong


def test_each_constraint_is_broken() -> None:
    form = (
        FormElicitation.create("?")
        .string("a").required().min_length(2).max_length(5)
        .email("b")
        .integer("c").between(1, 5)
        .number("d").between(0.5, 1.5)
        .boolean("e")
        .choice("f").options(["x", "y"])
        .multi_choice("g").options(["x", "y", "z"]).min_items(1).max_items(2)
    )  # fmt: skip

    broken = {str(wrong) for wrong in RandomAnswers().wrong(form)}

    assert broken == {
        *("a required", "a type", "a minLength", "a maxLength", "b type", "b format", "c type", "c minimum"),
        *("c maximum", "d type", "d minimum", "d maximum", "e type", "f type", "f enum", "g type", "g enum"),
        *("g uniqueItems", "g minItems", "g maxItems"),
    }


def test_the_same_seed_gives_the_same_answers_whatever_else_is_asked() -> None:
    other = FormElicitation.create("Who?").string("name").required()
    alone, between = RandomAnswers(7), RandomAnswers(7)

    expected = [alone.content(sizes()) for _ in range(20)]
    given = []
    for _ in range(20):
        between.content(other)
        given.append(between.content(sizes()))

    assert given == expected
    assert expected != [RandomAnswers(8).content(sizes()) for _ in range(20)]


def test_optional_fields_are_filled_in_left_out_and_cleared() -> None:
    answers = RandomAnswers(1)

    notes = [answers.content(sizes()).get("note", ...) for _ in range(50)]

    assert None in notes
    assert ... in notes
    assert any(isinstance(note, str) for note in notes)


def test_without_nulls_nothing_is_cleared() -> None:
    answers = RandomAnswers(1, nulls=False)

    assert None not in [answers.content(sizes()).get("note", ...) for _ in range(50)]


def test_an_answer_satisfies_the_authors_own_checks_too() -> None:
    form = FormElicitation.create("?").integer("n").required().between(0, 9)

    def refuse_odd(answer: Any) -> None:
        if answer["n"] % 2:
            raise ValueError("must be even")

    form.validate(refuse_odd)

    assert RandomAnswers(3).content(form)["n"] % 2 == 0


def test_a_form_whose_own_checks_refuse_everything_is_said_to_have_no_answer() -> None:
    def refuse(_: Any) -> None:
        raise ValueError("never")

    with pytest.raises(ScriptError, match=r"in 200 tries that the form's own checks accept: .*never"):
        RandomAnswers().content(FormElicitation.create("?").integer("n").validate(refuse))


@dataclass
class Trip:
    city: str
    nights: int = 3
    note: str | None = None


def test_an_answer_binds_to_the_type_of_its_form() -> None:
    form = FormElicitation.from_type(Trip, "Where to?").build()
    answers = RandomAnswers(5)

    assert all(isinstance(form.accept(answers.content(form)).content, Trip) for _ in range(30))


@pytest.mark.parametrize("revision", eras.ALL)
async def test_it_answers_a_server_of_any_era(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        form = sizes().multi_choice("colours").options({"r": "Red", "b": "Blue"}).date_time("at").required()
        return str([(await elicit(ctx, form, key=f"{n}")).action for n in range(5)])

    answers = RandomAnswers(2)
    async with eras.connected(mcp, revision, answers) as client:
        text = await eras.said(client, "ask")

    assert text == str(["accept"] * 5)
    assert len(answers.asked) == 5


@pytest.mark.parametrize("revision", eras.ALL)
async def test_wrong_answers_come_first_where_they_are_wanted(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, sizes())).action

    answers = RandomAnswers(2, wrong_first=2)
    async with eras.connected(mcp, revision, answers) as client:
        text = await eras.said(client, "ask")

    assert text == "accept"
    assert [bool(asked.faults) for asked in answers.asked] == [False, True, True]


async def test_it_refuses_as_often_as_it_is_told() -> None:
    link = ElicitRequestURLParams(message="Sign in", url="https://example.com")
    answers = RandomAnswers(1, refuses=0.5)

    actions = {(await answers(None, link)).action for _ in range(50)}  # type: ignore[union-attr]

    assert actions == {"accept", "decline", "cancel"}


async def test_a_form_that_nothing_can_answer_is_cancelled() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}
    params = ElicitRequestFormParams(message="?", requested_schema=schema)

    assert await RandomAnswers()(None, params) == ElicitResult(action="cancel")


async def test_it_fills_in_where_a_script_has_nothing() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
    with ScriptedAnswers(otherwise=RandomAnswers(1)) as answers:
        result = await answers(None, ElicitRequestFormParams(message="?", requested_schema=schema))

    assert isinstance(result, ElicitResult)
    assert isinstance((result.content or {})["a"], bool)
