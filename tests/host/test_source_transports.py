"""The ways to a server: streamable HTTP, SSE behind it, and processes (design, section 9)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from elicitkit import Answer, McpSource, Origin, Request
from tests import eras
from tests.host import serving
from tests.host.asker import Asker
from tests.host.hosting import LIMIT, Person, process, speaking, text
from tests.host.test_source import TOOLS

pytestmark = pytest.mark.anyio

every_era = pytest.mark.parametrize("revision", eras.ALL)


@asynccontextmanager
async def over_http(
    app: Any, revision: str, entry: Any = None, path: str = "/mcp", **options: Any
) -> AsyncIterator[Any]:
    with speaking(revision), anyio.fail_after(LIMIT):
        async with serving.served(app) as address:
            config = {"servers": {"a": {"url": f"{address}{path}", **(entry or {})}}}
            async with McpSource.load(config, **options) as source:
                assert source.statuses["a"].state == "connected", source.statuses
                yield source


async def all_at_once(source: McpSource) -> dict[str, str]:
    """What all tools that ask come to, called side by side."""
    results = {}

    async def run(tool: str) -> None:
        results[tool] = text(await source.call(f"a_{tool}"))

    async with anyio.create_task_group() as group:
        for tool in TOOLS:
            group.start_soon(run, tool)
    return results


def expected(person: Person) -> dict[str, str]:
    """What they should come to, once it is sure that each question named the tool that asked it."""
    for request in person.asked:
        assert request.prompt in TOOLS[Origin.of(request).tool][1]
    return {tool: said for tool, (said, _) in TOOLS.items()}


@every_era
async def test_over_http_calls_side_by_side_ask_each_for_its_own_tool(revision: str) -> None:
    person = Person()

    async with over_http(Asker().mcp.streamable_http_app(), revision, wait_for=person) as source:
        assert source.statuses["a"].protocol_version == revision
        assert await all_at_once(source) == expected(person)


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_more_people_may_be_thinking_than_a_pool_of_connections_has_places(revision: str) -> None:
    """In the handshake eras each question holds a stream open; the HTTP client's own pool ends at 100."""
    people, everybody, person = 110, anyio.Event(), Person()

    async def wait_for(request: Request) -> Answer:
        answer = await person(request)
        if len(person.asked) == people:
            everybody.set()
        await everybody.wait()
        return answer

    app = Asker().mcp.streamable_http_app()
    async with over_http(app, revision, wait_for=wait_for, at_once=None) as source:
        results = await eras.together(*(source.call("a_greet") for _ in range(people)))

    assert {text(result) for result in results} == {"Hello, Ada!"}


@pytest.mark.parametrize("way", [{"stateless_http": True}, {"json_response": True}], ids=["stateless", "json"])
async def test_on_2026_07_28_every_way_of_http_can_ask(way: dict[str, bool]) -> None:
    async with over_http(Asker().mcp.streamable_http_app(**way), "2026-07-28", wait_for=Person()) as source:
        assert text(await source.call("a_order")) == "M for Ada"


@pytest.mark.slow
@every_era
async def test_a_process_asks_each_for_its_own_tool(revision: str) -> None:
    """In the handshake eras nothing tells which call a question belongs to, so that calls go one at a time."""
    person = Person()

    with speaking(revision), anyio.fail_after(60):
        async with McpSource.load({"servers": {"a": process()}}, wait_for=person) as source:
            assert await all_at_once(source) == expected(person)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("entry", [{}, {"type": "sse"}], ids=["falls back", "is told"])
async def test_a_server_without_streamable_http_is_reached_by_sse(entry: dict[str, str]) -> None:
    """2025-06-18, Transports, "Backwards Compatibility"."""
    person = Person()

    async with over_http(Asker().mcp.sse_app(), "2025-11-25", entry, "/sse", wait_for=person) as source:
        assert await all_at_once(source) == expected(person)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_server_that_is_to_be_reached_by_http_alone_is_not_tried_by_sse() -> None:
    with speaking("2025-11-25"), anyio.fail_after(LIMIT):
        async with serving.served(Asker().mcp.sse_app()) as address:
            entry = {"url": f"{address}/sse", "type": "http"}
            async with McpSource.load({"servers": {"a": entry}}) as source:
                assert source.statuses["a"].state == "failed"


@every_era
async def test_a_server_that_was_restarted_between_two_calls_is_not_noticed(revision: str) -> None:
    """Its sessions are gone; it never saw the request that says so, which is sent once more."""
    apps = [Asker().mcp.streamable_http_app() for _ in range(2)]
    current: list[Any] = apps[:1]

    async def behind_one_address(scope: Any, receive: Any, send: Any) -> None:
        await current[0](scope, receive, send)

    async with (
        apps[1].router.lifespan_context(apps[1]),
        apps[0].router.lifespan_context(apps[0]),
        over_http(Passing(behind_one_address), revision, wait_for=Person()) as source,
    ):
        first = text(await source.call("a_greet"))
        current[:] = apps[1:]
        assert [first, text(await source.call("a_greet"))] == ["Hello, Ada!"] * 2


class Passing:
    """An app that has no lifespan of its own."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            return await self._app(scope, receive, send)
        for _ in range(2):
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
        return None


class Cuttable(Passing):
    """An app whose open answers can be cut off in the middle, as when its process or the way to it breaks."""

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        self.scopes: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with anyio.CancelScope() as cutting:
            self.scopes.add(cutting)
            await super().__call__(scope, receive, send)
        self.scopes.discard(cutting)

    def cut(self) -> None:
        for scope in self.scopes:
            scope.cancel()


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_a_question_whose_stream_is_cut_has_failed_and_the_next_call_is_fine(revision: str) -> None:
    """Issue 5: the connection drops while pending, and it is never the person's doing."""
    inner = Asker().mcp.streamable_http_app()
    app = Cuttable(inner)
    told: list[Any] = []
    person = Person()

    async def wait_for(request: Request) -> Answer:
        if not person.asked:
            person.asked.append(request)
            app.cut()
            await anyio.sleep_forever()
        return await person(request)

    async with (
        inner.router.lifespan_context(inner),
        over_http(
            app, revision, wait_for=wait_for, on_answer=lambda _, answer: told.append(answer.reason or answer.ok)
        ) as source,
    ):
        assert text(await source.call("a_greet")).endswith("ended the connection")
        while not told:
            await anyio.lowlevel.checkpoint()
        assert text(await source.call("a_greet")) == "Hello, Ada!"

    assert told == ["failed", True]
