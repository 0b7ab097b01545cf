"""The transport to a server, and what may be said about one (design, section 9: secrets are never logged)."""

from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from elicitkit.host import servers
from elicitkit.host.servers import CONNECT_SECONDS, HttpServer, StdioServer, transport
from tests.host import serving


def test_nothing_shows_what_may_be_secret() -> None:
    started = StdioServer("/opt/shop", env={"KEY": "s3cret"})
    over_http = HttpServer("https://user:s3cret@example.com:8443/mcp?key=s3cret#s3cret", headers={"A": "s3cret"})

    assert "s3cret" not in repr(started) + repr(over_http) + started.described + over_http.described
    assert (started.described, over_http.described) == ("shop", "https://example.com:8443/mcp")


@pytest.mark.anyio
async def test_headers_go_with_every_request() -> None:
    mcp: MCPServer[Any] = MCPServer("gate")

    @mcp.tool()
    async def token(ctx: Context) -> str:
        return (ctx.headers or {}).get("x-token", "none")

    with anyio.fail_after(10):
        async with serving.served(mcp.streamable_http_app()) as address:
            server = HttpServer(f"{address}/mcp", headers={"X-Token": "s3cret"})
            async with Client(transport(server)) as client:
                result = await client.call_tool("token", {})

    assert result.structured_content == {"result": "s3cret"}


@pytest.mark.anyio
async def test_a_server_over_http_may_be_silent_as_long_as_a_person_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report R065: a deadline ran while a person filled in the form. The SDK's own client stops reading after 300 s."""
    seen: list[httpx2.Timeout] = []

    class Recording(servers.SteadyClient):
        def __init__(self, **settings: Any) -> None:
            seen.append(settings["timeout"])
            super().__init__(**settings)

    monkeypatch.setattr(servers, "SteadyClient", Recording)
    async with transport(HttpServer("http://127.0.0.1:9/mcp")):
        pass

    assert [timeout.read for timeout in seen] == [None]
    assert seen[0].connect == CONNECT_SECONDS


@pytest.mark.parametrize(
    ("command", "shown"),
    [("/opt/my shop/run it", "run it"), ("python -m shop --key=s3cr3t/s3cr3t", "python"), ("/bin/shop", "shop")],
)
def test_what_was_written_into_a_command_is_not_shown(command: str, shown: str) -> None:
    assert StdioServer(command).described == shown
