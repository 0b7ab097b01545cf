"""A server whose tools ask in every way there is, in memory, and in a process of its own.

In a process it writes what must happen once to the file `EFFECTS`, seals its state with `KEYS`, and speaks no more than
`REVISION`, where the environment has them.
"""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from elicitkit import (
    Elicitation,
    FormElicitation,
    confirm,
    elicit,
    elicit_all,
    elicit_url,
    state_security,
    url_required,
)

PAGE = "https://bank.example.org/pay?for=7"
NAME = FormElicitation.create("Who is there?").string("name").required().min_length(2).build()
SIZE = FormElicitation.create("Which size?").choice("size").options(["S", "M"]).required().build()


class Person(BaseModel):
    name: str


class Asker:
    """The server, and what its tools did."""

    def __init__(self, effects: Path | None = None, keys: str | None = None) -> None:
        self.happened: list[str] = []
        self.opened = False
        self.started = asyncio.Event()
        self._effects = effects
        security = state_security(keys) if keys else None
        self.mcp: MCPServer[Any] = MCPServer(
            "asker", log_level="ERROR", middleware=[Elicitation()], request_state_security=security
        )
        for tool in (self.greet, self.order, self.both, self.sure, self.pay, self.unlock, self.stock, self.resolved):
            self.mcp.tool()(tool)
        for tool in (self.echo, self.hang, self.refuse, self.die):
            self.mcp.tool()(tool)

    def happens(self, what: str) -> None:
        self.happened.append(what)
        if self._effects:
            with self._effects.open("a", encoding="utf-8") as file:
                file.write(f"{what}\n")

    async def greet(self, ctx: Context, greeting: str = "Hello") -> str:
        """Ask for a name, and greet."""
        outcome = await elicit(ctx, NAME)
        self.happens("greeted")
        return f"{greeting}, {outcome.content['name']}!" if outcome else f"Nobody: {outcome.reason}"

    async def order(self, ctx: Context) -> str:
        """Ask twice, the second time for what depends on the first."""
        size = await elicit(ctx, SIZE)
        if not size:
            return f"no size: {size.reason}"
        name = await elicit(ctx, NAME.with_message(f"Who wants the {size.content['size']}?"))
        self.happens("ordered")
        return f"{size.content['size']} for {name.content['name']}" if name else f"no name: {name.reason}"

    async def both(self, ctx: Context) -> str:
        """Ask two things at once."""
        found = await elicit_all(ctx, size=SIZE, name=NAME)
        self.happens("asked both")
        return ", ".join(str(dict(one.content)) if one else one.reason for one in found.values())

    async def sure(self, ctx: Context) -> str:
        """Ask with a form without fields."""
        return "yes" if await confirm(ctx, "Are you sure?", empty=True) else "no"

    async def pay(self, ctx: Context) -> str:
        """Ask to open a link."""
        outcome = await elicit_url(ctx, "Pay", PAGE)
        return f"paid {outcome.raw}" if outcome else f"not paid: {outcome.reason}"

    async def unlock(self, ctx: Context) -> str:
        """Require a link to be opened before the call."""
        if not self.opened:
            await url_required(ctx, "Unlock", PAGE, elicitation_id="unlock-1")
        return "unlocked"

    async def stock(self, ctx: Context) -> str:
        """Ask with what the SDK has itself."""
        result = await ctx.elicit("Your name?", Person)
        return result.data.name if result.action == "accept" else result.action

    async def resolved(self, person: Annotated[Person, Resolve(lambda: Elicit("Whose turn?", Person))]) -> str:
        """Ask with a parameter of the SDK's."""
        return person.name

    async def echo(self, text: str) -> str:
        """Ask nothing."""
        return text

    async def hang(self) -> str:
        """Never come back."""
        self.started.set()
        await anyio.sleep_forever()
        return ""

    async def refuse(self) -> str:
        """Fail with an error of the protocol."""
        raise MCPError(-32000, "no such luck\x1b[31m")

    async def die(self) -> str:
        """End the process in the middle of a call."""
        os._exit(3)


def main() -> None:
    effects = os.environ.get("EFFECTS")
    Asker(Path(effects) if effects else None, os.environ.get("KEYS")).mcp.run()


if __name__ == "__main__":
    main()
