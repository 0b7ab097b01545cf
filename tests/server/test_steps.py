"""`step`: what is done once in a call, however often the call is run (design, 7)."""

import asyncio
from datetime import date
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, call_id, elicit, limits, step, task_id
from elicitkit.testing import accept
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]

Server = MCPServer[Any]


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


async def echo(_: object, params: Any) -> Any:
    return accept(x=params.message)


@pytest.fixture
def mcp() -> Server:
    return MCPServer("stepper", middleware=[Elicitation()])


async def call(mcp: Server, revision: str) -> str:
    async with eras.connected(mcp, revision, echo) as client:
        return await eras.said(client, "ask")


async def test_a_step_before_questions_is_done_once_and_its_result_given_in_every_run(
    mcp: Server, revision: str
) -> None:
    done: list[str] = []

    def reserve(item: str) -> dict[str, Any]:
        done.append(item)
        return {"number": len(done), "items": [item, None, 1.5, True]}

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        reserved = await step(ctx, "reserve", reserve, "cake")
        await elicit(ctx, text_form("a"))
        await elicit(ctx, text_form("b"))
        return str(reserved)

    assert await call(mcp, revision) == "{'number': 1, 'items': ['cake', None, 1.5, True]}"
    assert done == ["cake"]


async def test_an_async_step_takes_arguments_by_name(mcp: Server, revision: str) -> None:
    async def join(first: str, *, second: str) -> str:
        await asyncio.sleep(0)
        return first + second

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        joined: str = await step(ctx, "join", join, "a", second="b")
        await elicit(ctx, text_form("?"))
        return joined

    assert await call(mcp, revision) == "ab"


async def test_steps_of_one_name_in_a_loop_are_each_done_once(mcp: Server, revision: str) -> None:
    done: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        for number in range(3):
            await step(ctx, "count", done.append, number)
            await elicit(ctx, text_form(str(number)))
        return "done"

    assert await call(mcp, revision) == "done"
    assert done == [0, 1, 2]


async def test_changing_what_a_step_gave_does_not_change_what_is_kept(mcp: Server, revision: str) -> None:
    seen: list[list[int]] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        numbers = await step(ctx, "numbers", lambda: [1, 2])
        seen.append([*numbers])
        numbers.append(3)
        await elicit(ctx, text_form("?"))
        return "done"

    assert await call(mcp, revision) == "done"
    assert all(numbers == [1, 2] for numbers in seen)


async def test_a_failure_is_the_tools_own_and_is_not_kept(mcp: Server, revision: str) -> None:
    tried: list[int] = []

    def charge() -> str:
        tried.append(1)
        if len(tried) == 1:
            raise ConnectionError("the bank sleeps")
        return "charged"

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            charged = await step(ctx, "charge", charge)
        except ConnectionError:
            charged = await step(ctx, "charge", charge)
        await elicit(ctx, text_form("?"))
        return charged

    text = await call(mcp, revision)

    assert text == "charged"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((1, 2), "it is of type tuple"),
        ({"when": date(2026, 1, 1)}, "it['when'] is of type date"),
        ([{1: "a"}], "it[0] has a key of type int"),
        (float("nan"), "it is nan"),
    ],
    ids=["tuple", "date", "key", "nan"],
)
async def test_a_result_that_json_would_change_is_an_error_that_says_where(
    mcp: Server, revision: str, given: object, problem: str
) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await step(ctx, "odd", lambda: given))

    assert await call(mcp, revision) == f"error: what the step 'odd' gave cannot be kept as JSON: {problem}"


