"""The conversation about one form, from "who asks" to an outcome. It knows the port, not the terminal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final, assert_never

from ...errors import AnswerError, Fault
from ...fields import BooleanField, ChoiceField, Field, UnknownField
from ...forms import Content
from ...outcomes import Accepted, Cancelled, Declined, Outcome
from ..controls import Answerable, Control, Line, Offer, Pick, Tick, control, entry, settle
from ..links import Link
from ..text import CANCEL, DECLINE, SKIP, STOP, label, shown_briefly, typeable
from . import screens
from .asked import INTERRUPTED, SKIPPED, STOPPED, Asked
from .browser import find_browser
from .prompts import GoBack, Prompts, RanOut

_FILL_IN = "Fill in"
_DECLINE, _CANCEL, _SKIP, _STOP = "Decline", "Cancel", "Skip (answer it later)", "Stop (answer later)"
_BRIEFLY: Final = {_DECLINE: DECLINE, _CANCEL: CANCEL, _SKIP: SKIP, _STOP: STOP}
"""The refusals as they stand in the list of a lone choice."""

_ACCEPT, _REFUSE = "Yes", "No (decline)"
_OPEN, _BY_HAND = "Open it in the browser", "I open it myself"
_DONE, _FAILED = "I am done", "I could not"
_SEND, _CHANGE, _BACK = "Send", "Change a field", "(back)"

_ENDINGS: Final = {
    "expired": "The time to answer is over. No answer was sent.",
    "answered": "Somebody else has answered this. Your answer was not sent.",
}
_WITHDRAWN: Final = "The question was withdrawn. No answer was sent."
_CANCELLED: Final = "Cancelled. No answer was sent."
_LEFT_OPEN: Final = "It stays open. No answer was sent."
_RAN_OUT: Final = "The input ended before this was answered: cancelled. No answer was sent."

_START: Final = -1
"""The stop before the first field."""


async def converse(asked: Asked, prompts: Prompts) -> Outcome[Content]:
    """Put a form to the person, and give the outcome. However it ends, the last line says how."""
    dialogue = _Dialogue(asked, prompts)
    try:
        outcome = await dialogue.run()
    except asyncio.CancelledError:
        why = asked.why_ended()
        _part(prompts, _last_word(dismissed(asked)) if why == INTERRUPTED else _ENDINGS.get(why, _WITHDRAWN))
        raise
    except RanOut:
        _part(prompts, _RAN_OUT)
        return Cancelled("headless")
    except EOFError:
        outcome = dismissed(asked)
    _part(prompts, _last_word(outcome))
    return outcome


def dismissed(asked: Asked) -> Cancelled:
    """The outcome when the person wants no more of the question: Ctrl-C, Ctrl-D, or a terminal that is gone."""
    return Cancelled(INTERRUPTED) if asked.may_stop else _cancelled(asked)


def _cancelled(asked: Asked) -> Cancelled:
    return Cancelled("unsupported" if any(map(_is_undrawable, asked.form.fields)) else "cancelled")


def _is_undrawable(field: Field) -> bool:
    return isinstance(field, UnknownField) and field.required


def _last_word(outcome: Outcome[Content]) -> str:
    match outcome:
        case Accepted():
            return "Sent."
        case Cancelled("failed"):
            return "Whoever asked is told that it could not be done."
        case Cancelled(reason) if reason in (SKIPPED, STOPPED, INTERRUPTED):
            return _LEFT_OPEN
        case Declined():
            return "Declined. No answer was sent."
        case Cancelled():
            return _CANCELLED
        case _:
            assert_never(outcome)


def _part(prompts: Prompts, words: str) -> None:
    with suppress(EOFError):  # the terminal may be what is gone
        prompts.show(screens.note(words))


class _Dialogue:
    """It walks from stop to stop: the start, each field, and the review; back as well as on."""

    def __init__(self, asked: Asked, prompts: Prompts) -> None:
        self._asked = asked
        self._form = asked.form
        self._prompts = prompts
        self._stops: list[Answerable] = [field for field in self._form.fields if not isinstance(field, UnknownField)]
        self._undrawable = [one for one in self._form.fields if isinstance(one, UnknownField) and one.required]
        ways = {_SKIP: asked.may_skip, _STOP: asked.may_stop}
        self._leaving = (_CANCEL, *(way for way, is_open in ways.items() if is_open))
        """All that ends the question without a yes or no."""
        self._entries = {field.name: asked.filled[field.name] for field in self._stops if field.name in asked.filled}
        self._faults: tuple[Fault, ...] = tuple(asked.faults)
        """What is wrong with the answer as a whole, since it was last to be sent."""
        self._is_as_before = bool(self._entries)
        """Whether it is what did not do before: then it is not to be sent by one key."""
        self._left: dict[str, Control] = {}
        """What stood in a field when the person went back from it."""
        self._shown = 0
        """Up to which field those that cannot be answered were shown."""

    async def run(self) -> Outcome[Content]:
        if self._undrawable:
            return await self._refuse()
        if self._asked.link is not None:
            self._show_heading()
            return await self._visit(self._asked.link)
        match self._form.fields:
            case ():
                self._show_heading()
                self._prompts.show()
                return await self._confirm()
            case (BooleanField() | ChoiceField() as field,):
                self._show_heading()
                return await self._choose(field)
            case _:
                self._show_heading()
                return await self._walk()

    def _show_heading(self) -> None:
        self._prompts.show(screens.heading(self._asked))

    # --- what takes one answer ----------------------------------------------------------------------------------------

    async def _refuse(self) -> Outcome[Content]:
        self._show_heading()
        self._prompts.show(screens.undrawable(self._undrawable))
        return await self._refusal(await self._menu("What now?", _DECLINE, *self._leaving))

    async def _confirm(self) -> Outcome[Content]:
        """A form without fields is a yes-or-no dialog; the pointer starts at no."""
        ways = (_ACCEPT, _REFUSE, *self._leaving)
        while (choice := await self._menu("Do you agree?", *ways, at=_REFUSE)) == _ACCEPT:
            if accepted := self._accept():
                return accepted
            self._prompts.show(screens.problems(self._faults))
        return await self._refusal(choice)

    async def _visit(self, link: Link) -> Outcome[Content]:
        """A link is opened after consent alone. What came of it, nobody knows but the person, who says so."""
        self._prompts.show(screens.address(link))
        if link.problem:
            return await self._refusal(await self._menu("What now?", _DECLINE, *self._leaving))
        browse = await find_browser()
        ways = [_OPEN, _BY_HAND] if browse else [_BY_HAND]
        choice = await self._menu("Do you agree to open it?", *ways, _DECLINE, *self._leaving, at=_DECLINE)
        if choice not in ways:
            return await self._refusal(choice)
        is_open = choice == _OPEN and browse is not None and await browse(link.url)
        self._prompts.show(screens.opened(link.url, is_open=is_open))
        choice = await self._menu("How did it go?", _DONE, _FAILED, _DECLINE, *self._leaving)
        if choice == _FAILED:
            return Cancelled("failed")
        return Accepted(Content({})) if choice == _DONE else await self._refusal(choice)

    async def _choose(self, field: BooleanField | ChoiceField) -> Outcome[Content]:
        """A lone choice is one list, with the refusals in it: what is taken is sent."""
        self._show_head(field)
        if self._faults:
            self._prompts.show(screens.problems(self._faults))
        asked = control(field, self._entries)
        assert isinstance(asked, Pick)
        refusals = {_BRIEFLY[way]: way for way in (_DECLINE, *self._leaving)}
        while True:
            offer = Offer.of(asked, tuple(refusals))
            taken = offer.taken(await self._prompts.pick(offer.pick))
            if not isinstance(taken, Pick):
                return await self._refusal(refusals[taken])
            asked, self._entries = taken, dict(settle(field, entry(field, taken)))
            if accepted := self._accept():
                return accepted
            self._prompts.show(screens.problems(self._faults))

    # --- from stop to stop --------------------------------------------------------------------------------------------

    async def _walk(self) -> Outcome[Content]:
        is_again = bool(self._faults or self._entries)
        at = len(self._stops) if is_again else _START
        if not is_again:
            words = screens.outline(self._form.fields, self._prompts.back_key, may_stop=self._asked.may_stop)
            self._prompts.show(*words)
        while True:
            try:
                outcome = await self._stop(at)
            except GoBack:
                at -= 1
            else:
                if outcome is not None:
                    return outcome
                at += 1

    async def _stop(self, at: int) -> Outcome[Content] | None:
        """The outcome if the question ends here; `None` to go on to the next stop."""
        if at == _START:
            choice = await self._menu("What now?", _FILL_IN, _DECLINE, *self._leaving)
            return None if choice == _FILL_IN else await self._refusal(choice)
        if at == len(self._stops):
            self._show_undrawn(len(self._form.fields))
            return await self._review()
        self._show_undrawn(self._form.fields.index(self._stops[at]))
        await self._ask(self._stops[at])
        return None

    def _show_undrawn(self, until: int) -> None:
        """Show the fields before this one that nobody can answer, once."""
        for field in self._form.fields[self._shown : until]:
            if isinstance(field, UnknownField):
                self._show_head(field)
        self._shown = max(self._shown, until)

    def _show_head(self, field: Field) -> None:
        total = len(self._form.fields)
        position = f"{self._form.fields.index(field) + 1} of {total} " if total > 1 else ""
        self._prompts.show(screens.field_head(field, position=f"{position}· "))

    async def _ask(self, field: Answerable) -> None:
        """Ask until the answer fits its field; each time it starts from what was answered before.

        Raises:
            GoBack: If the person goes back; what stood in the field is kept for the next time.
        """
        self._show_head(field)
        answered = self._left.pop(field.name, None) or control(field, self._entries)
        while True:
            try:
                answered = await self._put(answered)
            except GoBack as gone:
                self._left[field.name] = gone.left or answered
                raise
            try:
                settled = settle(field, entry(field, answered))
            except AnswerError as error:
                self._prompts.show(screens.problems(error.faults))
            else:
                self._entries.pop(field.name, None)
                self._entries.update(settled)
                self._is_as_before = False
                return

    async def _review(self) -> Outcome[Content]:
        choices = [_SEND, *([_CHANGE] if self._stops else []), _DECLINE, *self._leaving]
        while True:
            self._prompts.show(screens.review(self._asked.asker, self._form.fields, self._entries, faults=self._faults))
            at = _CHANGE if (self._faults or self._is_as_before) and self._stops else _SEND
            choice = await self._menu("Send this?", *choices, at=at, back=True)
            if choice == _CHANGE:
                with suppress(GoBack):
                    await self._change()
            elif choice != _SEND:
                return await self._refusal(choice)
            elif accepted := self._accept():
                return accepted

    async def _change(self) -> None:
        """Ask one field anew; what was wrong with the others stays told."""
        stop = self._stops[0] if len(self._stops) == 1 else await self._which()
        if stop is not None:
            self._faults = tuple(fault for fault in self._faults if fault.field not in ("", stop.name))
            await self._ask(stop)

    async def _which(self) -> Answerable | None:
        """The field to change, from a list that starts at the first with a fault; `None` to go back."""
        wrong = {fault.field for fault in self._faults}
        at = next((place for place, field in enumerate(self._stops) if field.name in wrong), 0)
        labels = [f"{label(field)} · {shown_briefly(field, self._entries)}" for field in self._stops]
        picked = await self._prompts.pick(Pick((*labels, _BACK), at, question="Which one?"), back=True)
        return self._stops[picked.at] if picked.at < len(self._stops) else None

    # --- what all of it needs -----------------------------------------------------------------------------------------

    def _accept(self) -> Accepted[Content] | None:
        """The accepted outcome; `None` when the answer as a whole does not fit, and then there are faults."""
        try:
            content = self._form.check(self._entries)
        except AnswerError as error:
            self._faults = error.faults
            return None
        return Accepted(content, raw=content)

    async def _refusal(self, choice: str) -> Outcome[Content]:
        if choice == _CANCEL:
            return _cancelled(self._asked)
        if choice in (_SKIP, _STOP):
            return Cancelled(SKIPPED if choice == _SKIP else STOPPED)
        return await self._declined()

    async def _declined(self) -> Declined:
        if not self._asked.takes_reason:
            return Declined()
        self._prompts.show(screens.note("Why? Leave it empty to say nothing."))
        reason = typeable((await self._prompts.line(Line())).text).strip()
        return Declined(reason) if reason else Declined()

    async def _menu(self, question: str, *choices: str, at: str | None = None, back: bool = False) -> str:
        start = choices.index(at) if at else 0
        picked = await self._prompts.pick(Pick(choices, start, question=question), back=back)
        return choices[picked.at]

    async def _put(self, asked: Control) -> Control:
        match asked:
            case Line():
                return await self._prompts.line(asked, back=True)
            case Pick():
                return await self._prompts.pick(asked, back=True)
            case Tick():
                return await self._prompts.tick(asked, back=True)
            case _:
                assert_never(asked)
