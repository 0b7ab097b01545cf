"""Waiting for what others wrote, so that it cannot take us down with it: one set of rules for tools, people, hooks."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import anyio

FAREWELL_SECONDS: Final = 1.0
"""How long what was cancelled may take to end, before nobody looks at it any more."""


def unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside of `functools.partial`."""
    while isinstance(function, partial):
        function = function.func
    return function


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call of it gives something to await, as far as can be seen before."""
    inner = unwrapped(function)
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)


def is_cancelled() -> bool:
    """Whether it is this task that was cancelled, and not something it waited for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def apart(found: Any) -> Any:
    """What *found* comes to, which is awaited in a task of its own if it is to be awaited, and is else the value.

    A future of a thread (`concurrent.futures`) is awaited as well. When we are cancelled, the task is too, and has a
    moment to end.

    Raises:
        RuntimeError: If it was cancelled by somebody else than us, or raised what is no `Exception`. Those that are to
            end the program (`KeyboardInterrupt`, `SystemExit`) come out as they are.
        Exception: What it raised.
    """
    if isinstance(found, concurrent.futures.Future):
        found = asyncio.wrap_future(found)
    if not inspect.isawaitable(found):
        return found
    task: asyncio.Future[Any] = asyncio.ensure_future(_awaited(found))
    task.add_done_callback(_looked_at)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        with anyio.move_on_after(FAREWELL_SECONDS, shield=True):
            await asyncio.wait([task])
        raise
    return _result(task)


def _result(task: asyncio.Future[Any]) -> Any:
    if task.cancelled():
        raise RuntimeError("it was cancelled from within")
    error = task.exception()
    if error is None or isinstance(error, (Exception, KeyboardInterrupt, SystemExit)):
        return task.result()
    raise RuntimeError(f"it raised {type(error).__name__}, which is no Exception") from error


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


def _looked_at(task: asyncio.Future[Any]) -> None:
    """Nobody may be left to look at how it ended, and that is no mistake."""
    if not task.cancelled():
        task.exception()
