"""2026-07-28: a call that is cancelled from outside ends, its steps too; only we suspend without ending them."""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ClientCapabilities, ElicitationCapability

from elicitkit import Elicitation, FormElicitation, elicit, step
from elicitkit.asking import travelling
from elicitkit.journal import Journal
from elicitkit.schema.dialects import DIALECTS
from elicitkit.server.round_trip import RoundTrip, _sealed_bytes
from elicitkit.testing import accept
from tests import eras

pytestmark = pytest.mark.anyio


class Session:
    """What a road looks at."""

    can_send_request = False
    client_capabilities = ClientCapabilities(elicitation=ElicitationCapability())


def road() -> RoundTrip:
    ctx: Any = ServerRequestContext.__new__(ServerRequestContext)
    object.__setattr__(ctx, "session", Session())
    return RoundTrip(ctx, DIALECTS["2026-07-28"], Journal())


class Slow:
    """A step that does not end by itself."""

    def __init__(self) -> None:
        self.started, self.ended = asyncio.Event(), asyncio.Event()
        self.was_cancelled = False
        self.go = asyncio.Event()

    async def __call__(self) -> str:
        self.started.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        finally:
            self.ended.set()
        return "done"


async def running(road: RoundTrip, body: Callable[[], Any]) -> asyncio.Task[Any]:
    async def run() -> Any:
        with travelling(road):
            return await road.run(body)

    return asyncio.create_task(run())


async def ended(task: asyncio.Task[Any]) -> None:
    with anyio.fail_after(5), pytest.raises(asyncio.CancelledError):
        await task


async def test_a_step_that_runs_alone_ends_with_its_call() -> None:
    slow = Slow()

    async def body() -> Any:
        return {"given": await step(None, "slow", slow)}

    call = await running(road(), body)
    await slow.started.wait()
    call.cancel()

    await ended(call)
    with anyio.fail_after(5):
        await slow.ended.wait()
    assert slow.was_cancelled


async def test_a_step_beside_a_question_is_waited_for_and_ends_when_the_call_is_cancelled() -> None:
    slow, asked = Slow(), road()

    async def body() -> Any:
        await asyncio.gather(step(None, "slow", slow), elicit(None, FormElicitation.create("?")))

    call = await running(asked, body)
    await slow.started.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not slow.was_cancelled  # The suspension did not reach it.
    call.cancel()

    await ended(call)
    with anyio.fail_after(5):
        await slow.ended.wait()
    assert slow.was_cancelled


async def test_a_call_cancelled_in_the_moment_it_suspends_ends() -> None:
    asked = road()

    async def body() -> Any:
        await elicit(None, FormElicitation.create("?"))

    call = await running(asked, body)
    for _ in range(3):
        await asyncio.sleep(0)
    call.cancel()

    await ended(call)


async def test_a_scope_that_is_cancelled_from_outside_ends_a_suspended_call() -> None:
    slow, asked = Slow(), road()

    async def body() -> Any:
        await asyncio.gather(step(None, "slow", slow), elicit(None, FormElicitation.create("?")))

    with anyio.fail_after(5), anyio.CancelScope() as outside, travelling(asked):
        asyncio.get_running_loop().call_later(0.01, outside.cancel)
        await asked.run(body)
        pytest.fail("it went on")
    assert outside.cancelled_caught
    with anyio.fail_after(5):
        await slow.ended.wait()


async def test_a_step_that_fails_beside_a_question_is_run_again_with_the_next_round(
    caplog: pytest.LogCaptureFixture,
) -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])
    tried: list[int] = []

    async def flaky() -> str:
        await asyncio.sleep(0)
        tried.append(1)
        if len(tried) == 1:
            raise ConnectionError("later")
        return "done"

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        given, outcome = await asyncio.gather(step(ctx, "flaky", flaky), elicit(ctx, FormElicitation.create("?")))
        return f"{given} {outcome.action}"

    async def yes(*_: object) -> Any:
        return accept()

    with caplog.at_level("INFO", logger="elicitkit"):
        async with eras.connected(mcp, "2026-07-28", yes) as client:
            assert await eras.said(client, "ask") == "done accept"
    assert len(tried) == 2
    assert "a step failed beside a question" in caplog.text


@pytest.mark.parametrize("text", ["", "plain", 'quotes " and \\ in it' * 50, "é漢\ud800" * 100, "x" * 100_000])
async def test_a_state_is_never_larger_than_we_think_once_it_is_sealed(text: str) -> None:
    """The SDK's own boundary seals it: claims around our state, as JSON, encrypted, in base64."""
    journal = Journal()
    journal.keep_step("text", json.dumps(text))
    state = journal.write()
    security = RequestStateSecurity(keys=[os.urandom(32)])
    claims = {"m": "tools/call", "t": "n" * 128, "a": "d" * 64, "aud": "s" * 100, "p": "u" * 100, "iat": 1, "exp": 2}

    sealed = security.codec.seal(json.dumps({**claims, "s": state}).encode())

    assert len(sealed) <= _sealed_bytes(state)
    assert len(sealed) >= _sealed_bytes(state) - 1_500
