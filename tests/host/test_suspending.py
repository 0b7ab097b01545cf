"""Resume without a live process (issue 5, point 6): a call that needs a person is JSON, until there is an answer."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, InputRequiredResult

from elicitkit import (
    AnswerError,
    ContractError,
    McpSource,
    Origin,
    PendingCall,
    Policy,
    Request,
    Rule,
    ServerUnavailable,
    pending_of,
)
from elicitkit.host.settings import settings_from
from tests import eras
from tests.host import host_process
from tests.host.asker import PAGE, Asker
from tests.host.hosting import ROOT, hosting, process, text

pytestmark = pytest.mark.anyio

SECRET = "hunter2"
MODERN = "2026-07-28"


async def pending(source: McpSource, tool: str, **arguments: Any) -> PendingCall:
    """A call that waits, as it is after it was stored."""
    call = await source.call(f"a_{tool}", arguments)
    assert isinstance(call, PendingCall)
    return PendingCall.from_json(call.to_json())


async def test_a_call_that_needs_a_person_returns_at_once_with_all_that_is_needed_to_go_on() -> None:
    asker = Asker()

    async with hosting(asker.mcp, MODERN, suspend=True) as source:
        call = await pending(source, "greet", greeting="Ahoi")
        assert asker.happened == []
        result = await source.resume(call, call.request.accept({"name": "Ada"}))

    assert text(result) == "Ahoi, Ada!"
    assert (call.server, call.tool, call.arguments) == ("a", "greet", {"greeting": "Ahoi"})
    assert pending_of(call) == call.request
    assert Origin.of(call.request).tool == "greet"


async def test_a_call_that_asks_nothing_is_not_suspended() -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        assert text(await source.call("a_echo", {"text": "x"})) == "x"


async def test_another_round_makes_it_wait_again() -> None:
    asker = Asker()

    async with hosting(asker.mcp, MODERN, suspend=True) as source:
        first = await pending(source, "order")
        second = await source.resume(first.to_json(), first.request.accept({"size": "M"}))
        assert isinstance(second, PendingCall)
        assert second.request.prompt == "Who wants the M?"
        assert second.request.id != first.request.id
        result = await source.resume(second.to_dict(), second.request.accept({"name": "Ada"}))

    assert (text(result), asker.happened) == ("M for Ada", ["ordered"])
    assert Origin.of(first.request).call == Origin.of(second.request).call


async def test_the_questions_of_a_round_are_handed_out_one_after_the_other() -> None:
    asker = Asker()

    async with hosting(asker.mcp, MODERN, suspend=True) as source:
        first = await pending(source, "both")
        second = await source.resume(first, first.request.accept({"size": "M"}))
        assert isinstance(second, PendingCall)
        again = PendingCall.from_json(second.to_json())
        result = await source.resume(again, again.request.decline())

    assert [first.request.prompt, again.request.prompt] == ["Which size?", "Who is there?"]
    assert (text(result), asker.happened) == ("{'size': 'M'}, declined", ["asked both"])


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda request: request.accept({"name": "A"}), AnswerError),
        (lambda request: request.accept(), AnswerError),
        (lambda request: Request("other", "input", "?").accept({"name": "Ada"}), ContractError),
        (lambda request: {"name": "Ada"}, TypeError),
    ],
    ids=["wrong", "empty", "to another", "no answer"],
)
async def test_an_answer_that_cannot_be_used_is_refused_and_nothing_is_lost(
    answer: Any, error: type[Exception]
) -> None:
    asker = Asker()

    async with hosting(asker.mcp, MODERN, suspend=True) as source:
        call = await pending(source, "greet")
        with pytest.raises(error):
            await source.resume(call, answer(call.request))
        assert asker.happened == []

        assert text(await source.resume(call, call.request.accept({"name": "Ada"}))) == "Hello, Ada!"


async def test_types_are_made_right_before_an_answer_leaves() -> None:
    mcp: MCPServer[Any] = MCPServer("a")
    seen: list[Any] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            seen.append(ctx.input_responses["k"].content)
            return "done"
        schema = {"type": "object", "properties": {"age": {"type": "integer"}, "note": {"type": "string"}}}
        form = ElicitRequestFormParams(message="?", requested_schema=schema)
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=form)})

    async with hosting(mcp, MODERN, suspend=True) as source:
        call = await pending(source, "ask")
        await source.resume(call, call.request.accept({"age": "36", "note": None, "more": 1}))

    assert seen == [{"age": 36}]


async def test_consent_to_a_link_can_wait_too() -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        call = await pending(source, "pay")
        assert (call.request.kind, call.request.url) == ("authorization", PAGE)
        assert text(await source.resume(call, call.request.accept({"card": SECRET}))) == "paid {}"


@pytest.mark.parametrize("agrees", [True, False])
async def test_so_can_a_link_that_is_required_on_a_handshake(agrees: bool) -> None:
    """2025-11-25, URL elicitation required error: the call has ended, so nothing live is needed to make it again."""
    asker = Asker()

    async with hosting(asker.mcp, "2025-11-25", suspend=True) as source:
        call = await pending(source, "unlock")
        asker.opened = True
        answer = call.request.accept() if agrees else call.request.decline()
        result = text(await source.resume(call, answer))

    assert result == ("unlocked" if agrees else "error: declined/expired: Unlock")


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
@pytest.mark.parametrize("tool", ["greet", "stock"])
async def test_a_call_on_a_handshake_says_plainly_that_it_cannot_wait(tool: str, revision: str) -> None:
    told: list[Any] = []

    async with hosting(
        Asker().mcp, revision, suspend=True, on_answer=lambda _, answer: told.append(answer.reason)
    ) as source:
        result = text(await source.call(f"a_{tool}"))

    assert result.startswith("error: unsupported: ")
    assert "a question cannot wait for a later answer" in result
    assert result.endswith("Nobody: cancelled" if tool == "greet" else "cancel")
    assert told == ["unsupported"]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_what_a_policy_answers_does_not_wait(revision: str) -> None:
    policy = Policy([Rule("confirm", server="a")])

    async with hosting(Asker().mcp, revision, suspend=True, policy=policy) as source:
        assert text(await source.call("a_sure")) == "yes"


async def test_hooks_see_a_question_when_it_is_asked_and_its_answer_when_it_comes() -> None:
    seen: list[Any] = []
    hooks = {"on_ask": lambda _: seen.append("asked"), "on_answer": lambda _, answer: seen.append(answer.ok)}

    async with hosting(Asker().mcp, MODERN, suspend=True, **hooks) as source:
        call = await pending(source, "greet")
        assert seen == ["asked"]
        await source.resume(call, call.request.accept({"name": "Ada"}))

    assert seen == ["asked", True]


async def test_a_hook_is_told_until_when_a_question_can_be_answered() -> None:
    """It is the time that whoever has the pending call is told."""
    asked: list[Request] = []

    async with hosting(Asker().mcp, MODERN, suspend=True, timeout=60, on_ask=asked.append) as source:
        call = await pending(source, "greet")

    assert call.request.expires_at is not None
    assert [request.expires_at for request in asked] == [call.request.expires_at]


async def test_a_question_that_nobody_can_answer_is_not_kept() -> None:
    mcp: MCPServer[Any] = MCPServer("a")
    nested = {"type": "object", "properties": {"x": {"type": "object"}}, "required": ["x"]}

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return ", ".join(f"{key} {answer.action}" for key, answer in ctx.input_responses.items())
        form = ElicitRequestFormParams(message="?", requested_schema=nested)
        link = ElicitRequestURLParams(message="?", url="http://example.com/")
        requests = {"form": ElicitRequest(params=form), "link": ElicitRequest(params=link)}
        return InputRequiredResult(input_requests=requests)

    async with hosting(mcp, MODERN, suspend=True) as source:
        assert sorted(text(await source.call("a_ask")).split(", ")) == ["form cancel", "link cancel"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"server": "b"}, ValueError),
        ({"tool": "order"}, ValueError),
        ({"state": {}}, ContractError),
        ({"state": {"others": 7}}, ContractError),
    ],
    ids=["another server", "a tool that is not allowed", "no state", "another state"],
)
async def test_a_pending_call_that_is_not_of_this_source_is_refused(
    change: dict[str, Any], error: type[Exception]
) -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        call = await pending(source, "greet")
        source._upstreams["a"].settings = settings_from("a", {"command": "a", "tools": ["greet"]})  # type: ignore[assignment]
        other = {**call.to_dict(), "call": {**call.to_dict()["call"], **change}}
        with pytest.raises(error):
            await source.resume(other, call.request.accept({"name": "Ada"}))


async def test_a_source_that_waits_has_nothing_to_resume() -> None:
    async with hosting(Asker().mcp, MODERN, wait_for=lambda request: request.accept()) as source:
        with pytest.raises(TypeError, match="suspend=True"):
            await source.resume("{}", Request("r1", "input", "?").accept())


async def test_a_server_that_cannot_be_reached_loses_nothing() -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        call = await pending(source, "greet")
    async with McpSource.load({"servers": {"a": {"command": "no-such-program"}}}, suspend=True) as source:
        with pytest.raises(ServerUnavailable, match="cannot be started"):
            await source.resume(call, call.request.accept({"name": "Ada"}))


async def test_neither_arguments_nor_answers_are_shown() -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        call = await pending(source, "both")
        second = await source.resume(call, call.request.accept({"size": "M"}))

    assert "'M'" not in repr(second)
    assert "eyJ" not in repr(second)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("version", True),
        ("call", 7),
        ("rounds", "0"),
        ("rounds", True),
        ("rounds", -1),
        ("requestState", 5),
        ("answers", []),
        ("answers", {"k": {"action": "maybe"}}),
        ("key", 1),
        ("others", {"a": 1}),
        ("others", [{"key": 1, "request": {}}]),
        ("hasOpened", "no"),
    ],
)
async def test_a_state_that_was_changed_is_told_by_its_key(key: str, value: Any) -> None:
    async with hosting(Asker().mcp, MODERN, suspend=True) as source:
        call = await pending(source, "greet")
        for state in ({**call.state, key: value}, {name: one for name, one in call.state.items() if name != key}):
            changed = PendingCall(call.request, call.server, call.tool, call.arguments, state)
            with pytest.raises(ContractError, match=f"'{key}'"):
                await source.resume(changed, call.request.accept({"name": "Ada"}))


async def test_a_person_has_no_more_time_because_nobody_waits() -> None:
    asker = Asker()

    async with hosting(asker.mcp, MODERN, suspend=True, timeout=0.001) as source:
        call = await pending(source, "greet")
        assert call.request.expires_at is not None
        await anyio.sleep(0.01)
        result = await source.resume(call, call.request.accept({"name": "Ada"}))

    assert text(result).startswith("Nobody: ")


async def test_a_server_that_goes_away_after_it_had_an_answer_is_a_result() -> None:
    """`ServerUnavailable` says that nothing was sent; the call must not be resumed once more."""
    answers: list[Any] = []
    policy = Policy([Rule("defaults", server="a")])
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        answers.append(ctx.input_responses)
        if ctx.input_responses and "second" in ctx.input_responses:
            return "done"
        field = {"type": "string", **({"default": "x"} if ctx.input_responses else {})}
        schema = {"type": "object", "properties": {"f": field}}
        form = ElicitRequestFormParams(message="?", requested_schema=schema)
        key = "second" if ctx.input_responses else "first"
        return InputRequiredResult(input_requests={key: ElicitRequest(params=form)})

    async def go_away(request: Request, answer: Any) -> None:
        if len(answers) == 2:
            source._upstreams["a"].is_closed = True

    async with hosting(mcp, MODERN, suspend=True, policy=policy, on_answer=go_away) as source:
        call = await pending(source, "ask")
        result = await source.resume(call, call.request.accept({"f": "y"}))

    assert len(answers) == 2
    assert text(result).startswith("error: a is not connected to any more")


# --- processes --------------------------------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    """One step of a host, in a process that does not outlive it."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-m", host_process.__name__, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
    )
    return done.stdout.strip()


