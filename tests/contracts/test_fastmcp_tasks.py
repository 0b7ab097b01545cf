"""FastMCP's client drives our tasks, and our client drives FastMCP's (`fastmcp-tasks`, the same extension, in memory).

It needs another version of FastMCP than our adapter, and so an environment of its own: `make test` makes
`.peers/fastmcp`. Three things do not work together, and have tests that fail once they do:

- Over HTTP FastMCP's client leaves out the header `Mcp-Name` on `tasks/get`, `tasks/update` and `tasks/cancel`, which
  the extension says it MUST set; a server has to refuse that (-32020), and FastMCP's own does not. With the header, and
  over stdio, which has none, all is well.
- Inside a task of FastMCP's no tool can `await ctx.elicit(…)`: it has to return its question, and is run again.
- Its `lastUpdatedAt` is the moment of the look, whatever happened before: our `patience` never runs out on its tasks.

Run as a module, it is our server on stdio.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import fail_after
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import HEADER_MISMATCH, CallToolResult, ElicitResult, TextContent

from elicitkit import (
    Elicitation,
    FormElicitation,
    MemoryTaskStore,
    TaskHandle,
    Tasks,
    TasksClient,
    elicit,
    elicit_all,
)
from elicitkit.tasks.client import TaskState
from elicitkit.tasks.record import TaskRecord
from tests.host.serving import served

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".peers" / "fastmcp"
SCRIPT = Path(__file__).with_name("fastmcp_tasks_peer.py")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        not (PEER / "installed").exists(),
        reason="missing here: needs fastmcp-tasks 4.1 in .peers/fastmcp, which `make test` makes",
    ),
]


def command(what: str) -> list[str]:
    return [str(PEER / "bin" / "python"), str(SCRIPT), what]


def alone() -> dict[str, str]:
    """The environment, but for what would let the peer find our package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


# --- our server -------------------------------------------------------------------------------------------------------


class CountingStore(MemoryTaskStore):
    """Lets a tool wait until its task was asked for so many times."""

    def __init__(self) -> None:
        super().__init__()
        self.polls = 0
        self.polled = asyncio.Event()

    async def get(self, task_id: str, *, owner: str | None) -> TaskRecord:
        self.polls += 1
        self.polled.set()
        return await super().get(task_id, owner=owner)


