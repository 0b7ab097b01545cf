"""`elicitkit demo --web`: the same demo, with the pages of an inbox in place of the terminal."""

from __future__ import annotations

import os
import secrets
import sys
from functools import partial
from typing import Final, TextIO

import anyio
from mcp_types import CallToolResult

from ..host.inbox import Inbox
from ..host.inbox.memory import MemoryInboxStore
from ..host.source import McpSource
from ..render.web import inbox_app, link_of_app, serving
from . import results
from .calling import START_SECONDS
from .exits import Exit, Failure
from .output import say

SERVER: Final = "harbour-talks"


def run(tool: str, *, debug: bool = False) -> Exit:
    """Serve the pages, call the tool, and print what it returns.

    Args:
        tool: The tool of the demo's server.
        debug: Let the server write to this process's standard error.

    Raises:
        Failure: If the server could not be talked to.
        MissingExtra: If the extra `web` is not installed.
    """
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        return anyio.run(partial(_run, tool, sys.stderr if debug else nowhere))


async def _run(tool: str, errlog: TextIO) -> Exit:
    token = secrets.token_urlsafe(32)
    async with Inbox(MemoryInboxStore(), host="elicitkit demo") as inbox:
        app = inbox_app(inbox, token=token, title="Inbox of the demo")
        async with serving(app) as address:
            say(
                f"Open this in a browser; what is asked waits there. Ctrl-C ends it.\n\n  {link_of_app(address, token)}"
            )
            return await _call(inbox, tool, errlog)


async def _call(inbox: Inbox, tool: str, errlog: TextIO) -> Exit:
    server = {
        "command": sys.executable,
        "args": ["-m", "elicitkit.cli.demo_server"],
        "env": dict(os.environ),
        "timeout": START_SECONDS,
    }
    async with McpSource.load({"mcpServers": {SERVER: server}}, wait_for=inbox.slot(), errlog=errlog) as source:
        if (status := source.statuses[SERVER]).state != "connected":
            raise Failure(Exit.UNREACHABLE, f"the server of the demo cannot be reached: {status.reason}")
        result = await source.call(next(one.name for one in source.tools if one.name.endswith(tool)), {})
    assert isinstance(result, CallToolResult), "it waits for people"
    return results.show(result, tool)
