"""The tools that `load` calls: one that asks twice, and one that tells how the server is."""

import asyncio
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from elicitkit import FormElicitation, elicit, step


def token_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("token").required()
    return form


class LoadTools:
    def __init__(self, effects: Path) -> None:
        self.bodies: Sequence[Callable[..., Any]] = [self.echo, self.condition]
        self.steps = 0
        self.troubles = 0

    async def echo(self, ctx: Any, token: str) -> str:
        """Ask twice, with a step between, and give back what the answers and the step carried."""
        first = await elicit(ctx, token_form(f"first {token}"))
        kept = await step(ctx, "count", self.count, token)
        second = await elicit(ctx, token_form(f"second {token}"))
        return f"{first.content['token']} {kept} {second.content['token']}" if first and second else "refused"

    def count(self, token: str) -> str:
        self.steps += 1
        return token

    async def condition(self, ctx: Any) -> dict[str, int]:
        """How many tasks and objects there are, how much memory, and what was counted since."""
        asyncio.get_running_loop().set_exception_handler(self.count_trouble)
        gc.collect()
        objects = gc.get_objects()
        return {
            "tasks": len(asyncio.all_tasks()),
            "objects": len(objects),
            "of ours": sum(type(one).__module__.startswith("elicitkit") for one in objects),
            "kilobytes": resident_kilobytes(),
            "steps": self.steps,
            "troubles": self.troubles,
        }

    def count_trouble(self, loop: object, context: object) -> None:
        """An error in a task that nobody waits for, and its like."""
        self.troubles += 1


def resident_kilobytes() -> int:
    """The memory that the process holds now, on Linux; elsewhere 0, which never grows."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
