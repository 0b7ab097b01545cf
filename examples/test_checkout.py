"""How an author tests a server that asks: `pytest examples/test_checkout.py` runs it on each revision of MCP."""

import sys
from pathlib import Path

import pytest

from elicitkit.testing import RandomAnswers, ScriptedAnswers, accept, assert_asked, cancel, decline

sys.path.insert(0, str(Path(__file__).parent))
from checkout import mcp  # Examples are files, and no package.

pytest_plugins = ["elicitkit.testing.fixtures"]
pytestmark = pytest.mark.anyio
WHERE = "Where should we send it?"


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def checkout(client):
    result = await client.call_tool("checkout", {"cart": "42"})
    return result.content[0].text


async def test_an_order_goes_to_whoever_fills_in_the_form(elicitation_client):
    with ScriptedAnswers([accept(fullName="Ada", email="ada@example.com")]) as answers:
        async with elicitation_client(mcp, answers) as client:
            assert await checkout(client) == "On its way to Ada."
    assert_asked(answers.asked, WHERE)
    assert [option.label for option in answers.asked[0].form.fields[2].options] == ["Standard", "Express"]


@pytest.mark.parametrize("refusal", [decline(), cancel()], ids=["declined", "cancelled"])
async def test_nothing_is_ordered_without_an_answer(elicitation_client, refusal):
    with ScriptedAnswers([refusal]) as answers:
        async with elicitation_client(mcp, answers) as client:
            assert (await checkout(client)).startswith("Nothing was ordered")


async def test_a_wrong_address_is_asked_for_again(elicitation_client):
    with ScriptedAnswers() as answers:
        answers.when(WHERE).then(
            accept(fullName="Ada", email="ada"),
            accept(fullName="Ada", email="ada@example.com"),
        )
        async with elicitation_client(mcp, answers) as client:
            assert await checkout(client) == "On its way to Ada."
    assert "e-mail" in answers.asked[1].faults[0]


@pytest.mark.parametrize("seed", range(5))
async def test_whatever_fits_the_form_is_an_order(elicitation_client, seed):
    async with elicitation_client(mcp, RandomAnswers(seed)) as client:
        assert (await checkout(client)).startswith("On its way")
