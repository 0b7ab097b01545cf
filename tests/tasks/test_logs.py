"""Logs hold no answers (issue 7): whatever a tool does with one, and whatever fails behind its back, at any level."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError

from elicitkit import FormElicitation, Tasks, elicit, elicit_all, elicit_sync, step
from elicitkit.tasks import errands
from elicitkit.tasks.quiet import LOGGER
from elicitkit.tasks.store import TaskStore
from tests.tasks.desk import Desk, accept, desk, eventually, quick, server
from tests.tasks.test_running import FlakyStore

pytestmark = pytest.mark.anyio

SECRET = "swordfish"
OURS = {"elicitkit": logging.DEBUG, "asyncio": logging.DEBUG, "mcp": logging.INFO}
"""Whose lines are looked at, from which level on: at DEBUG the SDK writes whole messages, as docs/security.md says."""


class Collected(logging.Handler):
    """All records of a test, as any formatter could write them."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.split(".")[0] in OURS:
            parts = [self.format(record), repr(record.args), repr(record.__dict__)]
            if record.exc_info:
                parts += map(repr, chain_of(record.exc_info[1]))
            self.told.append("\n".join(parts))


def chain_of(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        yield from chain_of(error.__cause__)
        yield from chain_of(error.__context__)
        for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
            yield from chain_of(inner)


@pytest.fixture
def logs() -> Iterator[Collected]:
    """Every record of ours, from DEBUG on."""
    collected, root = Collected(), logging.getLogger()
    before = {name: logging.getLogger(name).level for name in OURS}
    root.addHandler(collected)
    for name, level in OURS.items():
        logging.getLogger(name).setLevel(level)
    try:
        yield collected
    finally:
        root.removeHandler(collected)
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errands, "_PAUSE", 0.01)


def assert_silent(logs: Collected, *, told: str = "") -> None:
    assert [one for one in logs.told if SECRET in one] == []
    assert any(told in one for one in logs.told) or not told, logs.told


Ask = Callable[[Context], Awaitable[str]]


async def asked(ctx: Context) -> str:
    outcome = await elicit(ctx, FormElicitation.create("Which fish?").string("fish").required())
    return str(outcome.content["fish"]) if outcome else ""


# --- what tools do with an answer -------------------------------------------------------------------------------------


class Interrupt(BaseException):
    """What no framework expects."""


def quote(fish: str) -> None:
    raise ValueError(f"no {fish} today")


def handle(fish: str) -> None:
    try:
        quote(fish)
    except ValueError as error:
        raise RuntimeError(f"so no {fish}") from error


def mean(fish: str) -> None:
    raise ToolError(f"no {fish} today")


def several(fish: str) -> None:
    raise ExceptionGroup(fish, [ValueError(fish), KeyError(fish)])


def interrupt(fish: str) -> None:
    raise Interrupt(fish)


def leave(fish: str) -> None:
    raise SystemExit(fish)


def refuse(fish: str) -> None:
    raise MCPError(-32000, fish, {"fish": fish})


def keep_what_is_no_json(fish: str) -> object:
    return {fish, 1}


