"""A server in a process of its own, for the tests of the command."""

import os
import sys

import anyio
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, elicit

mcp: MCPServer[object] = MCPServer("probe", log_level="ERROR", middleware=[Elicitation()])


@mcp.tool()
async def greet(ctx: Context, greeting: str = "Hello") -> str:
    """Ask for a name, and greet."""
    outcome = await elicit(ctx, FormElicitation.create("Who is there?").string("name").required())
    return f"{greeting}, {outcome.content['name']}!" if outcome else f"Nobody was greeted: {outcome.reason}."


@mcp.tool()
async def surroundings(name: str) -> str:
    """Tell an environment variable and the working directory."""
    return f"{os.environ.get(name)} in {os.getcwd()}"


@mcp.tool()
async def forget() -> str:
    """Fail as tools do whose author forgot something: the SDK logs why, and tells the client nothing of it."""
    raise LookupError("what was forgotten")


@mcp.tool()
async def die() -> str:
    """End the process in the middle of a call."""
    print("out of memory\x1b[31m", file=sys.stderr, flush=True)
    os._exit(3)


@mcp.tool()
async def wait(fifo: str) -> str:
    """Write the number of this process to a pipe, and wait for ever."""
    await anyio.Path(fifo).write_text(str(os.getpid()))
    await anyio.sleep_forever()
    return ""


if __name__ == "__main__":
    mcp.run()
