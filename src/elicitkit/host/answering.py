"""`Slot`: the one place where questions meet people. A request goes in, and an answer that may leave comes out."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
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
from .checking import Refused, answerable_form, checked, leaving
from .policy import Policy

logger = logging.getLogger(__name__)

WaitFor: TypeAlias = Callable[[Request], Answer | Awaitable[Answer]]
"""A host's one function for people: from a request to its answer, sync or async."""

Hook: TypeAlias = Callable[..., Any]
"""What sees every question or answer, sync or async. What it raises is logged, and changes nothing."""

HOOK_SECONDS: Final = 1.0
"""How long a hook may still take when the question was withdrawn."""


class Slot:
    """Puts requests to `wait_for`, one after another, and gives answers that may leave.

    A policy is asked first. Then a request waits its turn, in the order requests came. What a form is answered with is
    checked, and a wrong answer goes back to the person with its faults above the prompt: what leaves fits the form. A
    field that was cleared (`null`) is left out, since other servers refuse a whole answer for a `null`.

    `answer` raises nothing but cancellation: where `wait_for` fails, the detail is logged here, and the answer is
    `failed`. A `wait_for` that is no coroutine function runs in a thread, for it may block; a thread cannot be stopped,
    so that one whose question was withdrawn runs on, even where the program would end, and what it returns is dropped.
    What `wait_for` itself calls may not ask again: with one turn for all, it would wait for itself.

    Args:
        wait_for: The host's function; `None` if there is none, and every request is `headless`.
        policy: What may be answered without a person; nothing by default.
        on_ask: Called with each request, before anything else happens to it.
        on_answer: Called with each request and its answer, whoever gave it.
        timeout: How long a person may take from when the request is shown, in seconds or as a `timedelta`.
        at_once: How many requests are shown at a time; `None` is all of them.
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
        at_once: int | None = 1,
        tries: int = TRIES,
    ) -> None:
        _refuse_arguments({"wait_for": wait_for, "on_ask": on_ask, "on_answer": on_answer}, policy, at_once, tries)
        self.at_once = at_once
        """How many requests are shown at a time; `None` is all of them."""
        self._wait_for = wait_for
        self._policy = Policy.nothing if policy is None else policy
        self._on_ask, self._on_answer = on_ask, on_answer
        self._seconds = seconds_of(timeout)
        self._turns = nullcontext() if at_once is None else asyncio.Semaphore(at_once)
        self._threads = anyio.CapacityLimiter(at_once or math.inf)
        self._tries = tries
        self._held = 0
        self._released: asyncio.Future[None] | None = None

    @property
    def has_person(self) -> bool:
        """Whether there is a `wait_for`."""
        return self._wait_for is not None

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
            answer = self._policy.answer(request)
            return answer if answer is not None else await self._asked(request)
        except Refused as refused:
            _log_refused(request, refused)
            return request.cancel(refused.reason)
        except Exception:
            logger.exception("wait_for failed at a request of kind %r; its answer is 'failed'", request.kind)
            return request.cancel("failed")

    async def _asked(self, request: Request) -> Answer:
        if self._wait_for is None:
            return request.cancel("headless")
        with anyio.move_on_after(_seconds_left(request)) as expiring:
            await self._until_released()
            async with self._turns:
                with anyio.move_on_after(math.inf if self._seconds is None else self._seconds) as waiting:
                    return await checked(request, partial(_wait, self._wait_for, self._threads), self._tries)
        assert expiring.cancelled_caught or waiting.cancelled_caught
        return request.cancel("expired")

    async def _until_released(self) -> None:
        while self._held:
            if self._released is None:
                self._released = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._released)


def _unsupported(request: Request) -> Answer | None:
    try:
        answerable_form(request)
    except Refused as refused:
        _log_refused(request, refused)
        return request.cancel(refused.reason)
    return None


def _log_refused(request: Request, refused: Refused) -> None:
    logger.warning("a request of kind %r was not answered: %s", request.kind, plain_line(str(refused)))


def _seconds_left(request: Request) -> float:
    return math.inf if request.expires_at is None else (request.expires_at - datetime.now(UTC)).total_seconds()


async def _wait(wait_for: WaitFor, threads: anyio.CapacityLimiter, request: Request) -> Answer:
    """One answer of the person, to this request.

    Raises:
        Refused: If what came is no answer to it, or the function was cancelled by somebody else than us.
        Exception: What the function raised.
    """
    try:
        found: Any = await _called(wait_for, threads, request)
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        raise Refused("failed", "wait_for was cancelled from within") from None
    if not isinstance(found, Answer):
        raise Refused("failed", f"wait_for returned {type(found).__name__}, not an Answer")
    if not request.is_answered_by(found):
        raise Refused("failed", "wait_for returned an answer to another request")
    return found


async def _called(wait_for: WaitFor, threads: anyio.CapacityLimiter, request: Request) -> Any:
    if _is_async(wait_for):
        found: Any = wait_for(request)
    else:
        found = await anyio.to_thread.run_sync(wait_for, request, abandon_on_cancel=True, limiter=threads)
    return await found if inspect.isawaitable(found) else found


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _is_cancelled() -> bool:
    """Whether it is this task that was cancelled, and not something it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def _hooked(hook: Hook | None, *seen: object) -> None:
    if hook is None:
        return
    try:
        found = hook(*seen)
        if inspect.isawaitable(found):
            await found
    except Exception:
        logger.exception("a hook failed; the question goes on")


def _refuse_arguments(called: dict[str, object], policy: object, at_once: int | None, tries: int) -> None:
    for name, given in called.items():
        if not (given is None or callable(given)):
            raise TypeError(f"{name} is a function, not {type(given).__name__}")
    if not (policy is None or isinstance(policy, Policy)):
        raise TypeError(f"policy is a Policy, not {type(policy).__name__}")
    if tries < 1:
        raise ValueError(f"tries is at least 1, not {tries}")
    if at_once is not None and at_once < 1:
        raise ValueError(f"at_once is at least 1, or None for no limit, not {at_once}")
