"""Answering the questions of an inbox at the terminal, while others may answer them elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from ..errors import EntryClosed, UnknownEntry
from ..forms import Content
from ..host.checking import Refusal
from ..host.inbox import Entry, Inbox, Viewer
from ..host.inbox.asked_again import retry_in
from ..host.retries import Retry
from ..outcomes import Cancelled, Declined, Outcome
from ..render.details import details_of
from ..render.links import link_of
from ..render.terminal import fill, has_terminal, visit
from ..render.terminal.requests import answer_of, form_of
from .exits import Exit, Failure
from .inbox_reports import asker_of
from .output import say
from .questions import link_lines

Put: TypeAlias = Outcome[Content] | Outcome[None]
"""What the person did with a form, or with a link."""

Prompt: TypeAlias = Callable[..., Awaitable[Put]]
"""`fill` or `visit`, with what they ask."""


class AtTerminal:
    """Puts questions of an inbox to the person at the terminal.

    Cancel closes a question undecided, as on the page. Skip and Stop leave it open, for later or for others, and so
    does Ctrl-C: nobody decides by it about a question that is kept.
    """

    def __init__(self, inbox: Inbox, *, by: str, viewer: Viewer) -> None:
        self._inbox = inbox
        self._by = by
        self._viewer = viewer
        self._waiting = 0

    async def answer_all(self) -> None:
        """Put all that are open, the oldest first, until there are none, or the person has had enough.

        Raises:
            Failure: If there is no terminal.
        """
        skipped, after = 0, None
        while (page := await self._inbox.open(owner=self._viewer, limit=1, after=after)).entries:
            (entry,), after = page.entries, str(page.entries[0].number)
            self._waiting = max(0, page.total - 1 - skipped)
            try:
                if not await self._put(entry, may_skip=True):
                    return await self._tell_what_is_open()
            except EntryClosed as error:
                say(str(error))
            skipped += (await self._inbox.open(owner=self._viewer, limit=1)).total >= page.total
        say("nothing is asked" if after is None else "that was all")
        await self._tell_what_is_open()

    async def answer(self, entry: Entry) -> None:
        """Put one question.

        Raises:
            EntryClosed: If somebody else was first.
            Failure: If it cannot be put here, or Ctrl-C was pressed.
        """
        if not entry.is_open:
            raise EntryClosed(entry.state, entry.closed_by, entry.closed_at)
        await self._put(entry)

    async def _put(self, entry: Entry, *, may_skip: bool = False) -> bool:
        """Put a question, and tell whether the person goes on.

        Raises:
            EntryClosed: If it is answered too late, or elsewhere.
            Failure: If the person interrupts.
        """
        prompt = await self._prompt(entry)
        if prompt is None:
            return True
        outcome = await self._asked(prompt, entry, may_skip=may_skip)
        match outcome:
            case Cancelled("skipped" | "stopped" as how):
                return how == "skipped"
            case Cancelled("interrupted" | "headless"):
                await self._tell_what_is_open()
                raise Failure(Exit.INTERRUPTED, "interrupted")
            case Cancelled("expired"):
                raise EntryClosed("expired", "", entry.until)
        answer, note = answer_of(entry.request, outcome), _note_of(outcome)
        await self._inbox.answer(entry.id, answer, note=note, by=self._by, owner=self._viewer)
        return True

    async def _tell_what_is_open(self) -> None:
        total = (await self._inbox.open(owner=self._viewer, limit=1)).total
        if total:
            questions = "1 question stays" if total == 1 else f"{total} questions stay"
            say(f"{questions} open: to be answered later, or by somebody else")

    async def _asked(self, prompt: Prompt, entry: Entry, *, may_skip: bool) -> Put:
        """What the person did.

        Raises:
            EntryClosed: If it was closed elsewhere meanwhile, which ends the prompt.
        """
        if not has_terminal():
            raise Failure(Exit.USAGE, "there is no terminal to ask at: --accept JSON, --decline or --cancel answers")
        closing = asyncio.ensure_future(self._closed(entry.id))
        asking = asyncio.ensure_future(
            prompt(
                asker_of(entry),
                until=entry.until,
                waiting=lambda: self._waiting,
                why_ended=lambda: closing.result().state if closing.done() else "withdrawn",
                takes_reason=True,
                details=details_of(entry.request),
                may_stop=True,
                may_skip=may_skip,
            )
        )
        try:
            await asyncio.wait((asking, closing), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise closing.result()
            return asking.result()
        finally:
            asking.cancel()
            closing.cancel()
            await asyncio.gather(asking, closing, return_exceptions=True)

    async def _closed(self, id: str) -> EntryClosed:
        """Wait until a question is closed elsewhere, and give what to say of it."""
        try:
            while (entry := await self._inbox.closing(id)).is_open:
                pass
        except UnknownEntry:
            return EntryClosed("withdrawn")
        return EntryClosed(entry.state, entry.closed_by, entry.closed_at)

    async def _prompt(self, entry: Entry) -> Prompt | None:
        """What puts it to the person; `None` for what cannot be put to anybody here, and then it says so."""
        request = entry.request
        if request.kind == "authorization":
            if link_of(request.url).problem:
                lines = [f"question {entry.id} has", *link_lines(request.url), "elicitkit inbox answer --decline"]
                say("\n".join(lines))
                return None
            return partial(visit, request.prompt, request.url)
        retry = await retry_in(self._inbox, entry, owner=self._viewer) or Retry(request.prompt)
        match form_of(replace(request, prompt=retry.prompt)):
            case None:
                kind = f"{request.kind!r}, which is answered in the page, or with --accept"
                say(f"question {entry.id} is of the kind {kind}")
                return None
            case Refusal(told=told):
                say(f"question {entry.id} can only be declined or cancelled (--decline, --cancel). {told}")
                return None
            case form:
                return partial(fill, form, filled=retry.answered, faults=retry.faults)


def _note_of(outcome: Put) -> str:
    """What the person said beside a refusal."""
    return outcome.reason if isinstance(outcome, Declined) and outcome.reason != "declined" else ""
