"""`Slot`: the one place where questions meet people. A request goes in, and an answer that may leave comes out."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, TypeAlias

import anyio
import anyio.to_thread

from ..asking.questions import TRIES
from ..asking.road import seconds_of
from ..errors import ContractError
from ..safety import plain_line
from ..suspension import Answer, Request
from .at_once import USUAL, Usual, places
from .awaiting import apart, is_async
from .checking import Refusal, answerable_form, checked, leaving
from .policy import Policy
from .showing import showing, shown_here

logger: logging.Logger = logging.getLogger(__name__)

WaitFor: TypeAlias = Callable[[Request], Answer | Awaitable[Answer]]
"""A host's one function for people: from a request to its answer, sync or async."""

Hook: TypeAlias = Callable[..., Any]
"""What sees every question or answer, sync or async. What it raises is logged, and changes nothing."""

HOOK_SECONDS: Final = 2.0
"""How long a hook may take; then it is cancelled, and the question goes on."""


class Slot:
    """Puts requests to `wait_for`, one after another, and gives answers that may leave.

    A policy is asked first. Then a request waits its turn, in the order requests came. What a form is answered with is
    checked, and a wrong answer goes back to the person with its faults above the prompt: what leaves fits the form. A
    field that was cleared (`null`) is left out, since other servers refuse a whole answer for a `null`.

    `answer` raises nothing but cancellation: where `wait_for` fails, the detail is logged here, and the answer is
    `failed`. A `wait_for` that is no coroutine function runs in a thread, for it may block; a thread cannot be stopped,
    so that one whose question was withdrawn runs on, even where the program would end, and what it returns is dropped.
    What `wait_for` itself calls may not ask again, unless all are shown at once: it would wait for itself, and so such
    a question is `failed`.

    Args:
        wait_for: The host's function; `None` if there is none, and every request is `headless`.
        policy: What may be answered without a person; nothing by default.
        on_ask: Called with each request, before anything else happens to it; where all are shown at once, it has the
            end of its time in it. No hook may take longer than two seconds.
        on_answer: Called with each request and its answer, whoever gave it.
        timeout: How long a person may take from when the request is shown, in seconds or as a `timedelta`; where all
            are shown at once, from when it is asked. `wait_for` finds its end in `expires_at`.
        at_once: How many requests are shown at a time; `None` is all of them. When nothing is said it is one, and all
            of them for the `wait_for` of an `Inbox`.
        tries: How often a form may be answered, until it is right.

    Raises:
        TypeError: If something that is called is not callable, or *policy* is no `Policy`.
        ValueError: If *tries*, *at_once* or *timeout* is not positive.
    """

    def __init__(
        self,
        wait_for: WaitFor | None,
        *,
        policy: Policy | None = None,
        on_ask: Hook | None = None,
        on_answer: Hook | None = None,
        timeout: timedelta | float | None = None,
        at_once: int | Usual | None = USUAL,
        tries: int = TRIES,
    ) -> None:
        at_once = places(at_once, wait_for)
        _refuse_arguments({"wait_for": wait_for, "on_ask": on_ask, "on_answer": on_answer}, policy, at_once, tries)
        self.at_once = at_once
        """How many requests are shown at a time; `None` is all of them."""
        self.waiting: int = 0
        """How many requests wait for their turn, and are not shown yet."""
        self._wait_for = wait_for
        self._policy = Policy.nothing if policy is None else policy
        self._on_ask, self._on_answer = on_ask, on_answer
        self._seconds = seconds_of(timeout)
        self._turns = nullcontext() if at_once is None else asyncio.Semaphore(at_once)
        self._threads = anyio.CapacityLimiter(at_once or math.inf)
        self._tries = tries
        self._held = 0
        self._released: asyncio.Future[None] | None = None

    @classmethod
    def of(
        cls,
        given: WaitFor | Slot | None,
        options: Mapping[str, Any],
        *,
        at_once: int | Usual | None,
        tries: int = TRIES,
    ) -> Slot:
        """The slot that a host gave, or one of its function with these options.

        Raises:
            TypeError: If there are both a slot and options; or as `Slot` does.
            ValueError: As `Slot` does.
        """
        if not isinstance(given, Slot):
            return cls(given, at_once=at_once, tries=tries, **options)
        if both := [name for name, option in options.items() if option is not None]:
            raise TypeError(f"a Slot has its own {', '.join(both)}: give them to the Slot")
        return given

    @property
    def has_person(self) -> bool:
        """Whether there is a `wait_for`."""
        return self._wait_for is not None

    def may_answer(self, *, later: bool = False) -> bool:
        """Whether any request at all may be answered, by the policy or by a person.

        Args:
            later: Whether there are people who answer later.
        """
        return bool(self._policy.rules) or ((self.has_person or later) and not self._policy.headless)

    def limited(self, request: Request) -> Request:
        """A request whose time begins, with the end of it: its own, or that of the time that a person has for one."""
        if self._seconds is None:
            return request
        try:
            end = datetime.now(UTC) + timedelta(seconds=self._seconds)
        except OverflowError:  # It is after the last day that Python knows.
            return request
        if request.expires_at is not None and request.expires_at <= end:
            return request
        return replace(request, expires_at=end)

    def hold(self) -> None:
        """Let requests wait, until `release` was called as often: the host is not ready to show them."""
        self._held += 1

    def release(self) -> None:
        """Undo one `hold`.

        Raises:
            RuntimeError: If nothing is held.
        """
        if not self._held:
            raise RuntimeError("release() undoes a hold(), and there was none")
        self._held -= 1
        if not self._held and self._released is not None:
            self._released.set_result(None)
            self._released = None

    async def answer(self, request: Request, *, withdrawn: Callable[[], str] = lambda: "cancelled") -> Answer:
        """The answer to a request, which may leave: of its id, and if it is a form's, one that fits.

        It raises nothing but cancellation, which withdraws the question: what the person still does is dropped.

        Args:
            request: What is asked.
            withdrawn: Gives the reason that `on_answer` is told when the call is cancelled.
        """
        if self.at_once is None and not self._held:
            request = self.limited(request)
        await _hooked(self._on_ask, request)
        try:
            answer = await self._answer(request)
        except asyncio.CancelledError:
            with anyio.move_on_after(HOOK_SECONDS, shield=True):
                await self.noted(request, request.cancel(withdrawn()))
            raise
        return await self.noted(request, answer)

    # --- for hosts that do not wait -----------------------------------------------------------------------------------

    async def offered(self, request: Request) -> Answer | None:
        """The answer to a request that needs no person, or can have none; `None` if one is to be asked later.

        It raises nothing but cancellation.
        """
        await _hooked(self._on_ask, request)
        try:
            answer = self._policy.answer(request) or _unsupported(request)
        except Exception:
            logger.exception("a request of kind %r could not be looked at; its answer is 'failed'", request.kind)
            answer = request.cancel("failed")
        return None if answer is None else await self.noted(request, answer)

    async def put_off(self, request: Request) -> Request:
        """A request that no policy is asked about and a person answers later, with the end of their time for it."""
        limited = self.limited(request)
        await _hooked(self._on_ask, limited)
        return limited

    async def received(self, request: Request, answer: Answer) -> Answer:
        """An answer that came later, checked and made ready to leave; nothing is lost where it is refused.

        Raises:
            TypeError: If it is no `Answer`.
            ContractError: If it is the answer to another request.
            AnswerError: If it does not fit the form.
        """
        if not isinstance(answer, Answer):
            raise TypeError(f"a request is answered with an Answer, not with {type(answer).__name__}")
        if not request.is_answered_by(answer):
            raise ContractError("the answer is one to another request: its id is not the id of this one")
        return await self.noted(request, leaving(request, answer))

    async def noted(self, request: Request, answer: Answer) -> Answer:
        """The same answer, after `on_answer` has seen it."""
        await _hooked(self._on_answer, request, answer)
        return answer

    # --- for those that do --------------------------------------------------------------------------------------------

    async def _answer(self, request: Request) -> Answer:
        try:
            ours = self._policy.answer(request)
            found = await self._asked(request) if ours is None else ours
        except Exception:
            logger.exception("wait_for failed at a request of kind %r; its answer is 'failed'", request.kind)
            return request.cancel("failed")
        return _cancelled(request, found) if isinstance(found, Refusal) else found

    async def _asked(self, request: Request) -> Answer | Refusal:
        if self._wait_for is None:
            return Refusal("headless", "nobody is there to ask")
        if self.at_once is not None and any(one.slot is self for one in shown_here()):
            return Refusal("failed", "wait_for itself asked something, and would have waited for itself")
        with anyio.move_on_after(_seconds_left(request)) as expiring:
            async with self._turn():
                shown = self.limited(request)
                with anyio.move_on_after(math.inf if self._seconds is None else self._seconds) as waiting:
                    with showing(self):
                        answer = await checked(shown, partial(_wait, self._wait_for, self._threads), self._tries)
                    # What was cancelled may still have given an answer, or have let nobody cancel it.
                    if anyio.current_time() < min(waiting.deadline, expiring.deadline):
                        return answer
        return request.cancel("expired")

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """The time in which a request is shown, after those that were there before."""
        async with AsyncExitStack() as turn:
            self.waiting += 1
            try:
                await self._until_released()
                await turn.enter_async_context(self._turns)
            finally:
                self.waiting -= 1
            yield

    async def _until_released(self) -> None:
        while self._held:
            if self._released is None:
                self._released = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._released)


