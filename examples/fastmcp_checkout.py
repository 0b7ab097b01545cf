"""A server of FastMCP's whose tools ask: one with our form, one with FastMCP's own `ctx.elicit`."""

from fastmcp import Context, FastMCP

from elicitkit import FormElicitation, elicit
from elicitkit.server.fastmcp import Elicitation

mcp = FastMCP("shop", middleware=[Elicitation()])


@mcp.tool
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


@mcp.tool
async def cancel_order(number: int, ctx: Context) -> str:
    result = await ctx.elicit(f"Cancel order {number}?", bool)
    return "Cancelled." if result.action == "accept" and result.data else "Kept."


if __name__ == "__main__":
    mcp.run()
