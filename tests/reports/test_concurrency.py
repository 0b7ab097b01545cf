"""Several questions at once."""

import asyncio
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Answer, Elicitation, FormElicitation, Origin, Request, Slot, elicit, elicit_all
from elicitkit.host import rounds
from elicitkit.testing import RandomAnswers, ScriptedAnswers, accept
from tests import eras
from tests.host.hosting import hosting, text

pytestmark = pytest.mark.anyio


def asking() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context, about: str) -> str:
        form = FormElicitation.create(f"What about {about}?").string("said").required()
        outcome = await elicit(ctx, form)
        return f"{about}: {outcome.content['said']}" if outcome else outcome.reason

    @mcp.tool()
    async def ask_many(ctx: Context, count: int) -> str:
        forms = {f"q{n}": FormElicitation.create(f"{n}?").string("said").required() for n in range(count)}
        outcomes = await elicit_all(ctx, forms)
        return str([outcome.content["said"] if outcome else outcome.reason for outcome in outcomes.values()])

    @mcp.tool()
    async def quick() -> str:
        return "quick"

    return mcp


class Desk:
    """Holds each question until it is answered, in any order."""

    def __init__(self) -> None:
        self.open: dict[str, asyncio.Future[str]] = {}
        self.arrived = asyncio.Condition()

    async def wait_for(self, request: Request) -> Answer:
        async with self.arrived:
            self.open[request.prompt] = asyncio.get_running_loop().create_future()
            self.arrived.notify_all()
        return request.accept({"said": await self.open[request.prompt]})

    async def until(self, count: int) -> None:
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.open) == count)


async def test_r077_two_requests_answered_in_reverse_settle_once_each() -> None:
    desk = Desk()
    slot = Slot(desk.wait_for, at_once=None)
    requests = [Request(f"r{n}", "approval", f"{n}?") for n in range(2)]
    answering = [asyncio.create_task(slot.answer(request)) for request in requests]
    await desk.until(2)

    desk.open["1?"].set_result("second")
    desk.open["0?"].set_result("first")
    answers = await asyncio.gather(*answering)

    assert [(answer.id, answer.data) for answer in answers] == [("r0", {"said": "first"}), ("r1", {"said": "second"})]


async def test_r077_one_at_a_time_they_are_shown_in_the_order_they_came() -> None:
    shown: list[str] = []

    async def wait_for(request: Request) -> Answer:
        shown.append(request.id)
        await anyio.lowlevel.checkpoint()
        return request.accept()

    slot = Slot(wait_for)
    await asyncio.gather(*(slot.answer(Request(f"r{n}", "approval", "?")) for n in range(20)))

    assert shown == [f"r{n}" for n in range(20)]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r077_questions_asked_side_by_side_by_one_tool_are_not_crossed(revision: str) -> None:
    with ScriptedAnswers() as answers:
        for number in reversed(range(5)):
            answers.when(f"{number}?").then(accept(said=f"answer {number}"))
        async with eras.connected(asking(), revision, answers) as client:
            found = await eras.said(client, "ask_many", count=5)

    assert found == str([f"answer {number}" for number in range(5)])


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r079_answers_of_two_calls_are_not_crossed_and_each_knows_its_call(revision: str) -> None:
    desk = Desk()
    seen: dict[str, Origin] = {}

    def on_ask(request: Request) -> None:
        seen[request.prompt] = Origin.of(request)

    async with hosting(asking(), revision, wait_for=desk.wait_for, at_once=None, on_ask=on_ask) as source:
        source._upstreams["a"]._connection.has_one_stream = False  # as over HTTP
        calls = [asyncio.create_task(source.call("a_ask", {"about": one}, call_id=one)) for one in ("tea", "ice")]
        await desk.until(2)
        desk.open["What about ice?"].set_result("cold")
        desk.open["What about tea?"].set_result("hot")
        found = [text(await call) for call in calls]

    assert found == ["tea: hot", "ice: cold"]
    if revision in eras.MODERN:  # A handshake connection does not say whose a question is while two calls run.
        assert {prompt: origin.call for prompt, origin in seen.items()} == {
            "What about tea?": "tea",
            "What about ice?": "ice",
        }


async def test_r081_a_call_that_asks_nothing_is_done_while_another_waits() -> None:
    desk = Desk()
    async with hosting(asking(), "2026-07-28", wait_for=desk.wait_for) as source:
        waiting = asyncio.create_task(source.call("a_ask", {"about": "tea"}))
        await desk.until(1)

        assert text(await source.call("a_quick")) == "quick"
        assert not waiting.done()
        desk.open["What about tea?"].set_result("hot")
        assert text(await waiting) == "tea: hot"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_r083_more_open_questions_than_there_may_be_are_answered_with_an_error(
    revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "OPEN_QUESTIONS", 16)
    slot = Slot(RandomAnswers(1).wait_for)
    slot.hold()
    async with hosting(asking(), revision, wait_for=slot) as source:
        found = text(await source.call("a_ask_many", {"count": 17}))
        slot.release()

    assert found.startswith("error: ")


async def test_r083_a_round_of_more_is_an_error_before_anybody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "OPEN_QUESTIONS", 3)
    answers = RandomAnswers(1)
    async with hosting(asking(), "2026-07-28", wait_for=answers.wait_for) as source:
        found = text(await source.call("a_ask_many", {"count": 4}))

    assert "asked more than 3 questions at once" in found
    assert answers.asked == []
