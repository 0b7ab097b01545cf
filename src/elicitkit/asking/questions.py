"""Asking with a form: `elicit`, `elicit_all`, `confirm`, and `elicit_sync` for tools that run in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Generic, TypeVar, overload

import anyio.from_thread

from ..errors import AdapterMissing, AnswerError, ElicitationUnsupported, Fault
from ..forms import Content, Form, FormElicitation, FormSource
from ..journal import FormQuestion, Reply, fingerprint
from ..limits import MESSAGE_CHARACTERS
from ..outcomes import Accepted, Cancelled, Declined, Outcome
from .awaitable import Asking
from .road import AskContext, Road, named, refuse_in_step, refuse_name, road_of, seconds_of

T = TypeVar("T")
V = TypeVar("V")

TRIES = 3
"""How often a person may answer one question before `elicit` gives up."""

CORRECT_THIS = "Please correct this:\n"
"""What stands above the faults, and they above the message, when something is asked again."""


@overload
def elicit(
    ctx: AskContext | None,
    form: FormSource[T],
    made: None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[T]]: ...


@overload
def elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[V],
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[V]]: ...


def elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[Any]]:
    """Ask the person at the client to fill in a form, and give what it came to.

    The same line works on every era of the protocol. On 2026-07-28 the tool is run again from the top for each round
    of questions, and a question that was answered returns at once: what must happen only once belongs after the last
    question. An answer that does not fit is asked again with its faults above the message.

    Args:
        ctx: The context of the running tool; `None` finds the call by itself, where the framework allows it.
        form: A form, a builder, or any node of a builder's chain.
        made: A type to bind the answer to, for a form that did not come from one.
        key: What makes two askings the same question, though the text changes from run to run (the time, a count);
            without one, the question is known by what is asked. What the person agrees to, a price, is no matter for a
            key: make it in a `step`. A yes/no question is another one with another message, whatever its key.
        tries: How often the person may answer before it is an error.
        timeout: How long the person may take, in seconds or as a `timedelta`, from when this was asked first; then it
            is `Cancelled("expired")`, and an answer that comes later is not used.
        unsupported: What to return where the client cannot be asked, in place of an error.

    Raises:
        FormError: If the form does not work. Nothing is sent.
        AnswerError: If the last try does not fit either.
        ElicitationUnsupported: If the client did not declare forms, or the connection cannot carry a question.
        LimitError: If the question, or all answers so far, are too large for the connection.
        ProtocolError: If the client failed, which is no person's doing.
        AdapterMissing: If no adapter is installed in the server; the text has the line to add.
        StepError: If it is called inside a step.
    """
    return Asking(_elicit(ctx, form, made, key=key, tries=tries, timeout=timeout, unsupported=unsupported))


def elicit_all(
    ctx: AskContext | None,
    forms: Mapping[str, FormSource[Any]] | None = None,
    /,
    *,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
    **named_forms: FormSource[Any],
) -> Asking[dict[str, Outcome[Any]]]:
    """Ask several things at once, and give all outcomes by name: on 2026-07-28 they travel in one round.

    What does not fit is asked again by itself. Each name is the key of its question, as `elicit` has one.

        found = await elicit_all(ctx, size=size_form, colour=colour_form)

    Args:
        ctx: As for `elicit`.
        forms: Forms by name, where a name is none that Python takes, or is one of the options here.
        tries: As for `elicit`, for each question.
        timeout: As for `elicit`, for all of them.
        unsupported: As for `elicit`, for each question.
        named_forms: Forms by name.

    Raises:
        TypeError: If a name is given twice.
        ElicitkitError: As `elicit` does; the other questions are withdrawn.
    """
    every = {**(forms or {}), **named_forms}
    if twice := (forms or {}).keys() & named_forms.keys():
        raise TypeError(f"elicit_all has two forms for {sorted(twice)}")

    async def asking() -> dict[str, Outcome[Any]]:
        seconds = seconds_of(timeout)
        asked = {name: _prepared(ctx, form, None, name, tries, seconds) for name, form in every.items()}
        outcomes = await _side_by_side(one.outcome(unsupported) for one in asked.values())
        return dict(zip(asked, outcomes, strict=True))

    return Asking(asking())


async def _side_by_side(asked: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all; with the first that fails, the others end too."""
    tasks = [asyncio.ensure_future(one) for one in asked]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@overload
