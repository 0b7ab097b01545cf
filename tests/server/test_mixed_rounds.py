"""2026-07-28: rounds that a tool drives itself, beside and between ours (design, 7: they are nested in ours)."""

from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel

from elicitkit import Elicitation, FormElicitation, call_id, elicit, step
from elicitkit.testing import accept
from tests import eras

pytestmark = pytest.mark.anyio

Server = MCPServer[Any]


class Word(BaseModel):
    x: str


class Person:
    """Answers each question with its own message, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, _: object, params: Any) -> Any:
        self.asked.append(params.message)
        return accept(x=params.message)


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


def own_round(message: str, *, key: str = "own", state: str | None = None) -> InputRequiredResult:
    schema: Any = {"type": "object", "properties": {"x": {"type": "string"}}}
    params = ElicitRequestFormParams(message=message, requested_schema=schema)
    return InputRequiredResult(input_requests={key: ElicitRequest(params=params)}, request_state=state)


def own_answer(ctx: Context, key: str = "own") -> str | None:
    answer = (ctx.input_responses or {}).get(key)
    return answer.content["x"] if isinstance(answer, ElicitResult) and answer.content else None  # type: ignore[return-value]


@pytest.fixture
def mcp() -> Server:
    return MCPServer("asker", middleware=[Elicitation()])


async def call(mcp: Server, person: Person) -> str:
    async with eras.connected(mcp, "2026-07-28", person) as client:
        return await eras.said(client, "ask")


async def test_a_resolved_parameter_is_asked_once_and_then_ours(mcp: Server) -> None:
    async def resolve() -> Elicit[Word]:
        return Elicit("resolved", Word)

    @mcp.tool()
    async def ask(ctx: Context, word: Annotated[Word, Resolve(resolve)]) -> str:
        first, second = await elicit(ctx, text_form("a")), await ctx.elicit("b", Word)
        return f"{word.x} {first.content['x']} {second.data.x}" if first and second.action == "accept" else "refused"

    person = Person()

    assert await call(mcp, person) == "resolved a b"
    assert person.asked == ["resolved", "a", "b"]


@pytest.mark.parametrize("state", ["s1", None], ids=["with-a-state", "without"])
async def test_a_round_of_its_own_before_ours_is_asked_once(mcp: Server, state: str | None) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        if own_answer(ctx) is None:
            return own_round("theirs", state=state)
        ours = await elicit(ctx, text_form("a"))
        more = await elicit(ctx, text_form("b"))
        return (
            f"{own_answer(ctx)} {ours.content['x']} {more.content['x']} {ctx.request_state}" if ours and more else "no"
        )

    person = Person()

    assert await call(mcp, person) == f"theirs a b {state}"
    assert person.asked == ["theirs", "a", "b"]


async def test_rounds_of_both_kinds_in_turns_are_each_asked_once(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        first = await elicit(ctx, text_form("1"))
        if ctx.request_state is None:
            return own_round("2", state="two")
        third = await elicit(ctx, text_form("3"))
        if ctx.request_state == "two":
            return own_round("4", key="four", state="four")
        fifth = await elicit(ctx, text_form("5"))
        return f"{bool(first and third and fifth)} {own_answer(ctx, 'four')}"

    person = Person()

    assert await call(mcp, person) == "True 4"
    assert person.asked == ["1", "2", "3", "4", "5"]


async def test_a_key_that_both_use_is_answered_for_whoever_asked_last(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        await elicit(ctx, text_form("zero"))
        if ctx.request_state is None:
            return own_round("theirs", key="name", state="s1")
        mine = await elicit(ctx, text_form("mine"), key="name")
        return f"{own_answer(ctx, 'name')} {mine.content['x']}" if mine else "refused"

    person = Person()

    assert await call(mcp, person) == "theirs mine"
    assert person.asked == ["zero", "theirs", "mine"]


async def test_the_call_id_and_a_step_are_the_same_through_rounds_of_its_own(mcp: Server) -> None:
    ids: list[str] = []
    done: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        ids.append(call_id(ctx))
        await step(ctx, "once", done.append, 1)
        return "done" if own_answer(ctx) else own_round("theirs")

    assert await call(mcp, Person()) == "done"
    assert len({*ids}) == 1
    assert done == [1]


async def test_a_prompt_may_mix_them_as_well(mcp: Server) -> None:
    @mcp.prompt()
    async def write(ctx: Context) -> Any:
        if own_answer(ctx) is None:
            return own_round("theirs")
        ours = await elicit(ctx, text_form("a"))
        return f"{own_answer(ctx)} {ours.content['x']}" if ours else "refused"

    person = Person()
    async with eras.connected(mcp, "2026-07-28", person) as client:
        prompt = await client.get_prompt("write")

    assert prompt.messages[0].content.text == "theirs a"  # type: ignore[union-attr]
    assert person.asked == ["theirs", "a"]


async def test_the_middleware_installed_twice_asks_once() -> None:
    mcp: Server = MCPServer("twice", middleware=[Elicitation(), Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, text_form("a"))).action

    person = Person()

    assert await call(mcp, person) == "accept"
    assert person.asked == ["a"]
