"""`fill` and `visit`: a form, or a link, put to the person at the terminal, in its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import anyio

from ...errors import Fault, MissingExtra
from ...outcomes import Accepted, Cancelled

if TYPE_CHECKING:
    from ...forms import Content, Form
    from ...outcomes import Outcome

_EXTRA = frozenset({"questionary", "prompt_toolkit", "rich"})


class _Queue:
    """The forms of one event loop: one is shown, in the order they came, and the others wait."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


async def fill(
    form: Form[Any],
    asker: str,
    *,
    filled: Mapping[str, object] | None = None,
    faults: Iterable[Fault] = (),
    waiting: Callable[[], int] | None = None,
    until: datetime | None = None,
    why_ended: Callable[[], str] | None = None,
    takes_reason: bool = False,
    details: str = "",
    may_stop: bool = False,
    may_skip: bool = False,
    piped: bool = False,
) -> Outcome[Content]:
    """Put one form to the person at the terminal, and give the outcome.

    The event loop runs on meanwhile. Forms that are asked at the same time wait for each other, and the person is told
    how many do. When the task is cancelled, the question closes with a word why, and the terminal is as it was. Where
    standard input or output is no terminal, the one that controls the process is used, if there is one.

    Args:
        form: What to ask. Texts in it may be hostile.
        asker: Who asks, as the person knows it: a server's name and title. It may be hostile too.
        filled: What the same person answered before, by wire name: it stands in the fields again, right or wrong.
        faults: What was wrong with that answer.
        waiting: How many other questions wait for this one, elsewhere than here.
        until: When it is too late to answer, with a time zone: then the question closes, and the outcome is
            `Cancelled("expired")`.
        why_ended: Why the question ends when the task is cancelled: `expired`, `answered` (by somebody else), or
            anything else.
        takes_reason: Ask a person who declines for a reason: `Declined.reason`.
        details: What else came with the question, as lines of text, which stand below the message. It may be hostile.
        may_stop: Whether the person may leave the question open; then the outcome is `Cancelled("stopped")`, and by
            Ctrl-C `Cancelled("interrupted")`.
        may_skip: Whether the person may leave it open to go on with the next: `Cancelled("skipped")`.
        piped: Take answers from standard input, a line each, where it is no terminal.

    Raises:
        MissingExtra: If the extra `terminal` is not installed; nothing was shown.
    """
    ways = {"takes_reason": takes_reason, "details": details, "may_stop": may_stop, "may_skip": may_skip}
    more = {"filled": filled or {}, "faults": faults, **ways}
    return await _in_turn(form, asker, more, waiting=waiting, until=until, why_ended=why_ended, piped=piped)


async def visit(
    message: str,
    url: str | None,
    asker: str,
    *,
    waiting: Callable[[], int] | None = None,
    until: datetime | None = None,
    why_ended: Callable[[], str] | None = None,
    takes_reason: bool = False,
    details: str = "",
    may_stop: bool = False,
    may_skip: bool = False,
) -> Outcome[None]:
    """Ask the person at the terminal to open a link, and give the outcome.

    All of it is shown, with its host and what to be warned of. After consent alone, the browser opens it, or the person
    does; then the person says whether it is done, or could not be: `Cancelled("failed")`. Nothing fetches it before. A
    link that nobody should open can be declined or cancelled.

    Args:
        message: What the link is for. It may be hostile.
        url: The link. It may be hostile, too.
        asker: As for `fill`, and so are the others.

    Raises:
        MissingExtra: If the extra `terminal` is not installed; nothing was shown.
    """
    from ...forms import Form
    from ..links import link_of

    ways = {"takes_reason": takes_reason, "details": details, "may_stop": may_stop, "may_skip": may_skip}
    more = {"link": link_of(url), **ways}
    outcome = await _in_turn(Form(message), asker, more, waiting=waiting, until=until, why_ended=why_ended)
    return Accepted(None) if isinstance(outcome, Accepted) else outcome


async def _in_turn(
    form: Form[Any],
    asker: str,
    more: Mapping[str, Any],
    *,
    waiting: Callable[[], int] | None,
    until: datetime | None,
    why_ended: Callable[[], str] | None,
    piped: bool = False,
) -> Outcome[Content]:
    """Ask when those before have been answered, and while there is time.

    Args:
        more: What else is known of the question, by its names in `Asked`.
    """
    try:
        from .asked import Asked, nobody, withdrawn
        from .session import ask
    except ModuleNotFoundError as error:
        raise _explained(error) from None
    if _is_over(until):
        return Cancelled("expired")
    queue = _queues.setdefault(asyncio.get_running_loop(), _Queue())
    others = waiting or nobody
    with anyio.move_on_after(None if until is None else (until - datetime.now(UTC)).total_seconds()) as expiring:
        asked = Asked(
            form,
            asker,
            waiting=lambda: queue.waiting + others(),
            until=until,
            # Whoever set the same deadline may have cancelled us first.
            why_ended=lambda: "expired" if expiring.cancel_called or _is_over(until) else (why_ended or withdrawn)(),
            **more,
        )
        queue.waiting += 1
        try:
            await queue.turn.acquire()
        finally:
            queue.waiting -= 1
        try:
            return await ask(asked, piped=piped)
        finally:
            queue.turn.release()
    return Cancelled("expired")


def _is_over(until: datetime | None) -> bool:
    return until is not None and until <= datetime.now(UTC)


def _explained(error: ModuleNotFoundError) -> ImportError:
    if (error.name or "").partition(".")[0] not in _EXTRA:
        return error
    return MissingExtra("terminal", "The terminal prompt")
