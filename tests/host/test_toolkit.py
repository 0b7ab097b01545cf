"""`Toolkit` (issue 5, points 5 and 6): all tools under one interface, turns, and resuming in another process."""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import CallToolResult, TextContent

from elicitkit import (
    Answer,
    AnswerError,
    ContractError,
    FunctionTool,
    HttpTool,
    Origin,
    PendingCall,
    Policy,
    Request,
    Rule,
    ServerUnavailable,
    Slot,
    ToolCall,
    ToolContext,
    Toolkit,
    ToolResult,
    Turn,
    pending,
    question,
)
from tests.host.calling import Person, all_text, declining

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "examples" / "toolkit.py"

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}


class Desk:
    """Two tools that count how often they run."""

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.contexts: list[ToolContext] = []

    def approve(self, what: str, ctx: ToolContext) -> Any:
        """Do something that needs a yes."""
        self.runs.append(what)
        self.contexts.append(ctx)
        return f"{what} done" if ctx.answer else pending(f"{what}?", kind="approval", data={"what": what})

    def name_it(self, ctx: ToolContext) -> Any:
        self.runs.append("name_it")
        if ctx.answer is None:
            return pending("Your name?", kind="input", data={"schema": SCHEMA})
        return dict(ctx.answer.data or {})

    def ping(self) -> str:
        self.runs.append("ping")
        return "pong"

    def kit(self, **settings: Any) -> Toolkit:
        return Toolkit([self.approve, self.name_it, self.ping, question], **settings)


@dataclass(frozen=True)
class Info:
    name: str
    server: str
    tool: str
    description: str | None = None
    input_schema: Mapping[str, Any] = None  # type: ignore[assignment]


class StubSource:
    """A source with one server, whose one tool asks as often as it is told to, and tells what it heard."""

    def __init__(self, rounds: int = 1, *, server: str = "shop") -> None:
        self.tools: Sequence[Info] = [Info(f"{server}_buy", server, "buy", None, {"type": "object"})]
        self.rounds, self.server = rounds, server
        self.heard: list[Answer] = []
        self.call_ids: list[str | None] = []
        self.fault: Exception | None = None

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> CallToolResult | PendingCall:
        self.call_ids.append(call_id)
        if self.fault:
            raise self.fault
        return self._next(arguments, 0)

    async def resume(self, pending: PendingCall, answer: Answer) -> CallToolResult | PendingCall:
        if self.fault:
            raise self.fault
        self.heard.append(answer)
        return self._next(pending.arguments, pending.state["round"])

    def _next(self, arguments: Mapping[str, Any], done: int) -> CallToolResult | PendingCall:
        if done < self.rounds:
            request = Request(f"q{done}", "input", f"Round {done}?", data={"schema": SCHEMA})
            return PendingCall(request, self.server, "buy", arguments, {"round": done + 1})
        return CallToolResult(content=[TextContent(type="text", text=f"bought after {done}")])


# --- what there is ----------------------------------------------------------------------------------------------------


async def test_all_tools_stand_under_one_interface() -> None:
    desk = Desk()
    http = HttpTool("issue", "GET", "https://example.com/{id}", description="An issue.")
    kit = Toolkit([desk.approve, StubSource(), question, http])

    assert [(info.name, info.server) for info in kit.tools] == [
        ("approve", ""),
        ("question", ""),
        ("issue", ""),
        ("shop_buy", "shop"),
    ]
    assert kit.tools[0].description == "Do something that needs a yes."
    assert list(kit.tools[0].input_schema["properties"]) == ["what"]
    json.dumps([info.input_schema for info in kit.tools])


@pytest.mark.parametrize(
    "others",
    [
        lambda desk: [FunctionTool(desk.ping, name="approve")],
        lambda desk: [question, question],
    ],
    ids=["functions", "questions"],
)
async def test_two_tools_with_one_name_are_an_error_when_the_toolkit_is_made(others: Any) -> None:
    desk = Desk()

    with pytest.raises(ValueError, match=r"two tools have the name '.*'; give one of them another"):
        Toolkit([desk.approve, *others(desk)])


