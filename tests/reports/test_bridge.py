"""Between those who ask and those who answer: other processes, other frameworks, and nobody at all."""

import json
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from elicitkit import (
    Answer,
    McpSource,
    PendingCall,
    Policy,
    Request,
    Rule,
    Slot,
    Toolkit,
    question,
)
from elicitkit.testing import RandomAnswers, ScriptedAnswers, accept, decline, everything_server, never
from tests import eras
from tests.host.hosting import hosting, in_memory, speaking, text

pytestmark = pytest.mark.anyio

KEYS = "k" * 32


def process() -> MCPServer[Any]:
    """A server as a new process has it; all know the same keys."""
    return everything_server(keys=KEYS)


@pytest.mark.parametrize("tool", ["a_ask_everything", "a_ask_steps", "a_ask_several", "a_ask_link", "a_ask_empty"])
async def test_r163_a_question_is_answered_later_by_another_process(tool: str) -> None:
    """Nothing but text is kept in between: host and server are made anew for each answer."""
    answers, stored, rounds = RandomAnswers(1), "", 0
    while True:
        with speaking("2026-07-28"), in_memory({"a": process()}) as config:
            async with McpSource.load(config, suspend=True) as source:
                if not stored:
                    found = await source.call(tool)
                else:
                    pending = PendingCall.from_json(stored)
                    found = await source.resume(stored, await answers.wait_for(pending.request))
        if not isinstance(found, PendingCall):
            break
        stored, rounds = found.to_json(), rounds + 1

    assert "accept" in text(found) or "booked" in text(found)
    assert rounds == len(answers.asked) >= 1


@pytest.mark.parametrize(
    "request_",
    [
        Request("r1", "input", "?", data={"schema": {"type": "object", "properties": {"a": {"type": "number"}}}}),
        Request("r2", "authorization", "Sign in", url="https://a.example"),
        Request("r3", "invented", "?", data={"anything": [1, None, {"x": "ü"}]}),
    ],
    ids=lambda one: one.kind,
)
def test_r163_a_request_and_its_answer_are_the_same_after_json(request_: Request) -> None:
    answer = request_.accept({"a": 1.5, "b": ["x"], "c": None})

    assert Request.from_json(request_.to_json()) == request_
    assert Answer.from_json(answer.to_json()) == answer
    assert json.loads(request_.to_json())["id"] == request_.id


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("tool", ["ask_text", "ask_stock", "ask_empty", "ask_confirm"])
async def test_r165_whatever_an_embedded_server_asks_reaches_who_embeds_it(revision: str, tool: str) -> None:
    seen: list[Request] = []
    async with hosting(everything_server(), revision, wait_for=RandomAnswers(1).wait_for, on_ask=seen.append) as source:
        await source.call(f"a_{tool}")

    assert len(seen) == 1


async def test_r165_so_does_what_a_tool_of_the_hosts_own_asks() -> None:
    seen: list[Request] = []
    red = Answer("any", ok=True, data={"answers": [["red"]]})
    with ScriptedAnswers([red]) as answers:
        kit = Toolkit([question], wait_for=answers.wait_for, on_ask=seen.append)
        result = await kit.execute("question", {"questions": [{"question": "Which?", "options": ["red", "blue"]}]})

    assert [request.kind for request in seen] == ["question"]
    assert result.output == '{"answers": [["red"]]}'


DEFAULTED = {"properties": {"a": {"type": "string", "default": "x"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("policy", "schema", "ok", "reason"),
    [
        (Policy(headless=True), DEFAULTED, False, "headless"),
        (Policy([Rule("defaults", server="")], headless=True), DEFAULTED, True, None),
        (Policy([Rule("defaults", server="other")], headless=True), DEFAULTED, False, "headless"),
        (Policy([Rule("decline")], headless=True), DEFAULTED, False, "declined"),
        (Policy([Rule("confirm", server="")], headless=True), {"properties": {}}, True, None),
        (Policy(), DEFAULTED, False, "headless"),
    ],
)
async def test_r167_without_a_person_the_policy_decides_and_says_so(
    policy: Policy, schema: dict[str, Any], ok: bool, reason: str | None
) -> None:
    request = Request("r1", "input", "?", data={"schema": {"type": "object", **schema}})

    answer = await Slot(None, policy=policy).answer(request)

    assert (answer.ok, answer.reason) == (ok, reason)


async def test_r169_a_script_accepts_declines_and_lets_the_time_run_out() -> None:
    slot = Slot(ScriptedAnswers([accept(name="Ada"), decline(), never]).wait_for, timeout=0.05)
    request = Request(
        "r1", "input", "?", data={"schema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    )

    answers = [await slot.answer(request) for _ in range(3)]

    assert [(answer.ok, answer.reason) for answer in answers] == [(True, None), (False, "declined"), (False, "expired")]


@pytest.mark.parametrize("revision", eras.ALL[1:])
async def test_r169_a_server_asks_everything_and_anything_answers_it(revision: str) -> None:
    async with eras.connected(everything_server(), revision, RandomAnswers(1, wrong_first=1)) as client:
        for tool in ("ask_everything", "ask_several", "ask_steps"):
            assert not (await eras.said(client, tool)).startswith("error: ")
