"""A server of tasks that is killed and started again: on the file of its arguments, over HTTP or standard input."""

import os
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, SqliteTaskStore, Tasks, elicit


def server(file: str) -> MCPServer[Any]:
    tasks = Tasks(SqliteTaskStore(file), lease=0.5, poll_interval=0.05)
    mcp: MCPServer[Any] = MCPServer("travel", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    @tasks.task()
    async def plan(ctx: Context) -> str:
        city = await elicit(ctx, FormElicitation.create("Where to?").string("city").required())
        when = await elicit(ctx, FormElicitation.create("When?").string("month").required())
        return f"{city.content['city']} in {when.content['month']}" if city and when else "nowhere"

    return mcp


if __name__ == "__main__":
    file, *port = sys.argv[1:]
    Path(f"{file}.pid").write_text(str(os.getpid()), encoding="ascii")
    mcp = server(file)
    if port:
        uvicorn.run(mcp.streamable_http_app(), port=int(port[0]), log_level="error")
    else:
        mcp.run()