def _unsupported(request: Request) -> Answer | None:
    form = answerable_form(request)
    return _cancelled(request, form) if isinstance(form, Refusal) else None


def _cancelled(request: Request, refusal: Refusal) -> Answer:
    logger.warning("a request of kind %r was not answered: %s", request.kind, plain_line(refusal.problem))
    return request.cancel(refusal.reason)


def _seconds_left(request: Request) -> float:
    return math.inf if request.expires_at is None else (request.expires_at - datetime.now(UTC)).total_seconds()


async def _wait(wait_for: WaitFor, threads: anyio.CapacityLimiter, request: Request) -> Answer | Refusal:
    """One answer of the person, to this request.

    Raises:
        Exception: What the function raised; a `RuntimeError` for what is none, and for a cancellation from within.
    """
    found: Any = await _called(wait_for, threads, request)
    if not isinstance(found, Answer):
        return Refusal("failed", f"wait_for returned {type(found).__name__}, not an Answer")
    if not request.is_answered_by(found):
        return Refusal("failed", "wait_for returned an answer to another request")
    return found


async def _called(wait_for: WaitFor, threads: anyio.CapacityLimiter, request: Request) -> Any:
    if is_async(wait_for):
        return await apart(wait_for(request))
    # In a task of its own too: a thread may raise what no `except Exception` sees.
    running = anyio.to_thread.run_sync(_in_thread, wait_for, request, abandon_on_cancel=True, limiter=threads)
    return await apart(await apart(running))


