"""Questions without fields, and questions that are something else than a form."""

from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequestFormParams

from elicitkit import Elicitation, Origin, Policy, Request, Rule, Slot, confirm
from elicitkit.bridge import elicitation_to_request
from elicitkit.host.asked import read_question
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras

pytestmark = pytest.mark.anyio


def buying(**options: Any) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("bakery", middleware=[Elicitation()])

    @mcp.tool()
    async def buy(ctx: Context) -> str:
        return "bought" if await confirm(ctx, "Buy 1 baguette?", **options) else "left"

    return mcp


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize(("confirmed", "said"), [(True, "bought"), (False, "left")])
async def test_r051_a_confirmation_has_a_field_that_every_host_draws(revision: str, confirmed: bool, said: str) -> None:
    with ScriptedAnswers([accept(confirm=confirmed)]) as answers:
        async with eras.connected(buying(), revision, answers) as client:
            assert await eras.said(client, "buy") == said

    schema = answers.asked[0].schema
    assert schema["properties"]["confirm"]["type"] == "boolean"
    assert schema["required"] == ["confirm"]
    assert "default" not in schema["properties"]["confirm"]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r051_an_accept_that_was_waved_through_buys_nothing(revision: str) -> None:
    with ScriptedAnswers([accept()] * 3) as answers:
        async with eras.connected(buying(), revision, answers) as client:
            assert (await eras.said(client, "buy")).startswith("error: ")


APPROVAL = {"_meta": {"codex_approval_kind": "exec"}, "message": "Run rm?", "mode": "form"}


def test_r053_a_form_without_fields_is_known_as_a_confirmation_and_its_meta_is_kept() -> None:
    params = ElicitRequestFormParams.model_validate(
        {**APPROVAL, "requestedSchema": {"type": "object", "properties": {}}}
    )

    request = read_question(params, ("form",), server="s", tool="t", call="c")

    assert isinstance(request, Request)
    assert request.is_confirmation
    assert Origin.of(request).meta["codex_approval_kind"] == "exec"


@pytest.mark.parametrize(
    ("params", "is_confirmation"),
    [
        ({"message": "?", "requestedSchema": {"type": "object", "properties": {}}}, True),
        ({"message": "?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}, False),
        ({"message": "?", "requestedSchema": {"type": "object"}}, False),
        ({"mode": "url", "message": "?", "url": "https://a.example"}, False),
    ],
)
def test_r053_the_kinds_are_told_apart(params: dict[str, Any], is_confirmation: bool) -> None:
    request = elicitation_to_request(params)

    assert request.is_confirmation is is_confirmation
    assert request.kind == ("authorization" if "url" in params else "input")


async def test_r053_a_rule_for_confirmations_answers_nothing_else() -> None:
    slot = Slot(None, policy=Policy([Rule("confirm", server="")]))
    asked = [{"properties": {}}, {"properties": {"a": {"type": "boolean"}}}]

    answers = [await slot.answer(Request("r", "input", "?", data={"schema": one})) for one in asked]

    assert [answer.ok for answer in answers] == [True, False]
