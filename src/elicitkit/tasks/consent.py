"""Whether a client may be given tasks, and whether a request may name one (Tasks extension, "Negotiation")."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import HEADER_MISMATCH

from .messages import EXTENSION


def declares_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client that sent a request knows tasks."""
    capabilities = ctx.session.client_capabilities
    return bool(capabilities and capabilities.extensions and EXTENSION in capabilities.extensions)


def require_tasks(ctx: ServerRequestContext[Any, Any]) -> None:
    """Make sure that it does.

    Raises:
        MCPError: -32021 if not.
    """
    require_client_extension(ctx, EXTENSION)


def require_addressed(ctx: ServerRequestContext[Any, Any], task_id: str) -> None:
    """Make sure that a request may name a task, and names it where it is to.

    Raises:
        MCPError: -32021 without the extension declared, -32020 for another `Mcp-Name`.
    """
    require_tasks(ctx)
    headers = getattr(ctx.request, "headers", None)
    if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        raise MCPError(code=HEADER_MISMATCH, message="The header Mcp-Name is to be the taskId.")
