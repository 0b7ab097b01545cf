"""Inside a task every question is parked, and the tool goes on when it is answered (design, section 8)."""

import asyncio
import itertools
from typing import Annotated, Any

import mcp_types as types
import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from pydantic import BaseModel

from elicitkit import (
    AnswerError,
    Tasks,
    confirm,
    elicit,
    elicit_all,
    elicit_sync,
    elicit_url,
    limits,
    step,
)
from elicitkit import (
    task_id as id_of,
)
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import CANCEL, DECLINE, accept, desk, form, quick, server

pytestmark = pytest.mark.anyio


class Size(BaseModel):
    size: str


@pytest.fixture
def tasks(store: TaskStore) -> Tasks:
    return Tasks(store, tools=lambda name, arguments: True)


@pytest.fixture
def mcp(tasks: Tasks) -> MCPServer[Any]:
    return server(tasks)


# --- every way to ask -------------------------------------------------------------------------------------------------


async def test_a_form_is_parked_and_the_tool_goes_on_with_the_answer(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def order(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return f"ordered {outcome.content['size']}" if outcome else "nothing"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        (request,) = (await at.asked(task_id)).values()
        assert request["method"] == "elicitation/create"
        assert request["params"]["message"] == "Which size?"
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "ordered XL"


@pytest.mark.parametrize(("response", "said"), [(DECLINE, "declined"), (CANCEL, "cancelled")])
async def test_a_refusal_is_no_acceptance(mcp: MCPServer[Any], tasks: Tasks, response: Any, said: str) -> None:
    @mcp.tool()
    async def delete(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return "deleted" if outcome else str(outcome.reason)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("delete")
        await at.update(task_id, **{await at.key(task_id): response})

        assert await at.said(task_id) == said


async def test_a_confirmation_is_a_clear_yes_alone(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def delete(ctx: Context) -> bool:
        return bool(await confirm(ctx, "Delete?"))

    async with desk(mcp, tasks) as at:
        answers = [accept(confirm=True), accept(confirm=False), DECLINE]
        ids = [await at.start("delete") for _ in answers]
        for task_id, answer in zip(ids, answers, strict=True):
            await at.update(task_id, **{await at.key(task_id): answer})

        assert [await at.said(task_id) for task_id in ids] == ["true", "false", "false"]


async def test_a_link_is_parked_and_done_decides(mcp: MCPServer[Any], tasks: Tasks) -> None:
    looks = iter([False, True])

    @mcp.tool()
    async def pay(ctx: Context) -> str:
        async def done() -> bool:
            return next(looks)

        outcome = await elicit_url(ctx, "Pay", "https://pay.example/1", done=done, wait=0)
        return "paid" if outcome else str(outcome.reason)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("pay")
        first = await at.key(task_id)
        (request,) = (await at.asked(task_id)).values()
        assert request["params"] == {"mode": "url", "message": "Pay", "url": "https://pay.example/1"}
        await at.update(task_id, **{first: {"action": "accept"}})
        await at.when(task_id, lambda record: bool(record.inputs) and first not in record.inputs)
        await at.update(task_id, **{await at.key(task_id): {"action": "accept"}})

        assert await at.said(task_id) == "paid"


async def test_what_is_no_answer_to_a_link_is_never_consent(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def pay(ctx: Context) -> str:
        return "agreed" if await elicit_url(ctx, "Pay", "https://pay.example/1") else "refused"

    async with desk(mcp, tasks) as at:
        task_id, seen = await at.start("pay"), set[str]()
        for _ in range(3):
            await at.when(task_id, lambda record: bool(record.inputs.keys() - seen))
            key = await at.key(task_id)
            seen.add(key)
            await at.update(task_id, **{key: {"action": "yes!"}})

        assert (await at.said(task_id)).startswith("error: The answer does not fit")


async def test_stock_questions_are_parked_too(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def stock(ctx: Context) -> str:
        first = await ctx.elicit("Which size?", Size)
        second = await ctx.elicit_url("Look", "https://shop.example", "id-1")
        third = await ctx.session.elicit_form("Which colour?", form(name="colour").build().schema(), ctx.request_id)
        return f"{first.data.size if first.action == 'accept' else ''} {second.action} {third.content}"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("stock")
        first = await at.answer(task_id, size="XL")
        await at.when(task_id, lambda record: bool(record.inputs) and first not in record.inputs)
        second = await at.key(task_id)
        await at.update(task_id, **{second: {"action": "accept"}})
        await at.when(task_id, lambda record: bool(record.inputs) and second not in record.inputs)
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "XL accept {'colour': 'red'}"


async def test_resolved_parameters_are_parked(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async def ask_size() -> Elicit[Size]:
        return Elicit("Which size?", Size)

    @mcp.tool()
    async def order(size: Annotated[Size, Resolve(ask_size)], ctx: Context) -> str:
        outcome = await elicit(ctx, form("Which colour?", "colour"))
        return f"{size.size} {outcome.content['colour'] if outcome else ''}"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        first = await at.answer(task_id, size="XL")
        await at.when(task_id, lambda record: bool(record.inputs) and first not in record.inputs)
        await at.answer(task_id, colour="red")

        assert await at.said(task_id) == "XL red"


async def test_a_round_made_by_hand_is_parked(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def order(ctx: Context) -> str | types.InputRequiredResult:
        answered: Any = (ctx.input_responses or {}).get("size")
        if answered is None:
            asked = types.ElicitRequest.model_validate(form().build().to_input_request())
            return types.InputRequiredResult(input_requests={"size": asked}, request_state="once")
        return f"{answered.content['size']} {ctx.request_state}"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "XL once"


async def test_a_tool_in_a_thread_is_answered(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    def order(ctx: Context) -> str:
        outcome = elicit_sync(ctx, form())
        return f"ordered {outcome.content['size']}" if outcome else "nothing"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "ordered XL"


# --- several questions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [*itertools.permutations("abc")], ids="".join)
async def test_open_forms_are_answered_in_any_order(mcp: MCPServer[Any], tasks: Tasks, order: tuple[str, ...]) -> None:
    @mcp.tool()
    async def ask() -> str:
        found = await elicit_all(None, {name: form(name, "x") for name in "abc"})
        return "".join(f"{name}{one.content['x']}" for name, one in found.items() if one)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        keys = {one["params"]["message"]: key for key, one in (await at.asked(task_id, 3)).items()}
        for name in order:
            await at.update(task_id, **{keys[name]: accept(x=name.upper())})
            assert keys[name] not in (await at.get(task_id)).get("inputRequests", {})

        assert await at.said(task_id) == "aAbBcC"


async def test_some_of_the_keys_may_be_answered_at_once(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcomes = await asyncio.gather(*(elicit(ctx, form(name, "x")) for name in "abc"))
        return "".join(one.content["x"] for one in outcomes if one)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        first, second, third = await at.asked(task_id, 3)
        await at.update(task_id, **{first: accept(x="1"), third: accept(x="3")})
        assert (await at.get(task_id))["status"] == "input_required"
        await at.update(task_id, **{second: accept(x="2")})

        assert await at.said(task_id) == "123"


async def test_three_forms_follow_each_other_under_three_keys(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcomes = [await elicit(ctx, form("Again?", "x")) for _ in range(3)]
        return "".join(one.content["x"] for one in outcomes if one)

    async with desk(mcp, tasks) as at:
        task_id, keys = await at.start("ask"), list[str]()
        for letter in "abc":
            await at.when(task_id, lambda record: bool(record.inputs.keys() - set(keys)))
            keys.append(await at.answer(task_id, x=letter))

        assert await at.said(task_id) == "abc"
        assert len(set(keys)) == 3


# --- answers that do not fit ------------------------------------------------------------------------------------------


async def test_a_wrong_answer_closes_its_key_and_the_form_comes_back_with_the_fault(
    mcp: MCPServer[Any], tasks: Tasks
) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> int:
        outcome = await elicit(ctx, form().integer("count").required())
        return outcome.content["count"] if outcome else 0

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        first = await at.answer(task_id, size="XL", count="a lot")
        asked = await at.asked(task_id)

        assert first not in asked
        assert next(iter(asked.values()))["params"]["message"].startswith("Please correct this:\n- Count:")
        await at.answer(task_id, size="XL", count="3")
        assert await at.said(task_id) == "3"


@pytest.mark.parametrize("tries", [1, 2, 3, 5])
async def test_after_the_last_try_the_tool_gets_the_faults(mcp: MCPServer[Any], tasks: Tasks, tries: int) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> None:
        await elicit(ctx, form(), tries=tries)

    async with desk(mcp, tasks) as at:
        task_id, keys = await at.start("ask"), set[str]()
        for _ in range(tries):
            await at.when(task_id, lambda record: bool(record.inputs.keys() - keys) or record.is_over)
            keys.add(await at.answer(task_id, size=7))

        assert await at.said(task_id) == "error: The answer does not fit: Size: must be text"
        assert len(keys) == tries


async def test_a_tool_that_catches_the_last_fault_goes_on(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await elicit(ctx, form(), tries=1)
        except AnswerError:
            return "then not"
        return "never"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.answer(task_id, size=7)

        assert await at.said(task_id) == "then not"


async def test_an_answer_over_the_limit_is_a_wrong_one(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> int:
        outcome = await elicit(ctx, form())
        return len(outcome.content["size"]) if outcome else 0

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.answer(task_id, size="x" * limits.ANSWER_BYTES)
        (again,) = (await at.asked(task_id)).values()

        assert "The answer takes" in again["params"]["message"]
        await at.answer(task_id, size="x" * 100_000)
        assert await at.said(task_id) == "100000"


async def test_a_late_second_answer_changes_nothing(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return str(outcome.content["size"]) if outcome else "refused"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        key = await at.answer(task_id, size="first")
        acknowledged = await at.update(task_id, **{key: DECLINE})
        assert await at.said(task_id) == "first"
        after = await at.update(task_id, **{key: accept(size="third")})

        assert acknowledged["resultType"] == after["resultType"] == "complete"
        assert await at.said(task_id) == "first"


@pytest.mark.parametrize("response", [None, 7, "yes", [], {}, {"action": "explode"}, {"role": "assistant"}])
async def test_unknown_keys_are_acknowledged_and_ignored(mcp: MCPServer[Any], tasks: Tasks, response: Any) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> bool:
        return bool(await elicit(ctx, form()))

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        key = await at.key(task_id)
        acknowledged = await at.update(task_id, nobody=response)

        assert acknowledged["resultType"] == "complete"
        assert [*await at.asked(task_id)] == [key]


# --- time and steps ---------------------------------------------------------------------------------------------------


async def test_a_question_with_a_timeout_expires_and_leaves_the_task(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, form(), timeout=0.1)
        return "answered" if outcome else str(outcome.reason)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        key = await at.key(task_id)

        assert await at.said(task_id) == "expired"
        assert (await at.update(task_id, **{key: accept(size="XL")}))["resultType"] == "complete"


async def test_a_step_runs_once_and_gives_its_result(mcp: MCPServer[Any], tasks: Tasks) -> None:
    @mcp.tool()
    async def order(ctx: Context) -> str:
        price = await step(ctx, "price", lambda: 42)
        outcome = await elicit(ctx, form(f"{price} euros?", "ok"))
        return f"{price} {outcome.content['ok']}" if outcome else "no"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        await at.answer(task_id, ok="fine")

        assert await at.said(task_id) == "42 fine"
        assert (await at.store.history(task_id)).steps == {"price": "42"}


# --- the id -----------------------------------------------------------------------------------------------------------


async def test_a_tool_learns_the_id_of_its_task_in_every_run(store: TaskStore) -> None:
    """What a background worker of the author's asks and waits with."""
    tasks, seen = quick(store, tools={"ask"}), list[str | None]()
    mcp = server(tasks)

    @mcp.tool()
    def ask(ctx: Context) -> str:
        seen.append(id_of(ctx))
        elicit_sync(ctx, form())
        return "done"

    async with desk(mcp, tasks) as at:
        task_id = await at.start("ask")
        await at.key(task_id)
    async with desk(mcp, tasks) as at:
        await at.answer(task_id, size="XL")
        assert await at.said(task_id) == "done"

    assert seen == [task_id, task_id]