async def test_a_tool_of_a_server_whose_name_is_taken_gets_another() -> None:
    """One server must not break a whole toolkit with what it calls its tools."""
    first, second = StubSource(0), StubSource(1)
    kit = Toolkit([FunctionTool(Desk().ping, name="shop_buy"), first, second])

    assert [info.name for info in kit.tools] == ["shop_buy", "shop_buy_2", "shop_buy_3"]
    assert (await kit.execute("shop_buy_2")).output == "bought after 0"
    assert (await kit.execute("shop_buy_3")).output == "Round 0?"
    assert (await kit.execute("shop_buy")).output == "pong"


async def test_a_source_is_told_the_id_of_the_call() -> None:
    source = StubSource(0)

    await Toolkit([source]).execute_turn([ToolCall("c7", "shop_buy")])
    await Toolkit([source]).execute("shop_buy")

    assert source.call_ids[0] == "c7"
    assert source.call_ids[1]


@pytest.mark.parametrize("name", [[], {}, 5, None])
async def test_what_can_be_no_name_is_no_tool(name: Any) -> None:
    assert "There is no tool" in (await Toolkit([question]).execute(name)).output


@pytest.mark.parametrize("given", ["ping", 7, None, {"name": "ping"}])
async def test_what_is_no_tool_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError, match="a toolkit has functions, tools and sources, not"):
        Toolkit([given])


async def test_an_unknown_tool_is_an_error_with_the_nearest_name() -> None:
    kit = Toolkit([Desk().approve, StubSource()])

    assert await kit.execute("aprove") == ToolResult.error("There is no tool 'aprove'; did you mean 'approve'?")
    assert await kit.execute("shop_by") == ToolResult.error("There is no tool 'shop_by'; did you mean 'shop_buy'?")
    assert (await kit.execute("zzz\x1b[2J" * 100)).is_error
    assert (await Toolkit([]).execute("x")).output == "There is no tool 'x'; there are none"


# --- with a slot ------------------------------------------------------------------------------------------------------


async def test_a_tool_that_asks_is_answered_and_run_once_more() -> None:
    desk, person = Desk(), Person({"name": "Ada"})

    assert await desk.kit(wait_for=person).execute("approve", {"what": "deploy"}) == ToolResult("deploy done")
    assert desk.runs == ["deploy", "deploy"]
    assert len(person.asked) == 1


async def test_both_runs_know_their_call_and_the_second_its_answer() -> None:
    desk = Desk()
    await desk.kit(wait_for=Person({"note": "go"})).execute("approve", {"what": "x"}, call_id="c1")

    first, second = desk.contexts
    assert (first.tool, first.call_id, first.answer, first.request) == ("approve", "c1", None, None)
    assert (second.call_id, second.answer and second.answer.data) == ("c1", {"note": "go"})
    assert second.request is not None
    assert (second.request.data or {})["what"] == "x"


async def test_a_question_says_which_tool_and_call_it_comes_from() -> None:
    desk, person = Desk(), Person()
    await desk.kit(wait_for=person).execute("approve", {"what": "x"}, call_id="c1")

    assert Origin.of(person.asked[0]) == Origin("", "approve", call="c1")


async def test_a_form_of_a_tool_is_checked_like_any_other() -> None:
    """Design, section 5: a wrong answer is asked again with the faults above the message."""
    answers = iter([{"name": "Ada", "age": "old"}, {"name": "Ada", "age": "36"}])
    desk, person = Desk(), Person(lambda request: request.accept(next(answers)))

    result = await desk.kit(wait_for=person).execute("name_it")

    assert result.structured == {"name": "Ada", "age": 36}
    assert len(person.asked) == 2
    assert desk.runs == ["name_it"] * 2


async def test_a_policy_answers_without_a_person() -> None:
    desk = Desk()
    kit = desk.kit(policy=Policy([Rule("decline", kind="approval", server="", tool="approve")]))

    assert (await kit.execute("approve", {"what": "x"})).output == "declined/expired: x?"
    assert (await kit.execute("name_it")).pending is not None


async def test_a_headless_host_asks_nobody_and_nothing_waits() -> None:
    """Design, section 9: what a headless run does."""
    result = await Desk().kit(policy=Policy(headless=True)).execute("approve", {"what": "x"})

    assert result == ToolResult.error("declined/expired: x?")


