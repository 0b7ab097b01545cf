"""FastMCP: tools, prompts and resources ask on every era, by one middleware (design, section 7)."""

import asyncio
from typing import Any

import anyio
import pytest
from fastmcp import Client, Context
from fastmcp.client.elicitation import ElicitResult
from fastmcp.dependencies import CurrentContext, Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from mcp.shared.exceptions import MCPError

from elicitkit import FormElicitation, confirm, elicit, elicit_all, elicit_sync, elicit_url, step, url_required
from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests import eras
from tests.server.fastmcp_calls import Server, asking_server, call, connected, echo, text_form

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


@pytest.fixture
def mcp() -> Server:
    return asking_server()


async def test_questions_one_after_another_are_each_asked_once(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        return "".join([(await elicit(ctx, text_form(one))).content["x"] for one in "abc"])

    with ScriptedAnswers([accept(x="1"), accept(x="2"), accept(x="3")]) as answers:
        assert await call(mcp, revision, answers) == "123"

    assert [asked.message for asked in answers.asked] == ["a", "b", "c"]


async def test_questions_side_by_side_are_all_asked(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        outcomes = await asyncio.gather(*(elicit(ctx, text_form(one)) for one in "ab"))
        more = await elicit_all(ctx, size=text_form("S"), colour=text_form("C"))
        return "".join(outcome.content["x"] for outcome in [*outcomes, *more.values()])

    assert await call(mcp, revision) == "abSC"


async def test_a_step_is_done_once(mcp: Server, revision: str) -> None:
    done: list[str] = []

    @mcp.tool
    async def ask(ctx: Context) -> str:
        await step(ctx, "reserve", done.append, "reserved")
        return (await elicit(ctx, text_form("a"))).content["x"] + (await elicit(ctx, text_form("b"))).content["x"]

    assert await call(mcp, revision) == "ab"
    assert done == ["reserved"]


@pytest.mark.parametrize(("answer", "reason"), [(decline(), "declined"), (cancel(), "cancelled")])
async def test_a_refusal_is_an_outcome(mcp: Server, revision: str, answer: Any, reason: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        outcome = await confirm(ctx, "Delete?")
        return "deleted" if outcome else outcome.reason

    with ScriptedAnswers([answer]) as answers:
        assert await call(mcp, revision, answers) == reason


async def test_a_wrong_answer_is_asked_again_with_its_faults(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str((await elicit(ctx, FormElicitation.create("Who?").email("email").required())).content["email"])

    with ScriptedAnswers([accept(email="17"), accept(email="ada@example.com")]) as answers:
        assert await call(mcp, revision, answers) == "ada@example.com"

    assert "- Email: must be an e-mail address" in answers.asked[1].message


async def test_a_link_is_asked_to_be_opened_where_the_era_has_links(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await elicit_url(ctx, "Pay here", "https://pay.example.org/7")).action

    text = await call(mcp, revision)

    assert text == "accept" if revision != "2025-06-18" else text.startswith("error: This needs an answer from you")


async def test_a_visit_without_which_nothing_goes_on_is_the_error_of_its_era(mcp: Server, revision: str) -> None:
    """Specification 2025-11-25, Elicitation, "URL Elicitation Required Error"; FastMCP would mask it."""

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await url_required(ctx, "Sign in", "https://in.example.org")).action

    async with connected(mcp, revision, echo) as client:
        if revision == "2025-11-25":
            with pytest.raises(MCPError) as raised:
                await eras.said(client, "ask")
            assert raised.value.code == -32042
        elif revision == "2026-07-28":
            assert await eras.said(client, "ask") == "accept"


async def test_a_tool_in_a_thread_asks(mcp: Server, revision: str) -> None:
    @mcp.tool
    def ask(ctx: Context) -> str:
        return f"{elicit_sync(ctx, text_form('a')).content['x']}{elicit_sync(None, text_form('b')).content['x']}"

    assert await call(mcp, revision) == "ab"


async def test_a_tool_without_a_context_parameter_asks(mcp: Server, revision: str) -> None:
    async def who(ctx: Context = CurrentContext()) -> str:  # noqa: B008  # it is how FastMCP injects
        return (await elicit(ctx, text_form("injected"))).content["x"]

    @mcp.tool
    async def ask(found: str = Depends(who)) -> str:
        here = await elicit(get_context(), text_form("found"))
        bare = await elicit(None, text_form("bare"))
        return f"{found} {here.content['x']} {bare.content['x']}"

    assert await call(mcp, revision) == "injected found bare"


async def test_a_prompt_asks(mcp: Server, revision: str) -> None:
    @mcp.prompt
    async def write(ctx: Context) -> str:
        return f"Write about {(await elicit(ctx, text_form('bees'))).content['x']}."

    async with connected(mcp, revision, echo) as client:
        prompt = await client.get_prompt("write")

    assert prompt.messages[0].content.text == "Write about bees."  # type: ignore[union-attr]


@pytest.mark.parametrize("uri", ["book://honey", "shelf://all"])
async def test_a_resource_asks_whether_a_template_or_not(mcp: Server, revision: str, uri: str) -> None:
    @mcp.resource("book://{title}")
    async def book(title: str, ctx: Context) -> str:
        return f"{title}: {(await elicit(ctx, text_form('part 2'))).content['x']}"

    @mcp.resource("shelf://all")
    async def shelf(ctx: Context) -> str:
        return f"honey: {(await elicit(ctx, text_form('part 2'))).content['x']}"

    async with connected(mcp, revision, echo) as client:
        found = await client.read_resource(uri)

    assert found.contents[0].text == "honey: part 2"  # type: ignore[union-attr]


async def test_what_a_tool_reads_of_its_own_server_asks_along(mcp: Server, revision: str) -> None:
    @mcp.resource("book://{title}")
    async def book(title: str, ctx: Context) -> str:
        return f"{title}: {(await elicit(ctx, text_form('part 2'))).content['x']}"

    @mcp.tool
    async def ask(ctx: Context) -> str:
        before = await elicit(ctx, text_form("before"))
        read = await ctx.read_resource("book://honey")
        return f"{before.content['x']}, {read.contents[0].content!s}"

    assert await call(mcp, revision) == "before, honey: part 2"


async def test_fastmcps_own_client_is_asked(mcp: Server, revision: str) -> None:
    if revision == "2025-06-18":
        return  # It speaks the newest handshake, and 2026-07-28.

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return "".join([(await elicit(ctx, text_form(one))).content["x"] for one in "ab"])

    async def answer(message: str, *_: object) -> Any:
        return ElicitResult(action="accept", content={"x": message})

    mode = "legacy" if revision in eras.HANDSHAKE else "auto"
    async with Client(mcp, elicitation_handler=answer, mode=mode) as client:
        assert (await client.call_tool("ask")).data == "ab"


async def test_calls_at_the_same_time_do_not_mix_their_answers(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(word: str, ctx: Context) -> str:
        return f"{word}={(await elicit(ctx, text_form(word))).content['x']}"

    async with connected(mcp, revision, echo) as client:
        texts = await eras.together(*(eras.said(client, "ask", word=f"w{number}") for number in range(20)))

    assert texts == [f"w{number}=w{number}" for number in range(20)]


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [True, False])
async def test_an_error_of_ours_that_leaves_a_tool_is_told_as_it_is(revision: str, mask: bool) -> None:
    mcp = asking_server(mask_error_details=mask)

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, FormElicitation.create("?").integer("age").between(5, 1)))

    text = await call(mcp, revision)

    assert text == "error: The form does not work: Age: is to be between 5 and 1, and nothing is"


async def test_a_client_that_declared_nothing_is_asked_nothing(mcp: Server, revision: str) -> None:
    @mcp.tool
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?")))

    text = await call(mcp, revision, None)

    assert text.startswith("error: This needs an answer from you, and the application you use does not show forms")


async def test_an_error_in_what_is_injected_or_in_a_group_is_told_as_it_is(mcp: Server, revision: str) -> None:
    async def who(ctx: Context = CurrentContext()) -> str:  # noqa: B008  # it is how FastMCP injects
        return (await elicit(ctx, text_form("?"))).content["x"]

    @mcp.tool
    async def injected(found: str = Depends(who)) -> str:
        return found

    @mcp.tool
    async def grouped(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(elicit, ctx, text_form("?"))
        return "done"

    for tool in ("injected", "grouped"):
        assert (await call(mcp, revision, None, tool)).startswith("error: This needs an answer from you"), tool


async def test_an_error_of_the_tool_itself_stays_as_fastmcp_tells_it(revision: str) -> None:
    mcp = asking_server(mask_error_details=True)

    @mcp.tool
    async def caught(ctx: Context) -> str:
        try:
            return str(await elicit(ctx, text_form("?")))
        except RuntimeError as error:
            raise KeyError("private") from error

    @mcp.tool
    async def spoken(ctx: Context) -> str:
        try:
            return str(await elicit(ctx, text_form("?")))
        except RuntimeError as error:
            raise ToolError("Ask me another time.") from error

    assert await call(mcp, revision, None, "caught") == "error: Error calling tool 'caught'"
    assert await call(mcp, revision, None, "spoken") == "error: Ask me another time."


async def test_a_prompt_and_a_resource_that_cannot_ask_say_what_is_missing(revision: str) -> None:
    mcp = asking_server(mask_error_details=True)

    @mcp.prompt
    async def write(ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?")))

    @mcp.resource("book://{title}")
    async def book(title: str, ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?")))

    async with connected(mcp, revision) as client:
        with pytest.raises(MCPError, match="does not show forms that a server asks for"):
            await client.get_prompt("write")
        with pytest.raises(MCPError, match="does not show forms that a server asks for"):
            await client.read_resource("book://honey")
