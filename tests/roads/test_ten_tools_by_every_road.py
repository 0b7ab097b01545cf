"""The same ten tools by every road: the same results, each question seen once, each step run once (design, 1 and 7)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests import eras
from tests.roads import apart
from tests.roads.connections import Person, connected
from tests.roads.frameworks import FRAMEWORKS, HTTP, low_level
from tests.roads.ten_tools import TABLE, Row, TenTools

pytestmark = pytest.mark.anyio

TRANSPORTS = ("memory", "stdio", *HTTP)
NO_WAY_BACK = (
    "error: This needs an answer from you, and the connection has no way to ask: the server runs streamable HTTP "
    "without sessions or with JSON responses only, and the client speaks a revision before 2026-07-28. "
    "Use a newer client, or run the server with sessions."
)
NO_LINKS = (
    "error: This needs an answer from you, and the application you use does not show links that a server asks for "
    "(MCP elicitation, url mode). Use one that does, or turn it on there, and try again."
)


@dataclass(frozen=True, slots=True)
class Way:
    """One combination of what lies between a tool and a person."""

    framework: str
    transport: str
    revision: str

    def __str__(self) -> str:
        return f"{self.framework}-{self.transport}-{self.revision}"

    def expects(self, row: Row) -> Row:
        """What a tool comes to here. 2025-06-18 has no links (specification, 2025-11-25: "URL mode" is new)."""
        if self.revision in eras.HANDSHAKE and self.transport in ("stateless", "json"):
            return row.refused(NO_WAY_BACK)
        return row.refused(NO_LINKS) if row.tool == "a_link" and self.revision == "2025-06-18" else row


WAYS = [Way(*parts) for parts in product(FRAMEWORKS, TRANSPORTS, eras.ALL)]


@dataclass(frozen=True, slots=True)
class Connection:
    client: Client
    person: Person
    effects: Path

    async def call(self, row: Row) -> str:
        self.person.expect(row.script)
        self.effects.write_text("", encoding="utf-8")
        with anyio.fail_after(10):
            return await eras.said(self.client, row.tool)

    @property
    def happened(self) -> list[str]:
        return self.effects.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def effects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roads") / "effects"


@pytest.fixture(scope="module")
async def addresses(effects: Path) -> AsyncIterator[dict[str, dict[str, str]]]:
    """The servers on HTTP: by framework, then by the way they are served."""
    async with apart.running(*(apart.command(name, "ten", effects) for name in FRAMEWORKS)) as every:
        yield dict(zip(FRAMEWORKS, every, strict=True))


@pytest.fixture(scope="module", params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Way:
    return request.param


@pytest.fixture(scope="module")
async def connection(way: Way, effects: Path, addresses: dict[str, dict[str, str]]) -> AsyncIterator[Connection]:
    person = Person()
    if way.transport in HTTP:
        server: Any = addresses[way.framework][way.transport]
    else:
        server = {"memory": in_memory, "stdio": over_stdio}[way.transport](way.framework, effects)
    async with connected(server, way.revision, person) as client:
        yield Connection(client, person, effects)


def in_memory(framework: str, effects: Path) -> Any:
    return low_level(FRAMEWORKS[framework](TenTools(effects).bodies))


def over_stdio(framework: str, effects: Path) -> StdioServerParameters:
    program, *arguments = apart.command(framework, "ten", effects, "--stdio")
    return StdioServerParameters(command=program, args=arguments, env=apart.environment(), cwd=apart.ROOT)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.tool)
async def test_a_tool_comes_to_the_same_by_every_road_and_says_where_there_is_none(
    connection: Connection, way: Way, row: Row
) -> None:
    expected = way.expects(row)

    text = await connection.call(row)

    assert text == expected.text
    assert connection.person.asked == expected.questions
    assert connection.happened == list(expected.steps)
