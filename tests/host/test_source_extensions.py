"""The seam for tasks: an extension of the SDK's client may finish a call, and ask through the same slot."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp.client import ClaimContext, ClientExtension, ClientRequestContext, ResultClaim
from mcp.server.extension import Extension
from mcp.server.mcpserver import MCPServer

from elicitkit import Answer, Origin, Request
from tests.host.clock import skippable
from tests.host.hosting import Person, hosting, text

pytestmark = pytest.mark.anyio

ID = "com.example/tickets"
FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Who is there?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}


class Tickets(Extension):
    """Answers every call with a ticket."""

    identifier = ID

    async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> Any:
        return {"resultType": "ticket", "number": 7}


class Ticket(types.Result):
    result_type: Literal["ticket"] = "ticket"
    number: int


class Counter(ClientExtension):
    """Trades a ticket for a result, once it was told a name."""

    identifier = ID

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="ticket", model=Ticket, resolve=self.resolve)]

    async def resolve(self, ticket: Ticket, context: ClaimContext) -> types.CallToolResult:
        asked = types.ElicitRequest.model_validate(FORM)
        request = ClientRequestContext(session=context.session, request_id="k")
        answer = await context.session.dispatch_input_request(request, asked)
        assert isinstance(answer, types.ElicitResult)
        words = f"{ticket.number} for {(answer.content or {}).get('name')}"
        return types.CallToolResult(content=[types.TextContent(text=words)], is_error=False)


def server() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("a", extensions=[Tickets()])

    @mcp.tool(structured_output=False)
    async def order() -> str:
        return "never"

    return mcp


async def test_what_an_extension_asks_goes_through_the_slot_and_takes_its_time() -> None:
    with skippable() as clock:
        person = Person()

        async def slowly(request: Request) -> Answer:
            clock.skip(15)
            return await person(request)

        async with hosting(server(), "2026-07-28", wait_for=slowly, extensions=lambda _: [Counter()]) as source:
            source._upstreams["a"].settings = replace(source._upstreams["a"].settings, seconds=10)
            assert text(await source.call("a_order")) == "7 for Ada"

    assert Origin.of(person.asked[0]).tool == "order"
