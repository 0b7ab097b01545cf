"""A server whose tool asks where to send things."""

from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, elicit

asking = Elicitation()
mcp = MCPServer("shop", middleware=[asking])


@mcp.tool()
async def checkout(cart: str, ctx: Context) -> str:
    form = (
        FormElicitation.create("Where should we send it?")
        .string("full_name").required().min_length(1)
        .email("email").required()
        .choice("speed").options({"std": "Standard", "exp": "Express"}).default("std")
    )  # fmt: skip
    result = await elicit(ctx, form)
    if not result:
        return f"Nothing was ordered: {result.reason}."
    return f"On its way to {result.content['full_name']}."


if __name__ == "__main__":
    mcp.run()
