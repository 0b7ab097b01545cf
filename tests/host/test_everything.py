"""A server that nobody here wrote: forms and links, as a process and over HTTP (issue 5, proof)."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import anyio
import pytest

from elicitkit import McpSource, Origin
from tests.host.hosting import Person, text

PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"
PAGE = "https://example.com/connect"
FORM = "Please provide inputs for the following fields:"
DEFAULTS: dict[str, Any] = {
    "firstLine": "It was a dark and stormy night.",
    "integer": 42,
    "number": 3.14,
    "untitledSingleSelectEnum": "Monica",
    "untitledMultipleSelectEnum": ["Guitar"],
    "titledSingleSelectEnum": "hero-1",
    "titledMultipleSelectEnum": ["fish-1"],
    "legacyTitledEnum": "pet-1",
}

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.node,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npx") is None, reason="missing here: needs npx"),
]


@asynccontextmanager
async def as_a_process() -> AsyncIterator[dict[str, Any]]:
    yield {"command": "npx", "args": ["-y", PACKAGE, "stdio"], "timeout": 120}


@asynccontextmanager
async def over_http() -> AsyncIterator[dict[str, Any]]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = ["npx", "-y", PACKAGE, "streamableHttp"]
    server = await anyio.open_process(command, env={**os.environ, "PORT": str(port)}, start_new_session=True, **quiet)
    try:
        while not _answers(port):
            assert server.returncode is None, "the server ended"
            await anyio.sleep(0.05)  # Another process's start is not ours to hear of.
        yield {"url": f"http://127.0.0.1:{port}/mcp"}
    finally:
        os.killpg(server.pid, 15)  # npx starts the server as a child of its own.
        await server.wait()


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def hosting(connection: Any, person: Person) -> AsyncIterator[McpSource]:
    with anyio.fail_after(150):
        async with connection() as entry:
            config = {"mcpServers": {"every thing": entry}}
            async with McpSource.load(config, wait_for=person, link_seconds=0.1) as source:
                assert source.statuses["every thing"].state == "connected", source.statuses
                yield source


@pytest.mark.parametrize("connection", [as_a_process, over_http])
async def test_forms_and_links_of_a_stranger_go_through_the_slot(connection: Any) -> None:
    answers = {FORM: {"name": "Ada", "email": None}, "Connect": {"token": "never sent"}}
    person = Person(answers)
    link = {"url": PAGE, "message": "Connect", "elicitationId": "e-1"}

    async with hosting(connection, person) as source:
        form = text(await source.call("every_thing_trigger-elicitation-request"))
        asked = text(await source.call("every_thing_trigger-url-elicitation", link))
        required = text(await source.call("every_thing_trigger-url-elicitation", {**link, "errorPath": True}))

    assert json.loads(form.partition("Raw result: ")[2]) == {
        "action": "accept",
        "content": {"name": "Ada", **DEFAULTS},
    }
    assert "never sent" not in asked
    assert not asked.startswith("error"), asked
    assert not required.startswith("error"), required
    links = [(request.url, Origin.of(request).elicitation_id) for request in person.asked if request.url]
    assert [request.kind for request in person.asked] == ["input", *["authorization"] * 3]
    assert links[0] == links[2] == (PAGE, "e-1")  # Before the third, the server requires one of its own.
    assert {Origin.of(request).server for request in person.asked} == {"every thing"}


@pytest.mark.parametrize("connection", [as_a_process])
async def test_a_person_who_declines_is_told_apart_from_one_who_cancels(connection: Any) -> None:
    refusals = [lambda request: request.decline(), lambda request: request.cancel()]
    person = Person({FORM: lambda request: refusals.pop(0)(request)})

    async with hosting(connection, person) as source:
        said = [text(await source.call("every_thing_trigger-elicitation-request")) for _ in range(2)]

    raw = [json.loads(one.partition("Raw result: ")[2])["action"] for one in said]
    assert raw == ["decline", "cancel"]
