"""The tools of a server, as its calls find them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp.server.mcpserver import MCPServer


class ServerTools:
    """The tools of the server that is served at the moment, if any; they may come and go."""

    def __init__(self) -> None:
        self.server: MCPServer[Any] | None = None

    def has(self, name: str) -> bool:
        """See `Tools.has`: a call looks here, unless the server is one that has tools of its own making."""
        return self.server is not None and self.server._tool_manager.get_tool(name) is not None

    async def names(self) -> Collection[str]:
        """See `Tools.names`."""
        return [] if self.server is None else [tool.name for tool in await self.server.list_tools()]

    async def find(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return self.has(name) or name in await self.names()
