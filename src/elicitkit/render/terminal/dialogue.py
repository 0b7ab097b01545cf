"""The conversation about one form, from "who asks" to an outcome. It knows the port, not the terminal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, assert_never

from ...errors import AnswerError, Fault
from ...fields import UnknownField
from ...forms import Content, Form
from ...outcomes import Accepted, Cancelled, Declined, Outcome
from . import screens
from .controls import Answerable, Control, Line, Pick, Tick, control, entry, settle
from .prompts import Prompts
from .text import label, shown_briefly

_FILL_IN, _DECLINE, _CANCEL = "Fill in", "Decline", "Cancel"
_ACCEPT, _REFUSE = "Yes", "No (decline)"
_SEND, _CHANGE, _BACK = "Send", "Change a field", "(back)"


async def converse(form: Form[Any], asker: str, prompts: Prompts) -> Outcome[Content]:
    """Put a form to the person, and give the outcome."""
    dialogue = _Dialogue(form, asker, prompts)
    try:
        return await dialogue.run()
    except asyncio.CancelledError:
        _part(prompts, "The question was withdrawn.")
        raise
    except EOFError:
        _part(prompts, "Cancelled. No answer was sent.")
        return Cancelled("unsupported" if dialogue.is_unsupported else "cancelled")


def _part(prompts: Prompts, words: str) -> None:
    with suppress(EOFError):  # the terminal may be what is gone
        prompts.show(screens.note(words))


class _Dialogue:
    def __init__(self, form: Form[Any], asker: str, prompts: Prompts) -> None:
        self._form = form
        self._asker = asker
        self._prompts = prompts
        self._askable: list[Answerable] = [field for field in form.fields if not isinstance(field, UnknownField)]
        self._undrawable = [field for field in form.fields if isinstance(field, UnknownField) and field.required]
        self._entries: dict[str, object] = {}
        self._faults: tuple[Fault, ...] = ()
        """What is wrong with the answer as a whole, since it was last to be sent."""

    @property
    def is_unsupported(self) -> bool:
        """Whether the form requires what cannot be answered here."""
        return bool(self._undrawable)

    async def run(self) -> Outcome[Content]:
        if self._undrawable:
            return await self._refuse()
        self._prompts.show(screens.heading(self._asker, self._form.message, self._form.fields))
        if not self._form.fields:
            return await self._confirm()
        choice = await self._menu("What now?", _FILL_IN, _DECLINE, _CANCEL)
        if choice != _FILL_IN:
            return _refusal(choice)
        await self._fill_in()
        return await self._review()

    async def _refuse(self) -> Outcome[Content]:
        heading = screens.heading(self._asker, self._form.message, [])
        self._prompts.show(heading, screens.undrawable(self._undrawable))
        choice = await self._menu("What now?", _DECLINE, _CANCEL)
        return Cancelled("unsupported") if choice == _CANCEL else Declined()

    async def _confirm(self) -> Outcome[Content]:
        """A form without fields is a yes-or-no dialog; the pointer starts at no."""
        while (choice := await self._menu("Do you agree?", _ACCEPT, _REFUSE, _CANCEL, at=_REFUSE)) == _ACCEPT:
            if accepted := self._accept():
                return accepted
            self._prompts.show(screens.problems(self._faults))
        return _refusal(choice)

    async def _fill_in(self) -> None:
        total = len(self._form.fields)
        for number, field in enumerate(self._form.fields, 1):
            position = f"{number} of {total} · " if total > 1 else ""
            if isinstance(field, UnknownField):
                self._prompts.show(screens.field_head(field, position=position))
            else:
                await self._ask(field, position)

    async def _ask(self, field: Answerable, position: str = "") -> None:
        """Ask until the answer fits its field; each time it starts from what was answered before."""
        self._prompts.show(screens.field_head(field, position=position))
        answered = control(field, self._entries)
        while True:
            answered = await self._put(answered)
            try:
                settled = settle(field, entry(field, answered))
            except AnswerError as error:
                self._prompts.show(screens.problems(error.faults))
            else:
                self._entries.pop(field.name, None)
                self._entries.update(settled)
                return

    async def _review(self) -> Outcome[Content]:
        choices = [_SEND, *([_CHANGE] if self._askable else []), _DECLINE, _CANCEL]
        while True:
            self._prompts.show(screens.review(self._asker, self._form.fields, self._entries, faults=self._faults))
            choice = await self._menu("Send this?", *choices)
            if choice == _CHANGE:
                await self._change()
            elif choice != _SEND:
                return _refusal(choice)
            elif accepted := self._accept():
                return accepted

    async def _change(self) -> None:
        self._faults = ()
        if len(self._askable) == 1:
            return await self._ask(self._askable[0])
        labels = [f"{label(field)} · {shown_briefly(field, self._entries)}" for field in self._askable]
        picked = await self._prompts.pick(Pick((*labels, _BACK), question="Which one?"))
        if picked.at < len(self._askable):
            await self._ask(self._askable[picked.at])
        return None

    def _accept(self) -> Accepted[Content] | None:
        """The accepted outcome; `None` when the answer as a whole does not fit, and then there are faults."""
        try:
            content = self._form.check(self._entries)
        except AnswerError as error:
            self._faults = error.faults
            return None
        return Accepted(content, raw=content)

    async def _menu(self, question: str, *choices: str, at: str | None = None) -> str:
        start = choices.index(at) if at else 0
        picked = await self._prompts.pick(Pick(choices, start, question=question))
        return choices[picked.at]

    async def _put(self, asked: Control) -> Control:
        match asked:
            case Line():
                return await self._prompts.line(asked)
            case Pick():
                return await self._prompts.pick(asked)
            case Tick():
                return await self._prompts.tick(asked)
            case _:
                assert_never(asked)


def _refusal(choice: str) -> Declined | Cancelled:
    return Cancelled() if choice == _CANCEL else Declined()
