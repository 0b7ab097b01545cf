"""A server of each framework, with the same tools."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import mcp.server.mcpserver as sdk

import elicitkit


def mcpserver(bodies: Sequence[Callable[..., Any]], keys: str | None = None) -> Any:
    security = elicitkit.state_security(keys) if keys else None
    server = sdk.MCPServer("roads", middleware=[elicitkit.Elicitation()], request_state_security=security)
    for body in bodies:
        server.tool()(with_context(sdk.Context, body))
    return server


def fastmcp(bodies: Sequence[Callable[..., Any]], keys: str | None = None) -> Any:
    import fastmcp as framework

    from elicitkit.server import fastmcp as adapter

    security = elicitkit.state_security(keys) if keys else None
    server = framework.FastMCP("roads", middleware=[adapter.Elicitation()], request_state_security=security)
    for body in bodies:
        server.tool(with_context(framework.Context, body))
    return server


FRAMEWORKS: dict[str, Callable[..., Any]] = {"mcpserver": mcpserver, "fastmcp": fastmcp}


def with_context(context: type[Any], body: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with a context of the framework's, which finds it by its annotation."""

    async def tool(**arguments: Any) -> Any:
        return await body(**arguments)

    signature = inspect.signature(body)
    parameters = [
        one.replace(annotation=context) if one.name == "ctx" else one for one in signature.parameters.values()
    ]
    tool.__name__ = tool.__qualname__ = body.__name__
    tool.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    tool.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": signature.return_annotation}
    return tool


def low_level(server: Any) -> Any:
    """What a client in the same process connects to."""
    return server if isinstance(server, sdk.MCPServer) else server._mcp_server


HTTP: dict[str, dict[str, bool]] = {"http": {}, "stateless": {"stateless_http": True}, "json": {"json_response": True}}
"""The ways to serve streamable HTTP."""


def http_app(server: Any, way: str) -> Any:
    make = server.streamable_http_app if isinstance(server, sdk.MCPServer) else server.http_app
    return make(**HTTP[way])
