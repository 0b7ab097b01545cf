"""`TasksClient`: `call_tool` gives what the call would have given, however long it takes (design, section 8)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from anyio import fail_after
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ElicitResult, ErrorData

from elicitkit import Cancelled, TaskHandle, TaskOutOfReach, Tasks, TasksClient, elicit, elicit_all
from elicitkit.tasks.store import TaskStore
from tests import eras
from tests.tasks.desk import eventually, form, quick, server

pytestmark = pytest.mark.anyio


class Person:
    """Answers what is asked, and remembers what was shown."""

    def __init__(self, *, waits: bool = False) -> None:
        self.shown: list[str] = []
        self.withdrawn: list[str] = []
        self.is_asked = asyncio.Event()
        self.is_withdrawn = asyncio.Event()
        self.go = asyncio.Event()
        if not waits:
            self.go.set()

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        self.shown.append(params.message)
        self.is_asked.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.withdrawn.append(params.message)
            self.is_withdrawn.set()
            raise
        (name,) = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={name: params.message})


@pytest.fixture
def tasks(store: TaskStore) -> Tasks:
    return quick(store, tools=lambda name, arguments: True, poll_interval=0.02)


@pytest.fixture
def mcp(tasks: Tasks) -> MCPServer[Any]:
    mcp = server(tasks)

    @mcp.tool()
    async def order(ctx: Context) -> str:
        size = await elicit(ctx, form("Size?", "size"))
        colour = await elicit(ctx, form("Colour?", "colour"))
        return f"{size.content['size'] if size else size.reason} {colour.content['colour'] if colour else ''}"

    @mcp.tool()
    async def fail() -> None:
        raise MCPError(code=-32099, message="closed today", data={"until": "Monday"})

    return mcp


@asynccontextmanager
async def client(mcp: MCPServer[Any], person: Any, **more: Any) -> AsyncIterator[Client]:
    with fail_after(15):
        async with Client(mcp, extensions=[TasksClient(**more)], elicitation_callback=person) as client:
            yield client


class Kept:
    """Keeps the handle of the task that a call became."""

    def __init__(self) -> None:
        self.handle: asyncio.Future[TaskHandle] = asyncio.get_running_loop().create_future()

    def __call__(self, handle: TaskHandle) -> None:
        self.handle.set_result(handle)


async def test_a_call_gives_the_finished_result_and_each_question_is_shown_once(mcp: MCPServer[Any]) -> None:
    person = Person()

    async with client(mcp, person) as at:
        result = await at.call_tool("order")

    assert result.structured_content == {"result": "Size? Colour?"}
    assert person.shown == ["Size?", "Colour?"]


async def test_a_question_that_stays_open_for_many_polls_is_shown_once(mcp: MCPServer[Any]) -> None:
    person, states = Person(waits=True), list[str]()

    async with client(mcp, person, told=lambda state: states.append(state.status)) as at:
        polls = count_of(at)
        calling = asyncio.create_task(at.call_tool("order"))
        await person.is_asked.wait()
        before = polls()
        await eventually(lambda: polls() >= before + 5)
        assert person.shown == ["Size?"]
        person.go.set()
        await calling

    assert person.shown == ["Size?", "Colour?"]
    assert states[-1] == "completed"


def count_of(client: Client) -> Any:
    """Count the requests that a client sends, by patching its session."""
    sent: list[Any] = []
    send: Any = client.session.send_request

    async def counting(request: Any, *more: Any, **named: Any) -> Any:
        sent.append(request)
        return await send(request, *more, **named)

    client.session.send_request = counting  # type: ignore[method-assign]
    return lambda: len(sent)


async def test_open_questions_are_shown_side_by_side(mcp: MCPServer[Any]) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, {name: form(name, "x") for name in "abc"})
        return "".join(one.content["x"] for one in found.values() if one)

    person = Person(waits=True)
    async with client(mcp, person) as at:
        calling = asyncio.create_task(at.call_tool("ask"))
        await eventually(lambda: len(person.shown) == 3)
        person.go.set()

        assert (await calling).structured_content == {"result": "abc"}


async def test_a_question_that_is_answered_elsewhere_is_withdrawn(mcp: MCPServer[Any]) -> None:
    person, kept = Person(waits=True), Kept()

    async with client(mcp, person, created=kept) as at:
        calling = asyncio.create_task(at.call_tool("order"))
        await person.is_asked.wait()
        handle = await kept.handle
        (key,) = (await handle.state()).input_requests or {}
        await handle.answer(key, ElicitResult(action="accept", content={"size": "S"}))
        await person.is_withdrawn.wait()
        person.go.set()

        assert (await calling).structured_content == {"result": "S Colour?"}
    assert person.withdrawn == ["Size?"]


async def test_a_question_whose_time_is_over_is_withdrawn(mcp: MCPServer[Any]) -> None:
    @mcp.tool()
    async def hurry(ctx: Context) -> str:
        outcome = await elicit(ctx, form("Now?", "x"), timeout=0.1)
        return "expired" if outcome == Cancelled("expired") else "answered"

    person = Person(waits=True)
    async with client(mcp, person) as at:
        result = await at.call_tool("hurry")

    assert result.structured_content == {"result": "expired"}
    assert person.withdrawn == ["Now?"]


async def test_a_client_that_cannot_ask_ends_the_call_and_the_task(mcp: MCPServer[Any], tasks: Tasks) -> None:
    kept = Kept()

    async def broken(*_: Any) -> ErrorData:
        return ErrorData(code=-32042, message="no screen")

    async with client(mcp, broken, created=kept) as at:
        with pytest.raises(MCPError, match="no screen"):
            await at.call_tool("order")
        assert (await (await kept.handle).state()).status == "cancelled"


async def test_a_call_that_is_cancelled_cancels_the_task_and_the_prompt(mcp: MCPServer[Any]) -> None:
    person, kept = Person(waits=True), Kept()

    async with client(mcp, person, created=kept) as at:
        calling = asyncio.create_task(at.call_tool("order"))
        await person.is_asked.wait()
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)

        assert person.withdrawn == ["Size?"]
        assert (await (await kept.handle).state()).status == "cancelled"


async def test_a_task_that_failed_raises_its_error(mcp: MCPServer[Any]) -> None:
    async with client(mcp, Person()) as at:
        with pytest.raises(MCPError) as caught:
            await at.call_tool("fail")

    assert caught.value.error == ErrorData(code=-32099, message="closed today", data={"until": "Monday"})


async def test_a_task_that_somebody_else_cancelled_is_an_error_result(mcp: MCPServer[Any]) -> None:
    person, kept = Person(waits=True), Kept()

    async with client(mcp, person, created=kept) as at:
        calling = asyncio.create_task(at.call_tool("order"))
        await person.is_asked.wait()
        await (await kept.handle).cancel()
        result = await calling

    assert result.is_error
    assert person.withdrawn == ["Size?"]


async def no_goodbye(_: TaskHandle) -> None:
    """A process that dies sends nothing."""


async def test_another_client_can_be_attached_by_the_id(mcp: MCPServer[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    lost, person, kept = Person(waits=True), Person(), Kept()

    async with client(mcp, lost, created=kept) as at:
        calling = asyncio.create_task(at.call_tool("order"))
        await lost.is_asked.wait()
        task_id = (await kept.handle).id

        with monkeypatch.context() as patch:
            patch.setattr(TaskHandle, "cancel", no_goodbye)
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
    async with client(mcp, person) as at:
        result = await TasksClient.attach(at.session, task_id).wait()

    assert result.structured_content == {"result": "Size? Colour?"}
    assert person.shown == ["Size?", "Colour?"]


async def test_a_handle_that_is_cancelled_leaves_the_task_alone(mcp: MCPServer[Any]) -> None:
    person, kept = Person(waits=True), Kept()

    async with client(mcp, person, created=kept) as at:
        calling = asyncio.create_task(at.call_tool("order"))
        handle = TasksClient.attach(at.session, (await kept.handle).id)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(handle.wait(), 0.05)
        await person.is_asked.wait()
        assert (await handle.state()).status == "input_required"
        person.go.set()

        assert not (await calling).is_error


async def test_a_task_that_is_gone_is_an_error(mcp: MCPServer[Any]) -> None:
    async with client(mcp, Person()) as at:
        with pytest.raises(TaskOutOfReach, match="There is no such task") as caught:
            await TasksClient.attach(at.session, "0" * 32).wait()

    assert caught.value.task_id == "0" * 32
    assert code_of(caught.value) == INVALID_PARAMS


def code_of(error: TaskOutOfReach) -> int:
    """The code of the error that it comes from."""
    assert isinstance(error.__cause__, MCPError)
    return error.__cause__.code


async def test_an_async_keeper_of_the_id_is_awaited_before_anything_is_asked(mcp: MCPServer[Any]) -> None:
    person, seen = Person(), list[int]()

    async def keep(handle: TaskHandle) -> None:
        await asyncio.sleep(0)
        seen.append(len(person.shown))

    async with client(mcp, person, created=keep) as at:
        await at.call_tool("order")

    assert seen == [0]


async def test_a_server_without_tasks_is_called_as_ever() -> None:
    mcp: MCPServer[Any] = MCPServer("plain")

    @mcp.tool()
    async def work() -> str:
        return "done"

    async with client(mcp, Person()) as at:
        assert await eras.said(at, "work") == "done"


async def test_a_field_that_was_cleared_stays_cleared(mcp: MCPServer[Any]) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, form("Notes?", "x").string("note").default("none"))
        return repr(outcome.content.get("note")) if outcome else ""

    async def clear(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"x": "1", "note": None})

    async with client(mcp, clear) as at:
        assert await eras.said(at, "ask") == "None"