def shop(store: CountingStore) -> MCPServer[Any]:
    tasks = Tasks(store, tools=lambda tool, arguments: "required", poll_interval=0.05)
    mcp = MCPServer[Any]("ours", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

    @mcp.tool()
    async def order(ctx: Context) -> str:
        size = await elicit(ctx, FormElicitation.create("size?").string("size").max_length(2))
        if not size:
            return size.reason
        colour = await elicit(ctx, FormElicitation.create("colour?").string("colour").required())
        return f"{size.content['size']} {colour.content['colour'] if colour else colour.reason}"

    @mcp.tool()
    async def parcel(ctx: Context) -> str:
        street, city = (FormElicitation.create(f"{name}?").string(name).required() for name in ("street", "city"))
        outcomes = await elicit_all(ctx, street=street, city=city)
        return ", ".join(outcome.content[name] for name, outcome in outcomes.items())

    @mcp.tool()
    async def compute() -> str:
        until = store.polls + 3
        while store.polls < until:
            await store.polled.wait()
            store.polled.clear()
        return "computed"

    @mcp.tool()
    async def refuses() -> str:
        raise ToolError("closed today")

    @mcp.tool()
    async def fails() -> str:
        raise MCPError(code=-32099, message="no such shop")

    return mcp


# --- their client, our server -----------------------------------------------------------------------------------------


CALLS: dict[str, dict[str, Any]] = {
    "answered": {"tool": "order", "answers": [{"size": "XL"}, {"colour": "red"}]},
    "wrong at first": {"tool": "order", "answers": [{"size": "huge"}, {"size": "S"}, {"colour": "blue"}]},
    "declined": {"tool": "order", "answers": ["decline"]},
    "cancelled by the person": {"tool": "order", "answers": ["cancel"]},
    "at once": {"tool": "parcel", "answers": [{"street": "Main Street"}, {"city": "London"}]},
    "computed": {"tool": "compute"},
    "refused": {"tool": "refuses"},
    "failed": {"tool": "fails"},
    "cancelled": {"tool": "order", "cancels": True},
}


@pytest.fixture(scope="module")
def driven() -> dict[str, Any]:
    """What FastMCP's client makes of our server, over stdio."""
    ours = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    job = {
        "command": [sys.executable, "-m", "tests.contracts.test_fastmcp_tasks"],
        "env": ours,
        "calls": [*CALLS.values()],
    }
    given: dict[str, Any] = {"input": json.dumps(job), "capture_output": True, "text": True, "env": alone()}
    done = subprocess.run(command("drive"), timeout=60, cwd=ROOT, **given)
    assert done.returncode == 0, done.stderr
    return dict(zip(CALLS, json.loads(done.stdout), strict=True))


def test_their_client_answers_two_forms_in_one_task_each_once(driven: dict[str, Any]) -> None:
    assert driven["answered"] == {
        "is_error": False,
        "text": "XL red",
        "structured": {"result": "XL red"},
        "asked": ["size?", "colour?"],
        "unused": [],
    }


def test_their_client_asks_again_after_a_wrong_answer_with_the_fault_above(driven: dict[str, Any]) -> None:
    found = driven["wrong at first"]
    first, again, colour = found["asked"]

    assert found["text"] == "S blue"
    assert (first, colour) == ("size?", "colour?")
    assert again.endswith("size?")
    assert "2 characters" in again


def test_their_client_answers_two_forms_at_once(driven: dict[str, Any]) -> None:
    assert driven["at once"]["text"] == "Main Street, London"
    assert driven["at once"]["asked"] == ["street?", "city?"]


@pytest.mark.parametrize(("call", "said"), [("declined", "declined"), ("cancelled by the person", "cancelled")])
def test_their_client_brings_a_refusal(driven: dict[str, Any], call: str, said: str) -> None:
    assert driven[call]["text"] == said
    assert driven[call]["asked"] == ["size?"]


def test_their_client_waits_for_a_tool_that_takes_longer(driven: dict[str, Any]) -> None:
    assert (driven["computed"]["text"], driven["computed"]["is_error"]) == ("computed", False)


@pytest.mark.parametrize(
    ("call", "said"), [("refused", "Error executing tool refuses: closed today"), ("failed", "no such shop")]
)
def test_their_client_hears_how_a_tool_failed(driven: dict[str, Any], call: str, said: str) -> None:
    assert driven[call]["is_error"]
    assert driven[call]["text"] == said


def test_their_client_cancels_a_task_that_asks(driven: dict[str, Any]) -> None:
    assert driven["cancelled"]["statuses"] == ["input_required", "cancelled"]


async def drive_over_http(**job: Any) -> list[dict[str, Any]]:
    with fail_after(60):
        async with served(shop(CountingStore()).streamable_http_app()) as address:
            given = json.dumps({"url": f"{address}/mcp", **job}).encode()
            done = await anyio.run_process(command("drive"), input=given, env=alone(), check=False)
    assert done.returncode == 0, done.stderr.decode()
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


async def test_over_http_their_client_leaves_out_mcp_name_and_is_refused() -> None:
    (found,) = await drive_over_http(calls=[CALLS["answered"]])

    assert found["code"] == HEADER_MISMATCH
    assert found["asked"] == []


async def test_over_http_their_client_drives_a_task_once_it_names_it() -> None:
    answered, computed, cancelled = await drive_over_http(
        calls=[CALLS["answered"], CALLS["computed"], CALLS["cancelled"]], names_the_task=True
    )

    assert (answered["text"], answered["asked"]) == ("XL red", ["size?", "colour?"])
    assert computed["text"] == "computed"
    assert cancelled["statuses"] == ["input_required", "cancelled"]


# --- our client, their server -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server on FastMCP's tasks."""
    with subprocess.Popen(command("serve"), stdout=subprocess.PIPE, text=True, env=alone()) as process:
        too_late = threading.Timer(60, process.kill)
        too_late.start()
        try:
            assert process.stdout is not None
            told = process.stdout.readline().strip()
            assert told, "the server of FastMCP did not start"
            yield told
        finally:
            too_late.cancel()
            process.kill()


class Person:
    """Answers what is asked with the name of the field, or refuses; and remembers."""

    def __init__(self, action: Any = "accept") -> None:
        self.action = action
        self.shown: list[str] = []
        self.states: list[str] = []
        self.tasks: list[TaskHandle] = []
        self.is_told = asyncio.Event()

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.shown.append(params.message)
        (name,) = params.requested_schema["properties"]
        return ElicitResult(action=self.action, content={name: f"my {name}"} if self.action == "accept" else None)

    def told(self, state: TaskState) -> None:
        self.states.append(state.status)
        self.is_told.set()


@asynccontextmanager
async def connected(address: str, person: Any) -> AsyncIterator[Client]:
    tasks = TasksClient(created=person.tasks.append, told=person.told)
    with fail_after(30):
        async with Client(address, extensions=[tasks], elicitation_callback=person) as client:
            yield client


async def call(address: str, tool: str, person: Person) -> CallToolResult:
    async with connected(address, person) as client:
        return await client.call_tool(tool)


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


async def test_our_client_answers_two_forms_in_one_task_of_theirs_each_once(address: str) -> None:
    person = Person()

    result = await call(address, "order", person)

    assert text_of(result) == "my size my colour"
    assert person.shown == ["size?", "colour?"]
    assert len(person.tasks) == 1
    assert {"input_required", "completed"} <= {*person.states}


async def test_our_client_answers_two_forms_of_theirs_at_once(address: str) -> None:
    person = Person()

    result = await call(address, "parcel", person)

    assert text_of(result) == "my street, my city"
    assert sorted(person.shown) == ["city?", "street?"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_our_client_brings_a_refusal_to_their_tool(address: str, action: str) -> None:
    person = Person(action)

    assert text_of(await call(address, "order", person)) == action
    assert person.shown == ["size?"]


async def test_our_client_waits_for_a_tool_of_theirs_that_takes_longer(address: str) -> None:
    person = Person()
    async with connected(address, person) as client:
        calling = asyncio.create_task(client.call_tool("compute"))
        await person.is_told.wait()
        await client.call_tool("release")
        result = await calling

    assert text_of(result) == "computed"
    assert (person.states[0], person.states[-1]) == ("working", "completed")
    assert len(person.tasks) == 1


async def test_our_client_hears_how_a_tool_of_theirs_failed(address: str) -> None:
    person = Person()

    refused = await call(address, "refuses", person)
    async with connected(address, person) as client:
        with pytest.raises(MCPError) as failed:
            await client.call_tool("fails")

    assert (refused.is_error, text_of(refused)) == (True, "closed today")
    assert (failed.value.code, failed.value.message) == (-32099, "no such shop")
    assert failed.value.data == {"until": "Monday"}


class Undecided(Person):
    """Is asked, and never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.is_asked.set()
        return await asyncio.Future()


async def test_a_call_of_ours_that_is_cancelled_cancels_their_task(address: str) -> None:
    person = Undecided()
    async with connected(address, person) as client:
        calling = asyncio.create_task(client.call_tool("order"))
        await person.is_asked.wait()
        calling.cancel()
        await asyncio.wait([calling])
        state = await person.tasks[0].state()

    assert calling.cancelled()
    assert state.status == "cancelled"


async def test_a_task_of_theirs_is_found_again_by_its_id(address: str) -> None:
    first, second = Person(), Person()
    async with connected(address, first) as client:
        await client.call_tool("order")
    async with connected(address, second) as client:
        result = await TasksClient.attach(client.session, first.tasks[0].id).wait()

    assert text_of(result) == "my size my colour"
    assert second.shown == []


async def test_inside_a_task_of_theirs_a_tool_cannot_elicit(address: str) -> None:
    person = Person()

    result = await call(address, "elicits", person)

    assert result.is_error
    assert "not supported inside a background task" in text_of(result)
    assert person.shown == []


async def test_their_last_updated_at_moves_while_nothing_happens(address: str) -> None:
    person = Undecided()
    async with connected(address, person) as client:
        calling = asyncio.create_task(client.call_tool("order"))
        await person.is_asked.wait()
        first, second = [await person.tasks[0].state() for _ in range(2)]
        calling.cancel()
        await asyncio.wait([calling])

    assert first.status == second.status == "input_required"
    assert first.input_requests == second.input_requests
    assert first.last_updated_at < second.last_updated_at


if __name__ == "__main__":
    shop(CountingStore()).run("stdio")
