"""A server of many: `uvicorn fleet:app` on as many machines as wanted, and `elicitkit worker fleet:mcp` beside them.

What they share is in the environment: STATE_KEY, ELICITKIT_STORE, and ELICITKIT_DOCKET if workers run the tools. With
none of the last two it is a server of its own, on a file. `compose.yaml` starts all of it.
"""

import asyncio
import os

from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    DocketEngine,
    Elicitation,
    FormElicitation,
    Tasks,
    confirm,
    elicit,
    open_store,
    state_security,
    step,
)

docket = os.environ.get("ELICITKIT_DOCKET")
tasks = Tasks(
    open_store(os.environ.get("ELICITKIT_STORE", "trips.db")),
    engine=DocketEngine(docket, runs_here=False, name="travel") if docket else None,
)
mcp = MCPServer(
    "travel",
    middleware=[Elicitation()],
    extensions=[tasks],
    lifespan=tasks.lifespan(),
    request_state_security=state_security(os.environ["STATE_KEY"]),  # 32 bytes or more, the same for all servers.
)


async def find_rooms(city: str) -> list[str]:
    """Stands for a search that takes a while."""
    await asyncio.sleep(2)
    return [f"a room with a view of {city}", f"a room below {city}"]


@mcp.tool()
@tasks.task()
async def plan_trip(city: str, ctx: Context) -> str:
    rooms = await step(ctx, "rooms", find_rooms, city)
    room = await elicit(ctx, FormElicitation.create("Which one?").choice("room").required().options(rooms))
    if not room or not await confirm(ctx, f"Book {room.content['room']}?"):
        return "Nothing was booked."
    return f"Booked: {room.content['room']}."


app = mcp.streamable_http_app(stateless_http=True, host="0.0.0.0")  # Any server takes any request.
