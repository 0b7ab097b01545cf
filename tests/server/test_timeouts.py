"""`timeout=`: how long a person may take, on every road (design, 7)."""

import time
from datetime import timedelta
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, confirm, elicit, elicit_all, elicit_url
from elicitkit.testing import ScriptedAnswers, accept, decline
from tests import eras

pytestmark = pytest.mark.anyio

Server = MCPServer[Any]


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("elicitkit.journal.now", clock)
    return clock


@pytest.fixture
def mcp() -> Server:
    return MCPServer("asker", middleware=[Elicitation()])


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


def asks_once(mcp: Server, **options: Any) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, text_form("?"), **options))


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
@pytest.mark.parametrize("timeout", [0.01, timedelta(milliseconds=10)], ids=["seconds", "timedelta"])
async def test_a_person_who_takes_too_long_on_a_live_connection_is_not_waited_for(
    mcp: Server, revision: str, timeout: Any
) -> None:
    asks_once(mcp, timeout=timeout)
    withdrawn: list[str] = []

    async def slow(_: object, params: Any) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            withdrawn.append(params.message)

    async with eras.connected(mcp, revision, slow) as client:
        assert await eras.said(client, "ask") == "Cancelled(reason='expired')"
        assert withdrawn == ["?"]


async def test_an_answer_after_the_deadline_is_not_used(mcp: Server, clock: Clock) -> None:
    asks_once(mcp, timeout=60)

    async def late(*_: object) -> Any:
        clock.now += 61
        return accept(x="late")

    async with eras.connected(mcp, "2026-07-28", late) as client:
        assert await eras.said(client, "ask") == "Cancelled(reason='expired')"


async def test_an_answer_in_time_is_one_for_good_however_long_the_next_question_takes(
    mcp: Server, clock: Clock
) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        first = await elicit(ctx, text_form("first"), timeout=60)
        second = await elicit(ctx, text_form("second"))
        return f"{first.action} {second.action}"

    async def answer(_: object, params: Any) -> Any:
        clock.now += 59 if params.message == "first" else 3_600
        return accept(x="a")

    async with eras.connected(mcp, "2026-07-28", answer) as client:
        assert await eras.said(client, "ask") == "accept accept"


async def test_the_deadline_counts_from_the_first_asking_through_every_try(mcp: Server, clock: Clock) -> None:
    asks_once(mcp, timeout=60)
    asked: list[str] = []

    async def wrong(_: object, params: Any) -> Any:
        asked.append(params.message)
        clock.now += 25
        return accept(x=7)

    async with eras.connected(mcp, "2026-07-28", wrong) as client:
        assert await eras.said(client, "ask") == "Cancelled(reason='expired')"
    assert len(asked) == 3


async def test_a_refusal_after_the_deadline_is_expired_too(mcp: Server, clock: Clock) -> None:
    """A late answer of any kind is none."""
    asks_once(mcp, timeout=60)

    async def late(*_: object) -> Any:
        clock.now += 61
        return decline()

    async with eras.connected(mcp, "2026-07-28", late) as client:
        assert await eras.said(client, "ask") == "Cancelled(reason='expired')"


async def test_each_kind_of_question_has_a_timeout(mcp: Server, clock: Clock) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        sure = await confirm(ctx, "Sure?", timeout=60)
        link = await elicit_url(ctx, "Pay", "https://pay.example.org", timeout=60)
        both = await elicit_all(ctx, a=text_form("a"), b=text_form("b"), timeout=60)
        return " ".join(getattr(outcome, "reason", "accepted") for outcome in (sure, link, *both.values()))

    async def late(*_: object) -> Any:
        clock.now += 61
        return accept(confirm=True)

    async with eras.connected(mcp, "2026-07-28", late) as client:
        assert await eras.said(client, "ask") == "expired expired expired expired"


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "soon", True])
async def test_a_timeout_that_is_no_time_is_an_error_and_nothing_is_asked(
    mcp: Server, revision: str, timeout: Any
) -> None:
    refused: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await elicit(ctx, text_form("?"), timeout=timeout)
        except (TypeError, ValueError) as error:
            refused.append(str(error))
        return "told"

    with ScriptedAnswers([]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert await eras.said(client, "ask") == "told"
    assert refused[0].startswith("timeout is a")
