"""`Toolkit` with the tools of real MCP servers beside the host's own (design, section 9), over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    Elicitation,
    FormElicitation,
    McpSource,
    Slot,
    ToolCall,
    ToolContext,
    Toolkit,
    ToolResult,
    Turn,
    elicit,
    pending,
)
from tests.host import serving
from tests.host.calling import Person, declining

pytestmark = pytest.mark.anyio


def server() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("shop", middleware=[Elicitation()])

    @mcp.tool()
    async def checkout(cart: str, ctx: Context) -> str:
        """Buy what is in a cart."""
        where = await elicit(ctx, FormElicitation.create("Where to?").string("city").required())
        if not where:
            return f"nothing was ordered: {where.reason}"
        days = await elicit(ctx, FormElicitation.create("In how many days?").integer("days").required())
        return f"{cart} to {where.content['city']} in {days.content['days']}" if days else "no days"

    return mcp


@pytest.fixture
async def config() -> AsyncIterator[dict[str, Any]]:
    with anyio.fail_after(30):
        async with serving.served(server().streamable_http_app()) as address:
            yield {"mcpServers": {"shop": {"url": f"{address}/mcp"}}}


def approve(what: str, ctx: ToolContext) -> Any:
    return f"{what} done" if ctx.answer else pending(f"{what}?", kind="approval")


def answers(request: Any) -> Any:
    data = {"Where to?": {"city": "Rome"}, "In how many days?": {"days": 3}}
    return request.accept(data.get(request.prompt))


async def test_a_server_and_a_function_ask_through_one_slot(config: dict[str, Any]) -> None:
    """Design, section 1: one slot for people."""
    person = Person(answers)
    slot = Slot(person)
    async with McpSource.load(config, wait_for=slot) as source:
        kit = Toolkit([source, approve], wait_for=slot)
        names = [info.name for info in kit.tools]
        calls = [ToolCall("1", "shop_checkout", {"cart": "42"}), ToolCall("2", "approve", {"what": "deploy"})]
        turn = await kit.execute_turn(calls)

    assert names == ["approve", "shop_checkout"]
    assert [result.output for result in turn.results] == ["42 to Rome in 3", "deploy done"]
    assert sorted(asked.kind for asked in person.asked) == ["approval", "input", "input"]


async def test_a_source_that_suspends_asks_by_the_toolkit(config: dict[str, Any]) -> None:
    person = Person(answers)
    async with McpSource.load(config, suspend=True) as source:
        result = await Toolkit([source], wait_for=person).execute("shop_checkout", {"cart": "42"})

    assert result.output == "42 to Rome in 3"
    assert [asked.prompt for asked in person.asked] == ["Where to?", "In how many days?"]


async def test_a_server_hears_that_the_person_declined(config: dict[str, Any]) -> None:
    async with McpSource.load(config, suspend=True) as source:
        result = await Toolkit([source], wait_for=declining).execute("shop_checkout", {"cart": "42"})

    assert (result.output, result.is_error) == ("nothing was ordered: declined", False)


async def test_a_turn_with_a_server_goes_on_in_another_host(config: dict[str, Any]) -> None:
    """Issue 5, point 6: round trips by `requestState`, local tools by running them again."""
    calls = [ToolCall("1", "approve", {"what": "deploy"}), ToolCall("2", "shop_checkout", {"cart": "42"})]
    async with McpSource.load(config, suspend=True) as source:
        stored = (await Toolkit([source, approve]).execute_turn(calls)).to_json()

    async with McpSource.load(config, suspend=True) as source:
        kit = Toolkit([source, approve])
        turn = await kit.resume_turn(stored, answers(Turn.from_json(stored).request))
        while turn.request is not None:
            turn = await kit.resume_turn(turn.to_json(), answers(turn.request))

    assert [result.output for result in turn.results] == ["deploy done", "42 to Rome in 3"]


async def test_arguments_that_do_not_fit_are_an_error_of_the_servers(config: dict[str, Any]) -> None:
    async with McpSource.load(config, wait_for=Person()) as source:
        result = await Toolkit([source]).execute("shop_checkout", {"crt": "42"})

    assert result.is_error
    assert "cart" in result.output


async def test_a_server_that_is_away_is_an_error_and_the_others_work() -> None:
    with anyio.fail_after(20):
        config = {"mcpServers": {"gone": {"url": "http://127.0.0.1:9/mcp"}}}
        async with McpSource.load(config, wait_for=Person()) as source:
            kit = Toolkit([source, approve], wait_for=Person())

            assert await kit.execute("approve", {"what": "x"}) == ToolResult("x done")
            assert [info.name for info in kit.tools] == ["approve"]
