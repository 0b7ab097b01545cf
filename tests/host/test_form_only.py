"""A client that cannot open links does not declare them (specification, "Elicitation")."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.client import Transport
from mcp.client._memory import InMemoryTransport
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitResult

from elicitkit.host.form_only import FormOnly, without_links
from tests import eras
from tests.host import serving

pytestmark = pytest.mark.anyio

META = "io.modelcontextprotocol/clientCapabilities"
BOTH: dict[str, Any] = {"form": {}, "url": {}}


def reporter() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("reporter")

    @mcp.tool()
    async def declared(ctx: Context) -> str:
        told = ctx.client_capabilities
        return repr(told.elicitation.model_dump(exclude_none=True) if told and told.elicitation else None)

    return mcp


async def accepting(context: object, params: object) -> ElicitResult:
    return ElicitResult(action="accept", content={})


@asynccontextmanager
async def in_memory() -> AsyncIterator[Transport]:
    yield InMemoryTransport(reporter())


@asynccontextmanager
async def over_http() -> AsyncIterator[Transport]:
    async with serving.served(reporter().streamable_http_app()) as address:
        yield streamable_http_client(f"{address}/mcp")


@pytest.mark.parametrize("connection", [in_memory, over_http])
@pytest.mark.parametrize("revision", eras.ALL)
async def test_a_server_sees_forms_alone(connection: Any, revision: str) -> None:
    async with connection() as transport, eras.connected(FormOnly(transport), revision, accepting) as client:
        assert client.protocol_version == revision
        assert await eras.said(client, "declared") == "{'form': {}}"
        assert await eras.said(client, "declared") == "{'form': {}}"


@pytest.mark.parametrize("revision", eras.ALL)
async def test_a_client_that_cannot_ask_declares_nothing(revision: str) -> None:
    async with in_memory() as transport, eras.connected(FormOnly(transport), revision) as client:
        assert await eras.said(client, "declared") == "None"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_without_the_wrapper_the_sdk_declares_links_too(mode: str) -> None:
    """When this fails, the SDK has learned to declare one mode, and the wrapper can go."""
    async with Client(InMemoryTransport(reporter()), mode=mode, elicitation_callback=accepting) as client:
        assert await eras.said(client, "declared") == repr(BOTH)


@pytest.mark.parametrize(
    ("elicitation", "expected"),
    [
        (BOTH, {"elicitation": {"form": {}}}),
        ({"form": {"kept": 1}, "url": {}}, {"elicitation": {"form": {"kept": 1}}}),
        ({}, {"elicitation": {}}),  # 2025-06-18: an empty object declares forms
        ({"url": {}}, {}),  # ... which a client of links alone never said
        (None, {"elicitation": None}),
    ],
)
async def test_only_the_link_is_taken_out(elicitation: Any, expected: dict[str, Any]) -> None:
    capabilities = {"elicitation": elicitation, "roots": {"listChanged": True}}
    roots = {"roots": {"listChanged": True}}

    assert without_links({"capabilities": capabilities}) == {"capabilities": {**expected, **roots}}
    assert without_links({"_meta": {META: capabilities, "x": 1}}) == {"_meta": {META: {**expected, **roots}, "x": 1}}
    assert capabilities == {"elicitation": elicitation, **roots}  # the SDK sends the same object again


@pytest.mark.parametrize("params", [{}, {"_meta": None}, {"capabilities": []}, {"name": "x", "_meta": {META: 7}}])
async def test_other_params_stay_as_they_are(params: dict[str, Any]) -> None:
    assert without_links(params) == params
