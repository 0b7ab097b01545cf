"""Asking to open a link: `elicit_url`, `url_required` and `complete` (specification: Elicitation, "URL mode")."""

from __future__ import annotations

import inspect
import json
import math
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

import anyio

from .. import _json, journal
from ..errors import ElicitationUnsupported, LinkError
from ..forms.form import message_problem
from ..journal import TRY, LinkQuestion
from ..outcomes import Accepted, Cancelled, Declined, Outcome
from ..safety import link_problem
from .awaitable import Asking
from .questions import refused
from .road import AskContext, Road, inside_step, named, refuse_in_step, refuse_name, road_of, seconds_of

Done: TypeAlias = Callable[[], Awaitable[bool] | bool]
"""A function that tells whether what a link was opened for is done."""

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
        done: A function, plain or async, that tells whether it is done; it may not ask anything.
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
    visit = _visit(done, wait, rounds, key, timeout)

    async def asking() -> Outcome[None]:
        return await visit.outcome(road_of(ctx), _link(message, url, elicitation_id), unsupported)

    return Asking(asking())


def url_required(
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
    """Ask for a visit to a link without which the call cannot go on.

    If *done* says at once that it is done, that is the answer, and nobody is asked. Else, on 2025-11-25, this ends the
    call with the error -32042: the client opens the link, and calls again. 2026-07-28 has no such error; there it asks
    as `elicit_url` does, and the tool goes on with the outcome. Without *done*, look yourself whether it is needed.

    Args:
        ctx: As for `elicit`.
        message: As for `elicit_url`.
        url: As for `elicit_url`.
        done: As for `elicit_url`, and looked at before anything is asked.
        wait: As for `elicit_url`, on 2026-07-28.
        rounds: As for `elicit_url`, on 2026-07-28.
        elicitation_id: As for `elicit_url`.
        key: As for `elicit_url`.
        timeout: As for `elicit_url`, on 2026-07-28.
        unsupported: As for `elicit`.

    Raises:
        MCPError: -32042, on 2025-11-25; do not catch it.
        LinkError: If the message or the link cannot be sent. Nothing was.
        ElicitkitError: As `elicit` does.
    """
    visit = _visit(done, wait, rounds, key, timeout)

    async def asking() -> Outcome[None]:
        return await visit.outcome(road_of(ctx), _link(message, url, elicitation_id), unsupported, is_required=True)

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


def _visit(
    done: Done | None, wait: timedelta | float, rounds: int, key: str | None, timeout: timedelta | float | None
) -> _Visit:
    """How a person is asked to open a link.

    Raises:
        TypeError, ValueError: If an argument is none.
    """
    _refuse_uncallable(done)
    if isinstance(rounds, bool) or not isinstance(rounds, int):
        raise TypeError(f"rounds is a whole number, not {named(rounds)}")
    if rounds < 1:
        raise ValueError(f"rounds is at least 1, not {rounds}")
    if key is not None:
        refuse_name("a key", key)
    is_zero = isinstance(wait, (int, float)) and not isinstance(wait, bool) and wait == 0
    waiting = 0.0 if is_zero else seconds_of(wait, what="wait")
    if waiting is None:
        raise TypeError("wait is a number of seconds or a timedelta, not nothing")
    return _Visit(done, waiting, rounds, key, seconds_of(timeout))


def _refuse_uncallable(done: object) -> None:
    if done is not None and not callable(done):
        raise TypeError(f"done is a function, plain or async, not {named(done)}")


def link_digest(message: str, url: str) -> str:
    """A fingerprint of what is asked with a link."""
    return _json.digest({"message": message, "url": url})


def link_shape(url: str) -> str:
    """A fingerprint of a link alone: consent to another one is none to this."""
    return _json.digest({"url": url})


def _link(message: str, url: str, elicitation_id: str | None) -> LinkQuestion:
    """The question that asks for a visit, without a name yet.

    Raises:
        LinkError: If it cannot be sent.
    """
    if problem := message_problem(message):
        raise LinkError(f"The link cannot be sent: its message {problem}.")
    if problem := link_problem(url):
        raise LinkError(f"The link cannot be sent: it {problem}.")
    return LinkQuestion("", link_shape(url), message, url=url, elicitation_id=elicitation_id or secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class _Visit:
    """How long and how often a person is asked to open a link."""

    done: Done | None
    wait: float
    rounds: int
    key: str | None
    seconds: float | None

    async def outcome(
        self, road: Road, link: LinkQuestion, unsupported: Declined | Cancelled | None, *, is_required: bool = False
    ) -> Outcome[None]:
        """Ask, and give what it came to; *unsupported* where nobody can be asked."""
        refuse_in_step(road)
        try:
            return await self._ask(road, self._question(road, link), is_required=is_required)
        except ElicitationUnsupported:
            if unsupported is None:
                raise
            return unsupported

    def _question(self, road: Road, link: LinkQuestion) -> LinkQuestion:
        name = road.name(link_digest(link.message, link.url), self.key)
        until = None if self.seconds is None else road.deadline(name, self.seconds)
        return replace(link, name=name, until=until)

    async def _ask(self, road: Road, question: LinkQuestion, *, is_required: bool) -> Outcome[None]:
        """Ask until it is done, refused, or over."""
        if is_required and await self._is_done(road, question, 0):
            return Accepted(None)
        road.require("url")
        if is_required:
            road.refuse_until_visited(question)
        for attempt in range(1, self.rounds + 1):
            reply = await road.ask(question if attempt == 1 else question.again(attempt, question.message))
            if (refusal := refused(reply)) is not None:
                return refusal
            if self.done is None:
                return Accepted(None)
            if await self._is_done(road, question, attempt):
                await road.complete(question.elicitation_id)
                return Accepted(None)
        return Cancelled("expired")

    async def _is_done(self, road: Road, question: LinkQuestion, attempt: int) -> bool:
        """Wait until it is done, or this round is over. What it came to is kept, so that no replay waits again."""
        if self.done is None:
            return False

        async def look() -> str:
            with inside_step("done", road):
                return json.dumps(await self._wait(self.wait if attempt else 0.0, question.until))

        found: bool = json.loads(await road.step(f"{TRY}done {question.name}{TRY}{attempt}", look))
        return found

    async def _wait(self, seconds: float, until: float | None) -> bool:
        """Look until it is done; a look that hangs is given up as well."""
        left = math.inf if until is None else max(until - journal.now(), 0.0)
        with anyio.move_on_after(min(seconds or WAIT, left)):
            while not await self._look():
                if not seconds:
                    return False
                await anyio.sleep(_PAUSE)
            return True
        return False

    async def _look(self) -> bool:
        assert self.done is not None
        found = self.done()
        return bool(await found if inspect.isawaitable(found) else found)
