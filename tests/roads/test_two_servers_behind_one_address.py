"""Rounds of one call on different processes: behind a load balancer, after a restart (design, 1: "Kill the server while
a form is parked; start another"; 7: the journal travels in `requestState`)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, ElicitResult

from elicitkit.testing import accept
from tests import eras
from tests.roads import apart, round_robin
from tests.roads.connections import Person, connected
from tests.roads.frameworks import FRAMEWORKS
from tests.roads.ten_tools import TABLE

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SHARED, OTHER = "s" * 32, "o" * 32
ROW = next(row for row in TABLE if row.tool == "three_in_a_row")


@dataclass(frozen=True, slots=True)
class Server:
    address: str
    effects: Path

    @property
    def happened(self) -> list[str]:
        return self.effects.read_text(encoding="utf-8").splitlines()


@asynccontextmanager
async def running(framework: str, **servers: tuple[Path, str]) -> AsyncIterator[dict[str, Server]]:
    """Servers in processes of their own, by name; each has the file that takes its effects, and its key."""
    commands = [apart.command(framework, "ten", *given) for given in servers.values()]
    async with apart.running(*commands) as every:
        addresses = dict(zip(servers, every, strict=True))
        yield {name: Server(addresses[name]["http"], servers[name][0]) for name in servers}


@pytest.fixture(scope="module", params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
async def three(framework: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Server]]:
    """Two servers that share keys and effects, and a stranger."""
    folder = tmp_path_factory.mktemp("roads")
    ours, theirs = folder / "ours", folder / "theirs"
    async with running(framework, first=(ours, SHARED), second=(ours, SHARED), stranger=(theirs, OTHER)) as servers:
        yield servers


@pytest.fixture
def servers(three: dict[str, Server]) -> dict[str, Server]:
    for server in three.values():
        server.effects.write_text("", encoding="utf-8")
    return three


async def round_of(server: Server, **more: Any) -> Any:
    """One round of the call by a client of its own, which does not wait for the answer."""
    async with connected(server.address, eras.MODERN[0], Person()) as client:
        return await raw(client, **more)


async def raw(client: Client, **more: Any) -> Any:
    return await client.session.call_tool(ROW.tool, {}, allow_input_required=True, **more)


def answered(result: Any, answer: ElicitResult) -> dict[str, Any]:
    """What the next round brings."""
    return {"request_state": result.request_state, "input_responses": dict.fromkeys(result.input_requests, answer)}


async def test_each_round_on_another_process_comes_to_the_same(servers: dict[str, Server]) -> None:
    first, second, person = servers["first"], servers["second"], Person()
    person.expect(ROW.script)
    with anyio.fail_after(30):
        async with (
            round_robin.before([first.address, second.address]) as (address, balancer),
            connected(address, eras.MODERN[0], person) as client,
        ):
            text = await eras.said(client, ROW.tool)

    assert text == ROW.text
    assert person.asked == ROW.questions
    assert first.happened == list(ROW.steps)
    assert balancer.calls in ([first.address, second.address] * 2, [second.address, first.address] * 2)


async def test_a_call_goes_on_after_the_process_that_asked_has_ended(framework: str, tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    first, second, third = (answer for _, answer in ROW.script)
    with anyio.fail_after(60):
        async with running(framework, old=(effects, SHARED)) as servers:
            result = await round_of(servers["old"])
            result = await round_of(servers["old"], **answered(result, first))
        async with running(framework, new=(effects, SHARED)) as servers:
            result = await round_of(servers["new"], **answered(result, second))
            result = await round_of(servers["new"], **answered(result, third))

    assert result.content[0].text == ROW.text
    assert servers["new"].happened == list(ROW.steps)


async def test_a_server_with_other_keys_refuses_a_round_and_uses_nothing_of_it(servers: dict[str, Server]) -> None:
    """Specification, "Multi Round-Trip Requests": servers MUST reject state that fails verification."""
    first, second, stranger = servers["first"], servers["second"], servers["stranger"]
    with anyio.fail_after(30):
        more = answered(await round_of(first), accept(x="a"))
        async with connected(stranger.address, eras.MODERN[0], Person()) as client:
            with pytest.raises(MCPError) as refused:
                await raw(client, **more)
        happened_so_far = first.happened + stranger.happened
        again = await round_of(second, **more)

    assert (refused.value.code, refused.value.data) == (INVALID_PARAMS, {"reason": "invalid_request_state"})
    assert happened_so_far == []
    assert [one.params.message for one in again.input_requests.values()] == ["After a?"]
    assert (second.happened, stranger.happened) == (["noted a"], [])
