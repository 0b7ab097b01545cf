"""What a type checker makes of right code (design, sections 4 and 5). It is read by mypy and pyright and never run."""

# pyright: strict

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypedDict, assert_type

from elicitkit import (
    Accepted,
    Cancelled,
    Content,
    Declined,
    Form,
    FormElicitation,
    FormSource,
    Outcome,
    bind,
    call_id,
    confirm,
    elicit,
    elicit_all,
    elicit_sync,
    elicit_url,
    step,
    task_id,
    url_required,
)
from elicitkit.asking import AskContext
from elicitkit.forms.builder import (
    BooleanStep,
    ChoiceStep,
    IntegerStep,
    MultiChoiceStep,
    NumberStep,
    TextStep,
)

form = FormElicitation.create("Who are you?")


def an_empty_form_is_answered_with_content() -> None:
    assert_type(form, FormElicitation[Content])
    assert_type(form.build(), Form[Content])
    assert_type(Form.from_schema("m", {"properties": {}}), Form[Content])
    assert_type(form.check({}), Content)


def each_starter_gives_the_steps_of_its_kind() -> None:
    assert_type(form.string("a"), TextStep[Content])
    assert_type(form.email("a").uri("b").date("c").date_time("d"), TextStep[Content])
    assert_type(form.integer("a"), IntegerStep[Content])
    assert_type(form.number(lambda query: query["top"]), NumberStep[Content])
    assert_type(form.boolean("a"), BooleanStep[Content])
    assert_type(form.choice("a"), ChoiceStep[Content])
    assert_type(form.multi_choice("a"), MultiChoiceStep[Content])


def steps_stay_with_their_kind() -> None:
    assert_type(form.string("a").title("A").description("b").required().optional(), TextStep[Content])
    assert_type(form.string("a").min_length(1).max_length(2).default("x").allow_sensitive(), TextStep[Content])
    assert_type(form.integer("a").min(1).max(2).between(1, 2).default(1), IntegerStep[Content])
    assert_type(form.choice("a").option("x", "X").options({"y": None}).default("x"), ChoiceStep[Content])
    assert_type(form.multi_choice("a").options(["x"]).min_items(1).default("x", "y"), MultiChoiceStep[Content])


def the_builder_comes_back_from_what_concerns_the_whole() -> None:
    assert_type(form.string("a").exclude("a"), FormElicitation[Content])
    assert_type(form.string("a").validate(lambda answer: answer["a"]), FormElicitation[Content])


def send(source: FormSource[Content]) -> Form[Content]:
    return source.build()


def every_node_and_the_form_can_be_sent() -> None:
    send(form)
    send(form.string("a").required())
    send(form.multi_choice("a"))
    send(form.build().with_message("Again?"))


def an_outcome_narrows_by_its_truth(outcome: Outcome[Content]) -> str:
    if outcome:
        assert_type(outcome, Accepted[Content])
        assert_type(outcome.content, Content)
        return str(outcome.content["name"])
    assert_type(outcome, Declined | Cancelled)
    assert_type(outcome.content, None)
    return outcome.reason


def an_outcome_narrows_by_a_negation(outcome: Outcome[int]) -> int:
    if not outcome:
        return len(outcome.reason)
    return outcome.content + 1


def an_outcome_can_be_matched_to_the_end(outcome: Outcome[int]) -> int:
    match outcome:
        case Accepted(content):
            assert_type(content, int)
            return content
        case Declined(reason) | Cancelled(reason):
            return len(reason)


@dataclass
class Query:
    top: int = 50


class Wish(TypedDict):
    text: str


def a_form_of_a_type_is_answered_with_it() -> None:
    made = FormElicitation.from_type(Query, "How?")
    assert_type(made, FormElicitation[Query])
    assert_type(made.integer(lambda query: query.top).min(1), IntegerStep[Query])
    assert_type(made.exclude("top", value=3), FormElicitation[Query])
    assert_type(made.build().accept({}), Accepted[Query])
    assert_type(FormElicitation.from_type(Wish, "What?"), FormElicitation[Wish])
    assert_type(FormElicitation.from_type(Query, "How?", skip_unmapped=True), FormElicitation[Content])


async def asking_gives_the_outcome_of_the_form(ctx: AskContext) -> None:
    assert_type(await elicit(ctx, form.string("name")), Outcome[Content])
    assert_type(await elicit(ctx, FormElicitation.from_type(Query, "How?")), Outcome[Query])
    assert_type(await elicit(ctx, form, Query), Outcome[Query])
    assert_type(await elicit(ctx, Form.from_schema("?", {"properties": {}})), Outcome[Content])
    assert_type(await confirm(ctx, "Sure?"), Outcome[None])
    assert_type(await elicit_url(ctx, "Pay", "https://example.org"), Outcome[None])
    assert_type(await url_required(ctx, "Pay", "https://example.org"), Outcome[None])
    assert_type(await elicit_all(ctx, {"a b": form}, name=form.string("name")), dict[str, Outcome[Any]])
    assert_type(await elicit(ctx, form, timeout=timedelta(days=1)), Outcome[Content])


def asking_in_a_thread_gives_the_outcome_too(ctx: AskContext) -> None:
    assert_type(elicit_sync(ctx, FormElicitation.from_type(Query, "How?")), Outcome[Query])
    assert_type(elicit_sync(ctx, form, Query), Outcome[Query])


async def a_step_gives_what_its_function_gives(ctx: AskContext) -> None:
    async def price(item: str, *, count: int = 1) -> float:
        return 1.0 * count

    assert_type(await step(ctx, "price", price, "cake", count=2), float)
    assert_type(await step(ctx, "length", len, "cake"), int)
    assert_type(call_id(ctx), str)
    assert_type(task_id(ctx), str | None)


def binding_gives_the_type() -> None:
    assert_type(bind(Query, {"top": 1}), Query)
    assert_type(FormElicitation.bind(Query, {"top": 1}), Query)
    assert_type(form.build().bound_to(Query), Form[Query])
