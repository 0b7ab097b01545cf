"""A host: it calls a tool of an MCP server, and puts what the tool asks to the person at the terminal."""

import asyncio
import os
import sys
from pathlib import Path

from elicitkit import McpSource
from elicitkit.render.terminal import wait_for

SHOP = {
    "command": sys.executable,
    "args": [str(Path(__file__).with_name("checkout.py"))],
    "env": {"PYTHONPATH": os.pathsep.join(sys.path)},  # A server gets no other variables than it is given.
}


async def main() -> None:
    async with McpSource.load({"mcpServers": {"shop": SHOP}}, wait_for=wait_for, modes=["form"]) as source:
        result = await source.call("shop_checkout", {"cart": "42"})
    print(result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main())
