"""What servers do wrong, and how long they may take (issue 5, point 4): one bad server never breaks the rest."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult, ListRootsRequest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from elicitkit import Answer, McpSource, Request, ServerUnavailable
from elicitkit.host.connection import Connection
from elicitkit.host.servers import HttpServer, StdioServer
from elicitkit.host.troubles import why_no_result, why_not_connected
from tests import eras
from tests.host import serving
from tests.host.asker import Asker
from tests.host.clock import skippable
from tests.host.hosting import LIMIT, Person, hosting, in_memory, process, speaking, text

pytestmark = pytest.mark.anyio

every_era = pytest.mark.parametrize("revision", eras.ALL)


def free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


# --- connecting -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_one_bad_server_never_breaks_the_rest() -> None:
    """A dead command, a dead address, a slow server, one that is no server, one that is disabled, and a good one."""
    config = {
        "good": process(),
        "dead command": {"command": "no-such-program", "env": {"TOKEN": "s3cr3t-token"}},
        "dies": {"command": sys.executable, "args": ["-c", "raise SystemExit(1)"]},
        "dead address": {"url": f"http://127.0.0.1:{free_port()}/mcp?key=s3cr3t-token"},
        "slow": {"command": sys.executable, "args": ["-c", "input(); input()"], "timeout": 0.5},
        "no entry": {"command": 7},
        "no variable": {"url": "https://example.com", "headers": {"A": "${NO_SUCH_VARIABLE}"}},
        "off": {"command": "no-such-program", "disabled": True},
    }
    with anyio.fail_after(60):
        async with McpSource.load({"mcpServers": config}, wait_for=Person()) as source:
            statuses = source.statuses
            assert text(await source.call("good_greet")) == "Hello, Ada!"

    assert {name: status.state for name, status in statuses.items()} == {
        "good": "connected",
        **dict.fromkeys(list(config)[1:-1], "failed"),
        "off": "disabled",
    }
    assert statuses["dead command"].reason == "no-such-program cannot be started: No such file or directory"
    assert statuses["dies"].reason.endswith("ended the connection")
    assert "cannot be reached" in statuses["dead address"].reason
    assert statuses["slow"].reason.endswith("said nothing for 0.5 seconds")
    assert statuses["no entry"].reason == "server 'no entry': command is to be text, not a number"
    assert "NO_SUCH_VARIABLE" in statuses["no variable"].reason
    assert "s3cr3t" not in repr(statuses)


async def test_servers_are_connected_to_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    together, waiting = 3, []
    everyone = asyncio.Event()
    opening = Connection.open

    async def slowly(self: Connection, seconds: float) -> None:
        waiting.append(self)
        if len(waiting) == together:
            everyone.set()
        await everyone.wait()
        await opening(self, seconds)

    monkeypatch.setattr(Connection, "open", slowly)
    with in_memory({name: Asker().mcp for name in "abc"}) as config, anyio.fail_after(LIMIT):
        async with McpSource.load(config) as source:
            assert {status.state for status in source.statuses.values()} == {"connected"}


@pytest.mark.parametrize("status", [401, 403, 500])
async def test_an_address_that_refuses_is_told_by_its_status_and_no_secret(status: int) -> None:
    async def refuse(request: Any) -> PlainTextResponse:
        return PlainTextResponse("no", status_code=status)

    app = Starlette(routes=[Route("/{path:path}", refuse, methods=["GET", "POST"])])
    headers = {"Authorization": "Bearer s3cr3t-token"}
    with anyio.fail_after(LIMIT):
        async with serving.served(app) as address:
            config = {"a": {"url": f"{address}/mcp?key=s3cr3t-token", "headers": headers}}
            async with McpSource.load({"servers": config}) as source:
                reason = source.statuses["a"].reason

    assert reason.startswith(f"{address}/mcp ")
    assert "s3cr3t" not in reason
    assert str(status) in reason or status == 500


# --- how long a server may take ---------------------------------------------------------------------------------------


@every_era
async def test_a_server_that_never_answers_is_given_up(revision: str) -> None:
    asker = Asker()

    async with hosting(asker.mcp, revision, wait_for=Person()) as source:
        source._upstreams["a"].settings = _with_seconds(source, 0.01)  # A config has it; connecting may take longer.
        result = await source.call("a_hang")
        source._upstreams["a"].settings = _with_seconds(source, 10)
        assert text(await source.call("a_echo", {"text": "x"})) == "x"

    assert text(result) == "error: a did not answer within 0.01 seconds"


@every_era
async def test_the_time_of_a_person_is_not_the_servers(revision: str) -> None:
    """On every era: whoever thinks for an hour is waited for, with a server that may take 30 seconds."""
    with skippable() as clock:

        async def slowly(request: Request) -> Answer:
            clock.skip(3600)
            await anyio.lowlevel.checkpoint()
            return request.accept({"size": "M"} if "size" in request.prompt else {"name": "Ada"})

        with speaking(revision), in_memory({"a": Asker().mcp}) as config:
            async with McpSource.load(config, wait_for=slowly) as source:
                assert text(await source.call("a_order")) == "M for Ada"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_a_server_has_no_more_time_after_a_question_than_before(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("a")
    with skippable() as clock:

        @mcp.tool()
        async def ask_and_hang(ctx: Context) -> str:
            await ctx.session.elicit_form("?", {"type": "object", "properties": {}}, ctx.request_id)
            clock.skip(31)
            await anyio.sleep_forever()
            return ""

        with speaking(revision), in_memory({"a": mcp}) as config:
            async with McpSource.load(config, wait_for=lambda request: request.accept()) as source:
                assert text(await source.call("a_ask_and_hang")) == "error: a did not answer within 30 seconds"


async def test_a_person_who_is_too_slow_is_told_apart_from_a_server_that_is() -> None:
    async def forever(request: Request) -> Answer:
        await anyio.sleep_forever()
        raise AssertionError

    async with hosting(Asker().mcp, "2026-07-28", wait_for=forever, timeout=0.001) as source:
        assert text(await source.call("a_greet")) == "Nobody: cancelled"


# --- death ------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def in_a_process(revision: str, **options: Any) -> AsyncIterator[McpSource]:
    with speaking(revision), anyio.fail_after(60):
        async with McpSource.load({"servers": {"a": process()}}, **options) as source:
            yield source


@pytest.mark.slow
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_call_in_flight_fails_with_its_server_and_the_next_connects_again(revision: str) -> None:
    async with in_a_process(revision, wait_for=Person()) as source:
        died = text(await source.call("a_die"))
        status = source.statuses["a"]

        assert text(await source.call("a_greet")) == "Hello, Ada!"
        assert source.statuses["a"].state == "connected"

    assert died == f"error: {Path(sys.executable).name} ended the connection"
    assert (status.state, "the next call connects again" in status.reason) == ("failed", True)


@pytest.mark.slow
async def test_a_question_whose_connection_is_lost_has_failed_and_is_withdrawn() -> None:
    """Issue 5: reason `failed`, never the person's doing."""
    told: list[Any] = []
    prompts: list[str] = []

    async def wait_for(request: Request) -> Answer:
        prompts.append("shown")
        group.start_soon(source.call, "a_die")
        try:
            await anyio.sleep_forever()
        finally:
            prompts.append("taken away")
        raise AssertionError

    async with in_a_process(
        "2025-11-25", wait_for=wait_for, on_answer=lambda _, answer: told.append(answer.reason)
    ) as source:
        source._upstreams["a"].takes_turns = lambda _: False  # type: ignore[method-assign]  # Or it would never die.
        async with anyio.create_task_group() as group:
            assert text(await source.call("a_greet")).endswith("ended the connection")
        while not told:
            await anyio.lowlevel.checkpoint()

    assert told == ["failed"]
    assert prompts == ["shown", "taken away"]


