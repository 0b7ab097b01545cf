"""2026-07-28: suspending a tool, running it again, and what travels between (design, section 7)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from elicitkit import Elicitation, FormElicitation, LimitError, confirm, elicit, elicit_all, limits, state_security
from elicitkit.journal import FormQuestion, Journal, Reply
from elicitkit.server.round_trip import open_round
from elicitkit.testing import ScriptedAnswers, accept, decline
from tests import eras

pytestmark = pytest.mark.anyio

Server = MCPServer[Any]


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


async def echo(_: object, params: Any) -> Any:
    return accept(x=params.message)


@pytest.fixture
def mcp() -> Server:
    return MCPServer("asker", middleware=[Elicitation()])


async def call(mcp: Server, callback: Any = echo) -> str:
    async with eras.connected(mcp, "2026-07-28", callback) as client:
        return await eras.said(client, "ask")


# --- suspending -------------------------------------------------------------------------------------------------------


async def test_the_tool_runs_from_the_top_once_a_round(mcp: Server) -> None:
    runs: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append("start")
        for message in "abc":
            await elicit(ctx, text_form(message))
        return "done"

    assert await call(mcp) == "done"
    assert runs == ["start"] * 4


async def test_the_same_question_three_times_is_three_questions(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcomes = [await elicit(ctx, text_form("again")) for _ in range(3)]
        return "".join(outcome.content["x"] for outcome in outcomes if outcome)

    with ScriptedAnswers([accept(x=x) for x in "abc"]) as answers:
        assert await call(mcp, answers) == "abc"


async def test_questions_of_a_gather_share_a_round(mcp: Server) -> None:
    runs: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append("start")
        outcomes = await asyncio.gather(*(elicit(ctx, text_form(message)) for message in "abc"))
        return "".join(outcome.content["x"] for outcome in outcomes if outcome)

    assert await call(mcp) == "abc"
    assert len(runs) == 2


async def test_finally_runs_in_every_round_and_except_is_not_fooled(mcp: Server) -> None:
    seen: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await elicit(ctx, text_form("a"))
        except Exception as error:
            seen.append(repr(error))
        finally:
            seen.append("finally")
        return "done"

    assert await call(mcp) == "done"
    assert seen == ["finally", "finally"]


async def test_a_tool_that_swallows_the_suspension_is_asked_all_the_same(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            outcome = await elicit(ctx, text_form("a"))
        except BaseException:
            return "swallowed"
        return str(outcome.content)

    assert await call(mcp) == "{'x': 'a'}"


async def test_shields_and_tasks_of_its_own_do_not_hold_a_tool(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        first = await asyncio.shield(asyncio.ensure_future(elicit(ctx, text_form("a"))))
        with anyio.CancelScope(shield=True):
            second = await elicit(ctx, text_form("b"))
        return f"{first.content} {second.content}"

    assert await call(mcp) == "{'x': 'a'} {'x': 'b'}"


async def test_a_tool_that_swallows_and_asks_for_ever_does_not_stop_the_server(mcp: Server) -> None:
    turns: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        while len(turns) < 1_000:
            try:
                return str(await elicit(ctx, text_form("a")))
            except BaseException:
                turns.append(1)
        return "gave up"

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        calls = eras.together(eras.said(client, "ask"), client.list_tools())
        _, tools = await calls

    assert tools.tools


async def test_a_question_after_its_call_is_an_error(mcp: Server) -> None:
    late: list[asyncio.Task[Any]] = []
    go = asyncio.Event()

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        async def later() -> object:
            await go.wait()
            return await elicit(ctx, text_form("late"))

        late.append(asyncio.ensure_future(later()))
        return "done"

    assert await call(mcp) == "done"
    go.set()
    with pytest.raises(RuntimeError, match="after its call had ended"):
        await late[0]


async def test_a_call_that_is_cancelled_from_outside_ends(mcp: Server) -> None:
    shown = anyio.Event()

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        shown.set()
        await anyio.sleep_forever()
        return str(await elicit(ctx, text_form("a")))

    async with eras.connected(mcp, "2026-07-28", echo) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(eras.said, client, "ask")
        await shown.wait()
        tasks.cancel_scope.cancel()

    assert tasks.cancel_scope.cancelled_caught


async def test_an_error_of_the_tool_itself_stays_masked(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        await elicit(ctx, text_form("a"))
        raise ValueError("private")

    assert await call(mcp) == "error: Error executing tool ask"


async def test_an_error_of_ours_that_the_tool_caught_stays_its_own(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await elicit(ctx, FormElicitation.create("?").choice("empty"))
        except ValueError as error:
            raise KeyError("private") from error
        return ""

    assert await call(mcp) == "error: Error executing tool ask"


async def test_an_error_of_ours_that_leaves_the_tool_keeps_its_text(mcp: Server) -> None:
    @mcp.tool()
    async def ask() -> str:
        FormElicitation.create("?").integer("age").between(5, 1)
        return ""

    assert await call(mcp) == "error: The form does not work: Age: is to be between 5 and 1, and nothing is"


# --- the journal ------------------------------------------------------------------------------------------------------


async def test_text_that_changes_from_run_to_run_needs_a_key(mcp: Server) -> None:
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        return str((await elicit(ctx, text_form(f"Run {len(runs)}?"), key="run")).content)

    assert await call(mcp) == "{'x': 'Run 1?'}"


async def test_without_a_key_a_changing_question_ends_in_a_clear_error(mcp: Server) -> None:
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        return str(await elicit(ctx, text_form(f"Run {len(runs)}?")))

    text = await call(mcp)

    assert text.startswith(f"error: The call has asked in {limits.ROUNDS} rounds")


async def test_an_answer_is_never_used_for_another_question(mcp: Server) -> None:
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        message = "Delete everything?" if len(runs) > 1 else "Show a list?"
        return str((await elicit(ctx, text_form(message))).content)

    with ScriptedAnswers([accept(x="list"), accept(x="no")]) as answers:
        assert await call(mcp, answers) == "{'x': 'no'}"

    assert [asked.message for asked in answers.asked] == ["Show a list?", "Delete everything?"]


async def test_a_key_is_no_licence_for_another_form(mcp: Server) -> None:
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        form = text_form("?") if len(runs) == 1 else text_form("?").integer("count").required()
        return str((await elicit(ctx, form, key="same")).content)

    with ScriptedAnswers([accept(x="a"), accept(x="b", count=2)]) as answers:
        assert await call(mcp, answers) == "{'x': 'b', 'count': 2}"


YES_OR_NO: dict[str, Callable[[Context, str], Awaitable[Any]]] = {
    "confirm": lambda ctx, message: confirm(ctx, message, key="sure"),
    "without a field": lambda ctx, message: confirm(ctx, message, key="sure", empty=True),
    "a form of one yes or no": lambda ctx, message: elicit(
        ctx, FormElicitation.create(message).boolean("confirm").default(False), key="sure"
    ),
    "one of several": lambda ctx, message: elicit_all(
        ctx, sure=FormElicitation.create(message).boolean("confirm").required()
    ),
}


@pytest.mark.parametrize("how", YES_OR_NO)
async def test_a_yes_is_never_used_for_another_message_whatever_its_key(mcp: Server, how: str) -> None:
    """Design, section 7: an answer to another question is never used; a yes/no question is its message."""
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        message = "Delete the whole disk?" if len(runs) > 1 else "Delete file A?"
        outcome = await YES_OR_NO[how](ctx, message)
        return str(outcome["sure"] if isinstance(outcome, dict) else outcome).partition("(")[0]

    with ScriptedAnswers([accept(**({} if how == "without a field" else {"confirm": True})), decline()]) as answers:
        assert await call(mcp, answers) == "Declined"

    assert [asked.message for asked in answers.asked] == ["Delete file A?", "Delete the whole disk?"]


async def test_an_answer_under_a_key_counts_for_another_message_and_that_is_logged(
    mcp: Server, caplog: pytest.LogCaptureFixture
) -> None:
    runs: list[int] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        return str((await elicit(ctx, text_form(f"It is {len(runs)} o'clock. Who?"), key="who")).content)

    with ScriptedAnswers([accept(x="secret")]) as answers:
        assert await call(mcp, answers) == "{'x': 'secret'}"

    told = [line for line in caplog.messages if "is used, though its message is another one" in line]
    assert len(told) == 1
    assert "secret" not in told[0]
    assert "clock" not in told[0]


async def raw(client: Client, **more: Any) -> Any:
    return await client.session.call_tool("ask", {}, allow_input_required=True, **more)


async def test_a_question_with_a_key_may_be_answered_before_it_is_asked(mcp: Server) -> None:
    """Conformance, input-required-result-ignore-extra-params: an answer and unknown keys in the first call."""

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str((await elicit(ctx, text_form("?"), key="user_name")).content)

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        result = await raw(client, input_responses={"user_name": accept(x="early"), "other": accept(x="junk")})

    assert result.content[0].text == "{'x': 'early'}"


async def test_an_early_answer_that_does_not_fit_is_asked(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str((await elicit(ctx, text_form("?"), key="user_name")).content)

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        result = await raw(client, input_responses={"user_name": accept(x=5)})

    assert {key: request.params.message for key, request in result.input_requests.items()} == {"user_name": "?"}


def asked_before(name: str) -> str:
    journal = Journal()
    journal.note(FormQuestion(name, "shape", "?", {}))
    journal.end_round()
    return journal.write()


async def test_an_answer_to_another_question_does_not_spoil_the_others() -> None:
    answers = {"q": {"action": "accept", "content": {"x": "a"}}, "other": {"action": "reject"}, "third": 5}

    journal, _ = open_round({"requestState": asked_before("q"), "inputResponses": answers})

    assert journal.reply_to(FormQuestion("q", "shape", "?", {})) == Reply("accept", {"x": "a"})


async def test_an_action_that_does_not_exist_is_refused_and_says_what_would_do() -> None:
    """Report R029: early documentation said `reject`."""
    with pytest.raises(MCPError, match="has the action accept, decline or cancel, not 'reject'") as raised:
        open_round({"requestState": asked_before("q"), "inputResponses": {"q": {"action": "reject"}}})

    assert raised.value.code == INVALID_PARAMS


async def test_a_retry_without_the_answer_asks_again(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str((await elicit(ctx, text_form("?"), key="user_name")).content)

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        first = await raw(client)
        again = await raw(client, request_state=first.request_state, input_responses={"wrong": accept(x="a")})

    assert list(again.input_requests) == ["user_name"]


async def test_rounds_that_the_tool_drives_itself_go_on_beside_ours(mcp: Server) -> None:
    request = types.ElicitRequest(
        params=types.ElicitRequestFormParams(message="theirs", requested_schema={"type": "object", "properties": {}})
    )

    @mcp.tool()
    async def ask(ctx: Context) -> str | types.InputRequiredResult:
        before = await elicit(ctx, text_form("before"))
        if ctx.request_state is None:
            return types.InputRequiredResult(input_requests={"theirs": request}, request_state="step-1")
        after = await elicit(ctx, text_form("after"))
        action = (ctx.input_responses or {})["theirs"].action
        return f"{before.content} {ctx.request_state} {action} {after.content}"

    assert await call(mcp) == "{'x': 'before'} step-1 accept {'x': 'after'}"


async def test_a_tool_that_asks_nothing_through_us_is_left_alone(mcp: Server) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str | types.InputRequiredResult:
        if ctx.request_state is None:
            return types.InputRequiredResult(request_state="mine")
        return ctx.request_state

    assert await call(mcp) == "mine"


# --- the state on the wire --------------------------------------------------------------------------------------------


async def refused(client: Client, **more: Any) -> MCPError:
    with pytest.raises(MCPError) as raised:
        await raw(client, **more)
    return raised.value


async def test_a_state_that_was_tampered_with_is_refused(mcp: Server) -> None:
    """Specification, "Multi Round-Trip Requests": servers MUST reject state that fails verification."""

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?")))

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        first = await raw(client)
        error = await refused(client, request_state=first.request_state + "x")

    assert (error.code, error.data) == (INVALID_PARAMS, {"reason": "invalid_request_state"})


async def test_a_state_of_ours_that_no_version_wrote_is_refused() -> None:
    class Plain:
        def seal(self, payload: bytes) -> str:
            return payload.decode()

        def unseal(self, token: str) -> bytes:
            return token.encode()

    from mcp.server.request_state import RequestStateSecurity

    mcp: Server = MCPServer(
        "asker", middleware=[Elicitation()], request_state_security=RequestStateSecurity(codec=Plain())
    )

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?")))

    async with eras.connected(mcp, "2026-07-28", echo) as client:
        claims = json.loads((await raw(client)).request_state)
        claims["s"] = claims["s"].replace('"elicitkit":1', '"elicitkit":99')
        error = await refused(client, request_state=json.dumps(claims))

    assert (error.code, error.data) == (INVALID_PARAMS, {"reason": "invalid_request_state"})


async def test_another_process_with_the_same_keys_goes_on() -> None:
    def process() -> Server:
        mcp: Server = MCPServer("asker", middleware=[Elicitation()], request_state_security=state_security("k" * 32))

        @mcp.tool()
        async def ask(ctx: Context) -> str:
            return str((await elicit(ctx, text_form("?"), key="q")).content)

        return mcp

    async with eras.connected(process(), "2026-07-28", echo) as client:
        first = await raw(client)
    async with eras.connected(process(), "2026-07-28", echo) as client:
        result = await raw(client, request_state=first.request_state, input_responses={"q": accept(x="tomorrow")})

    assert result.content[0].text == "{'x': 'tomorrow'}"


class TestLimits:
    """Design, section 11: beyond a limit, a clear error before anything is sent."""

    async def test_ten_rounds_are_asked_and_no_more(self, mcp: Server) -> None:
        @mcp.tool()
        async def ask(count: int, ctx: Context) -> str:
            for number in range(count):
                await elicit(ctx, text_form(str(number)))
            return "done"

        async with eras.connected(mcp, "2026-07-28", echo) as client:
            assert await eras.said(client, "ask", count=limits.ROUNDS) == "done"
            assert "has asked in 10 rounds" in await eras.said(client, "ask", count=limits.ROUNDS + 1)

    async def test_an_answer_may_take_32_kib(self, mcp: Server) -> None:
        @mcp.tool()
        async def ask(ctx: Context) -> str:
            return str(len((await elicit(ctx, text_form("?"))).content["x"]))

        fits = limits.ROUND_TRIP_ANSWER_BYTES - len('{"x":""}')
        with ScriptedAnswers([accept(x="a" * (fits + 1)), accept(x="a" * fits)]) as answers:
            assert await call(mcp, answers) == str(fits)

        assert "may take 32,768: shorten it" in answers.asked[1].message

    async def test_a_round_may_carry_16_questions(self, mcp: Server) -> None:
        @mcp.tool()
        async def ask(count: int, ctx: Context) -> str:
            await asyncio.gather(*(elicit(ctx, text_form(str(number))) for number in range(count)))
            return "done"

        async with eras.connected(mcp, "2026-07-28", echo) as client:
            assert await eras.said(client, "ask", count=limits.ROUND_QUESTIONS) == "done"
            assert "may carry 16 questions" in await eras.said(client, "ask", count=limits.ROUND_QUESTIONS + 1)

    async def test_a_journal_that_has_grown_too_large_says_to_use_a_task(
        self, mcp: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("elicitkit.server.round_trip.STATE_BYTES", 50_000)

        @mcp.tool()
        async def ask(ctx: Context) -> str:
            for number in range(9):
                await elicit(ctx, text_form(str(number)))
            return "done"

        async def at_length(_: object, __: object) -> Any:
            return accept(x="a" * 16_000)

        text = await call(mcp, at_length)

        assert text.startswith("error: The answers and steps so far take ")
        assert text.endswith("run the tool as a task.")

    async def test_a_round_that_is_too_large_is_not_sent(self, mcp: Server) -> None:
        options = [f"{number:03}" + "o" * 120 for number in range(1_000)]

        @mcp.tool()
        async def ask(ctx: Context) -> str:
            forms = [FormElicitation.create(f"{n}?").choice("x").options(options) for n in range(8)]
            await asyncio.gather(*(elicit(ctx, form) for form in forms))
            return "done"

        with ScriptedAnswers([]) as answers:
            assert "error: The round takes" in await call(mcp, answers)

    async def test_an_answer_is_measured_even_if_it_cannot_be_written(self, mcp: Server) -> None:
        @mcp.tool()
        async def ask(ctx: Context) -> str:
            return str(await elicit(ctx, text_form("?"), tries=1))

        async def large(_: object, params: Any) -> Any:
            return accept(x="ok", y="\ud800" + "z" * limits.ROUND_TRIP_ANSWER_BYTES)

        assert "The answer takes" in await call(mcp, large)

    async def test_a_tool_that_catches_a_limit_may_ask_for_less(self, mcp: Server) -> None:
        @mcp.tool()
        async def ask(ctx: Context) -> str:
            schema: dict[str, Any] = {"type": "object", "properties": {}}
            try:
                await ctx.session.elicit_form("x" * limits.ROUND_BYTES, schema)
            except LimitError:
                return (await elicit(ctx, text_form("less"))).action
            return "asked"

        assert await call(mcp) == "accept"
