"""Which calls become tasks is the server's choice, call by call; a client declares that it would take one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY, ElicitResult

from elicitkit import Elicitation, MemoryTaskStore, Tasks, elicit
from elicitkit.tasks.messages import EXTENSION
from tests import eras
from tests.tasks.desk import Desk, KnowsTasks, desk, form, nobody, server

pytestmark = pytest.mark.anyio


@pytest.fixture
def tasks() -> Tasks:
    return Tasks(MemoryTaskStore())


async def kind_of(tasks: Tasks, mode: Any = "optional", **more: Any) -> Any:
    """What a call becomes of a tool with a mode."""
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task(mode=mode, **more)
    async def work() -> str:
        return "done"

    async with desk(mcp, tasks) as at:
        return (await at.send("work"))["resultType"]


@pytest.mark.parametrize(("mode", "kind"), [("optional", "task"), ("required", "task"), ("forbidden", "complete")])
async def test_the_decorator_says_whether_a_call_becomes_a_task(tasks: Tasks, mode: Any, kind: str) -> None:
    assert await kind_of(tasks, mode) == kind


async def test_names_choose_tools(tasks: Tasks) -> None:
    named = Tasks(MemoryTaskStore(), tools={"slow"})
    mcp = server(named)
    mcp.tool(name="slow")(nothing)
    mcp.tool(name="fast")(nothing)

    async with desk(mcp, named) as at:
        assert [(await at.send(name))["resultType"] for name in ("slow", "fast")] == ["task", "complete"]


async def test_a_predicate_chooses_by_name_and_arguments() -> None:
    chosen = Tasks(MemoryTaskStore(), tools=lambda name, arguments: name == "sort" and arguments["count"] > 10)
    mcp = server(chosen)

    @mcp.tool()
    async def sort(count: int) -> int:
        return count

    async with desk(mcp, chosen) as at:
        assert [(await at.send("sort", count=n))["resultType"] for n in (5, 50)] == ["complete", "task"]


async def test_a_predicate_that_gives_no_mode_fails_the_call_and_starts_nothing() -> None:
    perhaps: Any = lambda name, arguments: "perhaps"  # noqa: E731
    odd = Tasks(MemoryTaskStore(), tools=perhaps)
    mcp = server(odd)
    mcp.tool(name="work")(nothing)

    async with desk(mcp, odd) as at:
        with pytest.raises(MCPError, match="Internal server error"):
            await at.send("work")
        assert await at.store.ready() == []


async def test_the_decorator_outweighs_the_predicate() -> None:
    mixed = Tasks(MemoryTaskStore(), tools=lambda name, arguments: "required")

    assert await kind_of(mixed, "forbidden") == "complete"


@pytest.mark.parametrize("mode", ["always", "", None])
def test_a_mode_that_is_none_is_refused_at_once(tasks: Tasks, mode: Any) -> None:
    with pytest.raises(ValueError, match="mode is one of forbidden, optional, required"):
        tasks.task(mode=mode)(nothing)


def test_times_are_positive() -> None:
    with pytest.raises(ValueError, match="ttl is a positive time"):
        Tasks(MemoryTaskStore(), ttl=0)
    with pytest.raises(ValueError, match="ttl is a positive time"):
        Tasks(MemoryTaskStore()).task(ttl=-1)(nothing)
    with pytest.raises(ValueError, match="poll_interval is a positive time"):
        Tasks(MemoryTaskStore(), poll_interval=0)


@pytest.mark.parametrize("address", ["tasks.db", Path("tasks.db")])
def test_an_address_is_no_store_yet(address: Any) -> None:
    with pytest.raises(TypeError, match=r"Tasks\(open_store\('tasks.db'\)\)"):
        Tasks(address)


def test_one_name_is_no_set_of_names() -> None:
    with pytest.raises(TypeError, match="set of names"):
        Tasks(MemoryTaskStore(), tools="slow")


async def test_a_chosen_tool_that_the_server_does_not_have_is_found_when_it_starts() -> None:
    wrong = Tasks(MemoryTaskStore(), tools={"slwo", "slow"})
    mcp = server(wrong)
    mcp.tool(name="slow")(nothing)

    with pytest.raises(ValueError, match=r"does not have: slwo$"):
        async with desk(mcp, wrong):
            raise AssertionError("it started")

    mcp.tool(name="slwo")(nothing)
    async with desk(mcp, wrong) as at:
        assert (await at.send("slwo"))["resultType"] == "task"


async def test_without_its_lifespan_a_call_says_what_to_add(tasks: Tasks) -> None:
    mcp: MCPServer[Any] = MCPServer("desk", middleware=[Elicitation()], extensions=[tasks])
    mcp.tool()(tasks.task()(nothing))

    async with desk(mcp, tasks) as at:
        result = await at.send("nothing")

    assert result["isError"]
    assert "lifespan=tasks.lifespan()" in result["content"][0]["text"]


# --- clients that know nothing of tasks -------------------------------------------------------------------------------


async def test_a_client_that_declared_nothing_gets_a_plain_result(tasks: Tasks) -> None:
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task()
    async def order(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        return outcome.content["size"] if outcome else "nothing"

    async def answer(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"size": "XL"})

    async with eras.connected(mcp, "2026-07-28", answer) as client:
        assert await eras.said(client, "order") == "XL"


async def test_a_required_task_for_a_client_that_declared_nothing_is_an_error(tasks: Tasks) -> None:
    """Tasks extension, "Negotiation": -32021 with `requiredCapabilities`."""
    mcp = server(tasks)
    mcp.tool()(tasks.task(mode="required")(nothing))

    async with eras.connected(mcp, "2026-07-28") as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("nothing")

    assert caught.value.error.code == MISSING_REQUIRED_CLIENT_CAPABILITY == -32021
    assert caught.value.error.data == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}


@pytest.mark.parametrize("mode", ["optional", "required"])
@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_in_the_handshake_eras_a_tool_runs_in_the_foreground(tasks: Tasks, revision: str, mode: Any) -> None:
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task(mode=mode, begins="later")
    async def order(ctx: Context) -> str:
        outcome = await elicit(ctx, form())
        await tasks.begin(ctx)
        return outcome.content["size"] if outcome else "nothing"

    async def answer(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"size": "XL"})

    async with eras.connected(mcp, revision, answer, extensions=[KnowsTasks()]) as client:
        assert await eras.said(client, "order") == "XL"


async def test_a_client_without_forms_is_told_so_by_the_task(tasks: Tasks) -> None:
    mcp = server(tasks)

    @mcp.tool()
    @tasks.task()
    async def order(ctx: Context) -> None:
        await elicit(ctx, form())

    async with desk(mcp, tasks, None) as at:
        assert (await at.said(await at.start("order"))).startswith("error: This needs an answer from you")


async def test_the_server_advertises_the_extension(tasks: Tasks) -> None:
    async with desk(server(tasks), tasks) as at:
        assert at.client.server_capabilities.extensions == {EXTENSION: {}}


# --- the server's lifespan --------------------------------------------------------------------------------------------


async def test_the_servers_own_lifespan_is_entered_once_and_seen_by_every_tool(tasks: Tasks) -> None:
    entered: list[str] = []

    @asynccontextmanager
    async def mine(_: Any) -> AsyncIterator[list[str]]:
        entered.append("in")
        yield entered
        entered.append("out")

    mcp = server(tasks, mine)
    mcp.tool()(tasks.task()(state_of))
    mcp.tool(name="plain")(state_of)

    async with desk(mcp, tasks) as first:
        task_id = await first.start("state_of")
        async with desk(mcp, tasks) as second:
            assert await second.said(task_id) == await first.said(await second.start("state_of")) == "['in']"
            assert (await second.send("plain"))["content"][0]["text"] == "['in']"

    assert entered == ["in", "out"]


async def test_the_first_client_may_leave_before_the_second(tasks: Tasks) -> None:
    mcp = server(tasks)
    mcp.tool()(tasks.task()(nothing))

    with fail_after(5):
        first = Client(mcp, extensions=[KnowsTasks()])
        entered, leave = asyncio.Event(), asyncio.Event()

        async def stay() -> None:
            async with first:
                entered.set()
                await leave.wait()

        staying = asyncio.create_task(stay())
        await entered.wait()
        async with desk(mcp, tasks) as second:
            leave.set()
            await staying
            assert await second.said(await second.start("nothing")) == "None"


async def test_clients_that_come_together_all_have_tasks(tasks: Tasks) -> None:
    mcp = server(tasks)
    mcp.tool()(tasks.task()(nothing))

    async def use() -> str:
        async with Client(mcp, extensions=[KnowsTasks()], elicitation_callback=nobody) as client:
            at = Desk(client, tasks.store)
            return await at.said(await at.start("nothing"))

    with fail_after(10):
        for _ in range(10):
            assert await eras.together(*(use() for _ in range(5))) == ["None"] * 5


async def test_a_lifespan_that_fails_to_start_can_be_started_again(tasks: Tasks) -> None:
    failures = iter([True, False])

    @asynccontextmanager
    async def mine(_: Any) -> AsyncIterator[str]:
        if next(failures):
            raise OSError("no database today")
        yield "database"

    mcp = server(tasks, mine)
    mcp.tool()(tasks.task()(state_of))

    with pytest.raises(OSError, match="no database"):
        async with desk(mcp, tasks):
            raise AssertionError("it started")
    async with desk(mcp, tasks) as at:
        assert await at.said(await at.start("state_of")) == "database"


async def test_two_servers_at_once_need_tasks_of_their_own(tasks: Tasks) -> None:
    async with desk(server(tasks), tasks):
        with pytest.raises(ValueError, match="another server"):
            async with desk(server(tasks), tasks):
                raise AssertionError("it started")


async def nothing() -> str:
    return "None"


async def state_of(ctx: Context) -> str:
    return str(ctx.request_context.lifespan_context)
