"""Prompts and resource templates ask as tools do, where the SDK hands them a context (design, 7)."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from elicitkit import Elicitation, FormElicitation, elicit
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


def topic_form() -> FormElicitation[Any]:
    form = FormElicitation.create("About what?")
    form.string("topic").required()
    return form


def server() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("library", middleware=[Elicitation()])

    @mcp.prompt()
    async def write(ctx: Context) -> str:
        outcome = await elicit(ctx, topic_form())
        return f"Write about {outcome.content['topic']}." if outcome else "Write about anything."

    @mcp.resource("book://{title}")
    async def book(title: str, ctx: Context) -> str:
        outcome = await elicit(ctx, topic_form())
        return f"{title}, the part on {outcome.content['topic']}" if outcome else title

    return mcp


def answering(*results: ElicitResult) -> Callable[..., Any]:
    left = list(results)

    async def callback(context: object, params: object) -> ElicitResult:
        return left.pop(0)

    return callback


def accepted(topic: object) -> ElicitResult:
    return ElicitResult.model_construct(action="accept", content={"topic": topic})


async def test_a_prompt_is_written_with_what_a_person_answers(revision: str) -> None:
    async with eras.connected(server(), revision, answering(accepted("bees"))) as client:
        prompt = await client.get_prompt("write")

    assert prompt.messages[0].content.text == "Write about bees."  # type: ignore[union-attr]


async def test_a_prompt_goes_on_without_an_answer_when_the_person_declines(revision: str) -> None:
    async with eras.connected(server(), revision, answering(ElicitResult(action="decline"))) as client:
        prompt = await client.get_prompt("write")

    assert prompt.messages[0].content.text == "Write about anything."  # type: ignore[union-attr]


async def test_a_resource_template_is_read_with_what_a_person_answers(revision: str) -> None:
    async with eras.connected(server(), revision, answering(accepted("bees"))) as client:
        found = await client.read_resource("book://honey")

    assert found.contents[0].text == "honey, the part on bees"  # type: ignore[union-attr]


async def test_an_answer_that_does_not_fit_is_asked_again(revision: str) -> None:
    async with eras.connected(server(), revision, answering(accepted(7), accepted("bees"))) as client:
        prompt = await client.get_prompt("write")

    assert prompt.messages[0].content.text == "Write about bees."  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "ask", [lambda c: c.get_prompt("write"), lambda c: c.read_resource("book://honey")], ids=["prompt", "resource"]
)
async def test_a_client_that_cannot_be_asked_is_told_what_is_missing(revision: str, ask: Callable[..., Any]) -> None:
    async with eras.connected(server(), revision) as client:
        with pytest.raises(MCPError, match="does not show forms that a server asks for"):
            await ask(client)
