"""What servers do wrong, and how long they may take (issue 5, point 4): one bad server never breaks the rest."""

import asyncio
import logging
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
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from elicitkit import Answer, McpSource, Request, ServerUnavailable, Toolkit
from elicitkit.host.connection import Connection
from elicitkit.host.quiet_logs import hide_queries
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
            with pytest.raises(ValueError, match="The server 'dead command' has failed: no-such-program cannot"):
                await source.call("dead_command_pay")

    assert {name: status.state for name, status in statuses.items()} == {
        "good": "connected",
        **dict.fromkeys(list(config)[1:-1], "failed"),
        "off": "disabled",
    }
    assert statuses["dead command"].reason == "no-such-program cannot be started: there is no such program"
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

    assert died == "error: a ended the connection"
    assert (status.state, "the next call connects again" in status.reason) == ("failed", True)


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
        assert why_no_result(error, server, name="shop").endswith(
            "answered with an error: no, [taken out] is wrong (error -32001)"
        )


def test_the_first_error_of_a_group_is_told() -> None:
    error = ExceptionGroup("x", [ExceptionGroup("y", [OSError(13, "Permission denied")]), ValueError("secret")])

    assert why_not_connected(error, StdioServer("/opt/shop")) == "shop cannot be started: Permission denied"


def test_an_error_nobody_knows_is_told_by_its_kind_alone() -> None:
    assert why_not_connected(KeyError("s3cr3t"), StdioServer("shop")) == "shop cannot be talked to (KeyError)"


def _with_seconds(source: McpSource, seconds: float) -> Any:
    return replace(source._upstreams["a"].settings, seconds=seconds)


async def test_a_host_that_ended_says_so() -> None:
    async with hosting(Asker().mcp, "2025-11-25", wait_for=Person()) as source:
        call = asyncio.create_task(source.call("a_hang"))
        while not source._upstreams["a"]._connection.calls:
            await anyio.lowlevel.checkpoint()
    with anyio.fail_after(5):
        told = text(await call)

    assert told == "error: a is not connected to any more: the host has ended"
    assert source.statuses["a"].reason == "a is not connected to any more: the host has ended"


@pytest.mark.parametrize("way", ["any", "sse"])
async def test_the_status_of_an_address_that_refuses_is_told(way: str) -> None:
    async def refuse(request: Any) -> PlainTextResponse:
        return PlainTextResponse("no", status_code=500 if request.method == "POST" else 503)

    app = Starlette(routes=[Route("/{path:path}", refuse, methods=["GET", "POST"])])
    with anyio.fail_after(LIMIT):
        async with (
            serving.served(app) as address,
            McpSource.load({"servers": {"a": {"url": f"{address}/mcp", "type": way}}}) as source,
        ):
            reason = source.statuses["a"].reason

    assert "answered 503 Service Unavailable" in reason
    assert ("answered 500 Internal Server Error, and by SSE" in reason) is (way == "any")


def test_no_value_of_what_was_answered_is_in_a_reason() -> None:
    dump = (
        "1 validation error for X\nname\n  Field required [type=missing, input_value={'a': 's3cr3t'}, input_type=dict]"
    )

    for error in (MCPError(-32602, dump), RuntimeError(dump)):
        told = why_no_result(error, StdioServer("/opt/shop"), name="shop")
        assert "Field required" in told
        assert "input_value" not in told


def test_a_secret_in_an_address_is_taken_out_however_it_is_spelt() -> None:
    server = HttpServer("https://example.com/mcp?key=s3cr3t%2Ftoken", headers={"X": "ab/cdefgh"})
    error = MCPError(-32001, r"no: s3cr3t/token, ab\/cdefgh, \u0061b/cdefgh")

    assert "no: [taken out], [taken out], [taken out]" in why_no_result(error, server, name="shop")


async def test_a_list_of_tools_with_a_name_twice_and_no_end_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    entry = {"command": sys.executable, "args": [str(Path(__file__).with_name("raw_server.py")), "twice"]}
    with anyio.fail_after(LIMIT):
        async with McpSource.load({"servers": {"s": entry}}, wait_for=Person()) as source:
            kit = Toolkit([source])
            assert [(info.name, info.description) for info in kit.tools] == [("s_t", ""), ("s_u", "")]
            assert (await kit.execute("s_t")).output == "t done"

    assert "lists the tool 't' twice" in caplog.text
    assert "has no end" in caplog.text


