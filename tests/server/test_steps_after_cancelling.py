"""In a call that was cancelled, steps run for who clears up, and for nobody who just goes on (docs/asking.md).

The rules are ours; they are the same for a request that is cancelled, and for a task, in its first run or a later one.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeAlias

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, MemoryTaskStore, confirm, elicit, step
from elicitkit.asking.cancellation import is_clearing_up
from tests import eras
from tests.tasks.desk import accept, desk, form, quick, server

pytestmark = pytest.mark.anyio

Wait: TypeAlias = Callable[[], Awaitable[Any]]
Body: TypeAlias = Callable[[Wait, Wait], Awaitable[Any]]
"""A tool that awaits the first, which is cancelled, and the second, which is a step."""


# --- who clears up ----------------------------------------------------------------------------------------------------


async def in_an_except(wait: Wait, do: Wait) -> None:
    try:
        await wait()
    except asyncio.CancelledError:
        await do()
        raise


async def in_a_finally(wait: Wait, do: Wait) -> None:
    try:
        await wait()
    finally:
        await do()


async def in_a_function_that_a_finally_awaits(wait: Wait, do: Wait) -> None:
    async def undo() -> None:
        with suppress(ValueError):
            raise ValueError
        await do()

    await in_a_finally(wait, undo)


async def in_a_block_that_ends(wait: Wait, do: Wait) -> None:
    @asynccontextmanager
    async def room() -> AsyncIterator[None]:
        try:
            yield
        finally:
            await do()

    async with room():
        await wait()


async def on_an_exit_stack(wait: Wait, do: Wait) -> None:
    async with AsyncExitStack() as stack:
        stack.push_async_callback(do)
        await wait()


async def behind_another_error(wait: Wait, do: Wait) -> None:
    try:
        try:
            await wait()
        except asyncio.CancelledError:
            raise RuntimeError("given up") from None
    except RuntimeError:
        await do()
        raise


async def in_a_child_that_is_cancelled(wait: Wait, do: Wait) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(in_a_finally(wait, do))


async def in_a_task_that_a_finally_starts(wait: Wait, do: Wait) -> None:
    async def undo() -> None:
        await do()

    await in_a_finally(wait, lambda: asyncio.ensure_future(undo()))


async def made_in_a_finally(wait: Wait, do: Wait) -> None:
    await in_a_finally(wait, lambda: asyncio.gather(do()))


CLEARING: list[Body] = [
    *(in_an_except, in_a_finally, in_a_function_that_a_finally_awaits, in_a_block_that_ends, on_an_exit_stack),
    *(behind_another_error, in_a_child_that_is_cancelled, in_a_task_that_a_finally_starts, made_in_a_finally),
]


# --- who just goes on -------------------------------------------------------------------------------------------------


async def behind_an_except(wait: Wait, do: Wait) -> None:
    try:
        await wait()
    except BaseException:
        did_wait = False
    else:
        did_wait = True
    await do()
    assert not did_wait


async def behind_a_suppress(wait: Wait, do: Wait) -> None:
    with suppress(asyncio.CancelledError):
        await wait()
    await do()


async def in_a_function_behind_it(wait: Wait, do: Wait) -> None:
    async def pay() -> None:
        await asyncio.gather(do())

    await behind_an_except(wait, pay)


async def in_an_except_of_something_else(wait: Wait, do: Wait) -> None:
    with suppress(asyncio.CancelledError):
        await wait()
    try:
        raise ValueError
    except ValueError:
        await do()


async def in_a_child_that_goes_on(wait: Wait, do: Wait) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(behind_an_except(wait, do))


async def in_a_gathered_one_that_goes_on(wait: Wait, do: Wait) -> None:
    await asyncio.gather(behind_an_except(wait, do), wait())


async def again_and_again(wait: Wait, do: Wait) -> None:
    with suppress(asyncio.CancelledError):
        await wait()
    for _ in range(20):
        with suppress(asyncio.CancelledError):
            await do()


GOING_ON: list[Body] = [
    *(behind_an_except, behind_a_suppress, in_a_function_behind_it, in_an_except_of_something_else),
    *(in_a_child_that_goes_on, in_a_gathered_one_that_goes_on, again_and_again),
]


class Cancelled:
    """A tool with one of these bodies, which waits until it is cancelled; and whether its step was done."""

    def __init__(self, body: Body, *, asks: bool) -> None:
        self.body = body
        self.asks = asks
        self.did: list[str] = []
        self.waits, self.is_over = asyncio.Event(), asyncio.Event()

    async def tool(self, ctx: Context) -> None:
        async def wait() -> None:
            self.waits.set()
            await (elicit(ctx, form("Second?")) if self.asks else asyncio.sleep(3600))

        try:
            await self.body(wait, lambda: step(ctx, "do", self.did.append, "step"))
        finally:
            self.is_over.set()


@pytest.mark.parametrize("body", [*CLEARING, *GOING_ON])
@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize("scope", [False, True], ids=["task", "scope"])
async def test_in_a_request_that_is_cancelled(revision: str, body: Body, scope: bool) -> None:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])
    cancelled = Cancelled(body, asks=False)

    @mcp.tool()
    async def tool(ctx: Context) -> None:
        with anyio.CancelScope() as own:
            if scope:  # As a connection that breaks ends what runs on it.
                asyncio.get_running_loop().call_later(0.02, own.cancel)
            await cancelled.tool(ctx)

    async def never(*_: Any) -> Any:
        raise AssertionError

    async with eras.connected(mcp, revision, never) as client:
        calling = asyncio.create_task(client.call_tool("tool", {}))
        await cancelled.waits.wait()
        if not scope:
            calling.cancel()
        with suppress(asyncio.CancelledError):
            await calling
        await cancelled.is_over.wait()

    # A scope that is cancelled ends all that is awaited in it, too: a task that was just started does nothing.
    is_scope = scope or revision != "2026-07-28"
    may_run = body in CLEARING and not (is_scope and body in (in_a_task_that_a_finally_starts, made_in_a_finally))
    assert cancelled.did == ["step"] * may_run


@pytest.mark.parametrize("body", [*CLEARING, *GOING_ON])
@pytest.mark.parametrize("asks", [True, False], ids=["asks", "works"])
@pytest.mark.parametrize("is_brought_back", [False, True], ids=["live", "replayed"])
async def test_in_a_task_that_is_cancelled(body: Body, asks: bool, is_brought_back: bool) -> None:
    tasks = quick(MemoryTaskStore(), tools={"tool"})
    mcp, cancelled = server(tasks), Cancelled(body, asks=asks)

    @mcp.tool()
    async def tool(ctx: Context) -> None:
        if is_brought_back:
            await elicit(ctx, form("First?"))
        await cancelled.tool(ctx)

    if is_brought_back:
        async with desk(mcp, tasks) as at:
            task_id = await at.start("tool")
            first = await at.key(task_id)
    async with desk(mcp, tasks) as at:
        if is_brought_back:
            await at.update(task_id, **{first: accept(size="XL")})
        else:
            task_id = await at.start("tool")
        await cancelled.waits.wait()
        if asks:
            await at.when(task_id, lambda record: "Second?" in str(record.inputs))
        await at.cancel(task_id)
        await cancelled.is_over.wait()

    assert cancelled.did == ["step"] * (body in CLEARING)


@pytest.mark.parametrize("goes_on", [True, False], ids=["goes on", "clears up"])
async def test_a_task_of_the_tools_own_learns_of_it_at_its_question(goes_on: bool) -> None:
    """Nobody cancels it, and yet its question is not answered any more."""
    tasks = quick(MemoryTaskStore(), tools={"tool"})
    mcp = server(tasks)
    cancelled, own = Cancelled(behind_an_except if goes_on else in_an_except, asks=True), list[Any]()

    @mcp.tool()
    async def tool(ctx: Context) -> None:
        own.append(asyncio.create_task(cancelled.tool(ctx)))
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.wait(own)

    async with desk(mcp, tasks) as at:
        task_id = await at.start("tool")
        await at.key(task_id)
        await at.cancel(task_id)
        await cancelled.is_over.wait()

    assert cancelled.did == ([] if goes_on else ["step"])


async def test_a_tool_that_goes_on_asks_nothing_any_more() -> None:
    """On a live connection the person would see a question of a call that is gone."""
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])
    waits, is_over, asked = asyncio.Event(), asyncio.Event(), list[str]()

    @mcp.tool()
    async def tool(ctx: Context) -> None:
        with suppress(asyncio.CancelledError):
            waits.set()
            await asyncio.sleep(3600)
        try:
            await confirm(ctx, "Really?")
        finally:
            is_over.set()

    async def note(_: Any, params: Any) -> Any:
        asked.append(params.message)
        return accept(confirm=True)

    async with eras.connected(mcp, "2025-11-25", note) as client:
        calling = asyncio.create_task(client.call_tool("tool", {}))
        await waits.wait()
        calling.cancel()
        with suppress(asyncio.CancelledError):
            await calling
        await is_over.wait()

    assert asked == []


async def test_a_tool_whose_own_task_was_cancelled_has_its_steps() -> None:
    """It is the call that counts: a worker that a tool ends may keep what it has."""
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def tool(ctx: Context) -> str:
        did, starts = list[str](), asyncio.Event()

        async def wait() -> None:
            starts.set()
            await asyncio.sleep(3600)

        working = asyncio.create_task(behind_an_except(wait, lambda: step(ctx, "do", did.append, "step")))
        await starts.wait()
        working.cancel()
        await working
        with suppress(TimeoutError):
            async with asyncio.timeout(0.001):
                await asyncio.sleep(3600)
        await step(ctx, "more", did.append, "more")
        return " ".join(did)

    for revision in eras.ALL:
        async with eras.connected(mcp, revision, None) as client:
            assert await eras.said(client, "tool") == "step more"


def test_errors_that_came_from_one_another_in_a_circle_are_no_cancellation() -> None:
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    try:
        raise first
    except ValueError:
        assert not is_clearing_up()