async def test_hooks_see_every_question_and_answer_whether_somebody_waits_or_not() -> None:
    """Design, section 9: `on_ask` and `on_answer` see every question and answer."""
    seen: list[Any] = []
    hooks: dict[str, Any] = {
        "on_ask": lambda request: seen.append(request.prompt),
        "on_answer": lambda request, answer: seen.append((request.prompt, answer.ok, answer.reason)),
    }
    desk = Desk()
    await desk.kit(wait_for=declining, **hooks).execute("approve", {"what": "a"})
    kit = desk.kit(**hooks)
    result = await kit.execute("approve", {"what": "b"})
    assert result.request is not None
    await kit.resume(result, result.request.accept())

    assert seen == ["a?", ("a?", False, "declined"), "b?", ("b?", True, None)]


async def test_a_slot_may_be_given_whole_and_then_has_its_own_settings() -> None:
    slot = Slot(Person())

    assert (await Desk().kit(wait_for=slot).execute("approve", {"what": "x"})).output == "x done"
    with pytest.raises(TypeError, match="a Slot has its own policy"):
        Desk().kit(wait_for=slot, policy=Policy())


async def test_what_a_function_hands_on_from_another_toolkit_waits_for_the_function() -> None:
    inner = Desk().kit()

    async def outer(ctx: ToolContext) -> Any:
        return "outer done" if ctx.answer else await inner.execute("approve", {"what": "x"})

    result = await Toolkit([outer]).execute("outer", call_id="c1")
    assert result.pending is not None

    assert (result.pending.tool, Origin.of(result.pending.request).tool) == ("outer", "outer")
    assert (await Toolkit([outer]).resume(result, result.pending.request.accept())).output == "outer done"


# --- several at once --------------------------------------------------------------------------------------------------


def turn_of(*whats: str) -> list[ToolCall]:
    return [
        ToolCall(f"c{at}", "ping" if what == "ping" else "approve", {} if what == "ping" else {"what": what})
        for at, what in enumerate(whats)
    ]


async def test_the_results_of_a_turn_stand_in_the_order_of_its_calls() -> None:
    async def slow() -> str:
        await anyio.sleep(0.02)
        return "slow"

    async def fast() -> str:
        return "fast"

    turn = await Toolkit([slow, fast]).execute_turn([ToolCall("1", "slow"), ToolCall("2", "fast"), ToolCall("3", "no")])

    assert [result.output for result in turn.results[:2]] == ["slow", "fast"]
    assert turn.results[2].is_error
    assert turn.pending is None


async def test_the_calls_of_a_turn_run_side_by_side() -> None:
    met = anyio.Event()

    async def waits() -> str:
        await met.wait()
        return "met"

    async def comes() -> None:
        met.set()

    with anyio.fail_after(5):
        turn = await Toolkit([waits, comes]).execute_turn([ToolCall("1", "waits"), ToolCall("2", "comes")])

    assert [result.output for result in turn.results] == ["met", ""]


async def test_the_questions_of_a_turn_are_shown_one_after_another() -> None:
    shown: list[int] = []

    async def wait_for(request: Request) -> Answer:
        shown.append(1)
        await anyio.sleep(0.001)
        assert sum(shown) == 1
        shown.append(-1)
        return request.accept()

    with anyio.fail_after(5):
        turn = await Desk().kit(wait_for=wait_for).execute_turn(turn_of("a", "b", "c"))

    assert [result.output for result in turn.results] == ["a done", "b done", "c done"]


async def test_without_a_slot_the_first_that_waits_is_the_turns_and_the_others_are_kept() -> None:
    """Design, section 6: the first in call order when several calls of one turn suspend."""
    desk = Desk()
    kit = desk.kit()

    turn = await kit.execute_turn(turn_of("ping", "a", "ping", "b"))
    assert turn.request is not None
    assert turn.request.prompt == "a?"
    after = await kit.resume_turn(turn, turn.request.accept())
    assert after.request is not None
    assert after.request.prompt == "b?"
    over = await kit.resume_turn(after, after.request.decline())

    outputs = [result.output for result in over.results]
    assert (over.pending, outputs) == (None, ["pong", "a done", "pong", "declined/expired: b?"])
    assert sorted(desk.runs) == ["a", "a", "b", "ping", "ping"]


async def test_the_questions_of_a_turn_may_be_answered_in_any_order_and_after_json() -> None:
    kit = Desk().kit()
    turn = await kit.execute_turn(turn_of("a", "b"))

    half = await kit.resume_turn(turn.to_json(), turn.requests[1].accept())
    over = await kit.resume_turn(json.loads(half.to_json()), turn.requests[0].accept())

    assert half.request == turn.requests[0]
    assert [result.output for result in over.results] == ["a done", "b done"]


