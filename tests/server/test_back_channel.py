"""The handshake eras: what the road does when the client or the connection cannot do its part (design, section 7)."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from mcp import Client
from mcp.client._memory import InMemoryTransport
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, ErrorData, JSONRPCResponse

from elicitkit import Elicitation, FormElicitation, elicit
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras

pytestmark = pytest.mark.anyio


def asker() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, FormElicitation.create("Name?").string("name").required())
        return outcome.content["name"] if outcome else f"no: {outcome.reason}"

    return mcp


async def error_of(answer: Any) -> str:
    async def callback(_: object, __: object) -> Any:
        return answer

    async with eras.connected(asker(), "2025-11-25", callback) as client:
        return await eras.said(client, "ask")


@pytest.mark.parametrize("code", [METHOD_NOT_FOUND, INVALID_REQUEST])
async def test_a_client_that_refuses_the_method_is_one_that_cannot_be_asked(code: int) -> None:
    text = await error_of(ErrorData(code=code, message="Elicitation not supported"))

    assert text == "error: This needs an answer from you, and the application you use refused to ask you."


async def test_a_clients_failure_is_never_the_persons_doing(caplog: pytest.LogCaptureFixture) -> None:
    """Report R061: a failure of the machine came out as "cancelled by user"."""
    text = await error_of(ErrorData(code=INTERNAL_ERROR, message="cannot send 'what was typed'"))

    assert text == f"error: The client answered a question with the error {INTERNAL_ERROR}."
    assert "what was typed" not in caplog.text


class Answering(InMemoryTransport):
    """A client's side that puts *answer* in place of the elicitation result it was about to send."""

    def __init__(self, server: MCPServer[Any], answer: dict[str, Any]) -> None:
        super().__init__(server)
        self.answer = answer

    async def __aenter__(self) -> Any:
        read, write = await super().__aenter__()
        return read, Changed(write, self.answer)


class Changed:
    def __init__(self, stream: Any, answer: dict[str, Any]) -> None:
        self.stream, self.answer = stream, answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    async def send(self, message: Any) -> None:
        if isinstance(message.message, JSONRPCResponse):
            message.message.result = self.answer
        await self.stream.send(message)

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stream.aclose()


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        ({"action": "reject"}, "at action: an ElicitResult has the action accept, decline or cancel, not 'reject'"),
        ({"action": "accept", "content": {"name": {"first": "secret"}}}, "at content"),
        ({"action": "accept", "content": ["secret"]}, "at content"),
        ({}, "at action"),
        ({"content": {"name": "secret"}}, "at action"),
        ({"action": {"secret": "secret"}}, "at action"),
    ],
)
async def test_a_reply_the_protocol_does_not_allow_is_a_clear_error(
    answer: dict[str, Any], where: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Report R029: early documentation said `reject`; and content is flat (specification, ElicitResult)."""
    with anyio.fail_after(5), ScriptedAnswers([accept(name="Ada")]) as answers:
        async with Client(Answering(asker(), answer), mode="legacy", elicitation_callback=answers) as client:
            text = await eras.said(client, "ask")

    assert where in text
    assert "secret" not in text + caplog.text


@asynccontextmanager
async def served(mcp: MCPServer[Any], **how: bool) -> AsyncIterator[str]:
    """A server on streamable HTTP at a free port of this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(mcp.streamable_http_app(**how), log_level="critical", lifespan="on"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            server.should_exit = True


@pytest.mark.parametrize("how", [{"stateless_http": True}, {"json_response": True}], ids=lambda how: next(iter(how)))
async def test_a_handshake_connection_without_a_way_back_says_so_at_once(how: dict[str, bool]) -> None:
    """Report R085: asking over stateless HTTP hung for ever."""
    with anyio.fail_after(5), ScriptedAnswers([]) as answers:
        async with served(asker(), **how) as url, Client(url, mode="legacy", elicitation_callback=answers) as client:
            text = await eras.said(client, "ask")

    assert "the connection has no way to ask" in text
    assert "Use a newer client, or run the server with sessions" in text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_http_with_sessions_both_eras_are_asked(mode: str) -> None:
    """Report R087: a form drew over HTTP, and its answer never reached the server."""
    with anyio.fail_after(10), ScriptedAnswers([accept(name="Ada")]) as answers:
        async with served(asker()) as url, Client(url, mode=mode, elicitation_callback=answers) as client:
            text = await eras.said(client, "ask")

    assert text == "Ada"


@pytest.mark.parametrize("how", [{"stateless_http": True}, {"json_response": True}], ids=lambda how: next(iter(how)))
async def test_round_trips_need_no_way_back(how: dict[str, bool]) -> None:
    with anyio.fail_after(10), ScriptedAnswers([accept(name="Ada")]) as answers:
        async with served(asker(), **how) as url, Client(url, elicitation_callback=answers) as client:
            text = await eras.said(client, "ask")

    assert text == "Ada"


async def test_cancelling_the_call_withdraws_the_question() -> None:
    """Report R075: the dialog stayed open after the job that waited for it had died."""
    withdrawn = anyio.Event()
    shown = anyio.Event()

    async def callback(_: object, __: object) -> Any:
        shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            withdrawn.set()

    async with eras.connected(asker(), "2025-11-25", callback) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(eras.said, client, "ask")
        await shown.wait()
        tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await withdrawn.wait()

    assert withdrawn.is_set()


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26"])
async def test_a_revision_without_elicitation_says_so(revision: str) -> None:
    with ScriptedAnswers([]) as answers:
        async with eras.connected(asker(), revision, answers) as client:
            text = await eras.said(client, "ask")

    assert f"The connection speaks MCP {revision}, which has no way to ask" in text


class TestFirstRevision:
    """2025-06-18 has no titled options but `enumNames`, no multiple choice, and no default but a boolean's."""

    async def test_a_multiple_choice_is_asked_as_booleans_and_folded_back(self) -> None:
        mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

        @mcp.tool()
        async def ask(ctx: Context) -> str:
            form = (
                FormElicitation.create("Which?")
                .multi_choice("roles")
                .options({"admin": "Administrator", "user": "User"})
            )
            form = form.min_items(1).choice("speed").options({"std": "Standard"}).default("std")
            return str((await elicit(ctx, form)).content)

        with ScriptedAnswers([accept(roles_1=False, roles_2=True)]) as answers:
            async with eras.connected(mcp, "2025-06-18", answers) as client:
                text = await eras.said(client, "ask")

        assert text == "{'roles': ['user'], 'speed': 'std'}"
        assert answers.asked[0].schema["properties"] == {
            "roles_1": {
                "type": "boolean",
                "title": "Roles: Administrator",
                "description": "(choose at least 1)",
            },
            "roles_2": {"type": "boolean", "title": "Roles: User"},
            "speed": {
                "type": "string",
                "title": "Speed",
                "enum": ["std"],
                "enumNames": ["Standard"],
                "description": "(default: Standard)",
            },
        }

    async def test_a_multiple_choice_of_too_many_options_is_unsupported(self) -> None:
        mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()])

        @mcp.tool()
        async def ask(ctx: Context) -> str:
            form = FormElicitation.create("Which?").multi_choice("roles").options(map(str, range(13)))
            return str(await elicit(ctx, form))

        with ScriptedAnswers([]) as answers:
            async with eras.connected(mcp, "2025-06-18", answers) as client:
                text = await eras.said(client, "ask")

        assert "'Roles' has 13 options: more than the 12 that could be asked one by one" in text
