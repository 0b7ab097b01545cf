"""The server of benchmarks/asking.py: one tool for each way to ask the same question with ten fields.

`python benchmarks/_asking_server.py PORT` serves it over streamable HTTP on this machine.
"""

from __future__ import annotations

import logging
import sys
import time
from functools import cache
from typing import Annotated, Any

from forms import Booking, described, of_fields
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from elicitkit import Elicitation, Form, elicit

MESSAGE = "Your booking"
FORM = described().build()


def server(*, ours: bool) -> MCPServer[Any]:
    """A server with all the tools. The middleware is installed for ours alone, so that the others do not pay for it."""
    mcp: MCPServer[Any] = MCPServer("bench", middleware=[Elicitation()] if ours else [])
    for tool in (elicitkit, fields, sdk_resolver, hand_made_guard, sdk_elicit, plain, cpu):
        mcp.tool(structured_output=False)(tool)
    return mcp


async def elicitkit(ctx: Context) -> str:
    outcome = await elicit(ctx, FORM)
    return str(outcome.content["fullName"]) if outcome else outcome.reason


@cache
def _form_of(count: int) -> Form:
    return of_fields(count).build()


async def fields(count: int, ctx: Context) -> str:
    """A question with so many fields."""
    outcome = await elicit(ctx, _form_of(count))
    return "accept" if outcome else outcome.reason


async def _booking() -> Elicit[Booking]:
    return Elicit(MESSAGE, Booking)


async def sdk_resolver(booking: Annotated[Booking, Resolve(_booking)]) -> str:
    return booking.fullName


async def sdk_elicit(ctx: Context) -> str:
    result = await ctx.elicit(MESSAGE, Booking)
    return result.data.fullName if result.action == "accept" else result.action


_QUESTION = ElicitRequest(params=ElicitRequestFormParams(message=MESSAGE, requested_schema=dict(FORM.schema())))


async def hand_made_guard(ctx: Context) -> str | InputRequiredResult:
    """What an author writes by hand, with the question built once and the answer not checked."""
    answer = (ctx.input_responses or {}).get("booking")
    if not isinstance(answer, ElicitResult):
        return InputRequiredResult(input_requests={"booking": _QUESTION}, request_state="asked")
    return str(answer.content["fullName"]) if answer.content else answer.action


async def plain() -> str:
    """A call that asks nothing: what the SDK costs alone."""
    return "Ada Lovelace"


async def cpu() -> str:
    """The processor time of this process so far, in seconds."""
    return str(time.process_time())


if __name__ == "__main__":
    logging.disable(logging.INFO)
    port, mine = int(sys.argv[1]), sys.argv[2] == "ours"
    server(ours=mine).run("streamable-http", host="127.0.0.1", port=port, stateless_http=True)
