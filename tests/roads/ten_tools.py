"""Ten tools, written once, and what each must come to wherever it runs.

What a tool really does is written to a file, a line each time, so that it can be counted from another process.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mcp_types import ElicitResult

from elicitkit import ElicitationUnsupported, FormElicitation, elicit, elicit_all, elicit_url, step
from elicitkit.testing import accept, decline

Body = Callable[..., Any]


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


def number_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.integer("count").required()
    return form


async def said(asking: Any) -> str:
    """What a person typed into a `text_form`."""
    outcome = await asking
    return outcome.content["x"] if outcome else outcome.reason


class TenTools:
    """The tools, each a plain function of the context of a framework."""

    def __init__(self, effects: Path) -> None:
        self.effects = effects
        self.bodies: Sequence[Body] = [getattr(self, row.tool) for row in TABLE]

    def happen(self, what: str) -> int:
        """Have an effect, and tell how many there are now."""
        with self.effects.open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")
        return len(self.effects.read_text(encoding="utf-8").splitlines())

    async def one_question(self, ctx: Any) -> str:
        return f"Hello, {await said(elicit(ctx, text_form('Name?')))}."

    async def three_in_a_row(self, ctx: Any) -> str:
        first = await said(elicit(ctx, text_form("First?")))
        noted = await step(ctx, "note", self.happen, f"noted {first}")
        second = await said(elicit(ctx, text_form(f"After {first}?")))
        third = await said(elicit(ctx, text_form(f"After {second}?")))
        return f"{first} {second} {third}, note {noted}"

    async def three_side_by_side(self, ctx: Any) -> str:
        forms = {name: text_form(f"{name}?") for name in ("Size", "Colour", "Shape")}
        found = await elicit_all(ctx, forms)
        return " ".join(f"{name}={outcome.content['x']}" for name, outcome in found.items() if outcome)

    async def in_a_loop(self, ctx: Any) -> str:
        basket: list[str] = []
        while (item := await said(elicit(ctx, text_form("What else?")))) != "nothing" and len(basket) < 5:
            basket.append(item)
            await step(ctx, "add", self.happen, f"added {item}")
        return ", ".join(basket)

    async def in_a_task_group(self, ctx: Any) -> str:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(said(elicit(ctx, text_form(message)))) for message in ("Left?", "Right?")]
        return " ".join(task.result() for task in tasks)

    async def in_try_finally(self, ctx: Any) -> str:
        closed = ""
        try:
            opened = await step(ctx, "open", self.happen, "opened")
            name = await said(elicit(ctx, text_form("Which?")))
        except ElicitationUnsupported:
            raise
        except Exception as error:  # In any round, it would be seen among the effects.
            self.happen(f"fooled by {type(error).__name__}")
            raise
        finally:
            closed = "!"
        return f"{name} {opened}{closed}"

    async def step_before_a_question(self, ctx: Any) -> str:
        seat = await step(ctx, "reserve", self.happen, "reserved")
        who = await said(elicit(ctx, text_form(f"Who takes seat {seat}?")))
        bill = await step(ctx, "charge", self.happen, f"charged {who}")
        return f"Seat {seat} for {who}, bill {bill}."

    async def declined(self, ctx: Any) -> str:
        outcome = await elicit(ctx, number_form("How many?"))
        if not outcome:
            return f"Nothing was ordered: {outcome.reason}."
        return f"Ordered {await step(ctx, 'order', self.happen, 'ordered')}."

    async def wrong_then_right(self, ctx: Any) -> str:
        outcome = await elicit(ctx, number_form("How old?"))
        return f"{outcome.content['count'] + 1} next year" if outcome else outcome.reason

    async def a_link(self, ctx: Any) -> str:
        outcome = await elicit_url(ctx, "Sign in", "https://login.example.org/42")
        return f"signed in: {outcome.action}"


Answers = tuple[tuple[str, ElicitResult], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What one tool must come to."""

    tool: str
    script: Answers
    """Each question in the order it is seen, and its answer."""

    text: str
    steps: tuple[str, ...] = ()
    """What happened, in order."""

    steps_before_asking: tuple[str, ...] = ()
    """What happened where nobody can be asked."""

    @property
    def questions(self) -> list[str]:
        return [message for message, _ in self.script]

    def refused(self, text: str) -> "Row":
        """The same tool where nobody can be asked."""
        return replace(self, script=(), text=text, steps=self.steps_before_asking)


def typed(**answers: str) -> Answers:
    return tuple((f"{name.replace('_', ' ')}?", accept(x=answer)) for name, answer in answers.items())


TABLE = [
    Row("one_question", typed(Name="Ada"), "Hello, Ada."),
    Row("three_in_a_row", typed(First="a", After_a="b", After_b="c"), "a b c, note 1", ("noted a",)),
    Row("three_side_by_side", typed(Size="L", Colour="red", Shape="round"), "Size=L Colour=red Shape=round"),
    Row(
        "in_a_loop",
        tuple(("What else?", accept(x=item)) for item in ("tea", "tea", "milk", "nothing")),
        "tea, tea, milk",
        ("added tea", "added tea", "added milk"),
    ),
    Row("in_a_task_group", typed(Left="l", Right="r"), "l r"),
    Row("in_try_finally", typed(Which="this"), "this 1!", ("opened",), ("opened",)),
    Row(
        "step_before_a_question",
        typed(Who_takes_seat_1="Ada"),
        "Seat 1 for Ada, bill 2.",
        ("reserved", "charged Ada"),
        ("reserved",),
    ),
    Row("declined", (("How many?", decline()),), "Nothing was ordered: declined."),
    Row(
        "wrong_then_right",
        (
            ("How old?", accept(count="many")),
            (
                "Please correct this:\n- Count: must be a whole number in figures, such as 1000\n\nHow old?",
                accept(count=41),
            ),
        ),
        "42 next year",
    ),
    Row("a_link", (("Sign in", ElicitResult(action="accept")),), "signed in: accept"),
]
