"""A program at a real terminal: it puts one form to whoever sits there, and prints what came of it.

The form has every kind of field; that of `child.py lone` is one yes or no, and of `child.py long` one long choice.
SIGUSR1 withdraws the question.
"""

import asyncio
import signal
import sys

from elicitkit import FormElicitation
from elicitkit.forms import Content
from elicitkit.render.terminal import fill, has_terminal


def form(name: str = "") -> FormElicitation[Content]:
    if name == "lone":
        return FormElicitation.create("Delete everything?").boolean("sure").required()
    if name == "long":
        return FormElicitation.create("Which?").choice("x").options([f"option {i}" for i in range(50)]).required()
    asking = FormElicitation.create("Please set up\n  the [red]account[/red].")
    asking.string("full_name").required().min_length(2).description("As on your passport.")
    asking.email("email").default("ada@example.com")
    asking.uri("homepage")
    asking.date("start_on").default("2026-11-30")
    asking.date_time("first_call").required()
    asking.integer("age").between(18, 120)
    asking.number("ratio").default(0.5)
    asking.boolean("news").default(True)
    asking.choice("speed").options({"std": "Standard", "exp": "Express"}).default("std")
    asking.choice("country").options([f"country {i}" for i in range(1000)]).required()
    return asking.multi_choice("extras").options({"gift": "Gift wrap", "note": "A note"}).max_items(1)


async def main() -> None:
    asked = asyncio.create_task(fill(form(*sys.argv[1:]).build(), "shop (The Shop)"))
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, asked.cancel)
    await asyncio.wait([asked])
    print("terminal:", has_terminal())
    print("outcome:", "withdrawn" if asked.cancelled() else asked.result())


if __name__ == "__main__":
    asyncio.run(main())