@every_era
async def test_a_call_that_is_cancelled_takes_its_question_away(revision: str) -> None:
    told: list[Any] = []
    shown = asyncio.Event()

    async def wait_for(request: Request) -> Answer:
        shown.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with hosting(
        Asker().mcp, revision, wait_for=wait_for, on_answer=lambda _, answer: told.append(answer.reason)
    ) as source:
        call = asyncio.create_task(source.call("a_greet"))
        await shown.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while not told:
            await anyio.lowlevel.checkpoint()
        assert text(await source.call("a_echo", {"text": "on"})) == "on"

    assert told == ["cancelled"]


@every_era
async def test_a_host_that_ends_takes_all_questions_away_and_leaves_nothing_running(revision: str) -> None:
    told: list[Any] = []
    shown = asyncio.Event()

    async def wait_for(request: Request) -> Answer:
        shown.set()
        await anyio.sleep_forever()
        raise AssertionError

    async with hosting(
        Asker().mcp, revision, wait_for=wait_for, on_answer=lambda _, answer: told.append(answer.reason)
    ) as source:
        call = asyncio.create_task(source.call("a_greet"))
        await shown.wait()
    with anyio.fail_after(5):
        await call
    upstream = source._upstreams["a"]

    assert told == ["cancelled"]
    assert all(connection.is_closed for connection in upstream._opened)
    with pytest.raises(ServerUnavailable, match="any more"):
        await upstream.connection()


async def test_who_gives_up_connecting_leaves_the_way_free_for_others() -> None:
    async with hosting(Asker().mcp, "2026-07-28") as source:
        source._upstreams["a"]._connection.end()
        calls = [asyncio.create_task(source.call("a_echo", {"text": word})) for word in "xyz"]
        await anyio.lowlevel.checkpoint()
        calls[0].cancel()

        assert [text(await call) for call in calls[1:]] == ["y", "z"]
        assert source.statuses["a"].state == "connected"


