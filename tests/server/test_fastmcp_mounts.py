"""FastMCP: servers that are mounted, and middleware of users' beside ours (design, section 7)."""

from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.tools import InputRequiredToolResult

from elicitkit import FormElicitation, confirm, elicit
from elicitkit.server.fastmcp import Elicitation
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras
from tests.server.fastmcp_calls import Seen, Server, asking_server, call, connected, echo, text_form

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]

ROUNDS = {"2025-06-18": 1, "2025-11-25": 1, "2026-07-28": 3}
"""How often a call that asks two questions, one after the other, is run."""


def child(*middleware: Middleware, runs: list[str]) -> Server:
    mcp: Server = FastMCP("child", middleware=middleware)

    @mcp.tool
    async def ask(ctx: Context) -> str:
        runs.append("run")
        first = await elicit(ctx, text_form("a"))
        second = await ctx.elicit("b", str)
        return first.content["x"] + second.data

    @mcp.prompt
    async def write(ctx: Context) -> str:
        return (await elicit(ctx, text_form("bees"))).content["x"]

    @mcp.resource("book://{title}")
    async def book(title: str, ctx: Context) -> str:
        return f"{title}: {(await elicit(ctx, text_form('part 2'))).content['x']}"

    return mcp


async def answer(_: object, params: Any) -> Any:
    field = next(iter(params.requested_schema["properties"]))
    return accept(**{field: params.message})


WHERE: dict[str, tuple[list[Middleware], list[Middleware]]] = {
    "parent": ([Elicitation()], []),
    "child": ([], [Elicitation()]),
    "both": ([Elicitation()], [Elicitation()]),
}


@pytest.mark.parametrize("namespace", [None, "shop"])
@pytest.mark.parametrize("where", WHERE)
async def test_a_mounted_server_asks_wherever_the_middleware_is(
    revision: str, where: str, namespace: str | None
) -> None:
    parents, children = WHERE[where]
    runs: list[str] = []
    mcp: Server = FastMCP("parent", middleware=parents)
    mcp.mount(child(*children, runs=runs), namespace)
    prefix, path = (f"{namespace}_", f"{namespace}/") if namespace else ("", "")

    async with connected(mcp, revision, answer) as client:
        assert await eras.said(client, f"{prefix}ask") == "ab"
        prompt = await client.get_prompt(f"{prefix}write")
        book = await client.read_resource(f"book://{path}honey")

    assert len(runs) == ROUNDS[revision]
    assert prompt.messages[0].content.text == "bees"  # type: ignore[union-attr]
    assert book.contents[0].text == "honey: part 2"  # type: ignore[union-attr]


async def test_a_server_mounted_in_a_mounted_server_asks(revision: str) -> None:
    runs: list[str] = []
    top, middle = asking_server(), FastMCP[Any]("middle")
    middle.mount(child(runs=runs), "inner")
    top.mount(middle, "outer")

    assert await call(top, revision, answer, "outer_inner_ask") == "ab"
    assert len(runs) == ROUNDS[revision]


async def test_an_error_of_a_mounted_server_is_told_as_it_is(revision: str) -> None:
    mcp: Server = FastMCP("parent", mask_error_details=True, middleware=[Elicitation()])
    inner: Server = FastMCP("child", mask_error_details=True)
    mcp.mount(inner)

    @inner.tool
    async def ask(ctx: Context) -> str:
        return str(await elicit(ctx, FormElicitation.create("?").choice("empty")))

    assert (await call(mcp, revision)).startswith("error: The form does not work: Empty:")


# --- middleware of users' ---------------------------------------------------------------------------------------------


async def test_middleware_before_and_behind_sees_each_round_once(revision: str) -> None:
    before, behind = Seen(), Seen()
    mcp = asking_server(behind, before=[before])

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return "".join([(await elicit(ctx, text_form(one))).content["x"] for one in "ab"])

    assert await call(mcp, revision) == "ab"
    assert before.calls == behind.calls == ["ask"] * ROUNDS[revision]


class Kinds(Middleware):
    """Keeps the classes of the results of calls."""

    def __init__(self) -> None:
        self.results: list[Any] = []

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        self.results.append(await call_next(context))
        return self.results[-1]


async def test_middleware_before_sees_rounds_as_fastmcp_has_them(revision: str) -> None:
    before = Kinds()
    mcp = asking_server(before=[before])

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, text_form("a"), key="who")).content["x"]

    assert await call(mcp, revision) == "a"
    *rounds, last = before.results
    assert [list(one.input_required.input_requests) for one in rounds] == [["who"]] * (ROUNDS[revision] // 2)
    assert not isinstance(last, InputRequiredToolResult)


class Confirming(Middleware):
    """Asks before any tool is called."""

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        if not await confirm(context.fastmcp_context, f"Call {context.message.name}?"):
            raise PermissionError("no")
        return await call_next(context)


async def test_middleware_behind_may_ask_itself(revision: str) -> None:
    mcp = asking_server(Confirming())

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, text_form("a"))).content["x"]

    with ScriptedAnswers([accept(confirm=True), accept(x="1")]) as answers:
        assert await call(mcp, revision, answers) == "1"

    assert [asked.message for asked in answers.asked] == ["Call ask?", "a"]


@pytest.mark.parametrize("first", [True, False], ids=["cache before", "cache behind"])
async def test_a_cache_keeps_no_answers_of_rounds(revision: str, first: bool) -> None:
    if revision in eras.HANDSHAKE:
        return  # FastMCP's cache keeps what a tool gives that asks there, with or without us.
    cache = ResponseCachingMiddleware()
    mcp = asking_server(before=[cache]) if first else asking_server(cache)

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, text_form("a"))).content["x"]

    with ScriptedAnswers([accept(x="Ada's"), accept(x="Bo's")]) as answers:
        async with connected(mcp, revision, answers) as client:
            assert [await eras.said(client, "ask"), await eras.said(client, "ask")] == ["Ada's", "Bo's"]


async def test_values_that_middleware_keeps_for_a_request_reach_the_tool(revision: str) -> None:
    class Keeping(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            await context.fastmcp_context.set_state("who", "Ada", serializable=False)
            return await call_next(context)

    mcp = asking_server(Keeping())

    @mcp.tool
    async def ask(ctx: Context) -> str:
        answered = await elicit(ctx, text_form("a"))
        return f"{await ctx.get_state('who')}: {answered.content['x']}"

    assert await call(mcp, revision, echo) == "Ada: a"
