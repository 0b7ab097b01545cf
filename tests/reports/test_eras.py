"""Rounds, states and revisions (2026-07-28, "Multi round-trip requests")."""

from typing import Any

import pytest
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolRequest, CallToolRequestParams, ElicitResult, InputRequiredResult

from elicitkit import Elicitation, FormElicitation, Request, elicit, step
from elicitkit.host.progress import Progress, Question
from elicitkit.testing import RandomAnswers, ScriptedAnswers, accept, everything_server
from tests import eras
from tests.host.hosting import hosting, text
from tests.tasks.desk import Raw

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


def asking(effects: list[str]) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()], log_level="ERROR")

    @mcp.tool()
    async def ask(ctx: Context, text: str = "") -> str:
        effects.append("top")
        await step(ctx, "once", effects.append, "step")
        names = [(await elicit(ctx, NAME.with_message(f"{n}?"))).action for n in range(2)]
        effects.append("bottom")
        return str(names)

    return mcp


@pytest.mark.parametrize("what", ["ask_link", "ask_text", "ask_prompt", "ask_resource"])
async def test_r099_a_client_that_declared_a_mode_takes_it_in_every_request(what: str) -> None:
    answers = RandomAnswers(1)
    async with eras.connected(everything_server(), "2026-07-28", answers) as client:
        found: Any
        if what == "ask_prompt":
            found = await client.get_prompt(what)
        elif what == "ask_resource":
            found = await client.read_resource("ask://tea")
        else:
            found = await eras.said(client, what)

    assert "accept" in str(found)
    assert len(answers.asked) == 1


async def test_r099_so_does_our_host() -> None:
    answers = RandomAnswers(1)
    async with hosting(everything_server(), "2026-07-28", wait_for=answers.wait_for) as source:
        assert "accept" in text(await source.call("a_ask_link"))
    assert answers.asked[0].url is not None


def question(key: str) -> Question:
    return Question(key, Request(key, "approval", "?"))


def test_r101_a_retry_carries_what_its_own_round_had() -> None:
    first = Progress("c").asked([question("k1")], answers={}, state="a")
    first = first.answered(first.questions[0], first.questions[0].request.accept({"x": 1}))
    second = first.asked([question("k2")], answers={}, state=None)
    second = second.answered(second.questions[0], second.questions[0].request.accept({"x": 2}))

    assert (first.request_state, [*(first.responses() or {})]) == ("a", ["k1"])
    assert (second.request_state, [*(second.responses() or {})]) == (None, ["k2"])


async def test_r101_the_whole_way_a_host_sends_no_state_that_it_was_not_given() -> None:
    sent: list[tuple[Any, Any]] = []
    mcp: MCPServer[Any] = MCPServer("asker")

    @mcp.tool()
    async def two_rounds(ctx: Context) -> Any:
        sent.append((ctx.request_state, sorted(ctx.input_responses or {})))
        if len(sent) == 3:
            return "done"
        key = f"k{len(sent)}"
        request = {**NAME.to_input_request()}
        state = {"requestState": "a"} if len(sent) == 1 else {}
        return InputRequiredResult.model_validate(
            {"resultType": "input_required", "inputRequests": {key: request}, **state}
        )

    answers = RandomAnswers(1)
    async with hosting(mcp, "2026-07-28", wait_for=answers.wait_for) as source:
        assert text(await source.call("a_two_rounds")) == "done"

    assert sent == [(None, []), ("a", ["k1"]), (None, ["k2"])]


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", ["ask_text", "ask_stock", "ask_steps", "ask_several"])
async def test_r103_one_body_asks_on_every_revision(revision: str, tool: str) -> None:
    async with eras.connected(everything_server(), revision, RandomAnswers(1)) as client:
        found = await eras.said(client, tool)

    assert not found.startswith("error: ")


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r105_a_step_before_a_question_is_done_once_whatever_the_rounds(revision: str) -> None:
    effects: list[str] = []
    with ScriptedAnswers([accept(name="A"), accept(name="B")]) as answers:
        async with eras.connected(asking(effects), revision, answers) as client:
            assert await eras.said(client, "ask") == "['accept', 'accept']"

    assert effects.count("step") == effects.count("bottom") == 1
    assert effects.count("top") == (3 if revision in eras.MODERN else 1)


def call(state: str | None, **arguments: Any) -> CallToolRequest:
    responses = {"k": ElicitResult(action="accept", content={"name": "A"})}
    params = CallToolRequestParams(name="ask", arguments=arguments, input_responses=responses, request_state=state)
    return CallToolRequest(params=params)


@pytest.mark.parametrize("change", ["another byte", "not ours", "empty", "of another call"])
async def test_r107_a_state_that_is_not_of_this_call_is_an_error_of_the_protocol(change: str) -> None:
    async with eras.connected(asking([]), "2026-07-28", RandomAnswers(1)) as client:
        first = await client.session.call_tool("ask", {}, allow_input_required=True)
        assert isinstance(first, InputRequiredResult)
        state = first.request_state or ""
        tampered = {"another byte": state[:-2] + "xx", "not ours": "e30=", "empty": "", "of another call": state}
        arguments = {"text": "else"} if change == "of another call" else {}
        with pytest.raises(MCPError) as refused:
            await client.session.send_request(call(tampered[change], **arguments), Raw)

    assert refused.value.error.code == -32602


class Mystery:
    """A middleware that gives a result of a type nobody knows."""

    async def __call__(self, ctx: Any, call_next: Any) -> Any:
        return {"resultType": "mystery", "x": 1} if ctx.method == "tools/call" else await call_next(ctx)


async def test_r107_a_result_of_an_unknown_type_is_a_clear_error_at_the_host() -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Mystery()])
    mcp.tool(name="ask")(lambda: "x")
    async with hosting(mcp, "2026-07-28", wait_for=RandomAnswers(1).wait_for) as source:
        found = text(await source.call("a_ask"))

    assert found.startswith("error: a broke the protocol: ")
    assert "mystery" in found