async def test_a_tool_knows_its_call_by_the_id_the_model_gave_it() -> None:
    desk = Desk()
    await desk.kit().execute_turn(turn_of("a"))

    assert [context.call_id for context in desk.contexts] == ["c0"]


async def test_what_is_no_call_is_a_type_error_and_nothing_runs() -> None:
    desk = Desk()

    with pytest.raises(TypeError, match="made of ToolCalls, not of dict"):
        await desk.kit().execute_turn([ToolCall("1", "ping"), {"name": "ping"}])  # type: ignore[list-item]
    assert not desk.runs


async def test_an_answer_to_nothing_that_a_turn_waits_for_is_an_error() -> None:
    kit = Desk().kit()
    turn = await kit.execute_turn(turn_of("a"))
    over = await kit.resume_turn(turn, turn.requests[0].accept())

    for stale, answer in ((turn, Answer("other", ok=True)), (over, turn.requests[0].accept())):
        with pytest.raises(ContractError, match="to no request that this turn waits for"):
            await kit.resume_turn(stale, answer)


async def test_a_turn_that_is_cancelled_cancels_all_its_calls() -> None:
    ended: list[str] = []

    async def hangs() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("x")

    with anyio.move_on_after(0.02):
        await Toolkit([hangs]).execute_turn([ToolCall("1", "hangs"), ToolCall("2", "hangs")])

    assert ended == ["x", "x"]


# --- another day ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["result", "call", "json", "bytes", "dict"])
async def test_a_call_is_resumed_from_whatever_it_was_kept_as(form: str) -> None:
    desk = Desk()
    result = await desk.kit().execute("approve", {"what": "x"}, call_id="c1")
    assert result.pending is not None
    kept: dict[str, Any] = {
        "result": result,
        "call": result.pending,
        "json": result.to_json(),
        "bytes": result.pending.to_json().encode(),
        "dict": result.to_dict(),
    }

    assert await desk.kit().resume(kept[form], result.pending.request.accept()) == ToolResult("x done")
    assert [context.call_id for context in desk.contexts] == ["c1", "c1"]


OTHER_PROCESS = """
import asyncio, sys
from elicitkit import Answer, ToolContext, Toolkit, pending

def approve(what: str, ctx: ToolContext):
    return f"{what} done, {ctx.answer.data['by']}, {ctx.call_id}" if ctx.answer else pending("?", kind="approval")

stored, answer = sys.stdin.read().splitlines()
print(asyncio.run(Toolkit([approve]).resume(stored, Answer.from_json(answer))).output)
"""


async def test_another_process_goes_on_with_a_stored_call() -> None:
    """Issue 5, point 6: local tools by running them again with the answer."""
    result = await Desk().kit().execute("approve", {"what": "Größe"}, call_id="c1")
    assert result.request is not None
    given = "\n".join([result.to_json(), result.request.accept({"by": "Ada"}).to_json()])

    done = await anyio.run_process(
        [sys.executable, "-X", "utf8", "-c", OTHER_PROCESS], input=given.encode(), stderr=subprocess.STDOUT
    )

    assert done.stdout.decode().strip() == "Größe done, Ada, c1"


async def test_a_resumed_tool_that_waits_again_is_unresolved() -> None:
    def stubborn(ctx: ToolContext) -> Any:
        return pending("Again?" if ctx.answer else "Go?", kind="approval")

    kit = Toolkit([stubborn])
    result = await kit.execute("stubborn")
    assert result.request is not None

    assert await kit.resume(result, result.request.accept()) == ToolResult.error("unresolved: Go?")


async def test_a_resumed_tool_that_was_refused_does_not_run() -> None:
    desk = Desk()
    result = await desk.kit().execute("approve", {"what": "x"})
    assert result.request is not None

    assert await desk.kit().resume(result, result.request.cancel()) == ToolResult.error("declined/expired: x?")
    assert desk.runs == ["x"]


async def test_an_answer_to_another_request_raises_and_the_call_still_waits() -> None:
    desk = Desk()
    result = await desk.kit().execute("approve", {"what": "x"})

    with pytest.raises(ContractError, match="another request"):
        await desk.kit().resume(result, Answer("other", ok=True))
    assert desk.runs == ["x"]


