"""What was declared, and what was asked all the same."""

from typing import Any

import pytest
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ClientCapabilities

from elicitkit import (
    Cancelled,
    Elicitation,
    ElicitationUnsupported,
    FormElicitation,
    Policy,
    Rule,
    elicit,
    elicit_url,
)
from elicitkit.host.form_only import without_links
from elicitkit.server.modes import require_mode
from elicitkit.testing import RandomAnswers, everything_server
from tests import eras
from tests.host.hosting import hosting, text

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()
BOTH = frozenset({"form", "url"})


def seeing(seen: list[Any]) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def look(ctx: Context) -> str:
        capabilities = ctx.session.client_capabilities
        assert capabilities is not None
        seen.append(capabilities.model_dump(exclude_none=True).get("elicitation"))
        return "seen"

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, NAME)).action

    @mcp.tool()
    async def ask_or_not(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME, unsupported=Cancelled("unsupported"))
        return "" if outcome else outcome.reason

    @mcp.tool()
    async def visit(ctx: Context) -> str:
        return (await elicit_url(ctx, "Go", "https://a.example")).action

    return mcp


@pytest.mark.parametrize(
    ("declared", "form", "url"),
    [
        ({"url": {}}, False, True),
        ({"form": {}}, True, False),
        ({}, True, False),
        (None, False, False),
        ({"form": {}, "url": {}}, True, True),
    ],
)
def test_r109_each_mode_is_looked_for_by_itself_and_nothing_means_forms(declared: Any, form: bool, url: bool) -> None:
    capabilities = ClientCapabilities.model_validate({} if declared is None else {"elicitation": declared})

    for mode, is_there in (("form", form), ("url", url)):
        if is_there:
            require_mode(capabilities, mode, BOTH)  # type: ignore[arg-type]  # one of the two
        else:
            with pytest.raises(ElicitationUnsupported):
                require_mode(capabilities, mode, BOTH)  # type: ignore[arg-type]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r111_a_host_of_forms_says_so_and_is_not_sent_links(revision: str) -> None:
    seen: list[Any] = []
    answers = RandomAnswers(1)
    async with hosting(seeing(seen), revision, wait_for=answers.wait_for, modes=["form"]) as source:
        await source.call("a_look")
        found = text(await source.call("a_visit"))

    assert seen == [{"form": {}}]
    assert found.startswith("error: This needs an answer from you")
    assert answers.asked == []


async def test_r111_a_link_that_comes_all_the_same_is_cancelled() -> None:
    answers = RandomAnswers(1)
    server = everything_server()
    async with hosting(server, "2025-11-25", wait_for=answers.wait_for, modes=["form"]) as source:
        found = text(await source.call("a_wrong_duplicates"))

    assert [asked.url for asked in answers.asked] == [None]
    assert "error" not in found


def test_r111_what_declares_nothing_is_left_alone() -> None:
    for params in ({}, {"capabilities": {}}, {"capabilities": {"elicitation": {}}}, {"_meta": {}}):
        assert without_links(params) == params


async def test_r113_what_is_missing_is_the_error_for_missing_capabilities() -> None:
    """A gateway's server learns of the client behind it only what the gateway passes on, request by request."""
    async with eras.connected(everything_server(), "2026-07-28", RandomAnswers()) as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("task_required")

    assert refused.value.error.code == -32021


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r113_a_host_passes_on_what_its_own_person_can_and_no_more(revision: str) -> None:
    """What is upstream of a gateway that has nobody is told that there is nobody."""
    seen: list[Any] = []
    async with hosting(seeing(seen), revision) as gateway:
        await gateway.call("a_look")
        found = text(await gateway.call("a_ask"))

    assert seen == [None]
    assert "does not show forms" in found


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r115_a_client_that_cannot_be_asked_is_never_sent_the_question(revision: str) -> None:
    async with eras.connected(seeing([]), revision) as client:
        assert "does not show forms" in await eras.said(client, "ask")
        assert await eras.said(client, "ask_or_not") == "unsupported"


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize(
    ("options", "declared"),
    [
        ({}, None),
        ({"policy": Policy()}, None),
        ({"policy": Policy(headless=True)}, None),
        ({"wait_for": RandomAnswers().wait_for, "policy": Policy(headless=True)}, None),
        ({"wait_for": RandomAnswers().wait_for}, {"form": {}, "url": {}}),
        ({"policy": Policy([Rule("confirm", server="a")])}, {"form": {}, "url": {}}),
        ({"suspend": True}, {"form": {}, "url": {}}),
    ],
)
async def test_r117_elicitation_is_declared_where_somebody_answers_and_nowhere_else(
    revision: str, options: dict[str, Any], declared: Any
) -> None:
    seen: list[Any] = []
    async with hosting(seeing(seen), revision, **options) as source:
        await source.call("a_look")

    assert seen == [declared]