async def test_a_session_that_is_forgotten_ends_no_other_call_and_runs_none_twice() -> None:
    ran: list[str] = []
    printer = Printer()
    with anyio.fail_after(LIMIT):
        async with (
            serving.served(forgetful(ran, printer)) as address,
            McpSource.load({"servers": {"s": {"url": f"{address}/mcp"}}}, wait_for=Person()) as source,
        ):
            paying = asyncio.create_task(source.call("s_pay"))
            await printer.wanted.wait()
            other = text(await source.call("s_other"))
            printer.prints.set()
            paid = text(await paying)

    assert other == ""
    assert paid.endswith("answered with an error: no paper (error -32000)")
    assert ran == ["pay", "forgotten", "other"]


class Printer:
    """What a payment waits for, and when."""

    def __init__(self) -> None:
        self.wanted, self.prints = asyncio.Event(), asyncio.Event()


def forgetful(ran: list[str], printer: Printer) -> Any:
    """A server of 2025-11-25 over HTTP that forgets its session while a call is open, which fails later."""

    async def call(tool: str) -> dict[str, Any] | None:
        if tool == "pay":
            ran.append("pay")
            printer.wanted.set()
            await printer.prints.wait()
            return {"error": {"code": -32000, "message": "no paper"}}
        if "forgotten" not in ran:
            ran.append("forgotten")
            return None
        ran.append("other")
        return {"result": {"content": []}}

    answer = answering_as("r", call)
    return Starlette(routes=[Route("/mcp", answer, methods=["GET", "POST", "DELETE"])])


async def nothing(tool: str) -> dict[str, Any] | None:
    return None


def answering_as(name: str, call: Any = nothing) -> Any:
    """The messages of a server of 2025-11-25 over HTTP with two tools; where a call gives nothing, it is a 404."""
    about = {"capabilities": {"tools": {}}, "serverInfo": {"name": name, "version": "1"}}
    tools = [{"name": tool, "inputSchema": {"type": "object"}} for tool in ("pay", "other")]
    results = {"initialize": {"protocolVersion": "2025-11-25", **about}, "tools/list": {"tools": tools}}

    async def answer(request: Any) -> Response:
        asked = await request.json() if request.method == "POST" else {}
        method = asked.get("method")
        if asked.get("id") is None:
            return Response(status_code=202 if method else 405)
        body: dict[str, Any] | None = {"error": {"code": -32601, "message": "no"}}
        if method in results:
            body = {"result": results[method]}
        elif method == "tools/call":
            body = await call(asked["params"]["name"])
        if body is None:
            return Response(status_code=404)
        return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], **body}, headers={"mcp-session-id": "1"})

    return answer


async def test_the_query_of_an_address_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with anyio.fail_after(LIMIT):
        async with (
            serving.served(Asker().mcp.streamable_http_app()) as address,
            McpSource.load({"servers": {"a": {"url": f"{address}/mcp?key=s3cr3t-token"}}}) as source,
        ):
            assert text(await source.call("a_echo", {"text": "x"})) == "x"

    ours = [record for record in caplog.records if record.name in ("httpx2", "mcp.client.streamable_http")]
    assert any(f"{address}/mcp" in record.getMessage() for record in ours)
    assert not any("s3cr3t-token" in record.getMessage() for record in ours)


async def test_the_status_that_a_call_was_refused_with_is_told() -> None:
    async def refuse(request: Any) -> Response:
        asked = await request.json() if request.method == "POST" else {}
        if asked.get("method") == "tools/call":
            return Response(status_code=502)
        return await ordinary(request)

    ordinary = answering_as("r")
    app = Starlette(routes=[Route("/mcp", refuse, methods=["GET", "POST", "DELETE"])])
    with anyio.fail_after(LIMIT):
        async with (
            serving.served(app) as address,
            McpSource.load({"servers": {"s": {"url": f"{address}/mcp"}}}) as source,
        ):
            told = text(await source.call("s_pay"))

    assert told == "error: s answered 502 Bad Gateway"


@pytest.mark.parametrize(
    "said", ["GET https://user:s3cr3t@example.com/mcp?key=s3cr3t 200", "to http://EXAMPLE.com/x#s3cr3t"]
)
def test_only_addresses_of_our_servers_are_shortened_in_logs(said: str, caplog: pytest.LogCaptureFixture) -> None:
    hide_queries("https://example.com/mcp?key=1")
    caplog.set_level("INFO")

    logging.getLogger("httpx2").info("%s", said)
    logging.getLogger("httpx2").info("%s", "GET https://others.example/?q=kept")

    assert "s3cr3t" not in caplog.text
    assert "xample.com/" in caplog.text.lower()
    assert "https://others.example/?q=kept" in caplog.text
