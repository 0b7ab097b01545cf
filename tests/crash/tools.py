"""The tools of a server that dies, in several versions; they write down all that they do."""

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
from mcp.server.mcpserver import Context

from elicitkit import FormElicitation, elicit, elicit_all, step
from tests.crash.lines import Lines

QUESTIONS = ("first", "second", "third")
STEPS = ("reserve", "pay")
STEP_SECONDS = 0.3
"""The longest that a step takes: long enough that a process dies inside one now and then."""


def form(message: str, title: str = "Answer") -> FormElicitation[Any]:
    return FormElicitation.create(message).string("answer").title(title).required()


class Tools:
    """What every version has: a log, and the number of the process that writes to it."""

    def __init__(self, log: Lines, run: int) -> None:
        self._log = log
        self._run = run

    def note(self, what: str, token: str, **more: Any) -> None:
        self._log.add(what, run=self._run, token=token, **more)

    async def ask(self, ctx: Context, token: str, question: str) -> str:
        """Ask something that carries the token, and write down what came."""
        outcome = await elicit(ctx, form(f"{question} {token}"))
        value = outcome.content["answer"] if outcome else f"{token} {outcome}"
        self.note("heard", token, question=question, value=value)
        return value

    async def do(self, ctx: Context, token: str, name: str, seconds: float | None = None) -> str:
        """Do a step; `kept` is written when it was, so that whoever does it again after that does it twice."""
        given = await step(ctx, name, self._effect, token, name, seconds)
        self.note("kept", token, step=name)
        return given

    async def _effect(self, token: str, name: str, seconds: float | None) -> str:
        pause = random.uniform(0, STEP_SECONDS) if seconds is None else seconds
        self.note("begin", token, step=name)
        await anyio.sleep(pause / 2)
        self.note("row", token, step=name)
        await anyio.sleep(pause / 2)
        self.note("end", token, step=name)
        return f"{token} {name}"


class Orders(Tools):
    async def order(self, ctx: Context, token: str, two_at_once: bool = False) -> str:
        """Ask three questions, one after the other or two at once, with steps between, and give back all that came."""
        self.note("start", token)
        first = await self.ask(ctx, token, "first")
        reserved = await self.do(ctx, token, "reserve")
        if two_at_once:
            second, third = await asyncio.gather(*(self.ask(ctx, token, one) for one in ("second", "third")))
            paid = await self.do(ctx, token, "pay")
        else:
            second = await self.ask(ctx, token, "second")
            paid = await self.do(ctx, token, "pay")
            third = await self.ask(ctx, token, "third")
        return result_of(token, [first, second, third], [reserved, paid])

    def __iter__(self) -> Iterator[Callable[..., Awaitable[str]]]:
        yield self.order
        yield self.slow

    async def slow(self, ctx: Context, token: str, before: float = 0.0, seconds: float = 0.0) -> str:
        """Ask, work for a while before a step and inside it, and ask again."""
        self.note("start", token)
        first = await self.ask(ctx, token, "first")
        await anyio.sleep(before)
        reserved = await self.do(ctx, token, "reserve", seconds)
        second = await self.ask(ctx, token, "second")
        return result_of(token, [first, second], [reserved])


class Fatal(Orders):
    """One more tool ends its process as soon as it was answered, and with it whatever else runs there."""

    def __iter__(self) -> Iterator[Callable[..., Awaitable[str]]]:
        yield from super().__iter__()
        yield self.fatal

    async def fatal(self, ctx: Context, token: str) -> str:
        await self.ask(ctx, token, "first")
        self.note("fatal", token)
        os._exit(1)


class Another(Tools):
    """The second question is another one."""

    async def order(self, ctx: Context, token: str) -> str:
        first = await self.ask(ctx, token, "first")
        await self.do(ctx, token, "reserve")
        return " / ".join([first, await self.ask(ctx, token, "other")])

    def __iter__(self) -> Iterator[Callable[..., Awaitable[str]]]:
        yield self.order


class Fewer(Another):
    """The second question is gone."""

    async def order(self, ctx: Context, token: str) -> str:
        first = await self.ask(ctx, token, "first")
        return " / ".join([first, await self.ask(ctx, token, "third")])


class Swapped(Another):
    """The second question comes before the first."""

    async def order(self, ctx: Context, token: str) -> str:
        second = await self.ask(ctx, token, "second")
        return " / ".join([second, await self.ask(ctx, token, "first")])


class Renamed(Tools):
    async def purchase(self, ctx: Context, token: str) -> str:
        return await self.ask(ctx, token, "first")

    def __iter__(self) -> Iterator[Callable[..., Awaitable[str]]]:
        yield self.purchase


class Stricter(Another):
    """The arguments of before are no longer those of the tool."""

    async def order(self, ctx: Context, token: int, currency: str) -> str:  # type: ignore[override]
        return await self.ask(ctx, f"{token} {currency}", "first")


class Keyed(Another):
    """Questions with keys of the author's, two at once."""

    title = "Answer"

    async def order(self, ctx: Context, token: str) -> str:
        who, where = form(f"who {token}", self.title), form(f"where {token}")
        found = await elicit_all(ctx, who=who, where=where)
        return " / ".join(one.content["answer"] if one else f"{one}" for one in found.values())


class Rekeyed(Keyed):
    """One of the keys is that of another form now, which the answers to the old one would fit."""

    title = "Name"


VERSIONS: dict[str, type[Any]] = {
    version.__name__.lower(): version
    for version in (Orders, Fatal, Another, Fewer, Swapped, Renamed, Stricter, Keyed, Rekeyed)
}


def result_of(token: str, answers: list[str], steps: list[str]) -> str:
    return json.dumps({"token": token, "answers": answers, "steps": steps})
