"""Answering the questions of an inbox at the terminal, while others may answer them elsewhere."""

from __future__ import annotations

import asyncio

from ..errors import ContractError, EntryClosed, UnknownEntry
from ..forms import Content, Form
from ..host.inbox import Entry, Inbox, Viewer
from ..outcomes import Accepted, Declined, Outcome
from ..render.links import link_of
from ..render.terminal import fill, has_terminal
from ..suspension import Answer
from .exits import Exit, Failure
from .inbox_reports import asker_of, link_lines
from .output import say


class AtTerminal:
    """Puts questions of an inbox to the person at the terminal.

    Whoever leaves the prompt without an answer (Cancel, Ctrl-C) leaves the question open, for later or for others.
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
                if not await self._put(entry):
                    return
            except EntryClosed as error:
                say(str(error))
            skipped += (await self._inbox.open(owner=self._viewer, limit=1)).total >= page.total
        say("nothing is asked" if after is None else "that was all")

    async def answer(self, entry: Entry) -> None:
        """Put one question.

        Raises:
            EntryClosed: If somebody else was first.
            Failure: If it cannot be put here.
        """
        if not entry.is_open:
            raise EntryClosed(entry.state, entry.closed_by, entry.closed_at)
        await self._put(entry)

    async def _put(self, entry: Entry) -> bool:
        """Put a question, and tell whether the person goes on."""
        form = self._form(entry)
        if form is None:
            return True
        outcome = await self._filled(form, entry)
        answer, note = _answer_of(entry, outcome)
        if answer is None:
            say("left open: it can be answered later, or by somebody else")
            return False
        await self._inbox.answer(entry.id, answer, note=note, by=self._by, owner=self._viewer)
        return True

    async def _filled(self, form: Form[Content], entry: Entry) -> Outcome[Content]:
        """What the person did.

        Raises:
            EntryClosed: If it was closed elsewhere meanwhile, which ends the prompt.
        """
        if not has_terminal():
            raise Failure(Exit.USAGE, "there is no terminal to ask at: --accept JSON, --decline or --cancel answers")
        closing = asyncio.ensure_future(self._closed(entry.id))
        prompt = asyncio.ensure_future(
            fill(
                form,
                asker_of(entry),
                until=entry.until,
                waiting=lambda: self._waiting,
                why_ended=lambda: closing.result().state if closing.done() else "withdrawn",
                takes_reason=True,
            )
        )
        try:
            await asyncio.wait((prompt, closing), return_when=asyncio.FIRST_COMPLETED)
            if not prompt.done():
                raise closing.result()
            return prompt.result()
        finally:
            prompt.cancel()
            closing.cancel()
            await asyncio.gather(prompt, closing, return_exceptions=True)

    async def _closed(self, id: str) -> EntryClosed:
        """Wait until a question is closed elsewhere, and give what to say of it."""
        try:
            while (entry := await self._inbox.closing(id)).is_open:
                pass
        except UnknownEntry:
            return EntryClosed("withdrawn")
        return EntryClosed(entry.state, entry.closed_by, entry.closed_at)

    def _form(self, entry: Entry) -> Form[Content] | None:
        """What the prompt shows; `None` for what it cannot show, and then it says so."""
        request = entry.request
        if request.kind == "authorization":
            if link_of(request.url).problem:
                say(
                    "\n".join(
                        [f"question {entry.id} has", *link_lines(request.url), "elicitkit inbox answer --decline"]
                    )
                )
                return None
            say("\n".join([f"question {entry.id} asks to open", *link_lines(request.url)]))
            return Form(f"{request.prompt}\n\nOpen the link above yourself, if you trust it, and say yes when you did.")
        if request.kind == "approval":
            return Form(request.prompt)
        try:
            form = self._inbox.form(entry)
        except ContractError as error:
            say(f"question {entry.id} can only be declined or cancelled: {error}")
            return None
        if form is None:
            say(f"question {entry.id} is of the kind {request.kind!r}, which is answered in the page, or with --accept")
        return form


def _answer_of(entry: Entry, outcome: Outcome[Content]) -> tuple[Answer | None, str]:
    """The answer of the person, and a note beside it; no answer where they left it open."""
    match outcome:
        case Accepted(content):
            cleared = dict.fromkeys(content.cleared)
            return entry.request.accept({**content, **cleared}), ""
        case Declined(reason):
            return entry.request.decline(), "" if reason == "declined" else reason
        case _:
            return None, ""
