"""A server whose dangerous tool does nothing without a person's yes.

elicitkit call "python examples/approval.py" delete_branch '{"name": "release"}'
"""

from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Cancelled, Elicitation, FormElicitation, confirm, elicit, step

mcp = MCPServer("repository", middleware=[Elicitation()])

branches = {"main": 0, "release": 12, "try-it": 0}
NOBODY = Cancelled("this client cannot ask its person")


async def commits_that_would_be_lost(name: str) -> int:
    """Stands for a request to the repository; in a step, so that the person is asked about what was counted once."""
    return branches[name]


@mcp.tool()
async def delete_branch(name: str, ctx: Context) -> str:
    """Delete a branch, after a person agreed."""
    if name not in branches:
        return f"There is no branch {name!r}."
    lost = await step(ctx, "count", commits_that_would_be_lost, name)
    if not lost:
        agreed = await confirm(ctx, f"Delete the branch {name}? Nothing is lost.", unsupported=NOBODY)
    else:  # Where something is lost the person types the name, which nobody does by accident.
        form = FormElicitation.create(f"Delete the branch {name}? {lost} commits would be lost.")
        form.string("name").title("Type its name to agree").required()
        form.validate(lambda content: _require_same(content["name"], name))
        agreed = await elicit(ctx, form, unsupported=NOBODY)
    if not agreed:
        return f"{name} was not deleted: {agreed.reason}."
    del branches[name]
    return f"{name} is deleted."


def _require_same(typed: str, name: str) -> None:
    if typed != name:
        raise ValueError("that is another name")


if __name__ == "__main__":
    mcp.run()