async def test_an_answer_that_does_not_fit_raises_and_the_call_still_waits() -> None:
    desk = Desk()
    kit = desk.kit()
    result = await kit.execute("name_it")
    assert result.request is not None

    with pytest.raises(AnswerError, match="Age"):
        await kit.resume(result, result.request.accept({"name": "Ada", "age": "s3cret"}))
    assert desk.runs == ["name_it"]
    resumed = await kit.resume(result, result.request.accept({"name": "Ada", "age": "36", "more": 1}))
    assert resumed.structured == {"name": "Ada", "age": 36}


async def test_an_answer_that_comes_too_late_is_expired() -> None:
    def soon(ctx: ToolContext) -> Any:
        assert ctx.answer is None
        return pending("Go?", kind="approval", expires_at=datetime.now(UTC) - timedelta(seconds=1))

    kit = Toolkit([soon])
    result = await kit.execute("soon")
    assert result.request is not None

    assert await kit.resume(result, result.request.accept()) == ToolResult.error("declined/expired: Go?")


async def test_a_call_of_a_tool_that_is_no_more_is_an_error_result() -> None:
    result = await Desk().kit().execute("approve", {"what": "x"})
    assert result.request is not None

    resumed = await Toolkit([Desk().ping]).resume(result, result.request.accept())

    assert resumed == ToolResult.error("There is no tool 'approve'; there are 'ping'")


@pytest.mark.parametrize("given", [ToolResult("over"), 7, None])
async def test_what_does_not_wait_cannot_be_resumed(given: Any) -> None:
    with pytest.raises(TypeError):
        await Desk().kit().resume(given, Answer("r1", ok=True))


async def test_what_was_stored_and_is_no_call_is_a_contract_error() -> None:
    for stored in ("{}", "x", pending("?", kind="x").to_json()):
        with pytest.raises(ContractError):
            await Desk().kit().resume(stored, Answer("r1", ok=True))


# --- sources ----------------------------------------------------------------------------------------------------------


async def test_a_source_that_suspends_is_answered_by_the_slot_as_often_as_it_asks() -> None:
    source, person = StubSource(rounds=3), Person({"name": "Ada"})

    result = await Toolkit([source], wait_for=person).execute("shop_buy", {"cart": 1})

    assert result == ToolResult("bought after 3")
    assert [asked.id for asked in person.asked] == ["q0", "q1", "q2"]


async def test_a_source_is_told_refusals() -> None:
    source = StubSource()

    result = await Toolkit([source], wait_for=declining).execute("shop_buy")

    assert (result.output, [answer.reason for answer in source.heard]) == ("bought after 1", ["declined"])


async def test_a_source_without_a_slot_waits_round_after_round() -> None:
    kit = Toolkit([StubSource(rounds=2), Desk().ping])
    result = await kit.execute("shop_buy")

    for asked in ("q0", "q1"):
        assert result.request is not None
        assert result.request.id == asked
        result = await kit.resume(result.to_json(), result.request.accept({"name": "Ada"}))

    assert result == ToolResult("bought after 2")


async def test_each_call_goes_back_to_its_own_source() -> None:
    one, other = StubSource(), StubSource(server="bank")
    kit = Toolkit([one, other])
    result = await kit.execute("bank_buy")
    assert result.request is not None
    await kit.resume(result, result.request.accept({"name": "Ada"}))

    assert (len(one.heard), len(other.heard)) == (0, 1)


async def test_a_call_of_a_server_that_no_source_has_raises_and_still_waits() -> None:
    result = await Toolkit([StubSource()]).execute("shop_buy")
    assert result.request is not None

    with pytest.raises(ValueError, match="no source has the server 'shop'"):
        await Desk().kit().resume(result, result.request.accept({"name": "Ada"}))


async def test_a_server_that_is_away_when_resumed_raises_and_the_call_still_waits() -> None:
    source = StubSource()
    kit = Toolkit([source])
    result = await kit.execute("shop_buy")
    assert result.request is not None
    source.fault = ServerUnavailable("shop is away")

    with pytest.raises(ServerUnavailable):
        await kit.resume(result, result.request.accept({"name": "Ada"}))
    source.fault = None
    assert await kit.resume(result, result.request.accept({"name": "Ada"})) == ToolResult("bought after 1")