def _in_thread(wait_for: WaitFor, request: Request) -> Any:
    try:
        return wait_for(request)
    except RuntimeError as error:
        if "event loop" in str(error):
            error.add_note(
                "A wait_for that is not async runs in a thread, where no task can be made: make it async def"
            )
        raise


async def _hooked(hook: Hook | None, *seen: object) -> None:
    if hook is None:
        return
    try:
        with anyio.move_on_after(HOOK_SECONDS) as limit:
            await apart(hook(*seen))
        if limit.cancelled_caught:
            logger.error("a hook took longer than %g seconds; the question goes on", HOOK_SECONDS)
    except Exception:
        logger.exception("a hook failed; the question goes on")


def _refuse_arguments(called: dict[str, object], policy: object, at_once: int | None, tries: int) -> None:
    for name, given in called.items():
        if not (given is None or callable(given)):
            raise TypeError(f"{name} is a function, not {type(given).__name__}")
    if not (policy is None or isinstance(policy, Policy)):
        raise TypeError(f"policy is a Policy, not {type(policy).__name__}")
    for name, number in {"tries": tries, "at_once": at_once}.items():
        if isinstance(number, bool) or not (isinstance(number, int) or (number is None and name == "at_once")):
            raise TypeError(f"{name} is a whole number, not {type(number).__name__}")
    if tries < 1:
        raise ValueError(f"tries is at least 1, not {tries}")
    if at_once is not None and at_once < 1:
        raise ValueError(f"at_once is at least 1, or None for no limit, not {at_once}")
