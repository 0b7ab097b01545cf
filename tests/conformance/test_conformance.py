"""The official conformance suite judges our server and our host; `make conformance` brings it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client

from elicitkit.host.servers import HttpServer, transport
from tests.conformance import judge, scenarios
from tests.conformance.scenarios import Scenario
from tests.roads import round_robin
from tests.services import postgres

pytestmark = [
    pytest.mark.node,
    pytest.mark.slow,
    pytest.mark.skipif(
        not judge.INSTALLED, reason="missing here: needs the conformance suite, which `make conformance` installs"
    ),
]

NOT_ALONE = (
    "\nNOT ISOLATED: `unshare` is not permitted here, so the suite's own server listens on every interface while the "
    "client scenario runs."
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server that is judged, with its tasks in memory."""
    with served() as address:
        yield address


@pytest.fixture(scope="module")
def durable_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same server with its tasks in a file."""
    with served(CONFORMANCE_STORE=str(tmp_path_factory.mktemp("tasks") / "tasks.db")) as address:
        yield address


@pytest.fixture(scope="module")
def shared_address() -> Iterator[str]:
    """One address before three such servers, whose tasks are in one database: each request goes to another."""
    postgres.require()
    with postgres.own_schema() as schema, ExitStack() as stack:
        more = {"CONFORMANCE_STORE": f"{postgres.ADDRESS}?schema={schema}", "CONFORMANCE_KEY": "k" * 32}
        servers = [stack.enter_context(served(**more)) for _ in range(3)]
        portal = stack.enter_context(start_blocking_portal())
        address, _ = stack.enter_context(portal.wrap_async_context_manager(round_robin.before(servers)))
        yield address


@contextmanager
def served(**environment: str) -> Iterator[str]:
    """A server in a process of its own; what it writes to standard error is pytest's to show."""
    command = [sys.executable, "-m", "tests.conformance.server"]
    into = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=judge.ROOT, stdout=subprocess.PIPE, text=True, env=into) as server:
        assert server.stdout is not None
        try:
            printed = server.stdout.readline().strip()
            assert printed, "the server ended before it could be reached"
            yield printed
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(10)
            server.kill()


@pytest.fixture(scope="module")
def offered(address: str) -> frozenset[str]:
    """What the server has, named as in `Scenario.needs`."""

    async def listed() -> frozenset[str]:
        with anyio.fail_after(30):
            async with Client(transport(HttpServer(address))) as client:
                tools, prompts = (await client.list_tools()).tools, (await client.list_prompts()).prompts
        return frozenset({f"tools/{one.name}" for one in tools} | {f"prompts/{one.name}" for one in prompts})

    return anyio.run(listed)


@pytest.fixture
def alone(capsys: pytest.CaptureFixture[str]) -> Sequence[str]:
    """What the client scenario is started with; where that has to be nothing, everybody is told."""
    prefix = judge.alone()
    if not prefix:
        with capsys.disabled():
            print(NOT_ALONE)
    return prefix


@pytest.mark.parametrize("scenario", scenarios.SERVER, ids=str)
def test_the_suite_finds_no_fault_in_the_server(
    scenario: Scenario, address: str, offered: frozenset[str], tmp_path: Path
) -> None:
    assert scenario.needs <= offered  # first: without its fixtures a scenario can pass in parts
    faults = judge.faults_of_server(address, scenario.name, scenario.revision, tmp_path)

    assert not faults


@pytest.mark.parametrize("scenario", scenarios.TASKS, ids=str)
def test_the_suite_finds_no_fault_in_tasks_kept_in_memory(
    scenario: Scenario, address: str, offered: frozenset[str], tmp_path: Path
) -> None:
    assert scenario.needs <= offered

    assert not judge.faults_of_server(address, scenario.name, scenario.revision, tmp_path)


@pytest.mark.parametrize("scenario", scenarios.TASKS, ids=str)
def test_the_suite_finds_no_fault_in_tasks_kept_in_a_file(
    scenario: Scenario, durable_address: str, tmp_path: Path
) -> None:
    assert not judge.faults_of_server(durable_address, scenario.name, scenario.revision, tmp_path)


@pytest.mark.parametrize("scenario", scenarios.TASKS, ids=str)
def test_the_suite_finds_no_fault_in_three_servers_on_one_database(
    scenario: Scenario, shared_address: str, tmp_path: Path
) -> None:
    """Issue 8, "Proof": stateless HTTP, through a round robin of three server processes."""
    assert not judge.faults_of_server(shared_address, scenario.name, scenario.revision, tmp_path)


@pytest.mark.parametrize("scenario", scenarios.CLIENT)
def test_the_suite_finds_no_fault_in_the_host(scenario: str, alone: Sequence[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.conformance.client"]
    faults = judge.faults_of_client(command, scenario, tmp_path, alone=alone)

    assert not faults


def test_no_scenario_about_asking_is_left_out() -> None:
    about_asking = {name for name in judge.server_scenarios() if re.search("elicitation|input-required", name)}

    assert about_asking == {scenario.name for scenario in scenarios.SERVER if scenario.revision}


def test_no_scenario_about_tasks_is_left_out() -> None:
    about_tasks = {name for name in judge.server_scenarios() if name.startswith("tasks-")}

    assert about_tasks == {scenario.name for scenario in scenarios.TASKS} | {"tasks-status-notifications"}
