"""Steps: what a tool does once, however often its call is run."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, overload

from .. import _json
from ..errors import StepError
from .awaitable import Asking
from .cancellation import Origin
from .road import AskContext, inside_step, refuse_in_step, refuse_name, road_of

P = ParamSpec("P")
T = TypeVar("T")


@overload
def step(
    ctx: AskContext | None, name: str, fn: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
) -> Asking[T]: ...


@overload
def step(ctx: AskContext | None, name: str, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Asking[T]: ...


def step(ctx: AskContext | None, name: str, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Asking[Any]:
    """Do something once in a call, and give its result; when the call is run again, the result is given again.

    On 2026-07-28 a tool is run from the top for each round of questions. What has an effect before a question, and
    whatever changes from run to run (a price, the time, a random number), belongs in a step:

        price = await step(ctx, "price", shop.price_of, item)

    A failure is not kept: the next run tries again. A question beside a running step is sent when the step is finished.
    Between an effect and the moment it is kept, a server may die, and a client may send a round twice; give the effect
    the idempotency key `f"{call_id(ctx)}:price"` where it must not be repeated even then.

    Args:
        ctx: As for `elicit`.
        name: What the step is known by. A name that comes again in one call, in a loop, is numbered; steps that run
            side by side need names of their own.
        fn: A function, plain or async. It may not ask anything. A plain one runs on the event loop: one that blocks is
            handed over as `step(ctx, name, asyncio.to_thread, fn, …)`.
        args: What it is called with.
        kwargs: What it is called with.

    Raises:
        StepError: If the result does not survive JSON unchanged (a tuple, a date, a key that is no text), *fn* asks a
            question, or a step of that name is running. What *fn* did stays done.
        CallOver: If the call has ended.
        AdapterMissing: As for `elicit`.
        Exception: What *fn* raises.
    """
    refuse_name("the name of a step", name)
    if not callable(fn):
        raise TypeError(f"step takes a function and its arguments, as in step(ctx, {name!r}, fn, argument)")

    async def run() -> str:
        with inside_step(name, road_of(ctx)):
            given = fn(*args, **kwargs)
            return _kept(name, await given if inspect.isawaitable(given) else given)

    origin = Origin()

    async def stepping() -> Any:
        road = road_of(ctx)
        refuse_in_step(road)
        await origin.stay_cancelled(road)
        if name in road.running:
            raise StepError(f"two steps {name!r} run side by side: give each a name of its own")
        road.running.add(name)
        try:
            return json.loads(await road.step(name, run))
        finally:
            road.running.discard(name)

    return Asking(stepping())


def call_id(ctx: AskContext | None) -> str:
    """A random id of the running call: 32 hexadecimal digits, the same in all its rounds.

    It is the idempotency key to hand to another system, with the name of the step, so that what is sent twice is done
    once: `f"{call_id(ctx)}:charge"`.

    Raises:
        AdapterMissing: As for `elicit`.
    """
    return road_of(ctx).call_id


def task_id(ctx: AskContext | None) -> str | None:
    """The id of the task that the running call is, in each of its runs; `None` in a call that is no task.

    It is what `tasks.store.set_input_requests(task_id, form)` and the like take. Where nobody is authenticated it is as
    good as a key: whoever holds it may read the task, and answer.

    Raises:
        AdapterMissing: As for `elicit`.
    """
    return road_of(ctx).task_id


def _kept(name: str, given: object) -> str:
    try:
        problem = _json.unfaithful(given)
        if problem is None:
            return json.dumps(given)
    except (RecursionError, ValueError):
        problem = "it is nested too deep, or holds a number of too many digits"
    raise StepError(f"what the step {name!r} gave cannot be kept as JSON: {problem}")
