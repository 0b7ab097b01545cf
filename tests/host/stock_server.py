"""A server written with the SDK alone, as its documentation shows it: it asks in the middle of a call."""

import sys

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("stock", log_level="ERROR")


class Booking(BaseModel):
    date: str


@mcp.tool()
async def book(ctx: Context) -> str:
    result = await ctx.elicit("Which day?", Booking)
    return f"booked for {result.data.date}" if result.action == "accept" else result.action


@mcp.tool()
async def pay(ctx: Context) -> str:
    result = await ctx.elicit_url("Pay", "https://bank.example.org/pay", "pay-1")
    return f"pay: {result.action}"


if __name__ == "__main__":
    mcp.run(sys.argv[1] if len(sys.argv) > 1 else "stdio")