def elicit_sync(
    ctx: AskContext | None,
    form: FormSource[T],
    made: None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Outcome[T]: ...


@overload
def elicit_sync(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[V],
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Outcome[V]: ...


def elicit_sync(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None = None,
    *,
    key: str | None = None,
    tries: int = TRIES,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Outcome[Any]:
    """Ask as `elicit` does, from a tool that is no coroutine: both frameworks run such a tool in a thread.

    The thread waits for the answer. On 2026-07-28 it ends when the question is sent, like an async tool.

    Raises:
        AdapterMissing: If this is not a thread in which a framework runs a tool.
        ElicitkitError: As `elicit` does.
    """

    async def asking() -> Outcome[Any]:
        return await _elicit(ctx, form, made, key=key, tries=tries, timeout=timeout, unsupported=unsupported)

    return _in_thread(asking)


def _in_thread(asking: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run on the event loop that started this thread.

    Raises:
        AdapterMissing: If none did.
    """
    try:
        return anyio.from_thread.run(asking)
    except anyio.NoEventLoopError as error:
        raise AdapterMissing(
            "elicit_sync is for a tool that is no coroutine, which the framework runs in a thread of its own. "
            "In an async function, write: await elicit(ctx, form)."
        ) from error


def confirm(
    ctx: AskContext | None,
    message: str,
    *,
    label: str = "Confirm",
    empty: bool = False,
    key: str | None = None,
    timeout: timedelta | float | None = None,
    unsupported: Declined | Cancelled | None = None,
) -> Asking[Outcome[None]]:
    """Ask a yes/no question. Anything but a clear yes is falsy: a no, declining, cancelling.

    It sends one required boolean without default, since some hosts hang on a form without fields, or wave it through.

    Args:
        ctx: As for `elicit`.
        message: The question.
        label: What stands beside the yes or no.
        empty: Send a form without fields instead: the person accepts or declines it.
        key: As for `elicit`.
        timeout: As for `elicit`.
        unsupported: As for `elicit`.

    Raises:
        ElicitkitError: As `elicit` does.
    """
    form = FormElicitation.create(message)
    if not empty:
        form.boolean("confirm").title(label).required()

    async def asking() -> Outcome[None]:
        outcome = await elicit(ctx, form, key=key, timeout=timeout, unsupported=unsupported)
        return _confirmed(outcome, empty=empty)

    return Asking(asking())


def _confirmed(outcome: Outcome[Content], *, empty: bool) -> Outcome[None]:
    if not isinstance(outcome, Accepted):
        return outcome
    return Accepted(None, raw=outcome.raw) if empty or outcome.content["confirm"] else Declined()


async def _elicit(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None,
    *,
    key: str | None,
    tries: int,
    timeout: timedelta | float | None,
    unsupported: Declined | Cancelled | None,
) -> Outcome[Any]:
    return await _prepared(ctx, form, made, key, tries, seconds_of(timeout)).outcome(unsupported)


def _prepared(
    ctx: AskContext | None,
    form: FormSource[Any],
    made: type[Any] | None,
    key: str | None,
    tries: int,
    seconds: float | None,
) -> _Prepared[Any]:
    """Everything that is to be found wrong before anything is asked."""
    _refuse_arguments(form, key, tries)
    built, road = form.build(), road_of(ctx)
    if made is not None:
        built = built.bound_to(made)
    built.require_askable()
    refuse_in_step(road)
    return _Prepared(road, built, key, tries, seconds)


def _refuse_arguments(form: object, key: object, tries: int) -> None:
    if not hasattr(form, "build"):
        raise TypeError(f"elicit takes a context and a form, such as FormElicitation.create(…), not {named(form)}")
    if tries < 1:
        raise ValueError(f"tries is at least 1, not {tries}")
    if key is not None:
        refuse_name("a key", key)


@dataclass(frozen=True, slots=True)
class _Prepared(Generic[T]):
    """A question that is ready to be asked."""

    road: Road
    form: Form[T]
    key: str | None
    tries: int
    seconds: float | None

    async def outcome(self, unsupported: Declined | Cancelled | None) -> Outcome[T]:
        """Ask until an answer fits, and give what it came to; *unsupported* where nobody can be asked."""
        road, form = self.road, self.form
        try:
            road.require("form")
            question = self._question()
            reply = await road.ask(question)
            if reply.is_early and not _fits(road, form, reply):
                reply = await road.ask(question)  # Nobody saw it yet, so it costs no try.
            tried = reply.tries
            while (refusal := refused(reply)) is None:
                try:
                    return _accepted(road, form, reply)
                except AnswerError as error:
                    if tried >= self.tries:
                        raise
                    again = message_with_faults(form.message, error)
                reply = await road.ask(replace(question.again(tried + 1, again), tries=self.tries - tried))
                tried += reply.tries
        except ElicitationUnsupported:
            if unsupported is None:
                raise
            return unsupported
        return refusal

    def _question(self) -> FormQuestion:
        road, form = self.road, self.form
        schema, name = form.schema_in(road.dialect), road.name(form.digest(), self.key)
        until = None if self.seconds is None else road.deadline(name, self.seconds)
        shape = form.shape_in(road.dialect)
        if self.key is not None and form.is_yes_or_no:  # Without a key, the name says what the message is.
            shape = f"{shape} {fingerprint(form.message)}"
        return FormQuestion(name, shape, form.message, schema, until=until, tries=self.tries)


def refused(reply: Reply) -> Declined | Cancelled | None:
    """The outcome of a reply that is no acceptance."""
    if reply.action == "accept":
        return None
    return Declined() if reply.action == "decline" else Cancelled("expired" if reply.is_expired else "cancelled")


def _fits(road: Road, form: Form[T], reply: Reply) -> bool:
    try:
        return reply.action != "accept" or bool(_accepted(road, form, reply))
    except AnswerError:
        return False


def _accepted(road: Road, form: Form[T], reply: Reply) -> Accepted[T]:
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    return form.accept(road.dialect.fold(form.fields, reply.content or {}))


def message_with_faults(message: str, error: AnswerError) -> str:
    """The message with the faults above it; where both are too long, the faults are cut."""
    faults = "\n".join(f"- {fault}" for fault in error.faults)
    gap = "\n\n"
    room = MESSAGE_CHARACTERS - len(message) - len(CORRECT_THIS) - len(gap)
    if room < len("- …"):
        return message
    return f"{CORRECT_THIS}{faults if len(faults) <= room else faults[: room - 1] + '…'}{gap}{message}"