@pytest.mark.parametrize("bad", [quote, handle, mean, several, interrupt, leave, refuse], ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("inside_a_step", [False, True], ids=["in the tool", "in a step"])
async def test_a_tool_that_fails_with_an_answer_in_its_hands(
    store: TaskStore, logs: Collected, bad: Callable[[str], object], inside_a_step: bool
) -> None:
    async def fish(ctx: Context) -> str:
        given = await asked(ctx)
        if inside_a_step:
            await step(ctx, "cook", bad, given)
        bad(given)
        return given

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        await at.ended(task_id)

    assert_silent(logs, told="the process" if bad is leave else "could not be run" if bad is interrupt else "")


async def test_the_sdk_says_of_a_tool_that_failed_in_a_task_where_it_did(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        handle(await asked(ctx))
        return ""

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        await at.ended(task_id)

    assert_silent(logs, told="Tool 'fish' failed in a task")
    assert_silent(logs, told="in handle")
    assert_silent(logs, told="after ValueError")


async def test_a_call_that_is_no_task_is_logged_as_the_sdk_does(store: TaskStore, logs: Collected) -> None:
    """The filter is for tasks alone, and is gone with the server."""

    async def fish(ctx: Context) -> str:
        raise ValueError(SECRET)

    tasks: Tasks = quick(store, tools={"another"})
    mcp = server(tasks)
    mcp.tool(name="fish")(fish)
    mcp.tool(name="another")(fish)
    async with desk(mcp, tasks) as at:
        await at.send("fish")
        assert logging.getLogger(LOGGER).filters
        assert sum(SECRET in one for one in logs.told) == 1
        await at.ended(await at.start("another"))

    assert sum(SECRET in one for one in logs.told) == 1
    assert not logging.getLogger(LOGGER).filters


async def test_an_answer_that_is_kept_returned_and_replayed(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        given = await asked(ctx)
        kept = await step(ctx, "cook", lambda: given)
        return f"{kept}, {await asked(ctx)}"

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        await at.key(task_id)
    async with served(store, fish) as at:
        await at.answer(task_id, fish=SECRET)
        assert await at.said(task_id) == f"{SECRET}, {SECRET}"

    assert_silent(logs)


async def test_a_step_whose_result_is_no_json(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        return str(await step(ctx, "cook", keep_what_is_no_json, await asked(ctx)))

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        assert "error" in await at.said(task_id)

    assert_silent(logs)


async def test_wrong_answers_until_the_last_try(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        form = FormElicitation.create("How many?").integer("count").required().email("to").required()
        return str(await elicit(ctx, form))

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        for _ in range(3):
            key = await at.key(task_id)
            await at.update(task_id, **{key: accept(count=SECRET, to=SECRET, **{SECRET: SECRET})})
            await at.when(task_id, lambda record, key=key: key not in record.inputs)  # type: ignore[misc]
        await at.ended(task_id)

    assert_silent(logs)


async def test_an_authors_check_that_quotes_the_answer(store: TaskStore, logs: Collected) -> None:
    def check(content: Any) -> None:
        handle(content["fish"])

    async def fish(ctx: Context) -> str:
        form = FormElicitation.create("Which fish?").string("fish").required().validate(check)
        return str(await elicit(ctx, form))

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        await at.ended(task_id)

    assert_silent(logs)


async def test_answers_that_are_none_and_come_late(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        return str([outcome.reason for outcome in await elicit_all(ctx, a=one("a"), b=one("b")) if not outcome])

    def one(name: str) -> FormElicitation[Any]:
        return FormElicitation.create("Which?").string(name).required()

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        first, second = await at.asked(task_id, 2)
        for response in (SECRET, [SECRET], {"action": SECRET}, {"action": "accept", "content": SECRET}, {SECRET: 1}):
            await at.update(task_id, **{first: response, SECRET: response})
        await at.cancel(task_id)
        await at.update(task_id, **{second: accept(b=SECRET)})

    assert_silent(logs)


async def test_a_tool_in_a_thread_that_fails(store: TaskStore, logs: Collected) -> None:
    def fish(ctx: Context) -> str:
        outcome = elicit_sync(ctx, FormElicitation.create("Which fish?").string("fish").required())
        several(str(outcome.content["fish"]) if outcome else "")
        return ""

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        await at.ended(task_id)

    assert_silent(logs)


async def test_a_task_of_the_tools_own_that_fails_and_is_left_behind(store: TaskStore, logs: Collected) -> None:
    async def fish(ctx: Context) -> str:
        given = await asked(ctx)
        failing = asyncio.create_task(asyncio.to_thread(handle, given))
        await asyncio.wait([failing])
        assert failing.exception() is not None
        return "done"

    async with served(store, fish) as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        assert await at.said(task_id) == "done"

    assert_silent(logs)


async def test_a_tool_that_asks_something_else_since(store: TaskStore, logs: Collected) -> None:
    async def before(ctx: Context) -> str:
        given = await elicit(ctx, FormElicitation.create("Which fish?").string("fish").required(), key="fish")
        await elicit(ctx, FormElicitation.create("How?").string("how").required(), key="how")
        return str(given)

    async def after(ctx: Context) -> str:
        given = await elicit(ctx, FormElicitation.create("Which fish?").integer("fish").required(), key="fish")
        return str(given)

    async with served(store, before, name="fish") as at:
        task_id = await at.start("fish")
        await at.answer(task_id, fish=SECRET)
        how = await at.key(task_id)
    async with served(store, after, name="fish") as at:
        await at.update(task_id, **{how: accept(how=SECRET)})
        await at.when(task_id, lambda record: bool(record.inputs) and how not in record.inputs)
        await at.cancel(task_id)

    assert_silent(logs, told="is another one since it was asked")


# --- what fails behind a tool's back ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("complete", "cannot be kept yet: The disk is full."),
        ("progress", "was not kept: The disk is full."),
        ("renew", "could not be renewed: The disk is full."),
        ("park", ""),
        ("keep_step", ""),
    ],
)
async def test_a_store_that_fails_while_a_tool_handles_an_error_that_quotes_the_answer(
    logs: Collected, method: str, told: str
) -> None:
    store, runs = FlakyStore(), 0

    async def fish(ctx: Context) -> str:
        nonlocal runs
        runs += 1
        given = await asked(ctx)
        try:
            handle(given)
        except RuntimeError:
            store.fails[method] = 1 if runs == 1 else 0
            await ctx.report_progress(1, 2, "cooking")
            await step(ctx, "cook", lambda: given)
            await asked(ctx)
        return given

    # It is to fail in the background: a step renews a claim itself that has run out, as a short one may have.
    async with served(store, fish, **({"lease": 1.5} if method == "renew" else {})) as at:
        task_id = await at.start("fish")
        first = await at.answer(task_id, fish=SECRET)
        await at.when(task_id, lambda record: bool(record.inputs) and first not in record.inputs)
        await eventually(lambda: method == "complete" or not store.fails[method])
        await at.answer(task_id, fish=SECRET)
        assert await at.said(task_id) == SECRET

    assert runs == (2 if method in {"park", "keep_step"} else 1)
    assert_silent(logs, told=told)


def served(store: TaskStore, tool: Callable[..., Any], *, name: str = "fish", **more: Any) -> Any:
    """A desk at a server with one tool."""
    tasks: Tasks = quick(store, tools={name}, **more)
    mcp = server(tasks)
    mcp.tool(name=name)(tool)
    at: Desk = desk(mcp, tasks)  # type: ignore[assignment]  # A context manager that gives one.
    return at
