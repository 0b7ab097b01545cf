"""Asking to open a link: `elicit_url`, `url_required` and `complete` (specification: Elicitation, "URL mode")."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

import anyio

from .. import _json
from ..errors import ElicitationUnsupported, LinkError
from ..forms.form import message_problem
from ..journal import TRY, LinkQuestion
from ..outcomes import Accepted, Cancelled, Declined, Outcome
from ..safety import link_problem
from .awaitable import Asking
from .questions import refused
from .road import AskContext, Road, inside_step, named, refuse_name, road_of, seconds_of

Done: TypeAlias = Callable[[], Awaitable[bool]]
"""An async function that tells whether what a link was opened for is done."""

WAIT = 10.0
"""How long one round waits for `done`, in seconds."""

ROUNDS = 3
"""How often a person is asked to open one link."""

_PAUSE = 0.5
"""How long is waited between two looks whether it is done, in seconds."""


def elicit_url(
    ctx: AskContext | None,
    message: str,
    url: str,
    *,
    done: Done | None = None,
    wait: timedelta | float = WAIT,
    rounds: int = ROUNDS,
    elicitation_id: str | None = None,
    key: str | None = None,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[None]]:
    """Ask the person to open a link: to sign in, to pay, to enter what no form may ask for.

    Consent is not completion: the person agreed to open it, and what happens there is not seen here. With *done* the
    outcome is accepted when that says so: each round waits for it, then the person is asked again, and after the last
    round it is `Cancelled("expired")`. Without, consent is the answer. A link that was built anew in each run of the
    tool, with a random state in it, is another link each time: build it in a `step`.

    Args:
        ctx: As for `elicit`.
        message: What the link is for.
        url: The link: `https`, or `http` to this machine, and no credentials in it.
        done: An async function that tells whether it is done; it may not ask anything.
        wait: How long one round waits for *done*, in seconds or as a `timedelta`; with 0 it looks once.
        rounds: How often the person is asked in all.
        elicitation_id: What `complete` will call it, in the eras that have it; random unless given.
        key: As for `elicit`.
        timeout: As for `elicit`.
        unsupported: As for `elicit`.

    Raises:
        LinkError: If the message or the link cannot be sent. Nothing was.
        ElicitkitError: As `elicit` does.
    """
    _refuse_arguments(done, rounds, key)
    waiting = (seconds_of(wait) or 0.0) if wait else 0.0
    visit = _Visit(done, waiting, rounds, seconds_of(timeout))

    async def asking() -> Outcome[None]:
        try:
            return await visit.ask(road_of(ctx), _link(message, url, elicitation_id), key)
        except ElicitationUnsupported:
            if unsupported is None:
                raise
            return unsupported

    return Asking(asking())


def url_required(
    ctx: AskContext | None,
    message: str,
    url: str,
    *,
    done: Done | None = None,
    elicitation_id: str | None = None,
    key: str | None = None,
    timeout: timedelta | float | None = None,
) -> Asking[Outcome[None]]:
    """Ask for a visit to a link without which the call cannot go on.

    On 2025-11-25 this ends the call with the error -32042: the client opens the link, and calls again when it is done,
    which is when *done*, or whatever the tool looks at, should say so. 2026-07-28 has no such error; there it asks as
    `elicit_url` does, and the tool goes on with the outcome.

    Args:
        ctx: As for `elicit`.
        message: As for `elicit_url`.
        url: As for `elicit_url`.
        done: As for `elicit_url`, where that is what is done; where it is an error, it is not looked at.
        elicitation_id: As for `elicit_url`.
        key: As for `elicit_url`.
        timeout: As for `elicit_url`.

    Raises:
        MCPError: -32042, on 2025-11-25; do not catch it.
        LinkError: If the message or the link cannot be sent. Nothing was.
        ElicitkitError: As `elicit` does.
    """

    async def asking() -> Outcome[None]:
        road, link = road_of(ctx), _link(message, url, elicitation_id)
        road.require("url")
        road.refuse_until_visited(link)
        return await elicit_url(
            ctx, message, url, done=done, elicitation_id=link.elicitation_id, key=key, timeout=timeout
        )

    return Asking(asking())


def complete(ctx: AskContext | None, elicitation_id: str) -> Asking[None]:
    """Tell the client that what a link was opened for is done (`notifications/elicitation/complete`).

    `elicit_url` does it by itself when its `done` says so. It may be called after the call, from the page that the link
    led to, while the connection lasts; 2026-07-28 has no such notification, and nothing is sent.

    Raises:
        AdapterMissing: As for `elicit`.
    """

    async def completing() -> None:
        await road_of(ctx).complete(elicitation_id)

    return Asking(completing())


def _refuse_arguments(done: object, rounds: int, key: object) -> None:
    if done is not None and not callable(done):
        raise TypeError(f"done is an async function, not {named(done)}")
    if rounds < 1:
        raise ValueError(f"rounds is at least 1, not {rounds}")
    if key is not None:
        refuse_name("a key", key)


def _link(message: str, url: str, elicitation_id: str | None) -> LinkQuestion:
    """The question that asks for a visit, without a name yet.

    Raises:
        LinkError: If it cannot be sent.
    """
    if problem := message_problem(message):
        raise LinkError(f"The link cannot be sent: its message {problem}.")
    if problem := link_problem(url):
        raise LinkError(f"The link cannot be sent: it {problem}.")
    shape = _json.digest({"url": url})
    return LinkQuestion("", shape, message, url=url, elicitation_id=elicitation_id or secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class _Visit:
    """How long and how often a person is asked to open a link."""

    done: Done | None
    wait: float
    rounds: int
    seconds: float | None

    async def ask(self, road: Road, link: LinkQuestion, key: str | None) -> Outcome[None]:
        """Ask until it is done, refused, or over."""
        road.require("url")
        name = road.name(_json.digest({"message": link.message, "url": link.url}), key)
        until = None if self.seconds is None else road.deadline(name, self.seconds)
        question = replace(link, name=name, until=until)
        for attempt in range(1, self.rounds + 1):
            reply = await road.ask(question if attempt == 1 else question.again(attempt, link.message))
            if (refusal := refused(reply)) is not None:
                return refusal
            if self.done is None:
                return Accepted(None)
            if await self._is_done(road, name, attempt, until):
                await road.complete(link.elicitation_id)
                return Accepted(None)
        return Cancelled("expired")

    async def _is_done(self, road: Road, name: str, attempt: int, until: float | None) -> bool:
        """Wait until it is done, or this round is over. What it came to is kept, so that no replay waits again."""

        async def look() -> str:
            with inside_step(f"done of {name}"):
                return json.dumps(await self._wait(until))

        found: bool = json.loads(await road.step(f"{TRY}done {name}{TRY}{attempt}", look))
        return found

    async def _wait(self, until: float | None) -> bool:
        assert self.done is not None
        left = self.wait if until is None else min(self.wait, until - time.time())
        if await self.done():
            return True
        with anyio.move_on_after(max(left, 0)):
            while True:
                await anyio.sleep(_PAUSE)
                if await self.done():
                    return True
        return False
