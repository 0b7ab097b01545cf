"""What was lost between a question and the eyes of a person."""

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequestFormParams

from elicitkit import Elicitation, Form, FormElicitation, Origin, Request, Slot, elicit
from elicitkit.bridge import elicitation_to_request
from elicitkit.host.asked import read_question
from elicitkit.safety import plain
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras
from tests.render.terminal.person import lone, seated
from tests.tasks.desk import eventually

pytestmark = pytest.mark.anyio

LINES = "Proceed?\nWrite post 172?\nContent: x"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r157_line_breaks_travel(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, FormElicitation.create(LINES).string("name"))).action

    with ScriptedAnswers([accept()]) as answers:
        async with eras.connected(mcp, revision, answers) as client:
            assert await eras.said(client, "ask") == "accept"

    assert answers.asked[0].message == LINES


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\u2028", "\u2029"])
async def test_r157_line_breaks_of_every_sort_are_drawn(gap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    form = lone({"name": {"type": "string"}}, message=LINES.replace("\n", gap))
    async with seated(form, monkeypatch) as seat:
        screen = await seat.sees("Content: x")

    drawn = [line for line in screen if any(part in line for part in LINES.split("\n"))]
    assert len(drawn) == 3
    assert plain(LINES.replace("\n", gap)) == LINES


async def test_r159_a_host_hears_of_each_question_and_of_its_end_and_can_count_and_hold_them() -> None:
    open_now: dict[str, Request] = {}
    most: list[int] = []

    def asked(request: Request) -> None:
        open_now[request.id] = request
        most.append(len(open_now))

    def answered(request: Request, _: Any) -> None:
        del open_now[request.id]

    answers = ScriptedAnswers([accept()] * 3)
    slot = Slot(answers.wait_for, on_ask=asked, on_answer=answered)
    slot.hold()
    asking = [asyncio.create_task(slot.answer(Request(f"r{n}", "approval", f"{n}?"))) for n in range(3)]
    await eventually(lambda: len(open_now) == 3)
    assert answers.asked == []
    slot.release()
    await asyncio.gather(*asking)

    assert [asked.message for asked in answers.asked] == ["0?", "1?", "2?"]
    assert open_now == {}
    assert max(most) == 3


HINTS: dict[str, Any] = {"ui": {"component": "https://evil.example/widget.js"}, "io.example/ui": "<script>"}


def test_r161_a_hint_for_an_interface_is_kept_apart_and_the_form_is_whole() -> None:
    schema = {
        "type": "object",
        "x-ui": HINTS,
        "properties": {"name": {"type": "string", "x-widget": HINTS, "minLength": 2}},
        "required": ["name"],
    }
    params = ElicitRequestFormParams.model_validate({"message": "?", "requestedSchema": schema, "_meta": HINTS})

    request = read_question(params, ("form",), server="s", tool="t", call="c")

    assert isinstance(request, Request)
    assert dict(Origin.of(request).meta) == HINTS
    form = Form.from_schema(request.prompt, request.schema or {})
    assert [(field.name, field.required) for field in form.fields] == [("name", True)]
    assert form.check({"name": "Ada"}) == {"name": "Ada"}


async def test_r161_none_of_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(lone({"name": {"type": "string", "x-widget": HINTS}}), monkeypatch) as seat:
        await seat.sees("What now?")
        seat.press("\r")
        await seat.sees("Name")

        assert "evil.example" not in seat.written
        assert "script" not in seat.written


def test_r161_nor_does_the_neutral_request_act_on_it() -> None:
    request = elicitation_to_request(
        {"message": "?", "requestedSchema": {"properties": {}, "x-ui": HINTS}, "_meta": HINTS}
    )

    assert request.is_confirmation
    assert request.url is None
