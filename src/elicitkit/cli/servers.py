"""Finding the server that a command names: `module:name`, or `file.py:name`."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..naming import nearest
from .exits import Exit, Failure
from .loading import imported

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def server_at(place: str) -> MCPServer[Any]:
    """The server of that place.

    Raises:
        Failure: If there is no such module or name, the module cannot be imported, or it is no `MCPServer`.
    """
    from mcp.server.mcpserver import MCPServer

    where, _, attribute = place.rpartition(":")
    if not (where and attribute):
        raise Failure(Exit.USAGE, f"a server is named as module:name, as in shop:mcp or shop.py:mcp, not {place!r}")
    module = imported(where)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise Failure(Exit.USAGE, f"{where} has no {attribute!r}{_instead(module, attribute)}")
        found = getattr(found, part)
    if not isinstance(found, MCPServer):
        raise Failure(Exit.USAGE, f"{place!r} is no MCPServer of the SDK, which alone has tasks, but {_kind(found)}")
    return found


def _instead(module: ModuleType, attribute: str) -> str:
    """The servers that the module has, or a name like the one given."""
    from mcp.server.mcpserver import MCPServer

    servers = [name for name, value in vars(module).items() if isinstance(value, MCPServer)]
    return f"; it has {', '.join(map(repr, servers))}" if servers else f": {nearest(attribute, vars(module))}"


def _kind(found: object) -> str:
    module, name = type(found).__module__.partition(".")[0], type(found).__name__
    return name if module == "builtins" else f"a {name} of {module}"