@pytest.mark.slow
async def test_a_host_may_end_between_question_and_answer_and_so_may_the_server(tmp_path: Path) -> None:
    """Each step is a process of its own, and so is the server of each; the tool finishes, once."""
    effects = tmp_path / "effects"
    server = json.dumps(process(EFFECTS=str(effects), KEYS="k" * 32))

    first = await anyio.to_thread.run_sync(run, "call", server, "order")
    second = await anyio.to_thread.run_sync(run, "resume", server, first, '{"size": "M"}')
    result = await anyio.to_thread.run_sync(run, "resume", server, second, '{"name": "Ada"}')

    assert result == "M for Ada"
    assert effects.read_text().splitlines() == ["ordered"]


def killed_while_it_waits(*arguments: str) -> str:
    """A step of a host that is killed as soon as it has told what it waits for."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    command = [sys.executable, "-m", host_process.__name__, "hold", *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as host:
        assert host.stdout is not None
        said = host.stdout.readline().strip()
        host.kill()
    assert host.returncode == -signal.SIGKILL
    return said


@pytest.mark.slow
async def test_a_host_that_is_killed_between_question_and_answer_loses_nothing(tmp_path: Path) -> None:
    """Issue 5, proof: SIGKILL, while the connection is open; another host answers, and the tool finishes, once."""
    effects = tmp_path / "effects"
    server = json.dumps(process(EFFECTS=str(effects), KEYS="k" * 32))

    first = await anyio.to_thread.run_sync(killed_while_it_waits, "call", server, "order")
    second = await anyio.to_thread.run_sync(killed_while_it_waits, "resume", server, first, '{"size": "M"}')
    result = await anyio.to_thread.run_sync(run, "resume", server, second, '{"name": "Ada"}')

    assert result == "M for Ada"
    assert effects.read_text().splitlines() == ["ordered"]


@pytest.mark.slow
async def test_a_server_with_other_keys_after_its_restart_says_so() -> None:
    first = await anyio.to_thread.run_sync(run, "call", json.dumps(process(KEYS="k" * 32)), "greet")
    again = json.dumps(process(KEYS="o" * 32))

    result = await anyio.to_thread.run_sync(run, "resume", again, first, '{"name": "Ada"}')

    assert result.startswith("error: ")
    assert "took the answer for too late" in result
