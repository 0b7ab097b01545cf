"""Finding the server that a command names: `module:name`."""

from __future__ import annotations

import importlib
import os
import sys
from difflib import get_close_matches
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .exits import Exit, Failure

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def server_at(place: str) -> MCPServer[Any]:
    """The server of that place; modules of the working directory are found, too.

    Raises:
        Failure: If there is no such module or name, the module cannot be imported, or it is no `MCPServer`.
    """
    from mcp.server.mcpserver import MCPServer

    name, separator, attribute = place.partition(":")
    if not (name and separator and attribute) or name.endswith(".py") or "/" in name:
        raise Failure(Exit.USAGE, f"a server is named as module:name, as in shop:mcp or shop.main:mcp, not {place!r}")
    module = _module(name)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise Failure(Exit.USAGE, f"the module {name!r} has no {attribute!r}{_instead(module, attribute)}")
        found = getattr(found, part)
    if not isinstance(found, MCPServer):
        raise Failure(Exit.USAGE, f"{place!r} is no MCPServer of the SDK, which alone has tasks, but {_kind(found)}")
    return found


def _module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise Failure(Exit.USAGE, f"there is no module {error.name!r} here, nor among what is installed") from error
        raise Failure(Exit.USAGE, f"the module {name!r} cannot be imported: {error}") from error
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise Failure(Exit.USAGE, f"the module {name!r} cannot be imported: {told} (--debug shows where)") from error


def _instead(module: ModuleType, attribute: str) -> str:
    """The servers that the module has, or a name like the one given."""
    from mcp.server.mcpserver import MCPServer

    servers = [name for name, value in vars(module).items() if isinstance(value, MCPServer)]
    close = servers or get_close_matches(attribute, vars(module), n=1)
    return f"; it has {', '.join(map(repr, close))}" if close else ""


def _kind(found: object) -> str:
    module, name = type(found).__module__.partition(".")[0], type(found).__name__
    return name if module == "builtins" else f"a {name} of {module}"
