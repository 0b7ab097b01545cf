"""The same tool, unchanged, on every revision that can ask (design, section 7)."""

import asyncio
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import CallOver, Elicitation, FormElicitation, confirm, elicit
from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


def shop(runs: list[str] | None = None) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("shop", middleware=[Elicitation()])

    @mcp.tool()
    async def checkout(ctx: Context) -> str:
        form = FormElicitation.create("Where to?").string("full_name").required().email("email")
        where = await elicit(ctx, form)
        if not where:
            return f"Nothing was ordered: {where.reason}."
        if not await confirm(ctx, f"Send it to {where.content['full_name']}?"):
            return "Nothing was ordered: not confirmed."
        if runs is not None:
            runs.append("sent")
        return f"On its way to {where.content['full_name']}."

    return mcp


async def test_questions_one_after_another_are_each_asked_once(revision: str) -> None:
    runs: list[str] = []
    with ScriptedAnswers([accept(fullName="Ada"), accept(confirm=True)]) as answers:
        async with eras.connected(shop(runs), revision, answers) as client:
            text = await eras.said(client, "checkout")

    assert text == "On its way to Ada."
    assert [asked.message for asked in answers.asked] == ["Where to?", "Send it to Ada?"]
    assert runs == ["sent"]


@pytest.mark.parametrize(("answer", "reason"), [(decline(), "declined"), (cancel(), "cancelled")])
async def test_a_refusal_never_runs_the_step_behind_it(revision: str, answer: Any, reason: str) -> None:
    runs: list[str] = []
    with ScriptedAnswers([answer]) as answers:
        async with eras.connected(shop(runs), revision, answers) as client:
            text = await eras.said(client, "checkout")

    assert text == f"Nothing was ordered: {reason}."
    assert not runs


async def test_a_no_is_a_refusal(revision: str) -> None:
    with ScriptedAnswers([accept(fullName="Ada"), accept(confirm=False)]) as answers:
        async with eras.connected(shop(), revision, answers) as client:
            text = await eras.said(client, "checkout")

    assert text == "Nothing was ordered: not confirmed."


async def test_a_wrong_answer_is_asked_again_with_its_faults(revision: str) -> None:
    script = [accept(fullName="Ada", email="17"), accept(fullName="Ada"), accept(confirm=True)]
    with ScriptedAnswers(script) as answers:
        async with eras.connected(shop(), revision, answers) as client:
            text = await eras.said(client, "checkout")

    assert text == "On its way to Ada."
    assert "- Email: must be an e-mail address" in answers.asked[1].message


async def test_the_third_wrong_answer_fails_the_tool_and_names_the_field(revision: str) -> None:
    with ScriptedAnswers([accept(email="private-17")] * 3) as answers:
        async with eras.connected(shop(), revision, answers) as client:
            text = await eras.said(client, "checkout")

    assert text.startswith("error: The answer has 2 faults:")
    assert "- Full Name: is required" in text
    assert "private" not in text


async def test_a_client_that_declared_nothing_is_asked_nothing(revision: str) -> None:
    async with eras.connected(shop(), revision) as client:
        text = await eras.said(client, "checkout")

    assert text.startswith("error: This needs an answer from you")
    assert "MCP elicitation, form mode" in text


async def test_calls_at_the_same_time_do_not_mix_their_answers(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("echo", middleware=[Elicitation()])

    @mcp.tool()
    async def echo(word: str, ctx: Context) -> str:
        outcome = await elicit(ctx, FormElicitation.create(word).string("said").required())
        return f"{word}={outcome.content['said']}" if outcome else "refused"

    async def answer(_: object, params: Any) -> Any:
        return accept(said=params.message)

    async with eras.connected(mcp, revision, answer) as client:
        texts = await eras.together(*(eras.said(client, "echo", word=f"w{number}") for number in range(20)))

    assert texts == [f"w{number}=w{number}" for number in range(20)]


async def test_an_error_in_a_task_group_keeps_its_text(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("groups", middleware=[Elicitation()])
    form = FormElicitation.create("Count?").integer("count").required()

    @mcp.tool()
    async def standard(ctx: Context) -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(elicit(ctx, form))
        return "done"

    @mcp.tool()
    async def of_anyio(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(elicit, ctx, form)
        return "done"

    async with eras.connected(mcp, revision) as client:
        assert "does not show forms" in await eras.said(client, "of_anyio")
        if revision in eras.HANDSHAKE:  # In memory the SDK itself trips over a failed `TaskGroup`.
            assert "does not show forms" in await eras.said(client, "standard")


async def test_a_tool_in_a_thread_that_starts_a_loop_of_its_own_is_told_what_to_do(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("threads", middleware=[Elicitation()])

    @mcp.tool()
    def own_loop(ctx: Context) -> str:
        return str(asyncio.run(elicit(ctx, FormElicitation.create("?"))))  # type: ignore[arg-type]

    @mcp.tool()
    def the_servers_loop(ctx: Context) -> str:
        return anyio.from_thread.run(elicit, ctx, FormElicitation.create("?")).action

    with ScriptedAnswers([accept()]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert "anyio.from_thread.run(elicit, ctx, form)" in await eras.said(client, "own_loop")
            assert await eras.said(client, "the_servers_loop") == "accept"


async def test_a_question_after_its_call_says_so(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("late", middleware=[Elicitation()])
    late: list[asyncio.Task[Any]] = []
    go = asyncio.Event()

    @mcp.tool()
    async def leave(ctx: Context) -> str:
        async def later() -> object:
            await go.wait()
            return await elicit(ctx, FormElicitation.create("?"))

        late.append(asyncio.ensure_future(later()))
        return "done"

    with ScriptedAnswers([]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert await eras.said(client, "leave") == "done"
            go.set()
            with pytest.raises(CallOver):
                await late[0]


async def test_a_text_that_cannot_be_written_is_told_all_the_same(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("files", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, FormElicitation.create("?").string("fi\udc80le")))

    async with eras.connected(mcp, revision) as client:
        assert "\\udc80" in await eras.said(client, "ask")


async def test_the_middleware_in_the_wrong_framework_names_the_right_one(revision: str) -> None:
    with pytest.raises(TypeError, match=r"FastMCP has its own: elicitkit\.server\.fastmcp"):
        await Elicitation()(object(), None)  # type: ignore[arg-type]