async def test_a_step_that_asks_is_an_error_and_no_deadlock(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        async def asking() -> str:
            return (await elicit(ctx, text_form("?"))).action

        return await step(ctx, "asking", asking)

    assert "error: the step 'asking' asks a question or runs a step" in await call(mcp, revision)


async def test_a_step_beside_a_question_is_finished_before_the_round_is_sent(mcp: Server, revision: str) -> None:
    done: list[str] = []
    asked_after: list[list[str]] = []

    async def slow() -> str:
        for _ in range(20):
            await asyncio.sleep(0)
        done.append("slow")
        return "slow"

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        stepped, outcome = await asyncio.gather(step(ctx, "slow", slow), elicit(ctx, text_form("a")))
        return f"{stepped} {outcome.content['x']}" if outcome else "refused"

    async def note(_: object, params: Any) -> Any:
        asked_after.append([*done])
        return accept(x=params.message)

    async with eras.connected(mcp, revision, note) as client:
        assert await eras.said(client, "ask") == "slow a"
    assert done == ["slow"]
    if revision in eras.MODERN:
        assert asked_after == [["slow"]]


async def test_the_call_id_is_the_same_in_all_rounds_of_a_call_and_another_in_the_next(
    mcp: Server, revision: str
) -> None:
    seen: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        seen.append(call_id(ctx))
        await elicit(ctx, text_form("?"))
        return call_id(ctx)

    async with eras.connected(mcp, revision, echo) as client:
        first = await eras.said(client, "ask")
        second = await eras.said(client, "ask")

    assert {*seen} == {first, second}
    assert len(first) == 32
    assert first != second


async def test_a_tool_may_step_without_asking(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return await step(ctx, "word", "Ada".upper)

    async with Client(mcp, mode="auto" if revision in eras.MODERN else "legacy") as client:
        assert await eras.said(client, "ask") == "ADA"


async def test_a_step_that_grows_the_journal_too_large_beside_a_question_is_an_error(
    mcp: Server, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def large() -> str:
        await asyncio.sleep(0)
        return "x" * limits.STATE_BYTES

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        stepped, _ = await asyncio.gather(step(ctx, "large", large), elicit(ctx, text_form("a")))
        return str(len(stepped))

    text = await call(mcp, revision)

    if revision in eras.MODERN:
        assert text.startswith("error: The answers and steps so far take ")
    else:
        assert text == str(limits.STATE_BYTES)


@pytest.mark.parametrize("name", ["", " ", "a#2", "a~2", 7])
async def test_a_name_that_could_be_mistaken_is_refused_at_once(mcp: Server, revision: str, name: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="the name of a step is text"):
        step(None, name, print)


async def test_what_is_no_function_is_refused_at_once(mcp: Server, revision: str) -> None:
    with pytest.raises(TypeError, match="step takes a function and its arguments"):
        step(None, "charge", "not a function")  # type: ignore[call-overload]


async def test_a_step_behind_a_swallowed_suspension_waits_for_the_answer(mcp: Server, revision: str) -> None:
    done: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        answered = "nothing"
        try:
            outcome = await elicit(ctx, text_form("a"))
            answered = str(outcome.content["x"]) if outcome else "no"
        finally:
            await step(ctx, "note", done.append, answered)
        return answered

    assert await call(mcp, revision) == "a"
    assert done == ["a"]


async def test_two_steps_of_one_name_side_by_side_are_an_error_at_the_first_run(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        await asyncio.gather(*(step(ctx, "same", asyncio.sleep, 0) for _ in range(2)))
        return "done"

    assert await call(mcp, revision) == "error: two steps 'same' run side by side: give each a name of its own"


async def test_a_functions_own_arguments_may_have_any_name(mcp: Server, revision: str) -> None:
    def create(name: str, fn: str, ctx: str) -> str:
        return name + fn + ctx

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return await step(ctx, "create", create, name="a", fn="b", ctx="c")

    assert await call(mcp, revision) == "abc"


async def test_a_call_that_is_no_task_has_no_task_id(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str([task_id(ctx), await step(ctx, "look", lambda: task_id(ctx))])

    async with eras.connected(mcp, revision, echo) as client:
        assert await eras.said(client, "ask") == "[None, None]"


async def test_inside_a_step_the_call_id_may_be_read(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await step(ctx, "charge", lambda: call_id(ctx)) == call_id(ctx))

    assert await call(mcp, revision) == "True"


async def test_a_step_may_call_another_server_that_asks(mcp: Server, revision: str) -> None:
    other: Server = MCPServer("other", middleware=[Elicitation()])

    @other.tool()
    async def inner(ctx: Context) -> str:
        return (await elicit(ctx, text_form("inner"))).action

    async def calling() -> str:
        async with Client(other, elicitation_callback=echo) as client:
            return await eras.said(client, "inner")

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return await step(ctx, "calling", calling)

    assert await call(mcp, revision) == "accept"


async def test_what_a_step_started_may_ask_when_it_is_over(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        go = asyncio.Event()

        async def later() -> str:
            await go.wait()
            return (await elicit(ctx, text_form("later"))).action

        started: list[asyncio.Task[str]] = []
        await step(ctx, "start", lambda: started.append(asyncio.ensure_future(later())))
        go.set()
        return await started[0] if started else "replayed"

    assert await call(mcp, revision) == ("accept" if revision in eras.HANDSHAKE else "replayed")


async def test_the_sdks_own_elicit_is_refused_in_a_step_too(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        return str(await step(ctx, "asking", ctx.session.elicit_form, "?", schema))

    assert "the step 'asking' asks a question" in await call(mcp, revision)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("given", [nested(100_000), 10**5_000], ids=["deep", "digits"])
async def test_what_json_has_no_room_for_is_a_clear_error(mcp: Server, revision: str, given: object) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await step(ctx, "odd", lambda: given))

    assert "cannot be kept as JSON: it is nested too deep, or holds a number" in await call(mcp, revision)


@pytest.mark.parametrize("old", ["2024-11-05", "2025-03-26"])
async def test_a_revision_that_cannot_ask_has_steps_and_call_ids_all_the_same(
    mcp: Server, revision: str, old: str
) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return await step(ctx, "charge", lambda: call_id(ctx))

    async with eras.connected(mcp, old) as client:
        first, second = await eras.said(client, "ask"), await eras.said(client, "ask")

    assert len(first) == 32
    assert first != second
