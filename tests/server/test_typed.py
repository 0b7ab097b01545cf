"""`elicit` with a type: `Outcome[T]` on every era, and what the type refuses is asked again (design, sections 4, 5)."""

from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, field_validator

from elicitkit import Elicitation, FormElicitation, elicit
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]


class Seats(BaseModel):
    count: int

    @field_validator("count")
    @classmethod
    def be_even(cls, count: int) -> int:
        if count % 2:
            raise ValueError("Seats come in pairs.")
        return count


@dataclass
class Name:
    full_name: str


def theatre() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("theatre", middleware=[Elicitation()])

    @mcp.tool()
    async def book(ctx: Context) -> str:
        seats = await elicit(ctx, FormElicitation.from_type(Seats, "How many?"))
        if not seats:
            return "none"
        name = await elicit(ctx, FormElicitation.create("For whom?").string("full_name").required(), Name)
        return f"{seats.content.count} for {name.content.full_name}" if name else "none"

    return mcp


async def test_the_content_is_a_value_of_the_type(revision: str) -> None:
    with ScriptedAnswers([accept(count="2"), accept(fullName="Ada")]) as answers:
        async with eras.connected(theatre(), revision, answers) as client:
            assert await eras.said(client, "book") == "2 for Ada"


async def test_what_a_validator_refuses_is_asked_again_in_its_words(revision: str) -> None:
    with ScriptedAnswers([accept(count=3), accept(count=4), accept(fullName="Ada")]) as answers:
        async with eras.connected(theatre(), revision, answers) as client:
            assert await eras.said(client, "book") == "4 for Ada"

    assert answers.asked[1].message == "Please correct this:\n- Count: Seats come in pairs.\n\nHow many?"
