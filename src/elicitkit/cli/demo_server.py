"""The server of `elicitkit demo`: a conference that plans a talk with its speaker.

It runs as `python -m elicitkit.cli.demo_server`, for any client that can ask.
"""

from __future__ import annotations

import secrets
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

from ..asking import confirm, elicit
from ..forms import Content, FormElicitation
from ..forms.builder import TextStep
from ..server.mcpserver import Elicitation, state_security

mcp: MCPServer[Any] = MCPServer(
    "harbour-talks",
    title="Harbour Talks",
    log_level="WARNING",
    middleware=[Elicitation()],
    request_state_security=state_security(secrets.token_bytes(32)),  # By default an answer may take ten minutes.
)

LENGTHS = {"lightning": "Lightning talk, 10 minutes", "talk": "Talk, 30 minutes", "workshop": "Workshop, 3 hours"}
TOPICS = {"testing": "Testing", "typing": "Types", "packaging": "Packaging", "people": "People and teams"}

talk: TextStep[Content] = (
    FormElicitation.create(
        "Harbour Talks, our small conference by the sea, would like to have you as a speaker.\nWhat will you tell us?"
    )
    .string("title").description("As it stands in the programme").required().min_length(5).max_length(60)
    .choice("length").options(LENGTHS).required().default("talk")
    .multi_choice("topics").options(TOPICS).required().min_items(1).max_items(2)
    .choice("level").description("Whom it is for").options(["beginner", "intermediate", "expert"]).default("beginner")
    .integer("seats").description("How many chairs we put out").between(5, 200).default(40)
    .boolean("recording").title("May we record it?").default(True)
    .uri("page").title("A page about it").description("It is linked from the programme")
)  # fmt: skip

trip: TextStep[Content] = (
    FormElicitation.create("That sounds good. Now for your trip to us.")
    .email("email").title("E-mail").description("Where your ticket goes").required()
    .date("arrival").description("The conference starts on 12 May 2027").required().default("2027-05-11")
    .date_time("slot").title("When you speak").default("2027-05-12T14:30:00+02:00")
    .number("travel_costs").description("In euros; we pay them").between(0, 900)
    .multi_choice("meals").options(["breakfast", "lunch", "dinner"]).default("lunch", "dinner")
    .string("wishes").title("Anything else").max_length(200)
)  # fmt: skip


@mcp.tool()
async def plan_talk(ctx: Context) -> str:
    """Plan a talk with its speaker."""
    planned = await elicit(ctx, talk)
    if not planned:
        return f"No talk was planned ({planned.reason}). Perhaps next year!"
    title = planned.content["title"]
    travelling = await elicit(ctx, trip)
    if not travelling:
        return f'"{title}" is on the list, without a trip ({travelling.reason}): join us by video.'
    announced = await confirm(ctx, f'Shall we announce "{title}" today?', label="Announce it")
    news = "is announced. See you at the harbour!" if announced else "is planned, and stays a secret for now."
    return f'"{title}" {news}\n\n{_summary(planned.content, travelling.content)}'


def _summary(talk: Content, trip: Content) -> str:
    """What was answered, without what was left open."""
    rows: list[tuple[str, Any]] = [
        ("Length", LENGTHS[talk["length"]]),
        ("Topics", [TOPICS[topic] for topic in talk["topics"]]),
        ("Level", talk.get("level")),
        ("Seats", talk.get("seats")),
        ("Recorded", talk.get("recording")),
        ("Page", talk.get("page")),
        ("Ticket to", trip["email"]),
        ("Arrival", trip["arrival"]),
        ("Speaks", trip.get("slot")),
        ("Travel costs", trip.get("travel_costs")),
        ("Meals", trip.get("meals")),
        ("Wishes", trip.get("wishes")),
    ]
    return "\n".join(f"{name:<14}{_words(value)}" for name, value in rows if value not in (None, "", []))


def _words(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


if __name__ == "__main__":
    mcp.run()