async def test_the_only_source_tells_of_a_server_that_has_no_tools_now() -> None:
    source = StubSource()
    kit = Toolkit([source])
    result = await kit.execute("shop_buy")
    assert result.request is not None
    source.tools = []

    assert await kit.resume(result, result.request.accept({"name": "Ada"})) == ToolResult("bought after 1")


async def test_the_hooks_of_a_toolkit_see_what_a_source_suspended_and_its_answer() -> None:
    seen: list[str] = []
    kit = Toolkit(
        [StubSource()],
        on_ask=lambda request: seen.append(f"asked {request.id}"),
        on_answer=lambda request, answer: seen.append(f"answered {request.id}"),
    )
    result = await kit.execute("shop_buy")
    assert result.request is not None
    await kit.resume(result, result.request.accept({"name": "Ada"}))

    assert seen == ["asked q0", "answered q0"]


async def test_what_went_through_a_slot_already_is_not_put_to_it_again() -> None:
    seen: list[str] = []
    slot = Slot(None, on_ask=lambda request: seen.append(request.id))
    source = StubSource()
    source.slot = slot  # type: ignore[attr-defined]  # as an `McpSource` has one, which has asked it itself
    kit = Toolkit([source], wait_for=slot)

    result = await kit.execute("shop_buy")
    assert result.request is not None
    await kit.resume(result, result.request.accept({"name": "Ada"}))

    assert seen == []


async def test_a_source_that_breaks_is_an_error_without_details(caplog: pytest.LogCaptureFixture) -> None:
    source = StubSource()
    source.fault = RuntimeError("s3cret")

    result = await Toolkit([source]).execute("shop_buy")

    assert result == ToolResult.error("shop_buy failed. The reason is in the log of the host.")
    assert "s3cret" in caplog.text


# --- privacy ----------------------------------------------------------------------------------------------------------


async def test_no_log_and_no_repr_holds_an_answer(caplog: pytest.LogCaptureFixture) -> None:
    """Design, section 5: no text, `repr` or log line contains what the person typed."""
    caplog.set_level(logging.DEBUG)
    desk = Desk()
    kit = desk.kit(wait_for=Person({"name": "s3cret", "output": "s3cret"}))

    results = [
        await kit.execute("name_it"),
        await kit.execute("question", {"questions": [{"question": "Which?"}]}),
        await kit.execute("approve", {"what": "x"}),
    ]

    turn = Turn([ToolCall("1", "x")] * 3, results)
    shown = repr(results) + repr(turn) + repr(kit) + repr(desk.contexts) + all_text(caplog)
    assert "s3cret" in results[0].output
    assert "s3cret" in results[1].output
    assert "s3cret" not in shown


# --- the example ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "said"), [("y\n", "deleted a.txt, b.txt"), ("n\n", "declined/expired: Delete 2 files?")]
)
async def test_the_example_asks_before_it_deletes(typed: str, said: str) -> None:
    done = await anyio.run_process([sys.executable, str(EXAMPLE)], input=typed.encode())

    assert done.stdout.decode().splitlines() == [f"Delete 2 files? [y/N] {said}"]


async def test_what_cannot_be_read_after_the_tool_ran_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it raised, the call would still wait, and the tool run twice."""
    source = StubSource()
    waiting = await Toolkit([source]).execute("shop_buy")

    def broken(result: object) -> Any:
        raise ValueError("no")

    monkeypatch.setattr(ToolResult, "from_call_tool_result", broken)
    result = await Toolkit([source]).resume(waiting, waiting.request.accept({"name": "Ada"}))

    assert result == ToolResult.error("buy failed. The reason is in the log of the host.")


async def test_a_server_that_went_away_while_a_person_thought_is_told() -> None:
    source = StubSource()

    def wait_for(request: Request) -> Any:
        source.fault = ServerUnavailable("shop is away")
        return request.accept({"name": "Ada"})

    assert await Toolkit([source], wait_for=wait_for).execute("shop_buy") == ToolResult.error("shop is away")


async def test_a_call_that_waits_for_later_expires() -> None:
    kit = Toolkit([Desk().approve], timeout=0.001)
    result = await kit.execute("approve", {"what": "x"})
    await anyio.sleep(0.01)

    assert (await kit.resume(result, result.request.accept())).output == "declined/expired: x?"
