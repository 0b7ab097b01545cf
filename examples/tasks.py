"""A server whose tool takes its time: a call of it runs as a task, and asks in between.

Kill it while a question is open, start it again, and answer: it goes on. `elicitkit call` shows how that looks.
"""

import asyncio

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
    mcp.run()