@pytest.mark.slow
async def test_on_2026_07_28_a_question_outlives_the_process_that_asked(tmp_path: Path) -> None:
    """Nothing is asked twice, nothing is lost: the answer goes to the next process, which has the same keys."""
    effects = tmp_path / "effects"
    person = Person()

    async def wait_for(request: Request) -> Answer:
        assert text(await source.call("a_die")).endswith("ended the connection")
        return await person(request)

    config = {"a": process(EFFECTS=str(effects), KEYS="k" * 32)}
    with anyio.fail_after(60):
        async with McpSource.load({"servers": config}, wait_for=wait_for) as source:
            assert text(await source.call("a_order")) == "M for Ada"

    assert [request.prompt for request in person.asked] == ["Which size?", "Who wants the M?"]
    assert effects.read_text().splitlines() == ["ordered"]


@pytest.mark.slow
async def test_a_process_with_other_keys_says_that_the_answer_came_too_late() -> None:
    async def wait_for(request: Request) -> Answer:
        await source.call("a_die")
        return request.accept({"name": "Ada"})

    async with in_a_process("2026-07-28", wait_for=wait_for) as source:
        assert "took the answer for too late" in text(await source.call("a_greet"))


async def test_a_server_that_comes_back_is_found_by_refreshing() -> None:
    servers: dict[str, Any] = {}

    with in_memory(servers) as _, anyio.fail_after(LIMIT):
        async with McpSource.load({"servers": {"a": {"command": "a"}}}) as source:
            before = (source.tools, source.statuses["a"].state)
            servers["a"] = Asker().mcp
            await source.refresh()

            assert before == ([], "failed")
            assert text(await source.call("a_echo", {"text": "x"})) == "x"


async def test_tools_that_a_server_gets_later_are_found_by_refreshing() -> None:
    asker = Asker()

    async with hosting(asker.mcp, "2026-07-28") as source:

        @asker.mcp.tool()
        async def later() -> str:
            return "here"

        await source.refresh()
        assert text(await source.call("a_later")) == "here"


@every_era
async def test_a_server_that_breaks_its_promise_is_told(revision: str) -> None:
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def sample(ctx: Context) -> str:
        return "x"

    async with hosting(mcp, revision) as source:
        source._upstreams["a"]._connection.client.session._tool_output_schemas["sample"] = {"required": ["other"]}
        result = text(await source.call("a_sample"))

    assert result.startswith("error: a broke the protocol: Invalid structured content")


async def test_an_endless_questioner_is_stopped() -> None:
    """Design, section 11: 10 rounds a call."""
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask(ctx: Context) -> InputRequiredResult:
        form = ElicitRequestFormParams(message="Again?", requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=form)})

    person = Person({"Again?": {}})
    async with hosting(mcp, "2026-07-28", wait_for=person) as source:
        assert text(await source.call("a_ask")) == "error: a asked for more than 10 rounds of answers"
    assert len(person.asked) == 10


async def test_a_server_may_ask_for_nothing_but_time() -> None:
    """2026-07-28, "Multi round-trip requests": a round with a state and no questions."""
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def wait(ctx: Context) -> str | InputRequiredResult:
        return (
            "done"
            if ctx.request_state == "2"
            else InputRequiredResult(request_state=(ctx.request_state and "2") or "1")
        )

    async with hosting(mcp, "2026-07-28", wait_for=Person()) as source:
        assert text(await source.call("a_wait")) == "done"


async def test_what_was_never_declared_is_not_answered() -> None:
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask(ctx: Context) -> InputRequiredResult:
        return InputRequiredResult(input_requests={"k": ListRootsRequest()})

    async with hosting(mcp, "2026-07-28", wait_for=Person()) as source:
        assert "asks for roots/list, which this host did not declare" in text(await source.call("a_ask"))


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_server_that_quotes_a_secret_does_not_get_it_into_a_text() -> None:
    started = StdioServer("/opt/shop", env={"TOKEN": "s3cr3t-token", "SHORT": "no"})
    over_http = HttpServer("https://example.com", headers={"Authorization": "Bearer s3cr3t-token"})
    error = MCPError(-32001, "no, s3cr3t-token is wrong")

    for server in (started, over_http):
        assert why_no_result(error, server).endswith("answered with an error: no, … is wrong (error -32001)")


def test_the_first_error_of_a_group_is_told() -> None:
    error = ExceptionGroup("x", [ExceptionGroup("y", [OSError(13, "Permission denied")]), ValueError("secret")])

    assert why_not_connected(error, StdioServer("/opt/shop")) == "shop cannot be started: Permission denied"


def test_an_error_nobody_knows_is_told_by_its_kind_alone() -> None:
    assert why_not_connected(KeyError("s3cr3t"), StdioServer("shop")) == "shop cannot be talked to (KeyError)"


def _with_seconds(source: McpSource, seconds: float) -> Any:
    return replace(source._upstreams["a"].settings, seconds=seconds)
