"""A server whose tool takes its time: a call of it runs as a task, and asks in between.

Kill it while a question is open, start it again, and answer: it goes on. `elicitkit call` shows how that looks:

    python examples/tasks.py --http
    elicitkit call http://127.0.0.1:8000/mcp plan_trip '{"city": "Oslo"}'

The question stays on the screen. A killed server had claimed its tasks for 30 seconds, for which the next one waits;
one that ends in order gives them back. Without --http the server belongs to the call and ends with it, and the call
says how to come back:

    elicitkit call "python examples/tasks.py" --task ID
"""

import asyncio
import sys

from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, SqliteTaskStore, Tasks, confirm, elicit, step

tasks = Tasks(SqliteTaskStore("trips.db"))
mcp = MCPServer("travel", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())


async def find_rooms(city: str) -> list[str]:
    """Stands for a search that takes a while."""
    await asyncio.sleep(2)
    return [f"a room with a view of {city}", f"a room below {city}"]


@mcp.tool()
@tasks.task()
async def plan_trip(city: str, ctx: Context) -> str:
    await ctx.report_progress(0, message=f"looking for rooms in {city}")
    rooms = await step(ctx, "rooms", find_rooms, city)
    room = await elicit(ctx, FormElicitation.create("Which one?").choice("room").required().options(rooms))
    if not room or not await confirm(ctx, f"Book {room.content['room']}?"):
        return "Nothing was booked."
    return f"Booked: {room.content['room']}."


if __name__ == "__main__":
    mcp.run("streamable-http" if "--http" in sys.argv else "stdio")
