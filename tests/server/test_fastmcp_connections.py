"""FastMCP over HTTP, and the state that travels between rounds (design, section 7)."""

import runpy
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastmcp import Context, FastMCP
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from elicitkit import elicit, state_security
from elicitkit.server.fastmcp import Elicitation
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras
from tests.host.serving import served
from tests.server.fastmcp_calls import Server, connected, echo, text_form

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "examples" / "fastmcp_checkout.py"


def asker(**settings: Any) -> Server:
    mcp: Server = FastMCP("asker", middleware=[Elicitation()], **settings)

    @mcp.tool
    async def ask(ctx: Context) -> str:
        first = await elicit(ctx, text_form("a"), key="first")
        second = await ctx.elicit("b", str)
        return first.content["x"] + second.data

    return mcp


@pytest.mark.parametrize("revision", eras.ALL)
async def test_over_http_every_era_is_asked(revision: str) -> None:
    with anyio.fail_after(10), ScriptedAnswers([accept(x="1"), accept(value="2")]) as answers:
        async with (
            served(asker().http_app()) as address,
            eras.connected(f"{address}/mcp", revision, answers) as client,
        ):
            assert await eras.said(client, "ask") == "12"


@pytest.mark.parametrize("how", [{"stateless_http": True}, {"json_response": True}], ids=lambda how: next(iter(how)))
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_without_sessions_2026_07_28_is_asked_and_older_clients_told_at_once(
    revision: str, how: dict[str, bool]
) -> None:
    """Report R085: asking over stateless HTTP hung for ever."""
    script = [accept(x="1"), accept(value="2")] if revision in eras.MODERN else []
    with anyio.fail_after(10), ScriptedAnswers(script) as answers:
        async with (
            served(asker().http_app(**how)) as address,
            eras.connected(f"{address}/mcp", revision, answers) as client,
        ):
            text = await eras.said(client, "ask")

    assert text == "12" if script else "the connection has no way to ask" in text


@pytest.mark.parametrize("revision", eras.ALL)
async def test_the_example_asks_with_a_form_of_ours_and_with_fastmcps_elicit(revision: str) -> None:
    shop = runpy.run_path(str(EXAMPLE))["mcp"]

    with ScriptedAnswers([accept(fullName="Ada", email="ada@example.com", speed="std"), accept(value=True)]) as answers:
        async with connected(shop, revision, answers) as client:
            assert await eras.said(client, "checkout", cart="7") == "On its way to Ada."
            assert await eras.said(client, "cancel_order", number=7) == "Cancelled."


async def raw(client: Client, **more: Any) -> Any:
    return await client.session.call_tool("ask", {}, allow_input_required=True, **more)


async def test_a_state_that_was_tampered_with_is_refused() -> None:
    """Specification, "Multi Round-Trip Requests": servers MUST reject state that fails verification."""
    async with connected(asker(), "2026-07-28", echo) as client:
        first = await raw(client)
        with pytest.raises(MCPError) as raised:
            await raw(client, request_state=first.request_state + "x")

    assert (raised.value.code, raised.value.error.data) == (INVALID_PARAMS, {"reason": "invalid_request_state"})


async def test_another_process_with_the_same_keys_goes_on() -> None:
    """Design, section 7: `state_security` sets what people need."""
    security = {"request_state_security": state_security("k" * 32)}
    async with connected(asker(**security), "2026-07-28", echo) as client:
        first = await raw(client)
    async with connected(asker(**security), "2026-07-28", echo) as client:
        more = await raw(client, request_state=first.request_state, input_responses={"first": accept(x="tomorrow")})

    assert [request.params.message for request in more.input_requests.values()] == ["b"]
