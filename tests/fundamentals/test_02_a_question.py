"""The second page: a tool asks, and a person answers. Read it after forms."""

from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Accepted, Declined, Elicitation, FormElicitation, confirm, elicit
from elicitkit.testing import ScriptedAnswers, accept, decline

pytestmark = pytest.mark.anyio


def library() -> MCPServer[Any]:
    """A server that needs one line, the middleware, and tools that ask."""
    mcp: MCPServer[Any] = MCPServer("library", middleware=[Elicitation()])

    @mcp.tool()
    async def reserve(ctx: Context) -> str:
        form = FormElicitation.create("Which book?").string("title").required().integer("copies").min(1).default(1)

        match await elicit(ctx, form):
            case Accepted(content):
                return f"{content['copies']} of {content['title']}"
            case Declined():
                return "Another time, then."
            case _:
                return "Nobody answered."

    @mcp.tool()
    async def shred(ctx: Context) -> str:
        if await confirm(ctx, "Shred every book?"):
            return "shredded"
        return "kept"

    return mcp


async def test_an_accepted_form_has_its_content_with_defaults_filled_in() -> None:
    with ScriptedAnswers([accept(title="Emma")]) as person:
        async with Client(library(), elicitation_callback=person) as client:
            result = await client.call_tool("reserve", {})

    assert result.content[0].text == "1 of Emma"


async def test_a_wrong_answer_is_asked_again_and_says_why() -> None:
    with ScriptedAnswers([accept(title="Emma", copies=0), accept(title="Emma", copies=2)]) as person:
        async with Client(library(), elicitation_callback=person) as client:
            result = await client.call_tool("reserve", {})

    assert result.content[0].text == "2 of Emma"
    assert person.asked[1].message.startswith("Please correct this:\n- Copies: must be at least 1")


async def test_declining_is_an_outcome_of_its_own() -> None:
    with ScriptedAnswers([decline()]) as person:
        async with Client(library(), elicitation_callback=person) as client:
            result = await client.call_tool("reserve", {})

    assert result.content[0].text == "Another time, then."


async def test_a_confirmation_is_true_only_for_a_yes() -> None:
    with ScriptedAnswers([accept(confirm=False), accept(confirm=True)]) as person:
        async with Client(library(), elicitation_callback=person) as client:
            first, second = [await client.call_tool("shred", {}) for _ in range(2)]

    assert (first.content[0].text, second.content[0].text) == ("kept", "shredded")
