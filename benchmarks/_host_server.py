"""The server of benchmarks/host.py: it asks a form of ten fields, over streamable HTTP with sessions.

`python benchmarks/_host_server.py` tells its address in a line, and serves until it is ended.
"""

from __future__ import annotations

import asyncio
import logging
import socket

import uvicorn
from forms import described
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, elicit

FORM = described().build()
mcp: MCPServer[object] = MCPServer("bench", middleware=[Elicitation()])


@mcp.tool(structured_output=False)
async def ask(ctx: Context) -> str:
    result = await elicit(ctx, FORM)
    return str(result.content["fullName"]) if result else result.reason


@mcp.tool(structured_output=False)
async def plain() -> str:
    return "Ada Lovelace"


async def main() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)  # Else each answer waits for 40 ms.
        listener.bind(("127.0.0.1", 0))
        listener.listen(2048)
        server = uvicorn.Server(uvicorn.Config(mcp.streamable_http_app(), log_level="error", backlog=2048))
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        await server.serve([listener])


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    asyncio.run(main())
