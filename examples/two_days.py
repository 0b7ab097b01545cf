"""A call that asks three times over two days. Between the questions nothing runs: no server, no host, no connection.

    python examples/two_days.py

Two days take a few seconds, because the clock is ours; everything else is what a server and a host would do.
"""

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    Elicitation,
    FormElicitation,
    McpSource,
    PendingCall,
    SqliteTaskStore,
    Tasks,
    confirm,
    elicit,
    step,
)

HOUR = 3600.0


def say(hours: float, text: str) -> None:
    """Write a line of the diary, which begins at nine in the morning."""
    print(f"{datetime.fromtimestamp((9 + hours) * HOUR, UTC):day %d, %H:%M}  {text}", file=sys.stderr, flush=True)


# --- the server -------------------------------------------------------------------------------------------------------


def serve(file: str, hours: float) -> None:
    """Be a server that is started so many hours after the first: nothing is left of the others but the file."""
    tasks = Tasks(SqliteTaskStore(file, clock=lambda: time.time() + hours * HOUR))
    mcp: MCPServer[Any] = MCPServer("hiring", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    async def send(what: str) -> str:
        say(hours, f"    the server sends {what}")
        return what

    @mcp.tool()
    @tasks.task(mode="required")
    async def hire(person: str, ctx: Context) -> str:
        """Hire somebody, with decisions in between."""
        invited = await elicit(ctx, FormElicitation.create(f"When shall {person} come?").date("day").required())
        if not invited:
            return "Nobody was invited."
        await step(ctx, "invite", send, f"an invitation for {invited.content['day']}")
        offer = FormElicitation.create(f"What do we offer {person}?").integer("salary").required().min(1)
        offered = await elicit(ctx, offer)
        if not offered:
            return "There was no offer."
        await step(ctx, "offer", send, f"an offer of {offered.content['salary']}")
        signed = await confirm(ctx, f"Has {person} signed?")
        return f"{person} is hired." if signed else f"{person} is not hired."

    mcp.run()


# --- the host ---------------------------------------------------------------------------------------------------------

ANSWERS: list[tuple[float, dict[str, Any]]] = [
    (8, {"day": "2030-05-02"}),
    (26, {"salary": 70_000}),
    (48, {"confirm": True}),
]
"""What the person says, and how many hours after the call."""


def a_server(file: Path, hours: float) -> McpSource:
    """A host that starts the server, and does not wait for people."""
    started = {
        "command": sys.executable,
        "args": [__file__, str(file), str(hours)],
        "env": {"PYTHONPATH": os.pathsep.join(sys.path)},
    }
    return McpSource.load({"mcpServers": {"hiring": started}}, suspend=True)


async def main() -> None:
    folder = Path(tempfile.mkdtemp())
    say(0, "Ada is to be hired")
    async with a_server(folder / "tasks.db", 0) as source:
        call = await source.call("hiring_hire", {"person": "Ada"})
    for hours, content in ANSWERS:
        assert isinstance(call, PendingCall), call
        (folder / "call.json").write_text(call.to_json())  # all that a host has to keep
        say(hours, f"{call.request.prompt}  {content}")
        async with a_server(folder / "tasks.db", hours) as source:
            kept = PendingCall.from_json((folder / "call.json").read_text())
            call = await source.resume(kept, kept.request.accept(content))
    print(call.content[0].text)


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(sys.argv[1], float(sys.argv[2]))
    else:
        asyncio.run(main())
